/** Recordings in every format, and bad ones, through the API with the real detector of speech. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Resampler, shiftPitch, writeWav } from "@parley/audio";
import type { CreatedVoice } from "@parley/contract";
import { createTestServer, type TestResponse, type TestServer } from "../testing.ts";
import {
  amplify,
  convert,
  mix,
  noise,
  readLong,
  readMan,
  SAMPLE_RATE_HZ,
  sendVoice,
  toWav,
} from "./testing.ts";

type Create = (file: Uint8Array, fields?: Record<string, string>) => Promise<TestResponse>;

async function open(context: TestContext): Promise<{ server: TestServer; create: Create }> {
  const server = await createTestServer();
  context.after(async () => await server.close());
  return {
    server,
    create: async (file, fields = { displayName: "Ada" }) => {
      // Each in an organization of its own: requests are limited.
      const { apiKey } = await server.createOrganization();
      return await sendVoice(server, { file, fields, apiKey });
    },
  };
}

function reasonsOf({ status, body }: TestResponse): string {
  const text = JSON.stringify(body);
  assert.equal(status, 400, text);
  const refusal: { details?: { issues: { path: string; message: string }[] } } = JSON.parse(text);
  const { issues = [] } = refusal.details ?? {};
  assert.ok(
    issues.every(({ path }) => path === "voice"),
    text,
  );
  return issues.map(({ message }) => message).join("; ");
}

/** What is decoded in each container is tested with the decoders. */
const formats: Readonly<Record<string, readonly string[]>> = {
  WAV: ["-ar", "44100", "-ac", "2", "-f", "wav"],
  FLAC: ["-ar", "44100", "-f", "flac"],
  "Ogg Opus": ["-c:a", "libopus", "-b:a", "48k", "-f", "ogg"],
  "WebM Opus": ["-c:a", "libopus", "-b:a", "48k", "-f", "webm"],
};

test("a voice is made from a recording in each container", async (context) => {
  const { create } = await open(context);
  const wav = toWav(await readMan());
  const files = Object.entries(formats).map(([name, format]) => [name, convert(wav, format)] as const);
  if (files.some(([, file]) => file === undefined)) return context.skip("ffmpeg is not installed");
  await inPairs(files, async ([name, file = wav]) => {
    const { status, body } = await create(file);
    assert.equal(status, 201, `${name}: ${JSON.stringify(body)}`);
    const { data }: { data: CreatedVoice } = JSON.parse(JSON.stringify(body));
    assert.partialDeepStrictEqual(data, {
      displayName: "Ada",
      language: "en",
      languages: ["en"],
      source: "custom",
      status: "ready",
      category: "cloned",
      tier: "standard",
      isApproximation: true,
    });
  });
});

/** As many at a time as the server examines. */
async function inPairs<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
  };
  await Promise.all([work(), work()]);
}

test("each bad recording is refused with its reason and what to do", async (context) => {
  const { create } = await open(context);
  const man = await readMan();
  const quiet = noise(12 * SAMPLE_RATE_HZ, 3);
  const tone = Int16Array.from({ length: 12 * SAMPLE_RATE_HZ }, (_, at) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / SAMPLE_RATE_HZ)),
  );
  const wav = toWav(man);
  const bad: readonly [file: Uint8Array, reason: RegExp][] = [
    [new Uint8Array(0), /is empty/],
    [
      Buffer.from("Dear customer, this is no sound at all."),
      /is no audio file of a known format: convert it/,
    ],
    [toWav(man.subarray(0, 5 * SAMPLE_RATE_HZ)), /is 5\.0 seconds long: record 8 to 40 seconds/],
    [toWav(await readLong()), /is longer than 40 seconds/],
    [toWav(quiet), /contains no speech: check that the right microphone/],
    [toWav(tone), /contains no speech/],
    [
      toWav(mix(quiet, amplify(man.subarray(0, 3 * SAMPLE_RATE_HZ), 1))),
      /contains only .* seconds of speech/,
    ],
    [toWav(amplify(man, 30)), /is clipped .*: lower the level/],
    [toWav(mix(man, noise(man.length, 900))), /is too noisy .*: record in a quiet room/],
    [toWav(amplify(man, 0.02)), /is too quiet .*: move closer/],
    [wav.subarray(0, 30), /is a damaged WAV file/],
    [
      Buffer.concat([Buffer.from("\0\0\0\x20ftypM4A "), Buffer.alloc(64)]),
      /is an M4A or MP4 file.*: convert it to WAV/,
    ],
    [Buffer.concat([Buffer.from("ID3\x04"), Buffer.alloc(64)]), /is a damaged MP3 file/],
    [damage(convert(wav, ["-f", "flac"])), /is a damaged FLAC file|ffmpeg/],
  ];
  await inPairs(bad, async ([file, reason]) => assert.match(reasonsOf(await create(file)), reason));
});

