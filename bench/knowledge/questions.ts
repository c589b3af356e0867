/** Questions as users ask them, not in the documents' words, and by what the right passage is recognized. */
export interface Question {
  question: string;
  document: string;
  /** Matches the passage with the answer, and no other one of the document. */
  answer: RegExp;
}

const about = (document: string, ...questions: readonly (readonly [string, RegExp])[]): Question[] =>
  questions.map(([question, answer]) => ({ question, document, answer }));

export const questions: readonly Question[] = [
  ...about(
    "hotel.html",
    ["Can I bring my puppy?", /Dogs are welcome/],
    ["We land late, around midnight. How do we get in?", /code that you get by text message/],
    ["What happens if I have to call off my stay the evening before?", /the first night is charged/],
    ["Is there somewhere to plug in my Tesla?", /chargers for electric cars/],
    ["My wife has celiac disease, can she eat in the morning?", /Gluten-free/],
    ["How long does it take to come from the plane?", /Bus 14/],
  ),
  ...about(
    "bike-shop.csv",
    ["My back tire is flat, what will you charge me?", /Puncture, rear wheel/],
    ["I need to transport my furniture, do you lend something big?", /cargo bike/],
    ["Can you find out how much life is left in my e-bike's accumulator?", /remaining capacity/],
    ["Where can I leave my bike over the cold months?", /Winter storage/],
    ["Could you collect it at my house?", /Pick-up and return/],
  ),
  ...about(
    "aftercare.pdf",
    ["Which painkiller am I allowed?", /ibuprofen/],
    ["When may I have a beer again?", /No alcohol/],
    ["Do the threads have to be removed?", /seven to ten days/],
    ["Can I go to the gym tomorrow?", /No sports/],
    ["It has been bleeding all evening, what now?", /two hours of pressure/],
  ),
  ...about(
    "museum.docx",
    ["What do I pay for my wife, myself and three kids?", /family ticket/],
    ["Can I be the driver myself?", /introduction of two hours/],
    ["My mother uses a wheelchair, can she come along?", /low-floor/],
    ["I left my umbrella at your place last week", /three months in the shop/],
    ["Is it possible to visit you in December?", /winter the hall is closed/],
  ),
  ...about(
    "library.txt",
    ["How many weeks until I have to bring a novel back?", /four weeks/],
    ["I am too late with my book, how much will it be?", /30 cents a day/],
    ["My dog chewed the cover, what now?", /price of a new one/],
    ["Where can I practice the piano?", /music room/],
  ),
  ...about(
    "campaigns.md",
    ["Somebody told us never to phone them again. How do I make sure of that?", /do-not-call list/],
    ["What if an answering machine picks up?", /mailbox/],
    ["How do I stop it for a while and go on later?", /\/pause|Pause, resume/],
    ["Why did my campaign halt on its own?", /pauses itself/],
  ),
  ...about(
    "transfers.md",
    ["The colleague does not pick up. What happens to the caller?", /back with the agent/],
    ["The customer should land in the sales department when they want to order", /wants to buy/],
  ),
  ...about(
    "voices.md",
    ["How long must I talk to get my own voice?", /10 to 30 seconds/],
    ["Do I need permission of the person whose voice it is?", /without consent is illegal/],
    ["What do I do it with if I have no ElevenLabs account?", /approximation/i],
  ),
  ...about(
    "widget.md",
    ["How do I put the chat bubble on my homepage?", /widget\.js/],
    ["My site blocks foreign scripts, what do I have to allow?", /script-src/],
    ["The chat should know which customer is logged in", /signs the user's id|userToken/],
  ),
  ...about(
    "backup.md",
    ["The server burned down, how do I get everything back from the archive?", /To restore/],
    ["Which things have to be saved every night?", /Back up the database/],
  ),
  ...about(
    "tls.md",
    ["Why does the microphone not work in the browser without a certificate?", /only on HTTPS/],
    ["Which addresses should outsiders not be able to reach?", /Block|location ~/],
  ),
  ...about(
    "language-models.md",
    ["Can I use Claude as the brain?", /Anthropic|ANTHROPIC_API_KEY/],
    ["The conversation gets too long for my model", /oldest turns|CONTEXT_TOKENS/],
    ["How do I run a local Llama without the cloud?", /ollama|GGUF/i],
  ),
  ...about(
    "flows.md",
    ["How does the agent understand a date that is typed on the phone's keys?", /eight digits/],
    ["What if the person says nothing?", /Silence for/],
  ),
  ...about(
    "test-suites.md",
    ["Nobody should publish an agent whose tests are red", /gate|isReleaseGate/],
    ["Turn yesterday's failed call into a test", /from-call|past call/],
  ),
  ...about("systemd.md", ["Where do I see the log output of the service?", /journalctl/]),
  ...about("twilio.md", ["Which ports have to be open in my firewall for Twilio?", /5060\/udp/]),
];
