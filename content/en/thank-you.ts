// What the thank-you page says, in English. (Specification 2: the three steps and the 24 hours.)
import type { ThankYouTexts } from "../language.ts";

export const thankYou: ThankYouTexts = {
  heading: "Thank You for Your Interest",
  description: "We have received your information.",
  received: "We have received your information. We will contact you shortly.",
  next: {
    heading: "What happens next",
    steps: [
      "Our team reviews your eligibility within 24 hours.",
      "A specialist contacts you to talk about your answers.",
      "If you qualify, {name} helps you start with the device. Your doctor has to order it first.",
    ],
  },
  caller: {
    heading: "Who will call you",
    text: "The call comes from {name}. You may want to write our number down:",
    warning: [
      "Medicare itself does not call people to sell them things. If a caller says that they are Medicare and wants to sell you something, hang up.",
      "Never give your Medicare number to someone who calls you out of the blue. Questions? Call Medicare at 1-800-MEDICARE (1-800-633-4227).",
      "You never have to decide on the phone. You can ask us to call back, or talk to your doctor first.",
    ],
  },
  permission: { heading: "What you agreed to", text: "This is your copy of what stood above the button:" },
  keep: {
    heading: "Keep this page",
    text: ["You can print it, or save it. It has our number and your copy of what you agreed to."],
  },
  stop: {
    heading: "Did you change your mind?",
    text: "Call {phone} and say: please stop calling me. We will stop. Any other way to tell us is fine too.",
  },
  back: "Back to the article",
};
