// The lead form: idle, submitting, or showing an error. It is a real form that posts by itself; this adds the
// two calls, the banner and the busy button. Fields are uncontrolled and read at submit, so that nothing the
// visitor typed before this script arrived is ever lost. (Specification 4 and 5.)
import { Fragment, type SubmitEvent, useEffect, useRef, useState } from "react";
import { form } from "../content/article.ts";
import type { PermissionNotice } from "../content/permission.ts";
import { dial, type Provider } from "../content/provider.ts";
import { fields, type Lead, leadFromForm } from "../lead/lead.ts";
import { busy, idle } from "./button-words.ts";
import { BoxField, TextField, TrapField } from "./fields.tsx";
import { type Backend, KeyRefused, sendLead } from "./send-lead.ts";

export interface LeadFormProps {
  backend: Backend;
  provider: Pick<Provider, "name" | "phone">;
  notice: Pick<PermissionNotice, "text" | "hash">;
  /** What a refused plain post brought with it: the values to keep, and why it was refused. */
  refused?: { lead: Partial<Lead>; message: string } | undefined;
}

type Status = { is: "idle" } | { is: "submitting" } | { is: "error"; message: string; cameWithPage: boolean };

/** Where the form posts to without a script: our own server's page, or the function of a hosted backend. */
const action = ({ url }: Backend) => (url ? `${url}/functions/v1/submit-lead` : "/");

export function LeadForm({ backend, provider, notice, refused }: LeadFormProps) {
  const [status, setStatus] = useState<Status>(
    refused ? { is: "error", message: refused.message, cameWithPage: true } : { is: "idle" },
  );
  const needsNoKey = useRef(false);
  useIdleWhenBack(setStatus);
  useErrorInTitle(status.is === "error");

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    // The page's key was refused before: this time the form posts by itself.
    if (needsNoKey.current) return setStatus({ is: "idle" });
    event.preventDefault();
    if (status.is === "submitting") return;
    const lead = leadFromForm(new FormData(event.currentTarget));
    setStatus({ is: "submitting" });
    try {
      await sendLead(backend, lead, notice.hash);
    } catch (error) {
      needsNoKey.current = error instanceof KeyRefused;
      return setStatus({ is: "error", message: messageOf(error), cameWithPage: false });
    }
    location.assign("/thank-you");
  }

  const submitting = status.is === "submitting";
  const words = submitting ? busy : idle;
  return (
    <form method="post" action={action(backend)} onSubmit={submit}>
      {fields.map((field) =>
        field.kind === "text" ? (
          <TextField key={field.name} field={field} value={refused?.lead[field.name]} />
        ) : null,
      )}
      <fieldset>
        <legend>{form.boxes}</legend>
        {fields.map((field) =>
          field.kind === "box" ? (
            <BoxField key={field.name} field={field} ticked={refused?.lead[field.name]} />
          ) : null,
        )}
      </fieldset>
      <TrapField />
      {status.is === "error" && (
        <Banner
          message={status.message}
          phone={provider.phone}
          cameWithPage={status.cameWithPage}
          kept={!status.cameWithPage || Object.values(refused?.lead ?? {}).some(Boolean)}
        />
      )}
      <Notice notice={notice} phone={provider.phone} />
      {/* Firefox restores a disabled button after a reload, unless autocomplete is off. */}
      <button type="submit" disabled={submitting} {...{ autoComplete: "off" }}>
        {words.button}
      </button>
      <p role="status" className="unseen">
        {words.status}
      </p>
    </form>
  );
}

/** The permission notice, to the letter, and its hash for a plain post. The phone number stands on one line. */
function Notice({ notice, phone }: Pick<LeadFormProps, "notice"> & { phone: string }) {
  const [before, ...after] = notice.text.split(phone);
  return (
    <>
      <input type="hidden" name="notice" value={notice.hash} />
      <p className="notice">
        {before}
        {after.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text keep their places.
          <Fragment key={index}>
            <span className="unbroken">{phone}</span>
            {text}
          </Fragment>
        ))}
      </p>
    </>
  );
}

/** Stands above the button, where the visitor is looking, and takes the focus when it appears. */
function Banner({
  message,
  phone,
  cameWithPage,
  kept,
}: {
  message: string;
  phone: string;
  cameWithPage: boolean;
  /** Whether what was typed stands in the form: all of it, unless it was too much to be read. */
  kept: boolean;
}) {
  const banner = useRef<HTMLDivElement>(null);
  // A banner that came with the page has had its focus by `autofocus`; the visitor may have moved on since.
  useEffect(() => {
    if (cameWithPage || !banner.current) return;
    banner.current.focus();
    // On a small or magnified screen the browser shows the middle of what does not fit; one reads from the top.
    if (banner.current.getBoundingClientRect().top < 0) banner.current.scrollIntoView();
  }, [cameWithPage]);
  return (
    <div role="alert" className="banner" tabIndex={-1} ref={banner} autoFocus={cameWithPage}>
      <p className="message">{message}</p>
      <p>
        {kept
          ? "What you typed is still here. You can press the button again."
          : "Please fill in the form again."}{" "}
        Or call us at <a href={dial(phone)}>{phone}</a>.
      </p>
    </div>
  );
}

const messageOf = (error: unknown) =>
  error instanceof Error && error.message ? error.message : "Failed to submit. Please try again.";

/** Coming back from the thank-you page out of the back/forward cache finds the page as it was left: busy. */
function useIdleWhenBack(setStatus: (status: Status) => void) {
  useEffect(() => {
    const shown = (event: PageTransitionEvent) => event.persisted && setStatus({ is: "idle" });
    addEventListener("pageshow", shown);
    return () => removeEventListener("pageshow", shown);
  }, [setStatus]);
}

/** A screen reader says the title first, so an error is told there too. */
function useErrorInTitle(failed: boolean) {
  useEffect(() => {
    const title = document.title.replace(/^Error: /, "");
    document.title = failed ? `Error: ${title}` : title;
  }, [failed]);
}
