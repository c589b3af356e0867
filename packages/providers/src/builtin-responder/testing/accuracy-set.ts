import { sampleAgent } from "@parley/contract/sample-agent";

/**
 * A question to one of four agents with what the reply must contain; `null` if the prompt has no answer. Half of the
 * questions are written as a speech recognizer writes: no capitals, no punctuation, filler words.
 */
export interface AccuracyCase {
  /** Earlier questions that this one refers to. */
  before?: string[];
  ask: string;
  expect: RegExp | null;
}

export interface AccuracyAgent {
  prompt: string;
  cases: AccuracyCase[];
}

const dentist: AccuracyAgent = {
  prompt: sampleAgent.promptTemplate,
  cases: [
    { ask: "Hi, what time do you open on Saturday?", expect: /nine to one/ },
    { before: ["Hi, what time do you open on Saturday?"], ask: "And on Sunday?", expect: /closed on Sunday/ },
    { ask: "are you open on sundays", expect: /closed on Sunday/ },
    { ask: "what are your opening hours during the week", expect: /Monday to Friday/ },
    { ask: "Okay. Is there any parking nearby?", expect: /free parking/ },
    { ask: "where can i leave my car", expect: /free parking/ },
    { ask: "And how much is a checkup?", expect: /forty five/ },
    { before: ["how much is a check up"], ask: "and a cleaning", expect: /sixty pounds/ },
    { ask: "do you charge for kids", expect: /free of charge/ },
    { ask: "what's your address please", expect: /Quay Street/ },
    { ask: "are you taking new patients at the moment", expect: /New patients are welcome/ },
    { ask: "i'd like to know how i can cancel my appointment", expect: /a day ahead/ },
    { ask: "When could I come in?", expect: /Tuesday at ten|Monday to Friday/ },
    { ask: "Do you know what the weather is like in Paris?", expect: null },
    { ask: "do you sell electric bicycles", expect: null },
    { ask: "who won the football match last night", expect: null },
    { ask: "can you lend me some money", expect: null },
    { ask: "Can you recommend a good restaurant?", expect: null },
  ],
};

const restaurant: AccuracyAgent = {
  prompt: `You're Lina, the host of Trattoria Sole, an Italian restaurant in Leeds. Be warm and keep answers short.
If the caller is rude, stay polite. Do not talk about politics.

**Frequently asked questions**
Q: Do you take reservations?
A: Yes, for up to twelve people, by phone or on our website.
Q: Do you have vegan food?
A: Our menu has six vegan dishes, and every pasta can be made gluten free.
Q: Can I bring my dog?
A: Dogs are welcome on the terrace but not inside.

**Hours**
- Tuesday to Saturday: noon to 10 pm
- Sunday: noon to 6 pm
- Monday: closed

**Menu**
- Pizza Margherita: 11 pounds
- Lasagne: 14 pounds
- Tiramisu: 7 pounds

You deliver within three miles, and delivery costs 2 pounds 50. We accept cards and cash, but no cheques.`,
  cases: [
    { ask: "Can I book a table for Friday?", expect: /up to twelve/ },
    { ask: "do you have anything for vegans", expect: /six vegan dishes/ },
    { ask: "my wife can't eat gluten is that a problem", expect: /gluten free/ },
    { ask: "is it ok if we bring our dog", expect: /terrace/ },
    { ask: "how late are you open on sunday", expect: /noon to 6 pm/ },
    { before: ["when are you open on sunday"], ask: "what about monday", expect: /Monday: closed/ },
    { ask: "how much is the lasagne", expect: /14 pounds/ },
    { before: ["how much is the lasagne"], ask: "and the tiramisu", expect: /7 pounds/ },
    { ask: "what does a margherita cost", expect: /11 pounds/ },
    { ask: "do you deliver", expect: /within three miles/ },
    { ask: "Can I pay by card?", expect: /accept cards/ },
    { ask: "what is the capital of australia", expect: null },
    { ask: "do you have a swimming pool", expect: null },
    { ask: "How do I reset my password?", expect: null },
    { ask: "who do you vote for", expect: null },
    { ask: "is my train to london delayed", expect: null },
  ],
};