/** A bit of the middle is inverted. */
function damage(file: Uint8Array = Buffer.from("fLaC")): Uint8Array {
  const damaged = Buffer.from(file);
  const middle = Math.floor(damaged.length / 2);
  damaged[middle] = (damaged[middle] ?? 0) ^ 0x10;
  return damaged;
}

test("a second speaker of another pitch, noise and telephone quality are warnings", async (context) => {
  const { create } = await open(context);
  const man = await readMan();
  const warningsOf = async (file: Uint8Array): Promise<string> => {
    const { status, body } = await create(file);
    assert.equal(status, 201, JSON.stringify(body));
    const { data }: { data: CreatedVoice } = JSON.parse(JSON.stringify(body));
    return data.warnings.join(" ");
  };
  const both = Int16Array.from([...man, ...shiftPitch(man, SAMPLE_RATE_HZ, 1.8)]);
  const [one, two, narrow] = await Promise.all([
    warningsOf(toWav(man)),
    warningsOf(toWav(both)),
    warningsOf(
      writeWav({ sampleRateHz: 8000, channels: 1, pcm: new Resampler(SAMPLE_RATE_HZ, 8000).process(man) }),
    ),
  ]);
  assert.match(one, /^There is noise \(\d+ dB below the speech\), which the voice may repeat\.$/);
  assert.match(
    two,
    /There may be more than one speaker: some phrases have a pitch of about \d+ Hz, others of/,
  );
  assert.match(narrow, /telephone quality \(8000 Hz\)/);
});

test("a body without its parts, or with others, is refused by name", async (context) => {
  const { server, create } = await open(context);
  const wav = toWav(await readMan());
  const issueOf = async (fields: Record<string, string>): Promise<string> => {
    const { status, body } = await create(wav, fields);
    assert.equal(status, 400);
    return JSON.stringify(body);
  };
  assert.match(await issueOf({}), /"displayName"/);
  assert.match(await issueOf({ displayName: "Ada", mood: "good" }), /"mood"/);
  assert.match(
    await issueOf({ displayName: "Ada", language: "de" }),
    /"language".*must be one that the voice/,
  );
  assert.match(await issueOf({ displayName: " " }), /"displayName"/);
  const form = new Response(new URLSearchParams({ displayName: "Ada" }));
  const refused = await server.request("POST", "/voices", await form.text(), undefined, {
    "content-type": "application/x-www-form-urlencoded",
  });
  assert.equal(refused.status, 415);
  const json = await server.request("POST", "/voices", { displayName: "Ada" });
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n';
  const many = await server.request("POST", "/voices", `${part.repeat(300_000)}--x--\r\n`, undefined, {
    "content-type": 'multipart/form-data; boundary="x"',
  });
  assert.deepEqual([many.status, JSON.stringify(many.body).includes("at most 20 other parts")], [400, true]);
  assert.deepEqual([json.status, JSON.stringify(json.body).includes("multipart/form-data")], [415, true]);
});
