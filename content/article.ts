// The article: its words, in order, apart from how they look. A sentence that a reader could check is a claim
// with a source; the rest is plain talk. (Specification 2; the headings are its own.)
import { type Claim, claims } from "./claims.ts";

/** A paragraph or a list item: sentences in order, some of them claims. */
export type Text = readonly (string | Claim)[];

export const label = "Sponsored Content";
export const readingTime = "5 min read";
export const headline = "A New Device Is Changing How Seniors Manage Blood Sugar";
export const standfirst =
  "A small sensor on the arm can show your blood sugar day and night. Here is how it works, who it may help, and what Medicare may pay for.";

/** What the picture shows, for those who do not see it, and the line below it. */
export const picture = {
  alt: "A drawing of an older woman with a small round sensor on the back of her upper arm. She holds a reader that shows the number 112, a level arrow and a gentle curve.",
  caption: "A sensor on the arm, and a reader in the hand.",
};

/** The same of your own photo, once you have put one at `content/photo.jpg`: write what it shows. */
export const photo = {
  alt: "An older person with a small round sensor on the upper arm, looking at a reader.",
  caption: "A sensor on the arm, and a reader in the hand.",
};

export const opening: readonly Text[] = [
  [
    "For years, there was one way to check blood sugar. You pricked a finger. You put a drop of blood on a strip. You read a number.",
  ],
  ["That number told you about one moment. It could not tell you where you were going."],
  [
    "A continuous glucose monitor, or CGM for short, does the job in a new way. Glucose is the sugar in your body. A CGM is a small device that you wear.",
    claims.checksOften,
    "So you do not just see a number. You see if it is going up, going down, or holding still.",
  ],
];

export const howItWorks = {
  heading: "How It Works",
  opening: "Three steps. None of them needs a computer.",
  steps: [
    {
      heading: "You wear a small sensor",
      text: [
        "It is small and flat, and it sticks to the back of your arm.",
        claims.underTheSkin,
        claims.changedOften,
      ],
    },
    {
      heading: "The sensor does the checking",
      text: [claims.readsFluid, "You can sleep, cook or work in the yard while it does."],
    },
    {
      heading: "You look at the reader",
      text: [claims.anyTime, claims.alarm],
    },
  ] satisfies { heading: string; text: Text }[],
  closing: [claims.fingerSticks] satisfies Text,
};

export const keyBenefits = {
  heading: "Key Benefits",
  picture: {
    alt: "A line for one day rises and falls. Four dots on it are finger-sticks, all in the healthy band. Between the first two dots, at night, the line dips far below the band.",
    caption:
      "A made-up day. The band is a healthy range. The dots are four finger-sticks, and all look fine. The line is what a CGM sees: a low at night that no dot shows.",
  },
  benefits: [
    {
      heading: "You see the whole day",
      text: [
        "A finger-stick is like one photo. A CGM is more like a film. You can see what a meal or a walk does.",
      ],
    },
    {
      heading: "You can act sooner",
      text: [claims.alarm, "That gives you time to eat something, sit down, or call for help."],
    },
    { heading: "You may spend less time low", text: [claims.lessTimeLow] },
    {
      heading: "Others can help you watch",
      text: [claims.sharing, "You choose who, and you can change your mind."],
    },
    {
      heading: "Your doctor sees more",
      text: [claims.keepsTrack, "You can go over them together, and talk about what works."],
    },
  ] satisfies { heading: string; text: Text }[],
};

export const extraSupport = {
  heading: "Perfect for Seniors Who Need Extra Support",
  text: [
    [
      "Some days are hard enough. Stiff hands make a finger-stick slow. Small strips are hard to see. It is easy to miss a check.",
    ],
    [
      "A CGM can lift some of that load. The sensor stays on your arm, so there is less to hold and to line up. And you need not watch alone: a son or daughter who gets your numbers can look in from far away.",
    ],
    [
      "It is not for everyone. You may not like to wear a device, or to hear an alarm. Talk it over with your doctor first.",
    ],
  ] satisfies Text[],
};

export const coverage = {
  heading: "Medicare Coverage Available",
  opening: [claims.partB, "In most cases, all of these need to be true:"] satisfies Text,
  needs: [
    [claims.hasDiabetes],
    [claims.insulinOrLows],
    [claims.ordered],
    [claims.trained],
    [claims.visit],
  ] satisfies Text[],
  text: [
    [claims.share, "If you have another plan, ask what it pays and what it asks of you."],
    [claims.receiver],
    [
      "The rules have fine points, and no article can know your case. That is why a person looks at your answers. We promise you a review. We cannot promise you a yes.",
    ],
  ] satisfies Text[],
};

export const future = {
  heading: "The Future of Diabetes Management Is Here",
  text: [
    [
      "Not long ago, a night of low sugar could pass and nobody knew. Now a small device can keep watch while you rest.",
    ],
    [
      "A CGM is a tool. It does not cure diabetes. It does not take the place of good food, some walking, the right medicine, and a doctor who knows you. But it can take some of the guessing out of the day.",
    ],
    [
      "At your next visit, ask one question: “Could a CGM help me?” And if you would like to know what Medicare may cover, we are glad to look.",
    ],
  ] satisfies Text[],
  link: "Go back to the form",
};

export const form = {
  heading: "Find Out If You Qualify",
  opening: [
    "Tell us how to reach you. Our team reviews your answers within 24 hours. Then a specialist contacts you.",
    "Please fill in every line that has a star (*).",
  ],
  boxes: "Check what is true for you. You may leave both empty.",
};

/** The disclaimer at the foot of every page that carries the article's message. */
export const disclaimer = {
  heading: "About this page",
  text: (name: string): string[] => [
    `This is sponsored content. It was paid for by ${name}.`,
    "It is not medical advice. Ask your doctor before you change how you care for your diabetes.",
    `${name} is a private company. It is not connected with or endorsed by the US government or Medicare.`,
  ],
  /** The name that the law gives to the page it links to (Washington's My Health My Data Act, RCW 19.373.010). */
  privacyLink: "Consumer Health Data Privacy Policy",
};
