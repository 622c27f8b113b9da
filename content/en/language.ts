// English: all that the pages say in it, put together.
import type { Language } from "../language.ts";
import { refusalsAsSent } from "../refusals.ts";
import { article } from "./article.ts";
import { callScripts } from "./call-scripts.ts";
import { claims } from "./claims.ts";
import { form } from "./form.ts";
import { thankYou } from "./thank-you.ts";

export const en: Language = {
  tag: "en-US",
  link: "Read this in English",
  article,
  form,
  thankYou,
  claims,
  refusals: refusalsAsSent,
  // A draft for the provider's counsel. docs/decisions/016 explains what each part is for.
  notice:
    "By sending this form, with the button “{button}” or in any other way, I sign here. " +
    "I give {legalName} written permission to call me at the number I typed, even if it is on a do-not-call list. " +
    "The call is about a continuous glucose monitor and its supplies. A person calls: no recordings, no texts. " +
    "I do not have to agree in order to buy anything. I can call {phone} instead. " +
    "I can stop this at any time and in any way, such as by calling {phone}.",
  noticeWords: {
    signature: ["sign"],
    permission: ["permission", "consent", "authoriz"],
    call: ["call", "phone me"],
    number: ["number"],
    product: ["continuous glucose monitor"],
    noCondition: ["to buy", "buying", "purchas"],
  },
  page: {
    sponsored: "Sponsored:",
    goToForm: "Go to the form",
    call: "Call {phone}",
    tty: "TTY: 711",
    askedBy: "Who is asking?",
    npi: "NPI",
    footer: {
      heading: "About this page",
      text: [
        "This is sponsored content. It was paid for by {name}.",
        "It is not medical advice. Ask your doctor before you change how you care for your diabetes.",
        "{name} is a private company. It is not connected with or endorsed by the US government or Medicare.",
      ],
      phone: "Phone:",
      npi: "NPI:",
      // The law prescribes this name for the page that the link opens (Washington's My Health My Data Act, RCW 19.373.020).
      privacyLink: "Consumer Health Data Privacy Policy",
      languageHelpLink: "Language help and other aids, at no charge to you",
    },
  },
  notFound: {
    title: "Page not found",
    heading: "We cannot find that page",
    text: "The address may have a typing mistake, or the page may have moved.",
    link: "Read our article about blood sugar and the CGM",
    call: "Or call us at {phone}. We are glad to help.",
  },
  sources: {
    niddk: {
      title: "Continuous Glucose Monitoring",
      publisher: "National Institute of Diabetes and Digestive and Kidney Diseases",
    },
    fda: {
      title: "Recalls and early alerts, including those of CGM readers (2025) and sensors (2026)",
      publisher: "U.S. Food and Drug Administration",
    },
    wisdm: {
      title: "A trial of CGMs with 203 older adults who have type 1 diabetes (WISDM)",
      publisher: "JAMA, 2020",
    },
    medicare: { title: "Continuous glucose monitors", publisher: "Medicare.gov" },
    lcd: {
      title: "Glucose Monitors, rule L33822, criteria since April 16, 2023",
      publisher: "Centers for Medicare & Medicaid Services",
    },
    telehealth: { title: "Telehealth", publisher: "Medicare.gov" },
    policyArticle: {
      title: "Glucose Monitors, policy article A52464",
      publisher: "Centers for Medicare & Medicaid Services",
    },
    contractSuppliers: {
      title: "Competitive bidding for medical equipment, fact sheet of December 2025",
      publisher: "Centers for Medicare & Medicaid Services",
    },
  },
  callScripts,
  plain: {
    back: "Press the Back button of your browser. Everything you typed is still there.",
    thanks: "Thank you for your interest.\n\nYour information was received. We will contact you shortly.",
  },
};
