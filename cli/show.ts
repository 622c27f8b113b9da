// `leads show <id>`: one lead, for a person or as JSON: what was typed, what was agreed to, its deliveries, and what the team did. Who has it
// now and the entries of the audit log are not in it.
import type { DeliveryState } from "../delivery/outbox.ts";
import { answerShown, fields, reference } from "../lead/lead.ts";
import { auditOperator } from "../team/audit-operator.ts";
import { type LeadRow, reviewBy } from "../team/lead-row.ts";
import { erasedMeanwhile } from "../team/refusal.ts";
import {
  type EligibilityCheck,
  type LeadDetails,
  type PermissionDetails,
  showLead,
} from "../team/show-lead.ts";
import { inWords, partsOf } from "./calls.ts";
import { type AddCommand, noAuditEntryMessage, typed } from "./command.ts";
import { json } from "./json.ts";
import { findOne, idHelp, readId } from "./lead-argument.ts";
import { printable, wrap } from "./terminal.ts";
import { dayAndTime, timeLeft } from "./times.ts";

export const show: AddCommand = (program, run) => {
  program
    .command("show")
    .summary("one lead: answers, permission and its wording, deliveries, review, calls")
    .description(
      "Shows one lead: answers, permission and its wording, deliveries, review, calls with their notes, eligibility checks.",
    )
    .argument("<id>", idHelp, readId)
    .option("--json", "print JSON")
    .action((id: string, options: { json?: true }) =>
      run(async ({ sql, now, out, tell, columns }) => {
        const lead = await findOne(sql, id);
        if (!(await auditOperator(sql, "opened lead", [lead]))) tell(noAuditEntryMessage);
        const details = await showLead(sql, lead);
        if (!details) throw erasedMeanwhile(lead);
        await out(options.json ? `${json(details, 2)}\n` : page(details, now, columns));
        return 0;
      }),
    );
};

type Line = [label: string, ...values: string[]];

function page({ lead, permission, deliveries, ...work }: LeadDetails, now: Date, columns: number): string {
  const withdrawn =
    lead.withdrawn_at && `PERMISSION WITHDRAWN ${dayAndTime(lead.withdrawn_at)}: DO NOT PHONE.`;
  const sections = [
    [`Lead ${reference(lead.id)}  (${lead.id})`, ...(withdrawn ? [withdrawn] : [])],
    section(
      "",
      fields.map((field): Line => [field.label, answerShown(lead, field)]),
    ),
    section("", teamLines(lead, now)),
    section("Permission", permissionLines(permission, Math.min(columns, 100) - 20)),
    section(
      "Deliveries",
      deliveries.length ? deliveries.map(deliveryLine) : [["none", "No channel was set up."]],
    ),
  ];
  if (work.calls.length > 0)
    sections.push(
      section(
        "Calls",
        work.calls.map(partsOf).map(([at = "", ...words]) => [at, words.join("  ")]),
      ),
    );
  if (work.eligibility_checks.length > 0)
    sections.push(section("Eligibility checks", work.eligibility_checks.map(checkLine)));
  const failed = deliveries.some(({ failed_at, channel_state }) => failed_at && channel_state !== "retired");
  if (failed) sections.push([`To send again what failed: ${typed(`retry ${reference(lead.id)}`)}`]);
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function teamLines(lead: LeadRow, now: Date): Line[] {
  const due = reviewBy(lead.created_at);
  const reviewed = lead.reviewed_at && [dayAndTime(lead.reviewed_at), lead.outcome];
  const review: Line = reviewed
    ? ["Reviewed", reviewed.filter(Boolean).join(": ")]
    : lead.withdrawn_at
      ? ["Reviewed", "no; the permission was withdrawn"]
      : ["Review by", `${dayAndTime(due)} (${timeLeft(due, now)})`];
  const flags: Line[] = lead.marks.length ? [["Looks like spam", lead.marks.join(", ")]] : [];
  return [["Came in", dayAndTime(lead.created_at)], review, ...flags];
}

function permissionLines(permission: PermissionDetails, cells: number): Line[] {
  const { utm, variant, withdrawn_at } = permission;
  const page = [permission.page_origin, permission.page_path].filter(Boolean).join("");
  const campaign = Object.entries(utm ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    ["Given", dayAndTime(permission.given_at)],
    ["Withdrawn", withdrawn_at ? dayAndTime(withdrawn_at) : "no"],
    ["Page", page || "not known"],
    ["Address", permission.address ?? "not known"],
    ["Browser", permission.browser ?? "not known"],
    ...optional("Campaign", campaign.join(" ")),
    ...optional("Variant", variant),
    ...wordingLines(permission, cells),
  ];
}

function wordingLines({ wording, notice_text, ...notice }: PermissionDetails, cells: number): Line[] {
  if (wording === "not stated") return [["Wording", "not stated by the page or program that sent the lead"]];
  const hash: Line = ["SHA-256 of it", notice.notice_hash ?? ""];
  if (wording === "not known") {
    const sentence = "it is not known which was shown; the page stated one that this database does not hold";
    return [["Wording", sentence], hash];
  }
  return [
    ["Wording shown", ...wrap(notice_text ?? "", cells)],
    ...optional("Language", notice.notice_language),
    hash,
  ];
}

const optional = (label: string, value: string | null): Line[] => (value ? [[label, value]] : []);

/** The error of a delivery that the retirement of its channel ended (private.retire_channel). */
const retired = "channel retired";

function deliveryLine(delivery: DeliveryState): Line {
  const { event, channel, attempts, delivered_at, failed_at, due_at, last_error, channel_state } = delivery;
  const attemptCount = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const why = last_error ? `: ${last_error}` : "";
  if (delivered_at) return [channel, `${event} delivered ${dayAndTime(delivered_at)} (${attemptCount})`];
  if (failed_at && channel_state === "retired" && (last_error ?? retired) === retired)
    return [
      channel,
      `${event} not ${last_error === null ? "sent" : "tried again"}: the channel is retired (${attemptCount})`,
    ];
  if (failed_at) return [channel, `${event} FAILED ${dayAndTime(failed_at)} (${attemptCount})${why}`];
  const when =
    channel_state === "on" ? `next try ${dayAndTime(due_at)}` : "until the channel is set up again";
  return [channel, `${event} pending, ${when} (${attemptCount} so far)${why}`];
}

function checkLine({ at, member, result, reasons, answers }: EligibilityCheck): Line {
  // The prescriber alone is typed; the other answers are codes, or the day of the visit, which is null where it is not known.
  const given = Object.entries(answers).map(([question, answer]) =>
    question === "prescriber"
      ? `prescriber: ${String(answer)}`
      : inWords(`${question}: ${String(answer ?? "unknown")}`),
  );
  return [
    dayAndTime(new Date(at)),
    `${member.name}  ${[result, ...reasons].map(inWords).join(", ")}`,
    ...given,
  ];
}

/** A titled block of labels and values; what a visitor typed comes through here and nowhere else. */
function section(title: string, lines: Line[]): string[] {
  const width = Math.max(16, ...lines.map(([label]) => label.length));
  const body = lines.flatMap(([label, ...values]) =>
    values.map((value, nth) => `  ${(nth === 0 ? label : "").padEnd(width)}  ${printable(value)}`.trimEnd()),
  );
  return title ? [title, ...body] : body;
}
