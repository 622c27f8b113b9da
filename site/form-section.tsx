// The article's section with the lead form: who asks, what Medicare usually asks, and the form itself.
import { telAddress } from "../config/phone-number.ts";
import { translations } from "../content/refusals.ts";
import { built } from "./built.ts";
import { formAttributes } from "./form-attributes.ts";
import type { LeadFormProps } from "./lead-form.tsx";
import { type PageContent, sentences } from "./page-content.ts";

/** What the lead form is shown with. */
export function leadFormProps(content: PageContent): LeadFormProps {
  const { heading, opening, usualNeeds, helping, stars, ...texts } = content.texts.form;
  return {
    backend: content.backend,
    phone: content.provider.phone,
    language: content.code,
    thankYouPath: `${content.path}/thank-you`,
    texts: { ...texts, refusals: translations(content.texts.refusals) },
    notice: content.notice,
    variant: content.variant,
    counting: content.counting,
  };
}

export function FormSection({ content, formHtml }: { content: PageContent; formHtml: string }) {
  const { form, page } = content.texts;
  const { legalName, address, npi, phone, hours: hoursIn } = content.provider;
  const hours = hoursIn[content.code];
  return (
    <section className="check" id="check" aria-labelledby="check-heading">
      <h2 id="check-heading">{form.heading}</h2>
      <address>
        <strong>{page.askedBy}</strong>
        {[legalName, address, `${page.npi} ${npi}`].map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        <a className="go" href={telAddress(phone)}>
          {phone}
        </a>
        {hours && <span>{hours}</span>}
        <span>{page.tty}</span>
      </address>
      <div>
        {[...form.opening, sentences(form.usualNeeds), form.helping, form.stars].map((text) => (
          <p key={text}>{text}</p>
        ))}
        <div
          id="lead-form"
          {...formAttributes(leadFormProps(content))}
          {...(content.counting && {
            "data-count": built.counting.path,
            "data-beacon": countingAddress(content),
          })}
          dangerouslySetInnerHTML={{ __html: formHtml }}
        />
        {content.counting && <CountingImage address={countingAddress(content)} />}
      </div>
    </section>
  );
}

/** Where page loads are counted: on the server that serves the page, or below submit-lead of a backend at another address. */
const countingAddress = ({ backend: { url }, variant }: PageContent) =>
  `${url && `${url}/functions/v1/submit-lead`}/c${variant ? `?variant=${variant}` : ""}`;

/** Counts a page load in a browser without script. The backend gets the page's whole address as referrer, as from the form's script. */
const CountingImage = ({ address }: { address: string }) => (
  <noscript>
    <img src={address} alt="" hidden referrerPolicy="no-referrer-when-downgrade" />
  </noscript>
);
