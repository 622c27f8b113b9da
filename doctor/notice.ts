// The permission notice: whether the words on the live page are those that the database can show as evidence later.
import { createHash } from "node:crypto";
import type { Sql } from "../database/connect.ts";
import { ofRelease, typed } from "../log/installation.ts";
import { ask, summaryOf } from "./ask.ts";
import { type Deployment, type Finding, fail, pass } from "./finding.ts";
import { otherLanguagesIn, unescaped } from "./html.ts";

const rebuild = ofRelease
  ? `Start the server again, which makes the pages anew: \`${ofRelease.restart}\`.`
  : "Build and deploy the pages again: `npm run build`.";
const tellDatabase =
  "Start our own server with the settings (PROVIDER_NAME, PROVIDER_LEGAL_NAME, PROVIDER_PHONE, LANGUAGES, NOTICE_FILE and what stands in braces in that file) that the pages were built with. On Supabase, set the same for submit-lead with `npx supabase@3 secrets set`, and open its address once; with NOTICE_FILE, run .render/notices.sql in the SQL editor instead.";

/** Examines on each language's article that it shows the notice it states, and with `sql` also that the database knows this notice. */
export async function examineNotices({ site }: Deployment, sql: Sql | undefined): Promise<Finding[]> {
  if (!site) return [];
  const article = await ask(`${site}/`);
  if (!("body" in article) || article.status !== 200) return [];
  const translations = await Promise.all(
    otherLanguagesIn(article.body, site).map(async (path) => {
      const answer = await ask(`${site}${path}`);
      if ("body" in answer && answer.status === 200) return examineNotice(path, answer.body, sql);
      return fail(`The page ${path}, which the article names, is not there (${summaryOf(answer)}).`, rebuild);
    }),
  );
  return [await examineNotice("/", article.body, sql), ...translations];
}

async function examineNotice(path: string, html: string, sql: Sql | undefined): Promise<Finding> {
  const { stated, shown } = noticeHashesIn(html);
  if (!stated) return fail(`The page ${path} does not state which permission notice it shows.`, rebuild);
  if (!shown) return fail(`The page ${path} shows no permission notice.`, rebuild);
  if (shown !== stated)
    return fail(`The page ${path} shows another permission notice than the one it states.`, rebuild);
  if (!sql) return pass(`The page ${path} states the permission notice that it shows.`);
  const known = await sql`select from private.notices where hash = ${stated}`;
  if (known.length > 0) return pass(`The database knows the permission notice on the page ${path}.`);
  return fail(
    `The database does not know the permission notice on the page ${path}: its leads come without evidence of the wording.`,
    tellDatabase,
  );
}

/** Examines whether the database knows every notice that leads of the last 30 days came with. */
export async function examineStatedNotices(sql: Sql): Promise<Finding[]> {
  const [leads] = await sql<{ unknown: number }[]>`
    select count(*)::int as unknown from private.permissions p
    where p.given_at > now() - interval '30 days' and p.notice_hash is not null
      and not exists (select from private.notices n where n.hash = p.notice_hash)`;
  if (!leads?.unknown) return [];
  return [
    fail(
      `Leads of the last 30 days that came from a page whose permission notice the database does not know: ${leads.unknown}.`,
      `An older page was or is served, perhaps by a cache, or a program made the notice up. If the newest of these leads came today (\`${typed("list")}\` and \`${typed("show")} ID\`), empty the caches in front of the site.`,
    ),
  ];
}

/** The hash that a page states, and that of the words it shows; undefined where it states or shows none. */
function noticeHashesIn(html: string): { stated: string | undefined; shown: string | undefined } {
  const stated = /<input type="hidden" name="notice" value="([0-9a-f]{64})"/.exec(html)?.[1];
  const start = html.indexOf('<p class="notice"');
  if (start < 0) return { stated, shown: undefined };
  const paragraph = html.slice(html.indexOf(">", start) + 1, html.indexOf("</p>", start));
  const text = unescaped(paragraph.replace(/<[^<>]*>/g, ""));
  return { stated, shown: createHash("sha256").update(text).digest("hex") };
}
