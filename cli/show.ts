// `leads show <id>`: everything about one lead, for a person or as JSON: what was typed, what was agreed to, who was
// told, and what the team did.

import type { Sql } from "../database/connect.ts";
import { type DeliveryFate, deliveriesOf } from "../delivery/outbox.ts";
import { fields, reference, type StoredLead } from "../lead/lead.ts";
import { findLead, readReference } from "../team/find-lead.ts";
import { type LeadRow, readLeads, reviewBy } from "../team/stored-leads.ts";
import { json } from "./json.ts";
import { type Act, readWords, typed } from "./subcommand.ts";
import { printable, wrap } from "./terminal.ts";
import { clock, timeLeft } from "./times.ts";

export function show(words: readonly string[]): Act {
  const { values, positionals } = readWords("show <id> [--json]", words, { json: { type: "boolean" } });
  const part = readReference(positionals[0] as string);
  return async ({ sql, now, out, columns }) => {
    const id = await findLead(sql, part);
    const everything = await read(sql, id);
    await out(values.json ? `${json(everything, 2)}\n` : page(everything, now, columns));
    return 0;
  };
}

interface Permission {
  given_at: Date;
  withdrawn_at: Date | null;
  page_path: string | null;
  address: string | null;
  browser: string | null;
  utm: Record<string, string> | null;
  notice_hash: string | null;
  notice_text: string | null;
}

interface Everything {
  lead: LeadRow;
  permission: Permission;
  deliveries: DeliveryFate[];
}

async function read(sql: Sql, id: string): Promise<Everything> {
  const leads: LeadRow[] = [];
  await readLeads(sql, { id }, async (found) => void leads.push(...found));
  const permissions = await sql<Permission[]>`
    select p.given_at, p.withdrawn_at, p.page_path, p.address, p.browser, p.utm, p.notice_hash, n.text as notice_text
    from private.permissions p left join private.notices n on n.hash = p.notice_hash
    where p.lead_id = ${id}`;
  const deliveries = await deliveriesOf(sql, id);
  return { lead: leads[0], permission: permissions[0], deliveries: [...deliveries] } as Everything;
}

type Line = [label: string, ...values: string[]];

function page({ lead, permission, deliveries }: Everything, now: Date, columns: number): string {
  const withdrawn = lead.withdrawn_at && `PERMISSION WITHDRAWN ${clock(lead.withdrawn_at)}: DO NOT PHONE.`;
  const parts = [
    [`Lead ${reference(lead.id)}  (${lead.id})`, ...(withdrawn ? [withdrawn] : [])],
    section(
      "",
      fields.map(({ name, label }): Line => [label, answer(lead[name])]),
    ),
    section("", theTeam(lead, now)),
    section("Permission", thePermission(permission, Math.min(columns, 100) - 20)),
    section(
      "Deliveries",
      deliveries.length ? deliveries.map(theDelivery) : [["none", "No channel was set up."]],
    ),
  ];
  const failed = deliveries.some(({ failed_at }) => failed_at);
  if (failed) parts.push([`To send again what failed: ${typed(`retry ${reference(lead.id)}`)}`]);
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

const answer = (value: StoredLead[keyof StoredLead]) =>
  typeof value === "string" ? value : value ? "yes" : "no";

function theTeam(lead: LeadRow, now: Date): Line[] {
  const due = reviewBy(lead.created_at);
  const review: Line = lead.reviewed_at
    ? ["Reviewed", [clock(lead.reviewed_at), lead.outcome].filter(Boolean).join(": ")]
    : ["Review by", `${clock(due)} (${timeLeft(due, now)})`];
  const marks: Line[] = lead.marks.length ? [["Looks like spam", lead.marks.join(", ")]] : [];
  return [["Came in", clock(lead.created_at)], review, ...marks];
}

function thePermission(permission: Permission, letters: number): Line[] {
  const { utm, notice_text, notice_hash, withdrawn_at } = permission;
  const campaign = Object.entries(utm ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    ["Given", clock(permission.given_at)],
    ["Withdrawn", withdrawn_at ? clock(withdrawn_at) : "no"],
    ["Page", permission.page_path ?? "not known"],
    ["Address", permission.address ?? "not known"],
    ["Browser", permission.browser ?? "not known"],
    ...(campaign.length ? ([["Campaign", campaign.join(" ")]] satisfies Line[]) : []),
    ["Wording", ...(notice_text === null ? ["none was in force"] : wrap(notice_text, letters))],
    ["SHA-256 of it", notice_hash ?? "none"],
  ];
}

function theDelivery(delivery: DeliveryFate): Line {
  const { event, channel, attempts, delivered_at, failed_at, due_at, last_error } = delivery;
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const why = last_error ? `: ${last_error}` : "";
  if (delivered_at) return [channel, `${event} delivered ${clock(delivered_at)} (${tries})`];
  if (failed_at) return [channel, `${event} FAILED ${clock(failed_at)} (${tries})${why}`];
  return [channel, `${event} pending, next try ${clock(due_at)} (${tries} so far)${why}`];
}

/** A titled block of labels and values; what a visitor typed comes through here and nowhere else. */
function section(title: string, lines: Line[]): string[] {
  const width = Math.max(16, ...lines.map(([label]) => label.length));
  const body = lines.flatMap(([label, ...values]) =>
    values.map((value, nth) => `  ${(nth === 0 ? label : "").padEnd(width)}  ${printable(value)}`.trimEnd()),
  );
  return title ? [title, ...body] : body;
}
