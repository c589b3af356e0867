import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort, waitFor } from "@parley/testing";
import { fastify } from "fastify";
import { systemClock } from "../clock.ts";
import { sendError } from "../http/errors.ts";
import { registerFolderRoutes } from "./folder-routes.ts";
import { FolderStorage } from "./folder-storage.ts";
import { S3Storage } from "./s3-storage.ts";
import { describeObjectStorage, type OpenStorage, type S3Settings, startS3Server } from "./testing.ts";

const settings: S3Settings = {
  region: "eu-central-1",
  bucket: "calls",
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};

describeObjectStorage("a folder", async (): Promise<OpenStorage> => {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-folder-"));
  const app = fastify();
  app.setErrorHandler(sendError);
  let origin = "";
  const storage = new FolderStorage({
    folder,
    isShared: false,
    signingKeys: [randomBytes(32)],
    origin: () => origin,
  });
  registerFolderRoutes(app, storage, systemClock);
  origin = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    storage,
    close: async () => {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
});

describeObjectStorage("S3, on a server that checks signatures", async (): Promise<OpenStorage> => {
  const { endpoint, close } = await startS3Server(settings);
  return { storage: new S3Storage({ endpoint, ...settings }), close };
});

const hasGateway = spawnSync("which", ["versitygw"]).status === 0;
describeObjectStorage("S3, on Versity's gateway", startGateway, {
  skip: hasGateway
    ? false
    : "versitygw is not installed (go install github.com/versity/versitygw/cmd/versitygw)",
});

describe("S3 errors", () => {
  let server: Awaited<ReturnType<typeof startS3Server>>;
  let folder: string;
  before(async () => {
    server = await startS3Server(settings);
    folder = await mkdtemp(path.join(tmpdir(), "parley-s3-"));
    await writeFile(path.join(folder, "file"), "words");
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  test("are reported with their reason: a wrong secret, an unknown bucket, an unreachable server", async () => {
    const { endpoint } = server;
    const attempt = async (change: object): Promise<void> =>
      await new S3Storage({ endpoint, ...settings, ...change }).putFile(
        "a.opus",
        path.join(folder, "file"),
        AbortSignal.timeout(10_000),
      );
    await attempt({});
    await assert.rejects(attempt({ secretAccessKey: "wrong" }), /403.*SignatureDoesNotMatch/);
    await assert.rejects(attempt({ bucket: "nowhere" }), /404.*NoSuchBucket/);
    await assert.rejects(attempt({ endpoint: "http://127.0.0.1:1" }), /ECONNREFUSED/);
  });
});

/** Starts a third-party S3 gateway to a folder. */
async function startGateway(): Promise<OpenStorage> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-gateway-"));
  const [objects, sidecar] = [path.join(folder, "objects"), path.join(folder, "sidecar")];
  await mkdir(path.join(objects, settings.bucket), { recursive: true });
  await mkdir(sidecar);
  const port = await freePort();
  const { accessKeyId, secretAccessKey, region } = settings;
  const credentials = ["--access", accessKeyId, "--secret", secretAccessKey, "--region", region];
  const child = spawn(
    "versitygw",
    [...credentials, "--port", `127.0.0.1:${port}`, "posix", "--sidecar", sidecar, objects],
    {
      stdio: "ignore",
    },
  );
  const endpoint = `http://127.0.0.1:${port}`;
  await waitFor("the server to answer", async () => {
    const response = await fetch(endpoint).catch(() => undefined);
    await response?.body?.cancel();
    return response !== undefined;
  });
  return { storage: new S3Storage({ endpoint, ...settings }), close: async () => await end(child, folder) };
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  await rm(folder, { recursive: true });
}
