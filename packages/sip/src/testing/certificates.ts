import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

export interface Certified {
  certificate: string;
  privateKey: string;
}

export interface CertificateOptions {
  /** In OpenSSL syntax: `DNS:example.com`, `URI:sip:example.com`, `IP:127.0.0.1`. */
  alternativeNames?: readonly string[];
  commonName?: string;
  isExpired?: boolean;
}

/** A certificate authority for tests, based on the `openssl` program. */
export class TestAuthority {
  readonly certificate: string;
  readonly #folder: string;

  static async create(): Promise<TestAuthority> {
    const folder = await mkdtemp(path.join(tmpdir(), "parley-ca-"));
    const files = ["-keyout", "ca.key", "-out", "ca.pem"];
    await run("openssl", ["req", "-x509", ...newKey, ...files, "-days", "2", "-subj", "/CN=Test"], {
      cwd: folder,
    });
    return new TestAuthority(folder, await readFile(path.join(folder, "ca.pem"), "utf8"));
  }

  private constructor(folder: string, certificate: string) {
    this.#folder = folder;
    this.certificate = certificate;
  }

  /** Issues a certificate. Each has a folder of its own, so that calls may overlap. */
  async issue(options: CertificateOptions): Promise<Certified> {
    const { alternativeNames = [], commonName = "unnamed", isExpired = false } = options;
    const cwd = await mkdtemp(path.join(this.#folder, "issued-"));
    const names = alternativeNames.length === 0 ? "" : `subjectAltName=${alternativeNames.join(",")}\n`;
    await writeFile(path.join(cwd, "extensions"), names);
    const files = ["-keyout", "a.key", "-out", "a.csr"];
    await run("openssl", ["req", "-new", ...newKey, ...files, "-subj", `/CN=${commonName}`], { cwd });
    const signer = ["-CA", "../ca.pem", "-CAkey", "../ca.key", "-days", isExpired ? "-1" : "2"];
    await run(
      "openssl",
      ["x509", "-req", "-in", "a.csr", ...signer, "-extfile", "extensions", "-out", "a.pem"],
      { cwd },
    );
    return {
      certificate: await readFile(path.join(cwd, "a.pem"), "utf8"),
      privateKey: await readFile(path.join(cwd, "a.key"), "utf8"),
    };
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
