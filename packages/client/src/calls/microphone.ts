import { JoinError, type JoinErrorCode } from "./join-error.ts";

/** An audio input of this device. */
export interface Microphone {
  deviceId: string;
  /** The device's name; a number if the browser hides names until the microphone is allowed. */
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

/** Throws if this is not a browser, or if the page cannot use a microphone. */
export function assertCanJoin(): void {
  if (typeof RTCPeerConnection === "undefined" || typeof navigator === "undefined") {
    throw new JoinError("unsupported");
  }
  if (!globalThis.isSecureContext) throw new JoinError("insecure_context");
}

/** The available microphones. */
export async function listMicrophones(): Promise<Microphone[]> {
  assertCanJoin();
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === "audioinput" && deviceId !== "")
    .map(({ deviceId, label }, index) => ({ deviceId, label: label || `Microphone ${index + 1}` }));
}

/**
 * Opens a microphone; the browser may ask the user. The caller stops its tracks.
 *
 * @param deviceId default: the browser's choice.
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

/** Maps an error of `getUserMedia` to a `JoinError`. */
export function explainMicrophoneError(error: unknown): JoinError {
  const name = error instanceof Error ? error.name : "";
  return new JoinError(codesByName[name] ?? "microphone_busy", { cause: error });
}
