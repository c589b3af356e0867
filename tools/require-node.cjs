// Preloaded by every npm script: Parley is TypeScript that Node runs as it is, which needs Node 24. `npm ci` brings one
// (the package `node`); this line is what somebody reads whose installation left it out.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  process.stderr.write(
    `Parley needs Node 24 or later and found ${process.version}. Run "npm ci" with install scripts allowed (it brings Node 24), then use "npm start", "npm test", "npm run …".\n`,
  );
  process.exit(1);
}

// Modules are kept compiled, types stripped, from one start to the next: those of the script, and by the variable those of
// the processes that it starts. Too late for the first modules, were it done in these.
const { enableCompileCache } = require("node:module");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");
enableCompileCache();
