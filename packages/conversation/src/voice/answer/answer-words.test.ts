import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnswerCues, findAnswerCues } from "./answer-words.ts";

const CASES: Readonly<Record<keyof AnswerCues, readonly (readonly [language: string, text: string])[]>> = {
  isRecording: [
    ["en", "Hi, you've reached Dana. Please leave a message after the tone."],
    ["en", "hi its sam sorry i missed your call"],
    ["en", "Your call has been forwarded to an automatic voice message system."],
    ["en", "I can’t come to the phone right now"],
    ["en", "The number you have dialed is not in service."],
    ["en", "leave your name and number and I'll get back to you"],
    ["en", "The person you are trying to reach"],
    ["en", "Hi there, this is Olivia, I'm either"],
    ["en", "Due to high call volume"],
    ["en", "You've reached Daniel's phone"],
    ["de", "Guten Tag, hier ist die Mailbox von Anna Schmidt."],
    ["de", "Der angerufene Teilnehmer ist zurzeit nicht erreichbar."],
    ["de", "The person you have called is not available. Please leave a message after the beep."],
    ["fr", "Bonjour, vous êtes sur la messagerie de Claire."],
    ["es", "Deje su mensaje después de la señal."],
    ["it", "Lasciate un messaggio dopo il segnale acustico."],
    ["pt", "Deixe o seu recado após o sinal."],
    ["nl", "Spreek een bericht in na de piep."],
  ],
  mayBeRecording: [
    ["en", "You've reached the Miller residence"],
    ["en", "He is not available right now"],
    ["de", "Sie haben die Nummer von Familie Weber gewählt"],
  ],
  isOpening: [
    ["en", "Thank you for calling Acme"],
    ["en", "Good morning, this is Mary"],
    ["de", "Guten Tag"],
    ["fr", "Bonjour"],
    ["es", "Buenos días"],
    ["it", "Buongiorno"],
    ["pt", "Bom dia"],
    ["nl", "Goedemorgen"],
  ],
  isPerson: [
    ["en", "Acme Dental, this is Mary, how may I help you?"],
    ["en", "Hello?"],
    ["en", "John speaking."],
    ["en", "Who is this?"],
    ["de", "Schmidt, was kann ich für Sie tun?"],
    ["fr", "Allô ?"],
    ["es", "¿Quién habla?"],
    ["it", "Pronto?"],
    ["pt", "Alô?"],
    ["nl", "Met wie spreek ik?"],
  ],
  isAddress: [
    ["en", "Acme Dental, this is Mary, how may I help you today, we are open until six"],
    ["de", "Wer ist denn da?"],
    ["fr", "Qui est à l'appareil ?"],
  ],
  isScreening: [
    ["en", "Please state your name after the tone."],
    ["en", "Hi, if you record your name and reason for calling, I'll see if this person is available."],
    ["en", "The person you're calling is using a screening service. Say your name and why you're calling."],
    ["en", "Before I try to connect you, can you tell me your name and why you are calling?"],
    ["en", "Hello, this call is being screened."],
    ["de", "Bitte nennen Sie Ihren Namen."],
  ],
  isMenu: [
    ["en", "For sales, press one."],
    ["de", "Drücken Sie die Eins."],
  ],
};

for (const [cue, cases] of Object.entries(CASES))
  for (const [language, text] of cases)
    test(`${cue} (${language}): ${text}`, () => {
      const cues = findAnswerCues(text, language);
      assert.ok(cues[cue as keyof AnswerCues], JSON.stringify(cues));
    });

test("what people say when they answer is no recording, in any language", () => {
  for (const [language, text] of [
    ["en", "Hello?"],
    ["en", "Yes, hi, this is Tom."],
    ["en", "Good morning, Parker and Sons, Lucy speaking."],
    ["en", "Yeah, sorry, I'm in the car, can you hear me?"],
    ["en", "Hello, who's calling please?"],
    ["en", "Hi, sorry, the line is bad, who is this?"],
    ["en", "Hello, I'm unable to hear you."],
    ["de", "Ja, Müller, guten Tag?"],
    ["fr", "Oui, bonjour, Martin à l'appareil."],
    ["es", "Sí, dígame."],
  ] as const) {
    const { isRecording, mayBeRecording } = findAnswerCues(text, language);
    assert.deepEqual([isRecording, mayBeRecording], [false, false], text);
  }
});

test("the name and number that a mailbox requests are no screening", () => {
  assert.equal(findAnswerCues("Please give your name and number after the beep", "en").isScreening, false);
});

test("a hello is a person's as the last word only, and addresses nobody", () => {
  const { isPerson, isAddress } = findAnswerCues("Yes, hello", "en");
  assert.deepEqual([isPerson, isAddress], [true, false]);
  assert.equal(findAnswerCues("Hello, you", "en").isPerson, false);
});
