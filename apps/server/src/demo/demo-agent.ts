/** Number reserved for fiction. */
export const demoNumber = "+12025550142";

/** Lines of the caller in order, each said once the agent has finished its own. */
export const callerLines: readonly { recording: string; text: string }[] = [
  { recording: "opening-hours.wav", text: "Hi, what time do you open on Saturday?" },
  { recording: "parking.wav", text: "Okay. Is there any parking nearby?" },
  { recording: "price.wav", text: "And how much is a checkup?" },
  { recording: "weather.wav", text: "Do you know what the weather is like in Paris?" },
  { recording: "goodbye.wav", text: "Great, thanks. Goodbye!" },
];
