import {
  createTestCaseRoute,
  createTestSuiteRoute,
  DEFAULT_TEST_CASE,
  DEFAULT_TEST_SUITE,
  testCaseSchema,
  testEndReasons,
} from "@parley/contract";
import type { FieldSchema } from "../../ui/schema-field.rules.ts";

type Schemas<Body> = Readonly<Record<keyof Body, FieldSchema>>;

const { properties: suite } = createTestSuiteRoute.body;
const { properties: testCase } = createTestCaseRoute.body;
const { properties: conditions } = testCaseSchema.properties.callerConditions;

/** Schemas of a suite's and a case's fields, with descriptions and ranges. */
export const suiteFields = suite as unknown as Schemas<typeof suite>;
export const caseFields = testCase as unknown as Schemas<typeof testCase>;
export const conditionFields = conditions as unknown as Schemas<typeof conditions>;
export const suiteDefaults = DEFAULT_TEST_SUITE;
export const caseDefaults = DEFAULT_TEST_CASE;
export const endReasonNames = testEndReasons;
