// What stands in place of the number when the person asked us to stop.
import { Link } from "wouter";
import { Icon } from "../page/icon.tsx";
import { moment } from "../page/times.ts";
import type { Lead } from "./lead-page.tsx";

export function Stopped({ lead }: { lead: Lead }) {
  const at = lead.permission?.withdrawn_at ?? lead.stopped_at;
  return (
    <section className="card stopped" aria-labelledby="stopped">
      <h2 id="stopped">
        <Icon name="stop" /> Do not call
      </h2>
      <p>
        This person asked us to stop{at && <> on {moment(at)}</>}. The number and the e-mail address are not
        shown any more.
      </p>
      <Link href={`/leads/${lead.id}/stop-proof`} className="button">
        Show the proof
      </Link>
    </section>
  );
}
