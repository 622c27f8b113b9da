// What an e-mail to the team says: that leads are waiting, until when, and how to see them. Mail is read on phones, and
// mail servers that neither the provider nor the person chose keep copies, so it names no person and no answer unless the operator asks for that.
import { languageName } from "../../lead/language-name.ts";
import { answerShown, fields, reference } from "../../lead/lead.ts";
import { typed } from "../../log/installation.ts";
import type { Delivery } from "../delivery.ts";
import type { ChannelContext } from "./channel.ts";
import { type EventInWords, eventsInWords } from "./events-in-words.ts";

export interface Message {
  subject: string;
  text: string;
  html: string;
}

export interface MessageOptions {
  /** Whether the mail names the person and the answers. */
  details: boolean;
  linkTo?: ChannelContext["linkTo"];
}

/** The hours within which the thank-you page promises a review. */
const promisedHours = 24;

/**
 * Writes the mail for some deliveries. The same deliveries give the same words on every attempt, unless between them a lead's notice became
 * known, its permission or spam flags changed, or it was erased.
 */
export function writeMessage(deliveries: readonly Delivery[], options: MessageOptions): Message {
  const sections = eventsInWords(deliveries).map((event) => sectionOf(event, options));
  const titles = sections.map((section) => section.title).join(", ");
  const only = deliveries.length === 1 && deliveries[0];
  return {
    subject: only ? `${titles}: ${reference(only.leadId)}` : titles,
    text: `${sections.map(asText).join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body>${sections.map(asHtml).join("")}</body></html>`,
  };
}

type Fact = [label: string, value: string];
interface Section {
  title: string;
  todo: string;
  leads: Fact[][];
}

const sectionOf = ({ title, todo, deliveries }: EventInWords, options: MessageOptions): Section => ({
  title,
  todo,
  leads: deliveries.map((delivery) => factsOf(delivery, options)),
});

function factsOf(delivery: Delivery, { details, linkTo }: MessageOptions): Fact[] {
  const { leadId, event, lead, permission, language, flags, owedAt } = delivery;
  if (event === "test") return [["Sent", timeOf(owedAt)]];
  const facts: Fact[] = [["Reference", reference(leadId)]];
  if (!lead) return [...facts, ["Erased", timeOf(owedAt)]];
  const cameAt = new Date(lead.created_at);
  facts.push(["Came", timeOf(cameAt)]);
  if (event !== "permission.withdrawn") facts.push(["Review by", timeOf(hoursAfter(cameAt, promisedHours))]);
  // So that somebody who speaks it makes the call.
  if (language) facts.push(["Reads", languageName(language)]);
  if (permission?.withdrawn_at) facts.push(["Permission", "withdrawn: do not phone"]);
  if (flags.length > 0) facts.push(["Looks like spam", flags.join(", ")]);
  if (details) facts.push(...fields.map((field): Fact => [field.label, oneLine(answerShown(lead, field))]));
  const link = linkTo?.(leadId);
  if (link) facts.push(["In the inbox", link]);
  return [...facts, ["To see it", typed(`show ${reference(leadId)}`)]];
}

function asText({ title, todo, leads }: Section): string {
  const lines = leads.map((facts) => facts.map(([label, value]) => `  ${label}: ${value}`).join("\n"));
  return [`${title}.`, todo, ...lines].join("\n\n");
}

function asHtml({ title, todo, leads }: Section): string {
  const tables = leads.map((facts) => {
    const rows = facts.map(
      ([label, value]) => `<tr><td>${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`,
    );
    return `<table cellpadding="4">${rows.join("")}</table><hr>`;
  });
  return `<h2>${escapeHtml(title)}</h2><p>${escapeHtml(todo)}</p>${tables.join("")}`;
}

// On one line, so that nothing a visitor typed can look like a fact of ours. The joiners stay, because names in some scripts need them.
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, (signs) => (/^[\u200c\u200d]+$/.test(signs) ? signs : " "))
    .trim();

const hoursAfter = (time: Date, hours: number) => new Date(time.getTime() + hours * 3_600_000);

// The team's zone is not known here, so the time says which one it is in.
const timeOf = (time: Date): string => time.toLocaleString("en-US", format).replaceAll(/\s/g, " ");

const format: Intl.DateTimeFormatOptions = {
  weekday: "short",
  month: "short",
  day: "numeric",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
