// The whole examination, in the order in which one thing depends on another.
import type { Sql } from "../database/connect.ts";
import { examineAddresses } from "./addresses.ts";
import { examineClaims } from "./claims.ts";
import { examineCors } from "./cors.ts";
import { examineInserting, examineReading } from "./data-path.ts";
import { examineDatabase } from "./database.ts";
import { examineDeliveries } from "./deliveries.ts";
import { type Deployment, type Finding, isHosted, notExamined } from "./finding.ts";
import { examineFormPost } from "./form-post.ts";
import { examineKey } from "./key.ts";
import { examineNotices, examineStatedNotices } from "./notice.ts";
import { examinePages } from "./pages.ts";
import { examineSubmitLead } from "./submit-lead.ts";
import { eraseTestLead, followTestLead, leaveTestLead, makeTestLead } from "./test-lead.ts";
import { examineVisitorAddress } from "./visitor-address.ts";

/** What lets the doctor look inside, and erase its test lead again. */
export interface Inside {
  sql?: Sql | undefined;
  secretKey?: string | undefined;
}

/** Examines a deployment and reports each finding when it is there. Returns whether anything failed. */
export async function examine(
  deployment: Deployment,
  inside: Inside,
  report: (finding: Finding) => void,
  now = new Date(),
): Promise<boolean> {
  let hasFailed = false;
  const say = (findings: Finding[]) => {
    for (const finding of findings) report(finding);
    hasFailed ||= findings.some((finding) => finding.is === "fail");
  };
  const testLead = makeTestLead(now);
  say(await examineAddresses(deployment, now));
  say(await examinePages(deployment));
  say([examineClaims(now)]);
  say(examineKey(deployment, now));
  const reading = await examineReading(deployment);
  say(reading.findings);
  if (reading.canContinue) {
    say(await examineInserting(deployment, testLead));
    say(await examineCors(deployment));
  } else say([notExamined("Whether leads are taken: first fix the above.")]);
  say(await examineSubmitLead(deployment));
  say(await examineFormPost(deployment, testLead));
  const schema = inside.sql ? await examineDatabase(inside.sql, { isHosted: isHosted(deployment) }) : [];
  say(schema);
  // Of a database that is not ours, or of an older one, nothing else can be asked.
  const sql = schema[0]?.is === "pass" ? inside.sql : undefined;
  say(await examineNotices(deployment, sql));
  if (sql) {
    say(await examineStatedNotices(sql));
    say(await examineDeliveries(sql, now));
  }
  if (!reading.canContinue) return hasFailed;
  if (sql) {
    say(await examineVisitorAddress(sql, deployment, testLead));
    say(await followTestLead(sql, testLead));
  } else if (inside.secretKey) say([await eraseTestLead(deployment, inside.secretKey)]);
  else say([leaveTestLead()]);
  return hasFailed;
}
