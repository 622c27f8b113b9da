// What to say: to the person, and to a voicemail that others may hear. Neither names a health matter before the person is on the line.
import type { SignedIn } from "../page/frame.tsx";
import type { Lead } from "./lead-page.tsx";

export function CallScripts({ lead, member }: { lead: Lead; member: SignedIn }) {
  const { provider, name } = member;
  return (
    <div className="scripts">
      <details open>
        <summary>What to say</summary>
        <blockquote>
          <p>
            “Hello, this is {name} from {provider.name}. May I speak with {lead.name}?”
          </p>
          <p>
            “You asked us on our page to call you. Is this a good time? I have a few questions, and you can
            stop me at any point.”
          </p>
        </blockquote>
        <p className="quiet">
          Say nothing more until you speak with {lead.name}. Never ask for a Medicare number: people are told
          to refuse callers who do. If they say “stop calling”, press “They asked us to stop”.
        </p>
      </details>
      <details>
        <summary>What to say to a voicemail</summary>
        <blockquote>
          <p>
            “Hello, this is {name} from {provider.name}, returning your request for a call. You can reach us
            at {provider.calls_from}. To ask us not to call, the number is {provider.phone}. Thank you.”
          </p>
        </blockquote>
        <p className="quiet">Leave it at that, because others may hear it.</p>
      </details>
    </div>
  );
}
