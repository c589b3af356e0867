/** Small model of an agent's versions, publishing and environments, for the test in this folder. */
import type { ErrorCode, VersionKind, Variables } from "@parley/contract";

/** Agent fields that the model covers, without those that are always live. */
export interface Content {
  name: string;
  voiceSpeed: number;
  defaultVariables: Variables;
  folderId: string | null;
  tools: { id: string; name: string; enabled: boolean }[];
}

export interface Draft extends Content {
  status: "active" | "disabled";
  numbers: { id: string; environment: string | null }[];
}

interface ModelVersion {
  kind: VersionKind;
  draft: Draft;
}

interface ModelEnvironment {
  revision: number | null;
  variables: Variables;
}

/** Expected configuration of a conversation. */
export interface Expected {
  revision: number;
  content: Content;
  variables: Variables;
  environment: string | null;
  agentRevision: number | null;
}

/** Expected result of an operation. */
type Verdict = "ok" | ErrorCode;

export class PublishingModel {
  readonly versions: ModelVersion[] = [];
  readonly environments = new Map<string, ModelEnvironment>();
  readonly folders = new Set<string>();
  draft: Draft;
  mode: "auto" | "manual" = "auto";
  published: number | null = null;

  constructor(draft: Draft) {
    this.draft = draft;
    this.versions.push({ kind: "created", draft });
  }

  get revision(): number {
    return this.versions.length;
  }

  /** Whether the draft's content differs from the published revision, in manual mode; otherwise `false`. */
  get hasUnpublishedChanges(): boolean {
    if (this.published === null) return false;
    return !isSame(contentOf(this.#version(this.published).draft), contentOf(this.draft));
  }

  patch(change: Partial<Draft>, mode: "auto" | "manual" = this.mode): Verdict {
    const draft = { ...this.draft, ...change };
    if (mode === this.mode) {
      if (!isSame(draft, this.draft)) this.#write("updated", draft);
    } else if (mode === "manual") {
      this.#write("published", draft);
      this.published = this.revision;
    } else {
      this.#write("updated", draft);
      this.published = null;
    }
    this.mode = mode;
    return "ok";
  }

  publish(revision: number | undefined): Verdict {
    if (revision !== undefined && !this.has(revision)) return "revision_not_found";
    if (this.mode === "auto") return "publish_mode_auto";
    const isLive = this.published !== null && !this.hasUnpublishedChanges;
    if (revision === undefined ? isLive : revision === this.published) return "ok";
    this.#write("published", this.draft);
    this.published = revision ?? this.revision;
    return "ok";
  }

  /** Expected report of the restore; `undefined` if the revision does not exist. */
  restore(revision: number): { notRestored: string[]; skippedStaleRefs: string[] } | undefined {
    if (!this.has(revision)) return undefined;
    const restored = this.#version(revision).draft;
    const { numbers, folderId } = this.draft;
    const isStale = restored.folderId !== null && !this.folders.has(restored.folderId);
    const notRestored = isSame(restored.numbers, numbers) ? [] : ["phoneNumbers"];
    this.#write("restored", { ...restored, numbers, folderId: isStale ? folderId : restored.folderId });
    return { notRestored, skippedStaleRefs: isStale ? ["folderId"] : [] };
  }

  putEnvironment(name: string, change: Partial<ModelEnvironment>): Verdict {
    if (name === "production") return "environment_builtin";
    if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) return "invalid_body";
    if (typeof change.revision === "number" && !this.has(change.revision)) return "revision_not_found";
    const before = this.environments.get(name);
    if (before === undefined && this.environments.size === 10) return "environment_limit_reached";
    this.environments.set(name, { revision: null, variables: {}, ...before, ...change });
    return "ok";
  }

  deleteEnvironment(name: string): Verdict {
    if (name === "production") return "environment_builtin";
    if (!this.environments.has(name)) return "not_found";
    if (this.draft.numbers.some(({ environment }) => environment === name)) return "environment_in_use";
    this.environments.delete(name);
    return "ok";
  }

  deleteFolder(id: string): void {
    this.folders.delete(id);
    if (this.draft.folderId === id) this.#write("updated", { ...this.draft, folderId: null });
  }

  /** Expected configuration of production. */
  production(): Expected {
    return this.#expect(this.published ?? this.revision, undefined);
  }

  draftTest(): Expected {
    return this.#expect(this.revision, undefined);
  }

  /** Expected configuration of a named environment; `undefined` if it does not exist. */
  named(name: string): Expected | undefined {
    const environment = this.environments.get(name);
    return environment && this.#expect(environment.revision ?? this.revision, name);
  }

  has(revision: number): boolean {
    return revision >= 1 && revision <= this.revision;
  }

  #expect(revision: number, environment: string | undefined): Expected {
    const content = contentOf(this.#version(revision).draft);
    const over = environment === undefined ? {} : this.environments.get(environment)?.variables;
    return {
      revision,
      content,
      variables: { ...content.defaultVariables, ...over },
      environment: environment ?? null,
      agentRevision: this.mode === "auto" ? null : revision,
    };
  }

  #write(kind: VersionKind, draft: Draft): void {
    this.draft = draft;
    this.versions.push({ kind, draft });
  }

  #version(revision: number): ModelVersion {
    const version = this.versions[revision - 1];
    if (version === undefined) throw new Error(`the model has no revision ${revision}`);
    return version;
  }
}

export function contentOf({ name, voiceSpeed, defaultVariables, folderId, tools }: Content): Content {
  return { name, voiceSpeed, defaultVariables, folderId, tools };
}

/** Compares by JSON: the model creates its objects with keys in one order, and variables have at most one key. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
