import type { PageMemory } from "../api/page-memory.ts";
import type { VisitorSession } from "../api/visitor-session.ts";
import type { WidgetApi } from "../api/widget-api.ts";
import { WidgetError } from "../api/widget-error.ts";
import type { Store } from "../store.ts";
import type { ShownCall, WidgetState } from "../widget-state.ts";
import type { WebCall } from "./voice.ts";

const MAX_CAPTIONS = 4;
/** The server continues a call for this time after its interruption. */
const RESUME_MS = 5 * 60_000;

/** Whether the page was left a short time ago, during a call. */
export function wasLeftInCall(memory: PageMemory, nowMs: number): boolean {
  const { callId, leftAtMs = 0 } = memory.read();
  return callId !== undefined && Math.abs(nowMs - leftAtMs) < RESUME_MS;
}

interface Dependencies {
  api: WidgetApi;
  session: VisitorSession;
  memory: PageMemory;
  state: Store<WidgetState>;
  /** Whether the next call continues one that was interrupted, for example by a reload. */
  isResumable: boolean;
  onStarted: (callId: string) => void;
  onEnded: (end: { callId: string; reason: string }) => void;
  onProblem: (error: unknown) => void;
}

const newCall: ShownCall = {
  status: "connecting",
  agentState: "listening",
  isMuted: false,
  captions: [],
};

/** The visitor's call. Its code is loaded when the first one is started. */
export class CallControl {
  readonly #deps: Dependencies;
  #call: WebCall | undefined;
  #joining: AbortController | undefined;

  constructor(dependencies: Dependencies) {
    this.#deps = dependencies;
  }

  start(): void {
    const { state, onProblem } = this.#deps;
    if (state.value.call !== undefined) return;
    const joining = new AbortController();
    this.#joining = joining;
    state.update((before) => ({ ...before, view: "call", problem: undefined, call: newCall }));
    void this.#start(joining.signal).catch((error: unknown) => {
      if (joining.signal.aborted) return;
      this.#show(undefined);
      onProblem(error);
    });
  }

  hangUp(): void {
    this.#joining?.abort();
    this.#deps.memory.write({ callId: undefined });
    const call = this.#call;
    this.#show(undefined);
    void call?.hangUp();
  }

  setMuted(isMuted: boolean): void {
    this.#call?.setMuted(isMuted);
    this.#change({ isMuted });
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { api, session, memory, isResumable } = this.#deps;
    const voice = await import("./voice.ts").catch((error: unknown) => {
      // After an update the server no longer has the code of earlier pages.
      throw new WidgetError("outdated", { cause: error });
    });
    // Opened first: without a microphone no call begins.
    const microphone = await voice.openMicrophone();
    const stop = (): void => microphone.getTracks().forEach((track) => track.stop());
    let joined: { callId: string; call: WebCall };
    try {
      signal.throwIfAborted();
      const resumeCallId = isResumable ? (memory.read().callId ?? null) : null;
      const { callId, url, token } = await session.use(
        async (sessionToken) => await api.startCall(sessionToken, { resumeCallId }),
      );
      const options = { url, token, microphone, signal, endsWithPage: !isResumable };
      joined = { callId, call: await voice.joinCall(options) };
    } catch (error) {
      stop();
      throw error;
    }
    this.#watch(joined.call, joined.callId);
  }

  #watch(call: WebCall, callId: string): void {
    const { onStarted, onEnded, onProblem, memory } = this.#deps;
    this.#call = call;
    memory.write({ callId });
    const over = new AbortController();
    addEventListener("pagehide", () => memory.write({ leftAtMs: Date.now() }), { signal: over.signal });
    this.#allowResuming(false);
    this.#change({ status: "connected", agentState: call.agentState });
    this.#showCaptions(call);
    call.on("agentState", (agentState) => this.#change({ agentState }));
    call.on("item", () => this.#showCaptions(call));
    call.on("speech", () => this.#showCaptions(call));
    call.on("state", (status) => {
      if (status !== "ended") this.#change({ status });
    });
    call.on("error", onProblem);
    call.on("ended", ({ reason }) => {
      // Only an interrupted call can be resumed.
      if (reason !== "connection_lost") memory.write({ callId: undefined });
      else {
        this.#allowResuming(true);
        onProblem(new WidgetError("call_lost"));
      }
      over.abort();
      this.#call = undefined;
      this.#show(undefined);
      onEnded({ callId, reason });
    });
    onStarted(callId);
  }

  #showCaptions(call: WebCall): void {
    const said = call.transcript.flatMap(({ id, role, text }) =>
      role === "user" || role === "agent" ? [{ id, role, text }] : [],
    );
    const { speech } = call;
    const current =
      speech === undefined ? [] : [{ id: speech.id, role: "agent" as const, text: speech.text }];
    this.#change({ captions: [...said, ...current].slice(-MAX_CAPTIONS) });
  }

  #allowResuming(isInterrupted: boolean): void {
    const canResumeCall = isInterrupted && this.#deps.isResumable;
    this.#deps.state.update((state) => ({ ...state, canResumeCall }));
  }

  #change(change: Partial<ShownCall>): void {
    this.#deps.state.update((state) =>
      state.call === undefined ? state : { ...state, call: { ...state.call, ...change } },
    );
  }

  #show(call: ShownCall | undefined): void {
    this.#deps.state.update((state) => (state.call === call ? state : { ...state, call }));
  }
}
