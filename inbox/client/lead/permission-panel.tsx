// The permission to call: the words that were shown, when, and on which page. If it was withdrawn, that stands first.

import { languageName } from "../../../lead/language-name.ts";
import { Icon } from "../page/icon.tsx";
import { momentWithZone } from "../page/times.ts";
import type { Lead } from "./lead-page.tsx";

export function PermissionPanel({ lead: { permission } }: { lead: Lead }) {
  return (
    <section className="card permission" aria-labelledby="permission">
      <h2 id="permission">Permission</h2>
      {permission ? <Given permission={permission} /> : <p>None is recorded. Do not call.</p>}
    </section>
  );
}

function Given({ permission }: { permission: NonNullable<Lead["permission"]> }) {
  const { given_at, withdrawn_at, wording, text, language, page, address, browser } = permission;
  return (
    <>
      {withdrawn_at && (
        <p className="withdrawn">
          <Icon name="stop" /> Withdrawn {momentWithZone(withdrawn_at)}
        </p>
      )}
      <Wording wording={wording} text={text} language={language} />
      <dl className="facts">
        <Fact name="Given" value={momentWithZone(given_at)} />
        <Fact name="On the page" value={page} />
        <Fact name="From the IP address" value={address} />
        <Fact name="With the browser" value={browser} />
      </dl>
    </>
  );
}

type WordingProps = Pick<NonNullable<Lead["permission"]>, "wording" | "text" | "language">;

function Wording({ wording, text, language }: WordingProps) {
  if (wording === "not stated") return <p className="unknown">Wording not stated</p>;
  if (wording === "not known" || text === null)
    return <p className="unknown">Not known which wording was shown</p>;
  return (
    <figure>
      <blockquote lang={language ?? undefined}>{text}</blockquote>
      <figcaption className="quiet">As shown{language && `, in ${languageName(language)}`}</figcaption>
    </figure>
  );
}

const Fact = ({ name, value }: { name: string; value: string | null }) =>
  value && (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
