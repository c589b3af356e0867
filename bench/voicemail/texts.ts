/** What people and machines say when they answer a call, in English: the local voices speak no other language. */

export type SetName = "tuning" | "held-out";

export interface SpokenText {
  set: SetName;
  /** `screening`: a service that asks who calls, before a person answers. */
  by: "human" | "machine" | "screening";
  text: string;
}

const people: Record<SetName, readonly string[]> = {
  tuning: [
    "Hello?",
    "Hi.",
    "Yes?",
    "Yeah, hello?",
    "Hello, hello?",
    "Hi, this is Peter.",
    "Martha speaking.",
    "Good morning?",
    "Who is this?",
    "Yes, speaking.",
    "Johnson.",
    "Hello, Anna here.",
    "Hey, what's up?",
    "Hello, who's calling?",
    "Good afternoon, Baker Street Pharmacy.",
    "Thank you for calling Miller Plumbing, this is Kate, how can I help you?",
    "Good morning, Doctor Reed's office, how may I help you?",
    "Front desk, this is Carlos.",
    "Yeah, who am I speaking to?",
    "Hello, can you hear me?",
    "Hi, sorry, I was in the garden.",
    "Hello? One moment, please.",
    "Yep.",
    "Hi there, you're speaking with Linda.",
    "Sales, good afternoon.",
    "Hello, this is the Parker residence.",
    "Yes, hello, good evening.",
    "Hang on a second, I'm driving.",
    "Hi mom.",
    "Okay, hello, who is it?",
  ],
  "held-out": [
    "Hello.",
    "Hi?",
    "Yes, hello?",
    "Yeah?",
    "Good evening.",
    "Hello, this is Susan.",
    "Frank here.",
    "Hey.",
    "Smith, hello?",
    "Hello, who's there?",
    "Hi, who's this?",
    "This is Robert.",
    "Thompson and Sons, good morning.",
    "Good morning, Greenfield Dental, Laura speaking, how can I help?",
    "Thanks for calling Blue Door Books, this is Henry, what can I do for you?",
    "Hello, reception.",
    "Oh, hi, how are you?",
    "Yes, this is he.",
    "Hello? Hello?",
    "Good day, Martin speaking.",
    "Hold on a moment, please.",
    "Hi, sorry, I just walked in the door.",
    "City garage, Mike speaking.",
    "Yo.",
    "Hello, it's Emily.",
    "Right, hello, what is this about?",
    "Customer service, how may I direct your call?",
    "Yes, can I help you?",
    "Um, hello?",
    "Hello, is that you, Tom?",
  ],
};

