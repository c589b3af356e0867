import assert from "node:assert/strict";
import { test } from "node:test";
import { findFileProblem } from "./upload.rules.ts";

const limits = { maxBytes: 20 * 1024 * 1024, extensions: ["txt", "pdf", "docx"] };

test("files that can be read are sent, whatever the case of their extension", () => {
  for (const name of ["a.txt", "A.PDF", "my.notes.docx", "README"])
    assert.equal(findFileProblem({ name, size: limits.maxBytes }, limits), undefined);
});

test("other files are refused with what to do", () => {
  const problemOf = (name: string, size = 10) => findFileProblem({ name, size }, limits);
  assert.equal(problemOf("a.txt", 0), "is empty.");
  assert.equal(
    problemOf("a.pdf", 25.3 * 1024 * 1024),
    "has 25.3 MB, more than 20 MB: divide it into several files.",
  );
  assert.equal(problemOf("list.xlsx"), "has a type that cannot be read (.xlsx): save its tables as .csv.");
  assert.equal(
    problemOf("photo.jpg"),
    "has a type that cannot be read (.jpg): save it as text, PDF or .docx.",
  );
});
