// What the lead form says, in English. `heading`, `labels`, `button`, `busy` and `failed` are the words of Specification 2, 5 and 8.
import { type Field, fields } from "../../lead/lead.ts";
import type { FormTexts } from "../language.ts";
import { claims } from "./claims.ts";

export const form: FormTexts = {
  heading: "Find Out If You Qualify",
  opening: [
    "Tell us how to reach you. Our team reviews your answers within 24 hours. Then a specialist contacts you.",
  ],
  usualNeeds: [claims.usualNeeds],
  helping:
    "Helping someone? Give your own name and number. We call you first, and them only once they agree.",
  labels: Object.fromEntries(fields.map(({ name, label }) => [name, label])) as Record<Field["name"], string>,
  stars: "Please fill in every line that has a star (*).",
  boxes: "Check what is true for you. You may leave both empty.",
  button: "Check Your Eligibility Now",
  busy: "Submitting...",
  sending: "Sending your answers. Please wait.",
  error: "Error: ",
  kept: "What you typed is still here. You can press the button again.",
  emptied: "Please fill in the form again.",
  call: "Or call us at {phone}.",
  failed: "Failed to submit. Please try again.",
  unreachable: "We could not reach the server. Please check your internet connection and try again.",
  unknownRefusal: "",
};