const machines: Record<SetName, readonly string[]> = {
  tuning: [
    "Hi, this is Sam. I can't come to the phone right now. Please leave a message after the tone.",
    "You've reached the voicemail of Jennifer Brown. Please leave your name and number and I'll call you back.",
    "Your call has been forwarded to an automatic voice message system. Please record your message after the tone.",
    "Hello, you have reached the Wilson family. We are not at home. Leave us a message and we will get back to you.",
    "The person you are trying to reach is not available. At the tone, please record your message.",
    "Hey, it's Mike. I'm probably busy, so leave me a message and I'll get back to you as soon as I can.",
    "The number you have dialed is not in service. Please check the number and dial again.",
    "Thank you for calling Sunrise Bakery. We are currently closed. Our office hours are nine to five.",
    "Hi, sorry I missed your call. Please leave a short message and have a great day.",
    "Welcome to the voice mailbox of extension two one four. Please speak after the beep.",
    "You have reached Doctor Allen. I am away from my desk at the moment. Please leave a message.",
    "The subscriber you have called is temporarily unavailable. Please try again later.",
    "Hello? Just kidding, I'm not here. You know what to do at the beep.",
    "Hi there, this is Olivia, I'm either on another call or away, so please leave your name after the beep.",
    "All of our agents are helping other customers. Nobody is available to take your call. Please leave a message.",
    "This is Brian. I don't check this mailbox often, so send me a text instead.",
    "You've reached the office of Clark and Young. Our offices are closed for the holiday.",
    "Please leave a message for David Green after the tone. When you have finished, hang up.",
    "Good day. You have reached the answering machine of Ruth. I will return your call tomorrow.",
    "Hi, it's me. Leave a message.",
    "We're sorry, the customer you are calling has a voice mailbox that has not been set up yet.",
    "Hello and thanks for your call. I am out of the office until Monday. Please leave a message.",
    "Hi, you've reached Tina's cell. I'm not able to answer the phone right now.",
    "The mailbox is full and cannot accept any messages at this time. Goodbye.",
    "Your call cannot be taken at the moment, so please leave your message after the tone.",
  ],
  "held-out": [
    "Hello, this is Karen. I'm unable to take your call right now, so please leave a message after the beep.",
    "You've reached Daniel's phone. Leave your name, your number and a brief message.",
    "At the tone, please record your message. When you have finished recording, you may hang up.",
    "Hi, this is the Cooper household. No one is available right now, but your call is important to us.",
    "The Google subscriber you have called is not available. Please leave a message after the tone.",
    "Hey, this is Alex, I missed your call, leave a message, bye.",
    "You have reached a number that has been disconnected or is no longer in service.",
    "Thanks for calling Hill Street Motors. We're closed for the day. Please leave a message after the beep.",
    "Hi, I'm away from the phone. I'll call you back as soon as possible.",
    "Welcome to voicemail. The person at extension five five zero is not available.",
    "This is the voice mailbox of Professor Adams. I am currently travelling and will answer next week.",
    "The wireless customer you are calling is not available at this time. Please try your call again later.",
    "Hello. Sorry, we can't get to the phone. Please speak after the signal.",
    "Hi, Grace here, well, not really. Leave me a message and I'll ring you back.",
    "Due to high call volume nobody can take your call. Please leave your contact details after the tone.",
    "You've reached James. The best way to reach me is by email. Otherwise leave a message.",
    "Good afternoon, you have reached the law office of Stone and Hart. The office is now closed.",
    "Please leave a message for five five five, zero one two three.",
    "Hello, you are connected to the answering service of Doctor Lopez. Please state your name and number after the tone.",
    "Hi, it's Chloe, you know what to do.",
    "The user you are trying to reach has not set up a voice mailbox. Goodbye.",
    "Hello, I am on vacation until the tenth of the month. Your message will be answered when I return.",
    "Hey there, you got my voicemail. I never listen to it, so text me.",
    "The mailbox you have reached is full. Please call again later.",
    "I'm sorry, but the person you called has a voicemail box that is not accepting messages.",
  ],
};

const services: Record<SetName, readonly string[]> = {
  tuning: [
    "Hi, if you record your name and reason for calling, I will see if this person is available.",
    "The person you're calling is using a screening service. Go ahead and say your name and why you're calling.",
    "Please state your name after the tone, and we will try to connect you.",
  ],
  "held-out": [
    "Hello, this call is being screened. Please say your name and the reason for your call.",
    "Before I try to connect you, can you tell me your name and why you are calling?",
    "Please say your name, and stay on the line while we try to reach the person.",
  ],
};

export const texts: readonly SpokenText[] = (["tuning", "held-out"] as const).flatMap((set) => [
  ...people[set].map((text) => ({ set, by: "human" as const, text })),
  ...machines[set].map((text) => ({ set, by: "machine" as const, text })),
  ...services[set].map((text) => ({ set, by: "screening" as const, text })),
]);

/** Voices of a set; none of Kokoro's is in both. Dittli has only one, which differs by pitch and pace. */
export const kokoroVoices: Record<SetName, readonly string[]> = {
  tuning: ["af_bella", "am_michael", "bf_emma", "bm_george", "af_kore", "am_fenrir", "af_heart", "am_onyx"],
  "held-out": [
    "af_sarah",
    "am_puck",
    "bf_isabella",
    "bm_lewis",
    "af_nova",
    "am_eric",
    "af_jessica",
    "am_liam",
  ],
};
