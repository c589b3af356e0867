import type { PageMemory } from "../api/page-memory.ts";
import type { VisitorSession } from "../api/visitor-session.ts";
import type { WidgetApi } from "../api/widget-api.ts";
import { WidgetError } from "../api/widget-error.ts";
import type { Store } from "../store.ts";
import type { ShownCall, WidgetState } from "../widget-state.ts";
import type { WebCall } from "./voice.ts";

const MAX_CAPTIONS = 4;

interface Dependencies {
  api: WidgetApi;
  session: VisitorSession;
  memory: PageMemory;
  state: Store<WidgetState>;
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
    const call = this.#call;
    this.#show(undefined);
    void call?.hangUp();
  }

  setMuted(isMuted: boolean): void {
    this.#call?.setMuted(isMuted);
    this.#change({ isMuted });
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { api, session, memory } = this.#deps;
    const voice = await import("./voice.ts").catch((error: unknown) => {
      // After an update the server no longer has the code of earlier pages.
      throw new WidgetError("outdated", "Calls could not be loaded. Reload the page and try again.", {
        cause: error,
      });
    });
    // Opened first: without a microphone no call begins.
    const microphone = await voice.openMicrophone();
    const stop = (): void => microphone.getTracks().forEach((track) => track.stop());
    let joined: { callId: string; call: WebCall };
    try {
      signal.throwIfAborted();
      const resumeCallId = memory.read().callId ?? null;
      const { callId, url, token } = await session.use(
        async (sessionToken) => await api.startCall(sessionToken, { resumeCallId }),
      );
      memory.write({ callId });
      joined = { callId, call: await voice.joinCall({ url, token, microphone, signal }) };
    } catch (error) {
      stop();
      throw error;
    }
    this.#watch(joined.call, joined.callId);
  }

  #watch(call: WebCall, callId: string): void {
    const { onStarted, onEnded, onProblem, memory } = this.#deps;
    this.#call = call;
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
      else onProblem(new WidgetError("call_failed", "The connection was lost. Call again to go on."));
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

  #change(change: Partial<ShownCall>): void {
    this.#deps.state.update((state) =>
      state.call === undefined ? state : { ...state, call: { ...state.call, ...change } },
    );
  }

  #show(call: ShownCall | undefined): void {
    this.#deps.state.update((state) => (state.call === call ? state : { ...state, call }));
  }
}
