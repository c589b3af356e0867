import assert from "node:assert/strict";
import test from "node:test";
import { toCsvRow } from "./csv.ts";

test("cells that a spreadsheet would run are made harmless, plain numbers are not changed", () => {
  const cells = ["=1+1", "+49 30", "-2+3", "@SUM(A1)", "\t=1", "+4930123456", "-12.5", "Ada", null, 3, true];
  assert.equal(toCsvRow(cells), "'=1+1,'+49 30,'-2+3,'@SUM(A1),'\t=1,+4930123456,-12.5,Ada,,3,true\r\n");
});

test("cells with separators, quotes and line breaks are quoted", () => {
  assert.equal(toCsvRow(["a,b", 'say "hi"', "two\r\nlines"]), '"a,b","say ""hi""","two\r\nlines"\r\n');
});
