/** Flows to begin with, which need neither tools nor variables. */
import type { FlowDefinition } from "./flow-definition.ts";

const appointment: FlowDefinition = {
  start: "welcome",
  nodes: [
    {
      id: "welcome",
      type: "say",
      text: "Welcome to Harbour Dental. I can note an appointment for you.",
      next: "ask_name",
    },
    {
      id: "ask_name",
      type: "ask",
      prompt: "What is your name?",
      reprompt: "Sorry, what is your first and last name?",
      slot: { name: "name", type: "string", description: "Name of the patient", maxLength: 80 },
      next: "ask_day",
      onExhausted: "call_back",
    },
    {
      id: "ask_day",
      type: "ask",
      prompt: "On which day would you like to come, {{name}}?",
      reprompt: "Please name a date, or key in year, month and day as eight digits.",
      slot: { name: "day", type: "date", description: "Day of the appointment" },
      next: "ask_time",
      onExhausted: "call_back",
    },
    {
      id: "ask_time",
      type: "ask",
      prompt: "In the morning or in the afternoon?",
      reprompt: "Morning or afternoon? You can also press 1 for morning, 2 for afternoon.",
      slot: {
        name: "time",
        type: "enum",
        options: [
          { value: "morning", phrases: ["before noon"], key: "1" },
          { value: "afternoon", phrases: ["after lunch"], key: "2" },
        ],
      },
      next: "ask_phone",
      onExhausted: "call_back",
    },
    {
      id: "ask_phone",
      type: "ask",
      prompt: "Which number can we reach you at?",
      reprompt: "Please tell or key in your phone number.",
      slot: { name: "phone", type: "phone_number", description: "Phone number for questions" },
      next: "confirm",
      onExhausted: "call_back",
    },
    {
      id: "confirm",
      type: "ask",
      prompt: "{{name}}, on {{day}} in the {{time}}, phone number {{phone}}. Is that right?",
      reprompt: "Is that right? Please say yes or no.",
      slot: { name: "is_right", type: "boolean", description: "Whether the summary is right" },
      next: "check",
      onExhausted: "call_back",
    },
    {
      id: "check",
      type: "condition",
      branches: [{ tests: [{ name: "is_right", is: "equal", value: true }], next: "done" }],
      otherwise: "ask_day",
    },
    {
      id: "done",
      type: "end",
      text: "Thank you, {{name}}. We will confirm your appointment by phone. Goodbye.",
    },
    { id: "call_back", type: "end", text: "A colleague will call you back. Goodbye." },
  ],
  intents: { human: { next: "call_back", key: "0" }, repeat: { key: "*" }, goodbye: { next: "call_back" } },
};

const triage: FlowDefinition = {
  start: "emergency",
  nodes: [
    {
      id: "emergency",
      type: "ask",
      prompt: "Is somebody unconscious, bleeding heavily or short of breath?",
      reprompt: "Is it an emergency? Please say yes or no.",
      slot: { name: "is_emergency", type: "boolean", description: "Whether it is an emergency" },
      maxAttempts: 2,
      next: "check_emergency",
      onExhausted: "call_emergency",
    },
    {
      id: "check_emergency",
      type: "condition",
      branches: [{ tests: [{ name: "is_emergency", is: "equal", value: true }], next: "call_emergency" }],
      otherwise: "complaint",
    },
    { id: "call_emergency", type: "end", text: "Please hang up and call the emergency number now." },
    {
      id: "complaint",
      type: "ask",
      prompt: "What is the trouble: pain, fever, an injury, or something else?",
      slot: {
        name: "complaint",
        type: "enum",
        options: [
          { value: "pain", phrases: ["ache", "it hurts"], key: "1" },
          { value: "fever", phrases: ["temperature"], key: "2" },
          { value: "injury", phrases: ["accident", "cut"], key: "3" },
          { value: "other", phrases: ["something else"], key: "4" },
        ],
      },
      next: "days",
      onExhausted: "nurse",
    },
    {
      id: "days",
      type: "ask",
      prompt: "For how many days?",
      slot: {
        name: "days",
        type: "number",
        isInteger: true,
        minimum: 0,
        maximum: 365,
        description: "Days since it began",
      },
      next: "urgency",
      onExhausted: "nurse",
    },
    {
      id: "urgency",
      type: "condition",
      branches: [
        {
          match: "any",
          tests: [
            { name: "complaint", is: "equal", value: "injury" },
            { name: "days", is: "at_least", value: 3 },
          ],
          next: "nurse",
        },
        { tests: [{ name: "complaint", is: "equal", value: "other" }], next: "questions" },
      ],
      otherwise: "advice",
    },
    {
      id: "questions",
      type: "subPrompt",
      prompt: "Find out in at most three short questions what the caller needs. Give no medical advice.",
      exits: [
        { name: "nurse", condition: "They need a nurse, or you are not sure.", next: "nurse" },
        { name: "settled", condition: "They need nothing more.", next: "advice" },
      ],
      maxTurns: 4,
      onMaxTurns: "nurse",
    },
    {
      id: "nurse",
      type: "end",
      text: "A nurse will call you back within the hour. If it gets worse, call the emergency number.",
    },
    { id: "advice", type: "end", text: "Please rest, and call again if it is not better tomorrow. Goodbye." },
  ],
  intents: { human: { next: "nurse", key: "0" }, repeat: { key: "*" } },
};

const survey: FlowDefinition = {
  start: "may_ask",
  nodes: [
    {
      id: "may_ask",
      type: "ask",
      prompt: "May I ask you three short questions about your last visit?",
      slot: { name: "may_ask", type: "boolean", description: "Whether they take part" },
      maxAttempts: 2,
      next: "check_may_ask",
      onExhausted: "not_now",
    },
    {
      id: "check_may_ask",
      type: "condition",
      branches: [{ tests: [{ name: "may_ask", is: "equal", value: true }], next: "rating" }],
      otherwise: "not_now",
    },
    { id: "not_now", type: "end", text: "No problem. Have a nice day." },
    {
      id: "rating",
      type: "ask",
      prompt: "How satisfied were you, from 1 to 5? You can press the key.",
      reprompt: "Please say or press a number from 1 to 5.",
      slot: {
        name: "rating",
        type: "number",
        isInteger: true,
        minimum: 1,
        maximum: 5,
        description: "Satisfaction",
      },
      next: "check_rating",
      onExhausted: "thanks",
    },
    {
      id: "check_rating",
      type: "condition",
      branches: [{ tests: [{ name: "rating", is: "at_most", value: 2 }], next: "reason" }],
      otherwise: "recommend",
    },
    {
      id: "reason",
      type: "ask",
      prompt: "I am sorry to hear that. What went wrong?",
      slot: { name: "reason", type: "string", isVerbatim: true },
      maxAttempts: 1,
      next: "recommend",
      onExhausted: "recommend",
    },
    {
      id: "recommend",
      type: "ask",
      prompt: "Would you recommend us?",
      slot: { name: "recommends", type: "boolean", description: "Whether they recommend us" },
      maxAttempts: 2,
      next: "thanks",
      onExhausted: "thanks",
    },
    { id: "thanks", type: "end", text: "Thank you for your answers. Goodbye." },
  ],
  intents: { repeat: { key: "*" }, goodbye: { next: "not_now" } },
};

export const sampleFlows = { appointment, triage, survey } as const satisfies Record<string, FlowDefinition>;
