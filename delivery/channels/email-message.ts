// What an e-mail to the team says: that leads are waiting, until when, and how to see them. Mail is read on phones and
// kept on servers nobody chose, so it names no person and no answer unless the operator asks for that.
import { fields, reference } from "../../lead/lead.ts";
import type { Delivery } from "../delivery.ts";

export interface Message {
  subject: string;
  text: string;
  html: string;
}

/** The thank-you page promises a review within so many hours. */
const promisedHours = 24;

/** What happened, for one lead and for several, and what the team is to do. In the order a mail tells them. */
const happenings: Record<Delivery["event"], { one: string; many: (count: number) => string; todo: string }> =
  {
    "permission.withdrawn": {
      one: "A permission was withdrawn",
      many: (count) => `${count} permissions were withdrawn`,
      todo: "Do not phone, and take the number out of every call list.",
    },
    "lead.erased": {
      one: "A lead was erased",
      many: (count) => `${count} leads were erased`,
      todo: "Remove every copy that was made elsewhere.",
    },
    "lead.overdue": {
      one: "A lead has waited 20 hours",
      many: (count) => `${count} leads have waited 20 hours`,
      todo: "Nobody has marked it as reviewed: npm run leads -- review REFERENCE",
    },
    "lead.created": {
      one: "A lead is waiting",
      many: (count) => `${count} leads are waiting`,
      todo: "The thank-you page promises a review within 24 hours.",
    },
  };

/** Writes the mail for some deliveries. The same deliveries give the same words, however often they are tried. */
export function writeMessage(deliveries: readonly Delivery[], { details }: { details: boolean }): Message {
  const parts = Object.entries(happenings).flatMap(([event, happening]) => {
    const those = deliveries.filter((delivery) => delivery.event === event);
    if (those.length === 0) return [];
    const title = those.length === 1 ? happening.one : happening.many(those.length);
    return { title, todo: happening.todo, leads: those.map((delivery) => factsOf(delivery, details)) };
  });
  const titles = parts.map((part) => part.title).join(", ");
  const only = deliveries.length === 1 && deliveries[0];
  return {
    subject: only ? `${titles}: ${reference(only.leadId)}` : titles,
    text: `${parts.map(asText).join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body>${parts.map(asHtml).join("")}</body></html>`,
  };
}

type Fact = [label: string, value: string];
interface Part {
  title: string;
  todo: string;
  leads: Fact[][];
}

function factsOf({ leadId, event, lead, permission, marks, owedAt }: Delivery, details: boolean): Fact[] {
  const facts: Fact[] = [["Reference", reference(leadId)]];
  if (!lead) return [...facts, ["Erased", timeOf(owedAt)]];
  const cameAt = new Date(lead.created_at);
  facts.push(["Came", timeOf(cameAt)]);
  if (event !== "permission.withdrawn") facts.push(["Review by", timeOf(hoursAfter(cameAt, promisedHours))]);
  if (permission?.withdrawn_at) facts.push(["Permission", "withdrawn: do not phone"]);
  if (marks.length > 0) facts.push(["Looks like spam", marks.join(", ")]);
  if (details) facts.push(...fields.map(({ label, name }): Fact => [label, shown(lead[name])]));
  return [...facts, ["To see it", `npm run leads -- show ${reference(leadId)}`]];
}

function asText({ title, todo, leads }: Part): string {
  const lines = leads.map((facts) => facts.map(([label, value]) => `  ${label}: ${value}`).join("\n"));
  return [`${title}.`, todo, ...lines].join("\n\n");
}

function asHtml({ title, todo, leads }: Part): string {
  const tables = leads.map((facts) => {
    const rows = facts.map(
      ([label, value]) => `<tr><td>${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`,
    );
    return `<table cellpadding="4">${rows.join("")}</table><hr>`;
  });
  return `<h2>${escapeHtml(title)}</h2><p>${escapeHtml(todo)}</p>${tables.join("")}`;
}

// One line, whatever was typed: nobody can make a fact of their own look like one of ours.
const shown = (value: string | boolean): string =>
  typeof value === "boolean"
    ? value
      ? "yes"
      : "no"
    : value.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();

const hoursAfter = (time: Date, hours: number) => new Date(time.getTime() + hours * 3_600_000);

// The team's zone is not known here, so the time says which one it is in.
const format = new Intl.DateTimeFormat("en-US", {
  ...{ weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" },
  ...{ timeZone: "UTC", timeZoneName: "short" },
} as Intl.DateTimeFormatOptions);
const timeOf = (time: Date): string => format.format(time).replaceAll(/\s/g, " ");

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
