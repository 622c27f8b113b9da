// The whole examination, in the order in which one thing depends on another. What cannot be looked at is said to be so.
import type { Sql } from "../database/connect.ts";
import { examineCors } from "./cors.ts";
import { examineInserting, examineReading } from "./data-path.ts";
import { examineDatabase } from "./database.ts";
import { type Deployment, type Finding, isHosted, notExamined } from "./finding.ts";
import { examineFormPost } from "./form-post.ts";
import { examineKey } from "./key.ts";
import { examinePages } from "./pages.ts";
import { examineSubmitLead } from "./submit-lead.ts";
import { eraseTestLead, followTestLead, leaveTestLead } from "./test-lead.ts";

/** What lets the doctor look inside, and take the test lead away again. */
export interface Inside {
  sql?: Sql | undefined;
  secretKey?: string | undefined;
}

/** Examines a deployment and hands over each finding when it is there. Returns whether anything is wrong. */
export async function examine(
  deployment: Deployment,
  { sql, secretKey }: Inside,
  tell: (finding: Finding) => void,
  now = new Date(),
): Promise<boolean> {
  let isWrong = false;
  const say = (findings: Finding[]) => {
    for (const finding of findings) tell(finding);
    isWrong ||= findings.some((finding) => finding.is === "wrong");
  };
  say(await examinePages(deployment));
  const key = examineKey(deployment, now);
  say(key);
  const reading = await examineReading(deployment);
  say(reading.findings);
  if (reading.goOn) {
    say(await examineInserting(deployment));
    say(await examineCors(deployment));
  } else say([notExamined("Whether leads are taken: first mend the above.")]);
  say(await examineSubmitLead(deployment));
  say(await examineFormPost(deployment));
  const inside = sql ? await examineDatabase(sql, { isHosted: isHosted(deployment), now }) : [];
  say(inside);
  if (!reading.goOn) return isWrong;
  const canFollow = sql && inside[0]?.is === "well";
  if (canFollow) say(await followTestLead(sql));
  else if (secretKey) say([await eraseTestLead(deployment, secretKey)]);
  else say([leaveTestLead()]);
  return isWrong;
}