const courier: AccuracyAgent = {
  prompt: `You are an assistant for Swift Parcel. Your job is to answer questions about deliveries.
Always confirm the tracking number. Keep the conversation under five minutes.

Parcels within the country arrive in two working days. International parcels take five to ten working days.
A parcel may weigh at most 30 kilograms. Insurance up to 500 euros is included in every shipment.
If nobody is at home, the driver leaves the parcel with a neighbour or takes it to the nearest pickup point.
Parcels are kept at the pickup point for seven days.
Claims for damaged goods must be made within 14 days with a photo.
Our customer service can be reached on weekdays from 8 to 18.`,
  cases: [
    { ask: "how long does delivery take", expect: /two working days/ },
    { ask: "How long does a package to America take?", expect: /five to ten/ },
    { ask: "what's the maximum weight", expect: /30 kilograms/ },
    { ask: "is my parcel insured", expect: /500 euros/ },
    { ask: "what happens if i'm not home", expect: /neighbour/ },
    { ask: "how long will you keep my parcel at the pickup point", expect: /seven days/ },
    { ask: "My package arrived broken, what can I do?", expect: /14 days/ },
    { ask: "when can i reach customer service", expect: /8 to 18/ },
    { ask: "what's your favourite colour", expect: null },
    { ask: "can you tell me a joke", expect: null },
    { ask: "how do i cook rice", expect: null },
    { ask: "Do you rent out vans?", expect: null },
  ],
};

/** Held out: threshold and weights were not tuned on this agent. */
const garage: AccuracyAgent = {
  prompt: `# Identity
You are Sam from Miller's Garage, a car workshop.

# Rules
- Be friendly and concise.
- Never promise a finish date.
- If you do not know something, say so.

# Information
Our workshop is on Mill Lane 4, next to the fire station. We open at 7:30 a.m. and close at 5 p.m. on weekdays, and we are closed at weekends.
An oil change costs 89 dollars including the filter. A set of winter tyres can be stored with us for 40 dollars a season.
You can drop off your key in the letter box outside business hours.
We repair all makes except electric cars. A courtesy car is available for 25 dollars a day.
Repairs come with a warranty of two years.
The yearly inspection takes about an hour and costs 120 dollars.
We accept Visa and Mastercard; invoices are possible for companies only.
Our sister company, Miller Towing, runs a breakdown service around the clock on 555 0199.`,
  cases: [
    { ask: "What time do you close?", expect: /5 p\.m\./ },
    { ask: "are you open on saturday", expect: /closed at weekends/ },
    { ask: "how much would an oil change be", expect: /89 dollars/ },
    { before: ["how much would an oil change be"], ask: "and the inspection", expect: /120 dollars/ },
    { ask: "where exactly is your garage", expect: /Mill Lane/ },
    { ask: "can you store my winter tires", expect: /40 dollars a season/ },
    { ask: "can i leave the keys with you at night", expect: /letter box/ },
    { ask: "do you fix teslas", expect: /except electric/ },
    { ask: "Could I get a replacement car while you work on mine?", expect: /courtesy car/ },
    { ask: "is there a guarantee on the work", expect: /two years/ },
    { ask: "how long does the inspection take", expect: /about an hour/ },
    { ask: "can i pay with a credit card", expect: /Visa/ },
    { ask: "my car broke down on the motorway", expect: /around the clock/ },
    { ask: "do you sell flowers", expect: null },
    { ask: "what's the meaning of life", expect: null },
    { ask: "Can you book me a flight to Rome?", expect: null },
    { ask: "how tall is the eiffel tower", expect: null },
    { ask: "is there a playground for children", expect: null },
  ],
};

export const accuracySet: readonly AccuracyAgent[] = [dentist, restaurant, courier, garage];
