// What to say: to the person, and to a voicemail that others may hear, in the language that the person reads and in English.
import { fillIn } from "../../../content/fill-in.ts";
import { languageName } from "../../../lead/language-name.ts";
import { noName } from "../../../lead/no-name.ts";
import type { SignedIn } from "../page/frame.tsx";
import { Notice } from "../page/notice.tsx";
import { useCall } from "../queries.ts";
import type { Lead } from "./lead-page.tsx";

/** The texts are the same for every lead, and are asked for before a call needs them. */
export const useCallScripts = () =>
  useCall("call-scripts", {}, { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY });

interface Script {
  /** The language's name for the heading; undefined when there is one script alone. */
  language: string | undefined;
  code: string;
  nameless: string;
  call: string[];
  voicemail: string;
}

export function CallScripts({ lead, member }: { lead: Lead; member: SignedIn }) {
  const { data: texts, error } = useCallScripts();
  const personLanguage = lead.permission?.language ?? "en";
  const codes = texts && personLanguage !== "en" && texts[personLanguage] ? [personLanguage, "en"] : ["en"];
  const scripts = codes.flatMap((code): Script[] => {
    const text = texts?.[code];
    if (!text) return [];
    const { person: nameless, call, voicemail } = text;
    return [{ nameless, call, voicemail, code, language: codes.length > 1 ? languageName(code) : undefined }];
  });
  const hasName = lead.name !== noName;
  const filled = (text: string, { nameless }: Script) =>
    withNames(text, hasName ? lead.name : nameless, member);
  return (
    <div className="scripts">
      {error && (
        <Notice kind="trouble">
          What to say could not be loaded. Load the page again after the call. Never ask for a Medicare
          number.
        </Notice>
      )}
      {scripts.map((script, nth) => (
        <details key={script.code} open={nth === 0}>
          <summary>What to say{script.language && `, in ${script.language}`}</summary>
          <blockquote lang={script.code}>
            {script.call.map((text) => (
              <p key={text}>“{filled(text, script)}”</p>
            ))}
          </blockquote>
          <p className="quiet">
            Say nothing more until you speak with {hasName ? lead.name : texts?.en?.person}. Never ask for a
            Medicare number: people are told to refuse callers who do. If they say “stop calling”, press “They
            asked us to stop”.
          </p>
        </details>
      ))}
      {scripts.map((script) => (
        <details key={script.code}>
          <summary>What to say to a voicemail{script.language && `, in ${script.language}`}</summary>
          <blockquote lang={script.code}>
            <p>“{filled(script.voicemail, script)}”</p>
          </blockquote>
          <p className="quiet">Leave it at that, because others may hear it.</p>
        </details>
      ))}
    </div>
  );
}

/** Puts in who calls, who is called, and the provider's name and numbers. */
function withNames(text: string, person: string, { name: caller, provider }: SignedIn): string {
  const { name, phone, calls_from: callsFrom } = provider;
  const names: Readonly<Record<string, string>> = { member: caller, person, name, phone, callsFrom };
  return fillIn(text, (key, placeholder) => names[key] ?? placeholder);
}
