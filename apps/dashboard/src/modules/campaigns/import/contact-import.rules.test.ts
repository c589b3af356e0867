import assert from "node:assert/strict";
import { test } from "node:test";
import { joinChecks, slicesOf, toInputs } from "./checked-contacts.rules.ts";
import { findColumnFault, guessColumns, toContacts, variableNameOf } from "./columns.rules.ts";
import { readCsv } from "./csv-file.ts";

const meanings = async (csv: string) =>
  guessColumns(await readCsv("a.csv", csv)).map(({ meaning }) => meaning);

test("columns are guessed by their names and their cells", async () => {
  assert.deepEqual(await meanings("Name;Telefon;Time zone\nAda;(415) 555-0199;America/New_York\n"), [
    "variable",
    "number",
    "timezone",
  ]);
  // The customer's number is digits too, and the birthday has as many.
  assert.deepEqual(
    await meanings(
      "Customer number,Mobile,Born\n10023400,+4930123456,1990-01-31\n10023401,+4930123457,31.01.1990",
    ),
    ["variable", "number", "variable"],
  );
  assert.deepEqual(await meanings("+14155550199\n+14155550198\n"), ["number"]);
  assert.deepEqual(await meanings("name\nAda\n"), ["variable"]);
});

test("a file without names of columns loses no row", async () => {
  const { header, rows, firstRow } = await readCsv("a.csv", "Ada,+14155550199\n\nGrace,+14155550198\n");
  assert.deepEqual(header, ["Column 1", "Column 2"]);
  assert.deepEqual([rows.length, firstRow], [2, 1]);
});

test("files of other programs are decoded", async () => {
  const latin1 = Uint8Array.from(Buffer.from("Name;Nummer\nJ\u00fcrgen;+4930123456\n", "latin1"));
  assert.equal((await readCsv("a.csv", latin1.buffer)).rows[0]?.[0], "Jürgen");
  const utf16 = Uint8Array.from([
    0xff,
    0xfe,
    ...Buffer.from("Name\tNummer\nJürgen\t+4930123456\n", "utf16le"),
  ]);
  assert.equal((await readCsv("a.csv", utf16.buffer)).rows[0]?.[0], "Jürgen");
  await assert.rejects(readCsv("a.csv", "\n\n"), /empty/);
  await assert.rejects(readCsv("a.csv", "name,phone\n"), /no row/);
});

test("variables get names that templates accept", () => {
  assert.equal(variableNameOf("First name"), "first_name");
  assert.equal(variableNameOf("Größe (cm)"), "gro_e_cm");
  assert.equal(variableNameOf("variables.firstName"), "firstName");
  assert.equal(variableNameOf("???"), "column");
});

test("a wrong use of columns is explained", () => {
  const number = { meaning: "number", name: "phone" } as const;
  const variable = { meaning: "variable", name: "name" } as const;
  assert.equal(findColumnFault([number, variable]), undefined);
  assert.match(findColumnFault([variable]) ?? "", /column with the phone numbers/);
  assert.match(findColumnFault([number, number]) ?? "", /one column/);
  assert.match(findColumnFault([number, variable, variable]) ?? "", /“name”/);
  assert.match(findColumnFault([number, { ...variable, name: "a b" }]) ?? "", /“a b”/);
});

test("rows become contacts, an exported file too", async () => {
  const file = await readCsv(
    "export.csv",
    "toNumber,status,outcome,attempts,nextAttemptAt,lastAttemptAt,timezone,variables.name,variables.note\r\n" +
      "+14155550199,failed,busy,2,,2026-11-22T10:00:00.000Z,America/New_York,Ada,'=SUM(A1)\r\n" +
      ",failed,busy,2,,,,Nobody,\r\n",
  );
  const contacts = toContacts(file, guessColumns(file));
  assert.deepEqual(contacts, [
    {
      row: 2,
      toNumber: "+14155550199",
      timezone: "America/New_York",
      variables: { name: "Ada", note: "=SUM(A1)" },
      problem: undefined,
    },
    {
      row: 3,
      toNumber: "",
      timezone: null,
      variables: { name: "Nobody" },
      problem: "The phone number is missing",
    },
  ]);
});

test("duplicates and contacts with a problem are not sent; a time zone of the file wins over a guess", () => {
  const row = (toNumber: string, timezone: string | null = null) => {
    return { row: 2, toNumber, timezone, variables: { a: "b" }, problem: undefined };
  };
  const check = (toNumber: string | null, timezone: string | null = null, problem: string | null = null) => {
    return {
      toNumber,
      timezone,
      problem: problem === null ? null : { path: "toNumber" as const, message: problem },
    };
  };
  const joined = joinChecks(
    [row("1"), row("1"), row("2", "Asia/Tokyo"), row("x")],
    [
      check("+1", "America/New_York"),
      check("+1"),
      check("+2", "Europe/Paris"),
      check(null, null, "must be possible"),
    ],
  );
  assert.deepEqual(
    joined.map(({ isDuplicate, problem }) => [isDuplicate, problem]),
    [
      [false, undefined],
      [true, undefined],
      [false, undefined],
      [false, "Phone number must be possible"],
    ],
  );
  assert.deepEqual(toInputs(joined, true), [
    { toNumber: "+1", variables: { a: "b" }, timezone: "America/New_York" },
    { toNumber: "+2", variables: { a: "b" }, timezone: "Asia/Tokyo" },
  ]);
  assert.equal(toInputs(joined, false)[0]?.timezone, undefined);
});

test("lists are divided without losing anything", () => {
  assert.deepEqual(slicesOf([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
  assert.deepEqual(slicesOf([], 2), []);
});
