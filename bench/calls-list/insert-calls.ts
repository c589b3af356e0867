import { randomUUID } from "node:crypto";
import type { createFeatures } from "../../apps/server/src/node/features.ts";
import { type Database, openDatabase } from "../../apps/server/src/platform/database/database.ts";

const AGENTS = 20;
const BATCH = 100_000;
const OTHERS_SHARE = 10;
const INSERT_DEADLINE_MS = 600_000;

interface Bench {
  database: Database;
  /** URL of the database without a pooler. */
  directUrl: string;
  modules: ReturnType<typeof createFeatures>["services"];
}

/** What the list can be filtered by. */
export interface ManyCalls {
  organizationId: string;
  agentIds: string[];
  trunkId: string;
  /** A number that called a few times. */
  rareNumber: string;
  /** A number that was called a few times. */
  calledNumber: string;
  /** A day within the time of the calls. */
  day: string;
}

/** Stores this many calls of the last year, each with two lines of transcript; a tenth belong to another organization. */
export async function insertCalls(
  { database, directUrl, modules }: Bench,
  count: number,
): Promise<ManyCalls> {
  const { id: organizationId } = await modules.organizations.ensure(database, "bench", "Bench");
  const { id: otherId } = await modules.organizations.ensure(database, "other", "Other");
  const trunk = await modules.sipTrunks.create(organizationId, { friendlyName: "Trunk" });
  const agentIds = Array.from({ length: AGENTS }, () => randomUUID());
  await insertRows(directUrl, { organizationId, otherId, agentIds, trunkId: trunk.id }, count);
  const day = new Date(Date.now() - 100 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  return {
    organizationId,
    agentIds,
    trunkId: trunk.id,
    rareNumber: "+14152000113",
    calledNumber: "+14152000111",
    day,
  };
}

/** Stores this many calls of an organization, and of another one, which may be the same. */
export async function insertRows(
  connectionString: string,
  {
    organizationId,
    otherId,
    agentIds,
    trunkId,
  }: Pick<ManyCalls, "organizationId" | "agentIds" | "trunkId"> & { otherId: string },
  count: number,
): Promise<void> {
  const { $client: client } = await openDatabase(connectionString, {
    maxConnections: 1,
    statementDeadlineMs: INSERT_DEADLINE_MS,
  });
  try {
    for (let first = 0; first < count; first += BATCH) {
      const last = Math.min(count, first + BATCH) - 1;
      await client.query(INSERT, [organizationId, otherId, agentIds, trunkId, first, last, count]);
    }
    await client.query("vacuum analyze calls, conversations, transcript_items");
  } finally {
    await client.end();
  }
}

/** Values occur as in practice: most calls are inbound, answered and hung up by the caller. */
const INSERT = `
  with series as (
    select n, gen_random_uuid() as conversation_id, gen_random_uuid() as id,
      case when n % ${OTHERS_SHARE} = 3 then $2::uuid else $1::uuid end as organization_id,
      ($3::uuid[])[1 + n % cardinality($3::uuid[])] as agent_id,
      now() - interval '365 days' * (1 - n / $7::float8) as created_at,
      case when n % 20 = 7 then 'web' else 'phone' end as channel,
      case when n % 4 = 1 then 'outbound' else 'inbound' end as direction,
      case when n % 1000 = 11 then 'failed' when n % 10 = 9 then 'no_answer' else 'completed' end as status,
      (n::bigint * 7919) % 20000 as person
    from generate_series($5::int, $6::int) as n
  ), added as (
    insert into conversations (id, organization_id, agent_id, channel, created_at, updated_at)
    select conversation_id, organization_id, agent_id, channel, created_at, created_at from series
  ), said as (
    insert into transcript_items (conversation_id, id, sequence, item)
    select conversation_id, line::text, line, jsonb_build_object('id', line::text, 'type', 'message',
      'role', case line when 0 then 'agent' else 'user' end, 'startMs', 1000 * line, 'text',
      case line when 0 then 'Hello, this is the model railway club. How can I help you?'
        else 'Where do I find the parking lot of ' || person || '?' end)
    from series, generate_series(0, 1) as line where n % 10 = 0
  )
  insert into calls (id, organization_id, conversation_id, agent_id, sip_trunk_id, environment, channel, direction, status,
    end_reason, from_number, to_number, node_id, started_at, answered_at, ended_at, billable_seconds, is_test, created_at)
  select id, organization_id, conversation_id, agent_id, case when n % 50 = 1 and channel = 'phone' then $4::uuid end,
    case when n % 25 = 2 then 'staging' end, channel, direction, status,
    case status when 'failed' then 'error_llm' when 'no_answer' then 'dial_no_answer' else
      case when n % 3 = 0 then 'agent_hangup' else 'user_hangup' end end,
    case when direction = 'inbound' then '+1415' || (2000000 + person) else '+14155550100' end,
    case when direction = 'outbound' then '+1415' || (2000000 + person) else '+14155550100' end,
    'bench', created_at, created_at, created_at + interval '1 minute', n % 620, n % 50 = 17, created_at
  from series`;
