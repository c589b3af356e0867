import type { Database } from "../../apps/server/src/platform/database/database.ts";

interface Statement {
  text: string;
  values: unknown[];
}

/** Runs something that queries the database, and returns the statements that it sent. */
export async function recordStatements<T>(
  { $client }: Database,
  work: () => Promise<T>,
): Promise<{ statements: Statement[]; result: T }> {
  const statements: Statement[] = [];
  const query: (...given: unknown[]) => unknown = $client.query.bind($client);
  const record = (...given: unknown[]): unknown => {
    const [first, second] = given as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
    const text = typeof first === "string" ? first : first.text;
    const values = (typeof first === "string" ? undefined : first.values) ?? second ?? [];
    statements.push({ text, values });
    return query(...given);
  };
  Object.assign($client, { query: record });
  try {
    return { result: await work(), statements };
  } finally {
    Object.assign($client, { query });
  }
}

interface PlanNode {
  "Node Type": string;
  "Index Name"?: string;
  "Relation Name"?: string;
  Plans?: PlanNode[];
}

interface Plan {
  indexes: string[];
  /** Tables that are read as a whole. */
  scannedTables: string[];
}

export async function findPlan({ $client }: Database, { text, values }: Statement): Promise<Plan> {
  const { rows } = await $client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `explain (format json) ${text}`,
    values,
  );
  const [{ Plan: root }] = rows[0]?.["QUERY PLAN"] ?? [{ Plan: { "Node Type": "none" } }];
  const nodes = allOf(root);
  return {
    indexes: nodes.flatMap((node) => node["Index Name"] ?? []),
    scannedTables: nodes
      .filter((node) => node["Node Type"] === "Seq Scan")
      .flatMap((node) => node["Relation Name"] ?? []),
  };
}

function allOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(allOf)];
}
