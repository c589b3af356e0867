import { JoinError, type JoinErrorCode } from "./join-error.ts";

/** An audio input of this device. */
export interface Microphone {
  deviceId: string;
  /** As people know it; a number where the browser does not tell before the microphone was allowed once. */
  label: string;
}

const codesByName: Readonly<Record<string, JoinErrorCode>> = {
  NotAllowedError: "microphone_denied",
  SecurityError: "microphone_denied",
  NotFoundError: "microphone_missing",
  OverconstrainedError: "microphone_missing",
  NotReadableError: "microphone_busy",
  AbortError: "microphone_busy",
};

/** Throws where this is no browser, or the page may not use a microphone at all. */
export function assertCanJoin(): void {
  if (typeof RTCPeerConnection === "undefined" || typeof navigator === "undefined") {
    throw new JoinError("unsupported");
  }
  if (!globalThis.isSecureContext) throw new JoinError("insecure_context");
}

/** The microphones that can be chosen. */
export async function listMicrophones(): Promise<Microphone[]> {
  assertCanJoin();
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === "audioinput" && deviceId !== "")
    .map(({ deviceId, label }, index) => ({ deviceId, label: label || `Microphone ${index + 1}` }));
}

/**
 * Takes a microphone, asking the user if need be. Whoever calls it stops its tracks.
 *
 * @param deviceId else the browser's choice.
 * @throws {JoinError}
 */
export async function openMicrophone(deviceId?: string): Promise<MediaStream> {
  assertCanJoin();
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: {
        ...(deviceId !== undefined && { deviceId: { exact: deviceId } }),
        echoCancellation: true,
        noiseSuppression: true,
        autoGainControl: true,
      },
    });
  } catch (error) {
    throw explainMicrophoneError(error);
  }
}

/** What `getUserMedia` throws, in our words. */
export function explainMicrophoneError(error: unknown): JoinError {
  const name = error instanceof Error ? error.name : "";
  return new JoinError(codesByName[name] ?? "microphone_busy", { cause: error });
}
