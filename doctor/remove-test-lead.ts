// The end of the test lead: it is erased with those of earlier runs, or the doctor says that it stays and how to erase it.
import type { Sql } from "../database/connect.ts";
import { typed } from "../log/installation.ts";
import { codeOf } from "../log/log.ts";
import { ask, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, type Inside, notExamined, pass } from "./finding.ts";
import { email, findTestLead, marked, type Stored, type TestLead } from "./test-lead.ts";

const byHand = typed(`erase --email ${email}`);

/** Erases the test lead in the database, or else with the secret key. Never throws, because it runs after a failure too. */
export async function removeTestLead(
  deployment: Deployment,
  { sql, secretKey }: Inside,
  testLead: TestLead,
  stored: Stored,
): Promise<Finding[]> {
  if (!sql && !secretKey) return [leftBehind(stored)];
  if (stored === "no") return [];
  // Not needed with the key: eraseWithKey erases it there next.
  const elsewhere = secretKey ? "" : ` If it is in the backend's: ${byHand}`;
  const findings = sql ? [await eraseInDatabase(sql, testLead, stored, elsewhere)] : [];
  if (findings[0]?.is === "pass" || !secretKey) return findings;
  return [...findings, await eraseWithKey(deployment, secretKey, stored)];
}

const gone = (stored: Stored): Finding =>
  pass(stored === "yes" ? "The test lead is erased again." : "No test lead was left behind.");

async function eraseInDatabase(
  sql: Sql,
  testLead: TestLead,
  stored: Stored,
  elsewhere: string,
): Promise<Finding> {
  try {
    const isThere = (await findTestLead(sql, testLead)) !== undefined;
    if (!isThere && stored === "yes") {
      return fail(
        "The test lead is not in the database that was examined.",
        `DATABASE_URL names another database than the backend uses. Compare the two.${elsewhere}`,
      );
    }
    await sql`
      select private.erase_leads(array(
        select id from public.leads where email = ${email} and starts_with(name, ${marked})
      ), 'asked')`;
    if (!isThere && stored === "unknown")
      return notExamined(
        `Whether the test lead was stored: it is not in the database that was examined.${elsewhere}`,
      );
    return gone(stored);
  } catch (error) {
    return fail(
      `The test lead could not be erased in the database (${codeOf(error)}).`,
      `When the database is as it should be, run this again, or erase it where the database is: ${byHand}`,
    );
  }
}

/** Erases the test leads over the data path, with the project's secret key. */
async function eraseWithKey({ url }: Deployment, secretKey: string, stored: Stored): Promise<Finding> {
  const filter = new URLSearchParams({ email: `eq.${email}`, name: `like.${marked}*` });
  const answer = await ask(`${url}/rest/v1/leads?${filter}`, {
    method: "DELETE",
    // A JWT goes into both headers, the newer secret key into the first alone.
    headers: {
      apikey: secretKey,
      ...(secretKey.startsWith("eyJ") && { authorization: `Bearer ${secretKey}` }),
    },
  });
  if (answer.status === 204 || answer.status === 200) return gone(stored);
  return fail(
    `The test lead could not be erased (${summaryOf(answer)}).`,
    `Check SUPABASE_SECRET_KEY, or erase it where the database is: ${byHand}`,
  );
}

// This run has neither a connection to the database nor a secret key.
function leftBehind(stored: Stored): Finding {
  if (stored === "no") return notExamined("The database from inside: give DATABASE_URL.");
  const stays = stored === "yes" ? "stays" : "may have been stored";
  return notExamined(
    `The database from inside, and the test lead ${stays}: give DATABASE_URL, or erase it with ${byHand}`,
  );
}
