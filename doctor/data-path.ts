// The data path, as a visitor's browser meets it: it takes a lead, and gives none to anybody.
import { type Answer, ask, keyHeaders, type NoAnswer, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, isHosted, notKnown, pass, tellsNothing } from "./finding.ts";
import type { Stored, TestLead } from "./test-lead.ts";

const applyMigrations =
  "Apply the migrations: `npx supabase@3 db push --remote`, or start our own server once.";
const leadsAddress = ({ url }: Deployment) => `${url}/rest/v1/leads`;

/**
 * Whether reading is refused. `mayTryInserting` is false where the answer names trouble that an insert would meet as well, such as an
 * unknown key.
 */
export async function examineReading(
  deployment: Deployment,
): Promise<{ mayTryInserting: boolean; findings: Finding[] }> {
  const answer = await ask(`${leadsAddress(deployment)}?select=id&limit=1`, {
    headers: keyHeaders(deployment.key),
  });
  if (answer.status === 0)
    return { mayTryInserting: false, findings: [unreachable(deployment, (answer as NoAnswer).reason)] };
  const { status, error, body } = answer as Answer;
  if (error.code === "42501")
    return {
      mayTryInserting: true,
      findings: [pass("The data path answers, knows the key, and refuses to be read.")],
    };
  // Such as a host that answers every address with a page of its own.
  if (status === 200 && !body.trim().startsWith("["))
    return {
      mayTryInserting: false,
      findings: [fail("There is no data path at this address.", "Check the address after --url.")],
    };
  if (status === 200 || status === 206) return { mayTryInserting: true, findings: [readable(body)] };
  return { mayTryInserting: false, findings: [explain(answer as Answer)] };
}

function readable(body: string): Finding {
  const fix =
    "In the database: `revoke all on public.leads from anon;` and then `grant insert (name, email, phone, zip_code, has_medicare, has_diabetes) on public.leads to anon;`. Drop any policy for select.";
  if (body.trim() === "[]")
    return fail(
      "The leads may be asked for with the public key; if there are any, only row-level security hides them.",
      fix,
    );
  return fail("Anybody can read the leads with the public key.", fix);
}

function unreachable(deployment: Deployment, reason: string): Finding {
  if (reason === "ENOTFOUND" && isHosted(deployment)) {
    return fail(
      "The project's address does not exist. It may be paused, or the address has a slip.",
      "Look at the project in the Supabase dashboard: restore it if it is paused, and compare its address.",
    );
  }
  if (/CERT|SIGN|ISSUER/.test(reason))
    return fail(
      `The backend's certificate is not good (${reason}).`,
      "Renew the certificate, or fix its name.",
    );
  return fail(
    `The backend does not answer (${reason}).`,
    "Check the address after --url, and whether the server runs.",
  );
}

function explain(answer: Answer): Finding {
  const { status, error } = answer;
  if (status === 540)
    return fail(
      "The project is paused.",
      "Restore it in the Supabase dashboard. A free project pauses after a week without use.",
    );
  if (status === 402)
    return fail(
      "The project is stopped for its quota or an unpaid bill.",
      "See the organisation's billing in the Supabase dashboard.",
    );
  if (error.code === "PGRST205" || error.code === "42P01")
    return fail("There is no table of leads.", applyMigrations);
  if (status === 401 || status === 403) {
    return fail(
      "The backend does not know the key.",
      "Compare --key with the project's API keys, or with ANON_KEY of our own server.",
    );
  }
  if (status === 503 || status === 504 || status === 544) {
    return fail(
      `The backend cannot reach its database (${summaryOf(answer)}).`,
      "See whether the database runs, and its log.",
    );
  }
  if (status === 404) {
    return fail(
      "There is no data path at this address.",
      "Check --url: the project's address alone. On Supabase, the Data API must be on and expose `public`.",
    );
  }
  if (status >= 300 && status < 400)
    return fail(
      `The address after --url leads elsewhere (${status}).`,
      `Give the address that it leads to: ${answer.headers.get("location") ?? "it names none"}`,
    );
  return fail(`The data path answers oddly (${summaryOf(answer)}).`, "See the backend's own log.");
}

