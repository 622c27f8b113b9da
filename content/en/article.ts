// The article, in English: its words, in order. A sentence that a reader could check is a claim with a source; the rest is
// plain talk. (Specification 2; the headings are the specification's.)
import type { ArticleTexts } from "../language.ts";
import { claims } from "./claims.ts";

export const article: ArticleTexts = {
  label: "Sponsored Content",
  paidFor: "Paid for by {name}",
  readingTime: "5 min read",
  headline: "A New Device Is Changing How Seniors Manage Blood Sugar",
  standfirst:
    "A small sensor on your skin can show your blood sugar day and night. Here is how it works, who it may help, and what Medicare may pay for.",
  whoWeAre: "We are a private company. We are not Medicare, and we do not sell insurance.",
  picture: {
    alt: "A drawing of an older woman with a small round sensor on her upper arm. She holds a reader that shows the number 112, a level arrow and a gentle curve.",
    caption: "A sensor on the arm, and a reader in the hand.",
  },
  photo: {
    alt: "An older person with a small round sensor on the upper arm, looking at a reader.",
    caption: "A sensor on the arm, and a reader in the hand.",
  },
  opening: [
    [
      "For years, there was one way to check blood sugar. You pricked a finger. You put a drop of blood on a strip. You read a number.",
    ],
    ["That number told you about one moment. It could not tell you where you were going."],
    [
      "A continuous glucose monitor, or CGM for short, does the job in a new way. Glucose is the sugar in your body. A CGM is a small device that you wear.",
      claims.checksOften,
      "So you do not just see a number. You see if it is going up, going down, or holding still.",
    ],
  ],
  howItWorks: {
    heading: "How It Works",
    opening: "Three steps. None of them needs a computer.",
    steps: [
      {
        heading: "You wear a small sensor",
        text: ["It is small and flat.", claims.worn, claims.underTheSkin, claims.changedOften],
      },
      {
        heading: "The sensor does the checking",
        text: [claims.readsFluid, "You can sleep, cook or work in the yard while it does."],
      },
      { heading: "You look at the reader", text: [claims.anyTime, claims.alarm] },
    ],
    closing: [claims.fingerSticks, claims.canFail],
  },
  keyBenefits: {
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
        text: ["When the alarm sounds, you may have time to eat something, sit down, or call for help."],
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
    ],
  },
  extraSupport: {
    heading: "Perfect for Seniors Who Need Extra Support",
    text: [
      [
        "Some days are hard enough. Stiff hands make a finger-stick slow. Small strips are hard to see. It is easy to miss a check.",
      ],
      [
        "A CGM can lift some of that load. The sensor stays on your skin, so there is less to hold and to line up. And you need not watch alone: a son or daughter who gets your numbers can look in from far away.",
      ],
      [
        "It is not for everyone. You may not like to wear a device, or to hear an alarm. Talk it over with your doctor first.",
      ],
    ],
  },
  coverage: {
    heading: "Medicare Coverage Available",
    opening: [claims.partB, "In most cases, all of these need to be true:"],
    needs: [
      [claims.hasDiabetes],
      [claims.insulinOrLows],
      [claims.ordered],
      [claims.trained],
      [claims.visit, claims.telehealth],
    ],
    share: {
      accepted: [claims.shareAccepted, "If you have another plan, ask what it pays."],
      notAccepted: [claims.shareNotAccepted, "If you have another plan, ask what it pays."],
      unknown: [claims.shareUnknown, "If you have another plan, ask what it pays."],
    },
    text: [
      [claims.receiver, claims.overTheCounter],
      [claims.contractSuppliers],
      [
        "The rules have fine points, and no article can know your case. That is why a person looks at your answers. We promise you a review. We cannot promise you a yes.",
      ],
    ],
  },
  future: {
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
    ],
    link: "Go back to the form",
  },
  sources: { heading: "Where our facts come from", reviewed: "Reviewed" },
};
