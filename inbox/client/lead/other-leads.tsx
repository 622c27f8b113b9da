// Other leads with the same number or e-mail address. Each keeps its own permission.
import { Link } from "wouter";
import { momentWithZone } from "../page/times.ts";
import { outcomeNames } from "../page/words.ts";
import type { Lead } from "./lead-page.tsx";

type Other = Lead["others"][number];

export function OtherLeads({ others }: { others: Other[] }) {
  if (others.length === 0) return null;
  return (
    <section className="card" aria-labelledby="others">
      <h2 id="others">Same person?</h2>
      <ul className="plain-list">
        {others.map((other) => (
          <li key={other.id}>
            <span>
              <Link href={`/leads/${other.id}`}>{other.reference}</Link>
              <span className="quiet">
                same {other.same.replace("email", "e-mail")}, came {momentWithZone(other.created_at)}
              </span>
            </span>
            <span className="badge">{stateOf(other)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function stateOf({ withdrawn, outcome, stage }: Other): string {
  if (withdrawn) return "Asked us to stop";
  if (outcome) return outcomeNames[outcome];
  return stage === "closed" ? "Closed" : "Open";
}
