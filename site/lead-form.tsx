// The lead form: idle, submitting, or showing an error. It is a real form that posts by itself; this adds the
// two calls, the banner and the busy button. Fields are uncontrolled and read at submit, so that nothing the
// visitor typed before this script arrived is ever lost. (Specification 4 and 5.)
import { type SubmitEvent, useEffect, useRef, useState } from "react";
import type { PermissionNotice } from "../content/permission.ts";
import { fieldNamedIn } from "../content/refusals.ts";
import { fields, type Lead, leadFromForm } from "../lead/lead.ts";
import { Banner } from "./banner.tsx";
import { BoxField, HoneypotField, TextField } from "./fields.tsx";
import type { ScriptTexts } from "./form-attributes.ts";
import { PermissionText } from "./permission-text.tsx";
import { type Backend, KeyRefused, sendLead } from "./send-lead.ts";

export interface LeadFormProps {
  backend: Backend;
  /** The provider's number, for the banner. */
  phone: string;
  /** The code of the page's language, for a plain post. */
  language: string;
  thankYouPath: string;
  texts: ScriptTexts;
  notice: Pick<PermissionNotice, "text" | "hash">;
  /** Which variant of the article the page shows, while an experiment runs. */
  variant?: string | undefined;
  /** Whether page loads are counted. */
  counting?: boolean | undefined;
  /** What a refused plain post brought with it: the values to keep, and why it was refused. */
  refused?: (Refusal & RefusedPost) | undefined;
}

interface RefusedPost {
  lead: Partial<Lead>;
  /** The campaign's words of the page that was posted from, as in its address. */
  campaign?: string | undefined;
  isWithoutScript?: boolean | undefined;
}

/** Why a lead was refused, in the page's language, and which field the visitor is to correct, if it is one. */
export interface Refusal {
  message: string;
  field?: keyof Lead | undefined;
}

type Status = { is: "idle" } | { is: "submitting" } | ({ is: "error"; cameWithPage: boolean } & Refusal);

/**
 * Milliseconds after which a thank-you page that has not come counts as stopped by the visitor, who may then press the button again. A lead
 * that is sent twice is stored once.
 */
const thankYouTimeout = 20_000;

/** Where the form posts to without a script: our own server's page, or the function of a hosted backend. */
const action = ({ url }: Backend) => (url ? `${url}/functions/v1/submit-lead` : "/");

export function LeadForm(props: LeadFormProps) {
  const { backend, phone, texts, notice, refused } = props;
  const [status, setStatus] = useState<Status>(
    refused ? { is: "error", ...refused, cameWithPage: true } : { is: "idle" },
  );
  const submit = useSubmit(props, status, setStatus);
  useIdleWhenBack(setStatus);
  useErrorInTitle(status.is === "error", texts.error);

  const submitting = status.is === "submitting";
  return (
    <form method="post" action={action(backend)} onSubmit={submit}>
      <AnswerFields texts={texts} refused={refused} status={status} />
      <HoneypotField />
      <HiddenInputs {...props} />
      {status.is === "error" && (
        <Banner
          {...status}
          texts={texts}
          phone={phone}
          kept={!status.cameWithPage || Object.values(refused?.lead ?? {}).some(Boolean)}
        />
      )}
      <PermissionText className="notice" text={notice.text} phone={phone} />
      <button type="submit" disabled={submitting} {...notRestored}>
        {submitting ? texts.busy : texts.button}
      </button>
      <p role="status" className="unseen">
        {submitting ? texts.sending : ""}
      </p>
    </form>
  );
}

/** Firefox restores a disabled button after a reload, unless autocomplete is off. React's types do not know that attribute of a button. */
const notRestored = { autoComplete: "off" };

/** The text lines and the boxes. They cannot be changed while the lead is on its way, because the change would be lost without a word. */
function AnswerFields({
  texts,
  refused,
  status,
}: Pick<LeadFormProps, "texts" | "refused"> & { status: Status }) {
  const isSending = status.is === "submitting";
  const wrong = (name: keyof Lead) =>
    status.is === "error" && status.field === name ? status.message : undefined;
  const common = (name: keyof Lead) => ({ label: texts.labels[name], isSending });
  return (
    <>
      {fields.map(({ name, kind }) =>
        kind === "text" ? (
          <TextField
            key={name}
            name={name}
            {...common(name)}
            value={refused?.lead[name]}
            wrong={wrong(name)}
          />
        ) : null,
      )}
      <fieldset>
        <legend>{texts.boxes}</legend>
        {fields.map(({ name, kind }) =>
          kind === "box" ? (
            <BoxField key={name} name={name} {...common(name)} ticked={refused?.lead[name]} />
          ) : null,
        )}
      </fieldset>
    </>
  );
}

/** What a plain post says beside what the visitor typed. */
function HiddenInputs({ language, notice, variant, counting, refused }: LeadFormProps) {
  return (
    <>
      <input type="hidden" name="language" value={language} />
      <input type="hidden" name="notice" value={notice.hash} />
      {variant && <input type="hidden" name="variant" value={variant} />}
      {counting && (
        <noscript>
          <input type="hidden" name="script" value="none" />
        </noscript>
      )}
      {refused?.campaign && <input type="hidden" name="campaign" value={refused.campaign} />}
      {refused?.isWithoutScript && <input type="hidden" name="script" value="none, again" />}
    </>
  );
}

/** Makes the handler of the form's submit event. */
function useSubmit(
  { backend, texts, notice, variant, thankYouPath, refused }: LeadFormProps,
  status: Status,
  setStatus: (status: Status) => void,
) {
  const postsPlainly = useRef(false);
  const idleTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return async (event: SubmitEvent<HTMLFormElement>) => {
    // The page's key was refused before, so this time the browser posts the form itself, which needs no key.
    if (postsPlainly.current) return setStatus({ is: "idle" });
    event.preventDefault();
    if (status.is === "submitting") return;
    clearTimeout(idleTimer.current);
    const lead = leadFromForm(new FormData(event.currentTarget));
    setStatus({ is: "submitting" });
    try {
      const { campaign } = refused ?? {};
      await sendLead(backend, lead, {
        noticeHash: notice.hash,
        variant,
        campaign,
        unreachable: texts.unreachable,
      });
    } catch (error) {
      postsPlainly.current = error instanceof KeyRefused;
      return setStatus({ is: "error", ...refusalOf(error, texts), cameWithPage: false });
    }
    location.assign(thankYouPath);
    idleTimer.current = setTimeout(() => setStatus({ is: "idle" }), thankYouTimeout);
  };
}

/** The sentence for the banner: the backend's own, or the page's for it where the page is in another language. */
function refusalOf(error: unknown, { refusals, failed, unreachable, unknownRefusal }: ScriptTexts): Refusal {
  const sent = error instanceof Error && error.message ? error.message : failed;
  const isOurs = sent === failed || sent === unreachable;
  const message = refusals[sent] ?? (isOurs || !unknownRefusal ? sent : `${unknownRefusal} ${sent}`);
  return { message, field: fieldNamedIn(sent) };
}

/** When the visitor comes back from the thank-you page, the back/forward cache shows the page as it was left: busy. */
function useIdleWhenBack(setStatus: (status: Status) => void) {
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => event.persisted && setStatus({ is: "idle" });
    addEventListener("pageshow", shown);
    return () => removeEventListener("pageshow", shown);
  }, [setStatus]);
}

/** A screen reader says the title first, so the title tells of an error too. */
function useErrorInTitle(failed: boolean, prefix: string) {
  useEffect(() => {
    const title = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title;
    document.title = failed ? prefix + title : title;
  }, [failed, prefix]);
}