/** Whether a lead is taken, and nothing else can be done. Leaves the test lead behind where it was stored. */
export async function examineInserting(
  deployment: Deployment,
  testLead: TestLead,
): Promise<{ stored: Stored; findings: Finding[] }> {
  const send = (lead: object, headers = {}) =>
    ask(leadsAddress(deployment), {
      method: "POST",
      headers: { ...keyHeaders(deployment.key), ...headers },
      body: JSON.stringify(lead),
    });
  const taken = await send(testLead);
  const [blank, dated, returned, changed, deleted] = await Promise.all([
    send({ ...testLead, phone: " " }),
    send({ ...testLead, created_at: "2001-01-01" }),
    send(testLead, { prefer: "return=representation" }),
    change(deployment, "PATCH"),
    change(deployment, "DELETE"),
  ]);
  return {
    stored: storedAfter([taken, blank, dated, returned]),
    findings: [
      taken.status === 201 ? pass("A lead is taken: the test lead was stored.") : notTaken(taken),
      examineBlank(blank),
      examineRefusal(dated, "set when a lead was created", "insert"),
      examineRefusal(returned, "read the lead just sent", "select"),
      examineRefusal(changed, "change leads", "update"),
      examineRefusal(deleted, "delete leads", "delete"),
    ],
  };
}

// Each of these inserts has the test lead's name, so one that was taken against the rules leaves a test lead too.
function storedAfter(answers: readonly (Answer | NoAnswer)[]): Stored {
  if (answers.some(({ status }) => status >= 200 && status < 300)) return "yes";
  // A proxy answers 408 where it did not wait for the backend.
  return answers.every(({ status }) => status >= 400 && status < 500 && status !== 408) ? "no" : "unknown";
}

// No lead has this id, so that nothing is changed even where everything is allowed.
const change = (deployment: Deployment, method: string) =>
  ask(`${leadsAddress(deployment)}?id=eq.00000000-0000-0000-0000-000000000000`, {
    method,
    headers: keyHeaders(deployment.key),
    ...(method === "PATCH" && { body: JSON.stringify({ name: "x" }) }),
  });

function notTaken(answer: Answer | NoAnswer): Finding {
  const error = "error" in answer ? answer.error : {};
  if (error.code === "42501" && /row-level security/.test(error.message ?? "")) {
    return fail(
      "No lead is taken: the policy that lets a visitor add one is missing.",
      `create policy "A visitor may add a lead" on public.leads for insert to anon with check (true);`,
    );
  }
  if (error.code === "42501") {
    return fail(
      "No lead is taken: the role anon has no right to insert.",
      "grant insert (name, email, phone, zip_code, has_medicare, has_diabetes) on public.leads to anon;",
    );
  }
  if (error.code === "PGRST204")
    return fail("No lead is taken: the table lacks one of the six fields.", applyMigrations);
  return fail(`No lead is taken (${summaryOf(answer)}).`, "See the backend's own log.");
}

function examineBlank(answer: Answer | NoAnswer): Finding {
  const error = "error" in answer ? answer.error : {};
  if (answer.status === 400 && /^Please enter/.test(error.message ?? ""))
    return pass("A blank field is refused in words a visitor understands.");
  if (tellsNothing(answer)) return notKnown("a blank field is refused in plain words", answer);
  return fail(
    `A lead with a blank phone is not refused in plain words (${summaryOf(answer)}).`,
    applyMigrations,
  );
}

function examineRefusal(answer: Answer | NoAnswer, what: string, right: string): Finding {
  const { status } = answer;
  if (status >= 200 && status < 300)
    return fail(
      `The public key lets anybody ${what} (${summaryOf(answer)}).`,
      `revoke ${right} on public.leads from anon; then apply the migrations' grants again.`,
    );
  if (status >= 400 && !tellsNothing(answer)) return pass(`Nobody can ${what} with the public key.`);
  return notKnown(`the public key lets anybody ${what}`, answer);
}
