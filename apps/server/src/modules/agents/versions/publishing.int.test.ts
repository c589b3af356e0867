/** Random histories of an agent against a small model of it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import type { Agent, AgentVersion, AgentVersionDetail, Environment, Variables } from "@parley/contract";
import { seededRandom } from "@parley/testing";
import { createTestServer, storeAgentFields, type TestServer } from "../../testing.ts";
import { contentOf, type Content, type Draft, type Expected, PublishingModel } from "./publishing.model.ts";

const STEPS = 45;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

class Walk {
  readonly server: TestServer;
  readonly model: PublishingModel;
  readonly agentId: string;
  readonly #random: () => number;

  constructor(server: TestServer, model: PublishingModel, agentId: string, random: () => number) {
    this.server = server;
    this.model = model;
    this.agentId = agentId;
    this.#random = random;
  }

  static async begin(server: TestServer, seed: number): Promise<Walk> {
    const trunk = await server.modules.sipTrunks.create(server.organizationId, { friendlyName: "Trunk" });
    const { id } = await server.modules.agents.create(server, { name: "a", sipTrunkId: trunk.id });
    const draft: Draft = {
      name: "a",
      voiceSpeed: 1,
      defaultVariables: {},
      folderId: null,
      tools: [],
      status: "active",
      numbers: [],
    };
    return new Walk(server, new PublishingModel(draft), id, seededRandom(seed));
  }

  pick<const T>(...values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.#random() * values.length)] ?? values[0];
  }

  async step(): Promise<string> {
    const operation = this.pick(
      "patch",
      "patch",
      "switchMode",
      "publish",
      "publish",
      "restore",
      "putEnvironment",
      "putEnvironment",
      "deleteEnvironment",
      "changeTools",
      "changeNumbers",
      "changeFolders",
    );
    await this[operation]();
    return operation;
  }

  async patch(): Promise<void> {
    const change = this.#change();
    this.#expectVerdict(await this.#send("PATCH", "", change), this.model.patch(change));
  }

  async switchMode(): Promise<void> {
    const mode = this.pick("auto" as const, "manual" as const, null);
    const change = this.pick({}, this.#change());
    const verdict = this.model.patch(change, mode ?? "auto");
    this.#expectVerdict(await this.#send("PATCH", "", { ...change, publishMode: mode }), verdict);
  }

  async publish(): Promise<void> {
    const revision = this.pick(undefined, undefined, this.#revision());
    const answer = await this.#send("POST", "/publish", revision === undefined ? {} : { revision });
    this.#expectVerdict(answer, this.model.publish(revision));
  }

  async restore(): Promise<void> {
    const revision = this.#revision();
    const { status, data } = await this.#send<object>("POST", `/revisions/${revision}/restore`);
    const told = this.model.restore(revision);
    assert.equal(status, told === undefined ? 404 : 200);
    if (told === undefined) return;
    const { agent: _agent, ...rest } = { agent: undefined, ...data };
    assert.deepEqual(rest, { ...told, restoredFromRevision: revision, newRevision: this.model.revision });
  }

  async putEnvironment(): Promise<void> {
    const change = {
      ...this.pick({}, { revision: this.pick(null, this.#revision()) }),
      ...this.pick({}, { variables: this.#variables() }),
    };
    const name = this.#environment();
    const answer = await this.#send("PUT", `/environments/${name}`, change);
    this.#expectVerdict(answer, this.model.putEnvironment(name, change));
  }

  async deleteEnvironment(): Promise<void> {
    const name = this.#environment();
    const answer = await this.#send("DELETE", `/environments/${name}`);
    this.#expectVerdict(answer, this.model.deleteEnvironment(name));
  }

  async changeTools(): Promise<void> {
    const { tools } = this.model.draft;
    const tool = this.pick(undefined, ...tools);
    if (tool === undefined) {
      const name = `tool-${this.pick("a", "b", "c")}`;
      const body = { name, webhookUrl: "https://tools.example/", schema: { description: "x" } };
      const { status, data } = await this.#send<{ id: string }>("POST", "/custom-tools", body);
      const isTaken = tools.some((each) => each.name === name);
      assert.equal(status, isTaken ? 400 : 201);
      if (!isTaken) this.model.patch({ tools: [...tools, { id: data.id, name, enabled: true }] });
    } else if (this.pick(true, false)) {
      const enabled = this.pick(true, false);
      await this.#send("PATCH", `/custom-tools/${tool.id}`, { enabled });
      this.model.patch({ tools: tools.map((each) => (each === tool ? { ...tool, enabled } : each)) });
    } else {
      await this.#send("DELETE", `/custom-tools/${tool.id}`);
      this.model.patch({ tools: tools.filter((each) => each !== tool) });
    }
  }

  async changeNumbers(): Promise<void> {
    const { numbers } = this.model.draft;
    const number = this.pick(undefined, ...numbers);
    const environment = this.pick(null, this.#environment());
    const isKnown = environment === null || this.model.environments.has(environment);
    if (number === undefined) {
      const e164 = `+1415${String(Math.floor(this.#random() * 9_000_000) + 1_000_000)}`;
      const { status, data } = await this.#send<{ id: string }>("POST", "/phone-numbers", {
        e164,
        environment,
      });
      const isProduction = environment === "production";
      assert.equal(status === 201, isKnown || isProduction, `${environment} ${status}`);
      if (status !== 201) return;
      const bound = { id: data.id, environment: isProduction ? null : environment };
      this.model.patch({ numbers: [...numbers, bound] });
    } else if (this.pick(true, false) && isKnown) {
      await this.#send("PATCH", `/phone-numbers/${number.id}`, { environment });
      this.model.patch({
        numbers: numbers.map((each) => (each === number ? { ...each, environment } : each)),
      });
    } else {
      await this.#send("DELETE", `/phone-numbers/${number.id}`);
      this.model.patch({ numbers: numbers.filter((each) => each !== number) });
    }
  }

  async changeFolders(): Promise<void> {
    const folderId = this.pick(undefined, ...this.model.folders);
    if (folderId !== undefined && this.pick(true, false)) {
      await this.server.request("DELETE", `/folders/${folderId}`);
      this.model.deleteFolder(folderId);
      return;
    }
    const { id } = await this.server.modules.folders.create(this.server.organizationId, { name: "f" });
    this.model.folders.add(id);
    await this.#send("PATCH", "", { folderId: id });
    this.model.patch({ folderId: id });
  }

  /** Checks all guarantees of specification §3.1 and part 9, after any history. */
  async check(): Promise<void> {
    const { model } = this;
    const { data: agent } = await this.#send<Agent>("GET", "");
    assert.deepEqual(draftOf(agent), model.draft);
    assert.equal(agent.publishMode, model.mode);
    assert.equal(agent.publishedRevision, model.published);
    assert.equal(agent.hasUnpublishedChanges, model.hasUnpublishedChanges);
    await this.#checkHistory();
    await this.#checkEnvironments();
    await this.#checkEntryPoints();
  }

  async #checkHistory(): Promise<void> {
    const { model } = this;
    const { body } = await this.server.request(
      "GET",
      `/agents/${this.agentId}/revisions?sort=asc&pageSize=100`,
    );
    const { data, total }: { data: AgentVersion[]; total: number } = JSON.parse(JSON.stringify(body));
    assert.equal(total, model.revision);
    assert.deepEqual(
      data.map(({ revision, kind }) => [revision, kind]),
      model.versions.map(({ kind }, index) => [index + 1, kind]),
    );
    const { data: last } = await this.#send<AgentVersionDetail>("GET", `/revisions/${model.revision}`);
    assert.deepEqual(draftOf(last.snapshot), model.draft);
    for (const { field, before, after } of last.changes) assert.notDeepEqual(before, after, field);
  }

  async #checkEnvironments(): Promise<void> {
    const { model } = this;
    const { data } = await this.#send<Environment[]>("GET", "/environments");
    const bound = (name: string | null) =>
      model.draft.numbers.filter(({ environment }) => environment === name);
    const [production, ...named] = data;
    assert.deepEqual([production?.name, production?.revision], ["production", model.published]);
    assert.equal(production?.phoneNumbers.length, bound(null).length);
    const shown = named.map(({ name, revision, variables }) => [name, { revision, variables }] as const);
    assert.deepEqual(new Map(shown), model.environments);
    for (const { name, phoneNumbers } of named) assert.equal(phoneNumbers.length, bound(name).length);
  }

  async #checkEntryPoints(): Promise<void> {
    const { model } = this;
    await this.#checkRun({ kind: "sms" }, model.production());
    await this.#checkRun({ kind: "widget" }, model.production());
    await this.#checkRun({ kind: "test_run", environment: null }, model.draftTest());
    for (const name of ["production", "gone", ...model.environments.keys()]) {
      const expected = name === "production" ? model.production() : model.named(name);
      await this.#checkRun({ kind: "outbound_call", environment: name }, expected);
      await this.#checkRun({ kind: "test_run", environment: name }, expected);
      // A binding whose environment was deleted runs production, never the draft.
      const inbound = { kind: "inbound_number", environment: name } as const;
      await this.#checkRun(inbound, expected ?? model.production());
    }
  }

  async #checkRun(entry: Entry, expected: Expected | undefined): Promise<void> {
    const { agentResolution } = this.server.modules;
    const resolving = agentResolution.resolveAgent(this.server.organizationId, this.agentId, entry);
    if (expected === undefined) {
      await assert.rejects(resolving, { code: "environment_not_found" });
      return;
    }
    const { document, ...run } = await resolving;
    const { status, numbers } = this.model.draft;
    assert.deepEqual(draftOf(document), { ...expected.content, status, numbers });
    assert.deepEqual(
      [run.configurationRevision, run.agentRevision, run.environment, run.variables],
      [expected.revision, expected.agentRevision, expected.environment, expected.variables],
    );
  }

  #change(): Partial<Draft> {
    return {
      ...this.pick({}, { name: this.pick("a", "b") }),
      ...this.pick({}, { voiceSpeed: this.pick(1, 1.5) }),
      ...this.pick({}, { defaultVariables: this.#variables() }),
      ...this.pick({}, {}, { status: this.pick("active" as const, "disabled" as const) }),
    };
  }

  #variables(): Variables {
    return this.pick<Variables>({}, { x: "1" }, { x: 2 }, { y: false });
  }

  /** Usually an existing revision. */
  #revision(): number {
    return Math.ceil(this.#random() * (this.model.revision + 1));
  }

  #environment(): string {
    return this.pick("production", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l");
  }

  async #send<T>(method: Method, path: string, body?: object) {
    const response = await this.server.request(method, `/agents/${this.agentId}${path}`, body);
    const parsed: { data: T; error?: string } = JSON.parse(JSON.stringify(response.body));
    return { status: response.status, ...parsed };
  }

  #expectVerdict({ status, error }: { status: number; error?: string }, verdict: string): void {
    assert.equal(error ?? "ok", verdict);
    assert.equal(status === 200, verdict === "ok");
  }
}

