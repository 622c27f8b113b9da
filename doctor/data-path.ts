// The data path, as a visitor's browser meets it: it takes a lead, and gives none to anybody.
import { type Answer, ask, keyed, type NoAnswer, shortly } from "./ask.ts";
import { type Deployment, type Finding, isHosted, well, wrong } from "./finding.ts";

/** The marked test lead, always the same: sent again within a day, it stands once. */
export const testLead = {
  name: "TEST of npm run doctor - please ignore",
  email: "doctor@test.invalid",
  phone: "000 000 0000",
  zip_code: "00000",
  has_medicare: false,
  has_diabetes: false,
};

const migrations = "Apply the migrations: `npx supabase@3 db push --remote`, or start our own server once.";
const path = ({ url }: Deployment) => `${url}/rest/v1/leads`;

/** Whether there is a data path that knows the key, and reading is refused. Nothing else is worth asking when it fails. */
export async function examineReading(
  deployment: Deployment,
): Promise<{ goOn: boolean; findings: Finding[] }> {
  const answer = await ask(`${path(deployment)}?select=id&limit=1`, { headers: keyed(deployment.key) });
  if (answer.status === 0)
    return { goOn: false, findings: [unreachable(deployment, (answer as NoAnswer).why)] };
  const { status, told, body } = answer as Answer;
  if (told.code === "42501")
    return { goOn: true, findings: [well("The data path answers, knows the key, and refuses to be read.")] };
  if (status === 200 || status === 206) return { goOn: true, findings: [readable(body)] };
  return { goOn: false, findings: [whyNot(answer as Answer)] };
}

function readable(body: string): Finding {
  const mend =
    "In the database: `revoke all on public.leads from anon;` and then `grant insert (name, email, phone, zip_code, has_medicare, has_diabetes) on public.leads to anon;`. Drop any policy for select.";
  if (body.trim() === "[]")
    return wrong("The leads may be asked for with the public key; only row-level security hides them.", mend);
  return wrong("Anybody can read the leads with the public key.", mend);
}

function unreachable(deployment: Deployment, why: string): Finding {
  if (why === "ENOTFOUND" && isHosted(deployment)) {
    return wrong(
      "The project's address does not exist. It may be paused, or the address has a slip.",
      "Look at the project in the Supabase dashboard: restore it if it is paused, and compare its address.",
    );
  }
  if (/CERT|TLS|SSL|SIGNED|ISSUER/.test(why))
    return wrong(
      `The backend's certificate is not good (${why}).`,
      "Renew the certificate, or mend its name.",
    );
  return wrong(
    `The backend does not answer (${why}).`,
    "Check the address after --url, and whether the server runs.",
  );
}

function whyNot(answer: Answer): Finding {
  const { status, told } = answer;
  if (status === 540)
    return wrong(
      "The project is paused.",
      "Restore it in the Supabase dashboard. A free project pauses after a week without use.",
    );
  if (status === 402)
    return wrong(
      "The project is stopped for its quota or an unpaid bill.",
      "See the organisation's billing in the Supabase dashboard.",
    );
  if (told.code === "PGRST205" || told.code === "42P01")
    return wrong("There is no table of leads.", migrations);
  if (status === 401 || status === 403) {
    return wrong(
      "The backend does not know the key.",
      "Compare --key with the project's API keys, or with ANON_KEY of our own server.",
    );
  }
  if (status === 503 || status === 504 || status === 544) {
    return wrong(
      `The backend cannot reach its database (${shortly(answer)}).`,
      "See whether the database runs, and its log.",
    );
  }
  if (status === 404) {
    return wrong(
      "There is no data path at this address.",
      "Check --url: the project's address alone. On Supabase, the Data API must be on and expose `public`.",
    );
  }
  return wrong(`The data path answers oddly (${shortly(answer)}).`, "See the backend's own log.");
}

/** Whether a lead is taken, and nothing else can be done. Leaves the test lead behind. */
export async function examineInserting(deployment: Deployment): Promise<Finding[]> {
  const send = (lead: object, headers = {}) =>
    ask(path(deployment), {
      method: "POST",
      headers: { ...keyed(deployment.key), ...headers },
      body: JSON.stringify(lead),
    });
  const stored = await send(testLead);
  return [
    stored.status === 201 ? well("A lead is taken: the test lead was stored.") : notTaken(stored),
    ...(await Promise.all([
      send({ ...testLead, phone: " " }).then(examineBlank),
      send({ ...testLead, created_at: "2001-01-01" }).then((answer) =>
        refused(answer, "set when a lead was created", "insert"),
      ),
      send(testLead, { prefer: "return=representation" }).then((answer) =>
        refused(answer, "read the lead just sent", "select"),
      ),
      change(deployment, "PATCH").then((answer) => refused(answer, "change leads", "update")),
      change(deployment, "DELETE").then((answer) => refused(answer, "delete leads", "delete")),
    ])),
  ];
}

// No lead has this id, so that nothing is changed even where everything is allowed.
const change = (deployment: Deployment, method: string) =>
  ask(`${path(deployment)}?id=eq.00000000-0000-0000-0000-000000000000`, {
    method,
    headers: keyed(deployment.key),
    ...(method === "PATCH" && { body: JSON.stringify({ name: "x" }) }),
  });

function notTaken(answer: Answer | NoAnswer): Finding {
  const told = "told" in answer ? answer.told : {};
  if (told.code === "42501" && /row-level security/.test(told.message ?? "")) {
    return wrong(
      "No lead is taken: the policy that lets a visitor add one is missing.",
      `create policy "A visitor may add a lead" on public.leads for insert to anon with check (true);`,
    );
  }
  if (told.code === "42501") {
    return wrong(
      "No lead is taken: the role anon has no right to insert.",
      "grant insert (name, email, phone, zip_code, has_medicare, has_diabetes) on public.leads to anon;",
    );
  }
  if (told.code === "PGRST204")
    return wrong("No lead is taken: the table lacks one of the six fields.", migrations);
  return wrong(`No lead is taken (${shortly(answer)}).`, "See the backend's own log.");
}

function examineBlank(answer: Answer | NoAnswer): Finding {
  const told = "told" in answer ? answer.told : {};
  if (answer.status === 400 && /^Please enter/.test(told.message ?? ""))
    return well("A blank field is refused in words a visitor understands.");
  return wrong(`A lead with a blank phone is not refused in plain words (${shortly(answer)}).`, migrations);
}

function refused(answer: Answer | NoAnswer, what: string, right: string): Finding {
  if (answer.status >= 400 && answer.status < 500) return well(`Nobody can ${what} with the public key.`);
  return wrong(
    `The public key lets anybody ${what} (${shortly(answer)}).`,
    `revoke ${right} on public.leads from anon; then apply the migrations' grants again.`,
  );
}
