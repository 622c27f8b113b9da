// The red banner: why the lead was refused, and what the visitor can do. (Specification 4 and 8.)
import { useEffect, useRef } from "react";
import { telAddress } from "../config/phone-number.ts";
import type { ScriptTexts } from "./form-attributes.ts";
import type { Refusal } from "./lead-form.tsx";

interface BannerProps extends Refusal {
  texts: ScriptTexts;
  phone: string;
  /** Whether the banner came with the page, as the answer to a plain post. */
  cameWithPage: boolean;
  /** Whether the form still holds what the visitor typed. It is empty when a plain post was too large to be read. */
  kept: boolean;
}

/** Stands above the button, where the visitor is looking, and takes the focus when it appears. */
export function Banner({ message, field, texts, phone, cameWithPage, kept }: BannerProps) {
  const banner = useRef<HTMLDivElement>(null);
  // A banner that came with the page got the focus by `autofocus` already; the visitor may have moved on since.
  useEffect(() => {
    if (cameWithPage || !banner.current) return;
    banner.current.focus();
    // On a small or magnified screen the browser scrolls to the middle of an element that does not fit, but a reader starts at its top.
    if (banner.current.getBoundingClientRect().top < 0) banner.current.scrollIntoView();
  }, [cameWithPage]);
  const [before, after] = texts.call.split("{phone}");
  return (
    <div role="alert" className="banner" tabIndex={-1} ref={banner} autoFocus={cameWithPage}>
      <p className="message">{field ? <a href={`#${field}`}>{message}</a> : message}</p>
      <p>
        {`${kept ? texts.kept : texts.emptied} ${before}`}
        <a href={telAddress(phone)}>{phone}</a>
        {after}
      </p>
    </div>
  );
}
