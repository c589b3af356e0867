// What a page does that joins a call by WHIP alone, without the client library. Runs in the browser.
const state = { events: [], pcm: [], states: [], dtlsStates: [] };

async function connect(options) {
  const pc = new RTCPeerConnection({
    iceServers: options.iceServers ?? [],
    iceTransportPolicy: options.relayOnly ? "relay" : "all",
  });
  pc.addEventListener("connectionstatechange", () => state.states.push(pc.connectionState));
  state.stream ??= await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
  });
  pc.addTransceiver(state.stream.getAudioTracks()[0], { direction: "sendrecv" });
  const channel = pc.createDataChannel("parley");
  channel.addEventListener("message", ({ data }) => state.events.push(JSON.parse(data)));
  pc.addEventListener("track", ({ track }) => listen(track));
  await pc.setLocalDescription();
  if (options.isTrickled !== true) await gathered(pc);
  return pc;
}

function gathered(pc) {
  if (pc.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    pc.addEventListener("icegatheringstatechange", () => pc.iceGatheringState === "complete" && resolve());
    setTimeout(resolve, 3000);
  });
}

/** Keeps what is heard, at 16 kHz. */
function listen(track) {
  const stream = new MediaStream([track]);
  // Chromium gives a remote track's sound to Web Audio only while an element plays it.
  const element = new Audio();
  element.srcObject = stream;
  void element.play();
  state.elements = [...(state.elements ?? []), element];
  state.context ??= new AudioContext({ sampleRate: 16000 });
  const source = state.context.createMediaStreamSource(stream);
  const tap = state.context.createScriptProcessor(1024, 1, 1);
  tap.addEventListener("audioprocess", ({ inputBuffer }) => {
    state.pcm.push(...inputBuffer.getChannelData(0).map((sample) => Math.round(sample * 32767)));
  });
  source.connect(tap).connect(state.context.destination);
  state.taps = [...(state.taps ?? []), source, tap];
}

const bearer = () => ({ authorization: `Bearer ${state.token}` });

async function patchFragment(lines, ifMatch) {
  return await fetch(state.session, {
    method: "PATCH",
    headers: { ...bearer(), "content-type": "application/trickle-ice-sdpfrag", "if-match": ifMatch },
    body: lines.map((line) => `${line}\r\n`).join(""),
  });
}

/** The answer with the credentials and candidates of a fragment in place of its own. */
function restarted(answer, fragment) {
  const find = (name) => fragment.match(new RegExp(`^a=${name}:.*$`, "m"))[0];
  const candidates = fragment.match(/^a=candidate:.*$/gm).join("\r\n");
  return answer
    .replace(/^a=candidate:.*\r\n/gm, "")
    .replace(/^a=ice-ufrag:.*$/gm, find("ice-ufrag"))
    .replace(/^a=ice-pwd:.*$/gm, find("ice-pwd"))
    .replace(/^a=mid:.*$/m, `$&\r\n${candidates}`);
}

window.whip = {
  state,
  async join(url, token, options = {}) {
    state.url = url;
    state.token = token;
    state.pc = await connect(options);
    const response = await fetch(url, {
      method: "POST",
      headers: { ...bearer(), "content-type": "application/sdp" },
      body: state.pc.localDescription.sdp,
    });
    if (response.status !== 201) return response.status;
    state.session = new URL(response.headers.get("location"), url).href;
    state.etag = response.headers.get("etag");
    state.answer = await response.text();
    await state.pc.setRemoteDescription({ type: "answer", sdp: state.answer });
    const { transport } = state.pc.getSenders()[0];
    transport.addEventListener("statechange", () => state.dtlsStates.push(transport.state));
    return response.status;
  },
  /** RFC 9725 §4.3.3. The candidates follow, as the browser finds them. */
  async restartIce() {
    const candidates = [];
    state.pc.addEventListener("icecandidate", ({ candidate }) => candidates.push(candidate?.candidate ?? ""));
    state.pc.restartIce();
    await state.pc.setLocalDescription();
    const credentials = state.pc.localDescription.sdp
      .split("\r\n")
      .filter((line) => /^a=(ice-ufrag|ice-pwd|mid):/.test(line))
      .slice(0, 3);
    const response = await patchFragment(credentials, "*");
    if (response.status !== 200) return response.status;
    state.etag = response.headers.get("etag");
    state.answer = restarted(state.answer, await response.text());
    await state.pc.setRemoteDescription({ type: "answer", sdp: state.answer });
    await gathered(state.pc);
    const lines = candidates.filter((candidate) => candidate !== "").map((candidate) => `a=${candidate}`);
    const trickled = await patchFragment([...credentials, ...lines, "a=end-of-candidates"], state.etag);
    return trickled.status === 204 ? response.status : trickled.status;
  },
  /** As when the page's network is gone: nothing says goodbye. */
  async rejoin(options = {}) {
    state.pc?.close();
    state.pc = await connect(options);
    const response = await fetch(state.session, {
      method: "PATCH",
      headers: { ...bearer(), "content-type": "application/sdp", "if-match": "*" },
      body: state.pc.localDescription.sdp,
    });
    if (response.status !== 200) return response.status;
    state.etag = response.headers.get("etag");
    await state.pc.setRemoteDescription({ type: "answer", sdp: await response.text() });
    return response.status;
  },
  async hangUp() {
    const response = await fetch(state.session, { method: "DELETE", headers: bearer() });
    return response.status;
  },
  close() {
    state.pc.close();
  },
  /** The connection's transport: what DTLS is, and the path that ICE has chosen. */
  async transport() {
    const stats = await state.pc.getStats();
    const transport = [...stats.values()].find(({ type }) => type === "transport");
    const pair = stats.get(transport.selectedCandidatePairId);
    const { dtlsState, localCertificateId, remoteCertificateId, iceLocalUsernameFragment } = transport;
    return {
      dtls: [dtlsState, localCertificateId, remoteCertificateId],
      dtlsStates: state.dtlsStates,
      ufrag: iceLocalUsernameFragment,
      pairId: pair?.id,
    };
  },
  /** Type of the pair of candidates in use: `host`, `srflx`, `relay`. */
  async localCandidateType() {
    const stats = await state.pc.getStats();
    for (const each of stats.values()) {
      if (each.type === "candidate-pair" && each.nominated)
        return stats.get(each.localCandidateId).candidateType;
    }
    return undefined;
  },
};
