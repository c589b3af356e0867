import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const root = path.join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const decisions = globSync("docs/decisions/*.md", { cwd: root })
  .map((file) => path.basename(file))
  .filter((name) => name !== "README.md");

test("every decision states its date and status, and is listed in the index with its title", () => {
  const index = read("docs/decisions/README.md");
  assert.ok(decisions.length > 30);
  for (const name of decisions) {
    const [, title = "", date, status = ""] =
      /^# (.+)\n\nDate: (\d{4}-\d\d-\d\d) · Status: (.+)\n/.exec(read(`docs/decisions/${name}`)) ?? [];
    assert.equal(date, name.slice(0, 10), name);
    assert.ok(index.includes(`| ${date} | [${title}](${name}) | ${status} |`), `${name} is not in the index`);
  }
});

test("every relative link in the documentation leads to a file", () => {
  const files = globSync(
    ["*.md", "docs/**/*.md", "examples/*.md", "{apps,packages}/*/README.md", "{e2e,bench,tools}/README.md"],
    { cwd: root },
  );
  for (const file of files) {
    for (const [, target = ""] of read(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      assert.ok(existsSync(path.join(root, path.dirname(file), target)), `${file}: ${target}`);
    }
  }
});

test("every source file and folder that a page names exists", () => {
  const exclude = ["**/node_modules/**"];
  const sources = globSync("{apps,packages,e2e,bench,tools,examples}/**/*.{ts,tsx,sh}", {
    cwd: root,
    exclude,
  });
  const pages = globSync(
    ["*.md", "docs/*.md", "docs/{decisions,guides}/*.md", "{apps,packages}/*/README.md"],
    {
      cwd: root,
    },
  );
  for (const page of pages) {
    for (const [, name = ""] of read(page).matchAll(/`([\w./-]+\/(?:[\w.-]+\.(?:ts|tsx|sh))?)`/g)) {
      if (/\.\w+$/.test(name))
        assert.ok(
          sources.some((file) => file === name || file.endsWith(`/${name}`)),
          `${page}: ${name}`,
        );
      else if (/^(apps|packages|docs|tools)\//.test(name))
        assert.ok(existsSync(path.join(root, name)), `${page}: ${name}`);
    }
  }
});

test("every test that the page about the specification names exists", () => {
  const texts = new Map<string, string>();
  for (const file of globSync("{apps,packages,e2e}/**/*.test.ts", {
    cwd: root,
    exclude: ["**/node_modules/**"],
  })) {
    const name = path.basename(file);
    texts.set(name, (texts.get(name) ?? "") + read(file));
  }
  const proofs = [...read("docs/specification.md").matchAll(/`([^`]+\.test\.ts)`: “([^”]+)”/g)];
  assert.ok(proofs.length > 100);
  for (const [, name = "", title = ""] of proofs)
    assert.ok(texts.get(name)?.includes(title), `${name}: ${title}`);
});
