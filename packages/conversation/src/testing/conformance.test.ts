import { FakeSpeechToText } from "./fake-speech-to-text.ts";
import { FakeTextToSpeech } from "./fake-text-to-speech.ts";
import { speechToTextConformance } from "./speech-to-text-conformance.ts";
import { textToSpeechConformance } from "./text-to-speech-conformance.ts";
import { tone } from "./tone.ts";

speechToTextConformance("fake recognizer", () => {
  const stt = new FakeSpeechToText();
  stt.textOfSpeech = "good morning";
  return {
    stt,
    sampleRateHz: 16000,
    speech: tone(1000, 16000, 6000),
    expected: /good morning/,
    breakConnection: () => stt.streams[0]?.fail(true),
  };
});

for (const sendsWordTimings of [false, true]) {
  textToSpeechConformance(`fake voice ${sendsWordTimings ? "with" : "without"} word timings`, () => {
    const tts = new FakeTextToSpeech();
    tts.chunkIntervalMs = 2;
    tts.firstByteMs = 5;
    tts.sendsWordTimings = sendsWordTimings;
    return { tts, voice: "fake", sampleRateHz: 8000 };
  });
}
