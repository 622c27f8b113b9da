// What a member of the team says on the phone, in English. The voicemail names no health matter apart from {name}, because others may hear
// it.
import type { CallScripts } from "../language.ts";

export const callScripts: CallScripts = {
  person: "the person who asked for this call",
  call: [
    "Hello, this is {member} from {name}. May I speak with {person}?",
    "You asked us on our page to call you. Is this a good time? I have a few questions, and you can stop me at any point.",
  ],
  voicemail:
    "Hello, this is {member} from {name}, returning your request for a call. You can reach us at {callsFrom}. To ask us not to call, the number is {phone}. Thank you.",
};
