// The whole examination, in the order in which one thing depends on another.
import { sourcesToReview } from "../content/claims.ts";
import { examineAddresses } from "./addresses.ts";
import { examineClaims } from "./claims.ts";
import { examineCors } from "./cors.ts";
import { examineInserting, examineReading } from "./data-path.ts";
import { examineDatabase } from "./database.ts";
import { examineDeliveries } from "./deliveries.ts";
import { type Deployment, type Finding, type Inside, isHosted, notExamined } from "./finding.ts";
import { examineFormPost } from "./form-post.ts";
import { examineKey } from "./key.ts";
import { examineNotices, examineStatedNotices } from "./notice.ts";
import { examinePages } from "./pages.ts";
import { removeTestLead } from "./remove-test-lead.ts";
import { examineSubmitLead } from "./submit-lead.ts";
import { followTestLead, makeTestLead, type TestLead } from "./test-lead.ts";
import { examineVisitorAddress } from "./visitor-address.ts";

interface ExamineOptions {
  now?: Date;
  /** The sources of claims that are due to be read. */
  due?: ReturnType<typeof sourcesToReview>;
  /** Breaks the examination off between two findings. */
  signal?: AbortSignal | undefined;
}

/**
 * Examines a deployment and reports each finding when it is there. Returns whether anything failed.
 * @throws the reason of `signal` where that aborts, after the test lead was removed.
 */
export async function examine(
  deployment: Deployment,
  inside: Inside,
  report: (finding: Finding) => void,
  { now = new Date(), due = sourcesToReview(now), signal }: ExamineOptions = {},
): Promise<boolean> {
  let hasFailed = false;
  const say = (findings: Finding[]) => {
    for (const finding of findings) report(finding);
    hasFailed ||= findings.some((finding) => finding.is === "fail");
    signal?.throwIfAborted();
  };
  const testLead = makeTestLead(now);
  say(await examineAddresses(deployment, now));
  say(await examinePages(deployment));
  say([examineClaims(due)]);
  say(examineKey(deployment, now));
  const reading = await examineReading(deployment);
  say(reading.findings);
  if (!reading.mayTryInserting) {
    say([notExamined("Whether leads are taken: first fix the above.")]);
    await examineFunctionAndDatabase(deployment, inside, { testLead, mayBeThere: false }, say);
    say(await removeTestLead(deployment, inside, testLead, "no"));
    return hasFailed;
  }
  const inserting = await examineInserting(deployment, testLead);
  const mayBeThere = inserting.stored !== "no";
  try {
    say(inserting.findings);
    say(await examineCors(deployment));
    await examineFunctionAndDatabase(deployment, inside, { testLead, mayBeThere, signal }, say);
  } finally {
    // A query above may have failed; the test lead must not stay for that.
    say(await removeTestLead(deployment, inside, testLead, inserting.stored));
  }
  return hasFailed;
}

/** Examines what is left after the data path. What became of the test lead is asked only where it may be there. */
async function examineFunctionAndDatabase(
  deployment: Deployment,
  inside: Inside,
  {
    testLead,
    mayBeThere,
    signal,
  }: { testLead: TestLead; mayBeThere: boolean; signal?: AbortSignal | undefined },
  say: (findings: Finding[]) => void,
): Promise<void> {
  say(await examineSubmitLead(deployment));
  say(await examineFormPost(deployment, testLead));
  const schema = inside.sql ? await examineDatabase(inside.sql, { isHosted: isHosted(deployment) }) : [];
  say(schema);
  // Where the secret key is missing, too, removeTestLead reports that the database was not examined.
  if (!inside.sql && inside.secretKey) say([notExamined("The database from inside: give DATABASE_URL.")]);
  // Of a database that is not ours, or of an older one, nothing else can be asked.
  const sql = schema[0]?.is === "pass" ? inside.sql : undefined;
  say(await examineNotices(deployment, sql));
  if (!sql) return;
  say(await examineStatedNotices(sql));
  say(await examineDeliveries(sql));
  if (!mayBeThere) return;
  say(await examineVisitorAddress(sql, deployment, testLead));
  say(await followTestLead(sql, testLead, { signal }));
}