type Method = Parameters<TestServer["request"]>[0];
type Entry = Parameters<TestServer["modules"]["agentResolution"]["resolveAgent"]>[2];

/** Fields of an agent, a snapshot or a resolved document that the model covers. */
function draftOf(shown: Omit<Content, "tools"> & Pick<Draft, "status"> & Shown): Draft {
  return {
    ...contentOf({
      ...shown,
      tools: shown.customTools.map(({ id, name, enabled }) => ({ id, name, enabled })),
    }),
    status: shown.status,
    numbers: shown.phoneNumbers.map(({ id, environment }) => ({ id, environment })),
  };
}

type Shown = Pick<Agent, "customTools"> & { phoneNumbers: { id: string; environment: string | null }[] };

for (const seed of SEEDS) {
  test(`a random history keeps the guarantees of publishing and environments (seed ${seed})`, async () => {
    const server = await createTestServer();
    const walk = await Walk.begin(server, seed);
    const trail: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      trail.push(await walk.step().catch((error: unknown) => fail(error, trail)));
      await walk.check().catch((error: unknown) => fail(error, trail));
    }
    await server.close();
  });
}

function fail(error: unknown, trail: readonly string[]): never {
  throw new Error(`after ${trail.join(", ")}`, { cause: error });
}

test("a widget runs the environment of its live configuration, or production if it was deleted", async () => {
  const server = await createTestServer();
  const { agents, environments, agentResolution, agentVersions } = server.modules;
  const { id } = await agents.create(server, { name: "one", publishMode: "manual" });
  await environments.put(server.organizationId, id, "staging", { variables: { x: "1" } });
  await storeAgentFields(server, id, { widgetConfig: { environment: "staging" } });
  await agentVersions.publish(server, id);
  await agents.update(server, id, { name: "two", widgetConfig: { environment: null } });
  const run = async () => await agentResolution.resolveAgent(server.organizationId, id, { kind: "widget" });
  const { environment, document, variables } = await run();
  assert.deepEqual([environment, document.name, variables], ["staging", "two", { x: "1" }]);
  await environments.delete(server.organizationId, id, "staging");
  const fallen = await run();
  assert.deepEqual([fallen.environment, fallen.document.name, fallen.variables], [null, "one", {}]);
  await assert.rejects(
    agentResolution.resolveAgent(server.organizationId, randomUUID(), { kind: "widget" }),
    { code: "not_found" },
  );
  await server.close();
});

test("test variables of a browser test call override the agent's, and the environment's override both", async () => {
  const server = await createTestServer();
  const { agents, environments, agentResolution } = server.modules;
  const { id } = await agents.create(server, {
    name: "one",
    defaultVariables: { a: "agent", b: "agent", c: "agent" },
    testVariables: { b: "test", c: "test" },
  });
  await environments.put(server.organizationId, id, "staging", { variables: { c: "environment" } });
  const entry = { environment: "staging" };
  const variablesOf = async (kind: "browser_test" | "test_run") =>
    (await agentResolution.resolveAgent(server.organizationId, id, { kind, ...entry })).variables;
  assert.deepEqual(await variablesOf("browser_test"), { a: "agent", b: "test", c: "environment" });
  assert.deepEqual(await variablesOf("test_run"), { a: "agent", b: "agent", c: "environment" });
  await server.close();
});
