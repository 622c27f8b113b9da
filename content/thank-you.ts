// What the thank-you page says. (Specification 2 and 9: the three steps and the 24 hours.)
import type { Provider } from "./provider.ts";

export const heading = "Thank You for Your Interest";
export const received = "We have received your information. We will contact you shortly.";

export const next = {
  heading: "What happens next",
  steps: ({ name }: Provider): string[] => [
    "Our team reviews your eligibility within 24 hours.",
    "A specialist contacts you to talk about your answers.",
    `If you qualify, ${name} helps you start with the device.`,
  ],
};

export const whoCalls = {
  heading: "Who will call you",
  text: ({ name }: Provider): string => `The call comes from ${name}. You may want to write our number down:`,
  warning: [
    "Medicare itself does not call people to sell them things. If a caller says that they are Medicare and wants to sell you something, hang up.",
    "You never have to decide on the phone. You can ask us to call back, or talk to your doctor first.",
  ],
};

export const stop = {
  heading: "Did you change your mind?",
  text: ({ phone }: Provider): string => `Call ${phone} and say: please stop calling me. We will stop.`,
};
