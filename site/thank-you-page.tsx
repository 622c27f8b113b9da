// The thank-you page: calm, without a script, and worth printing. (Specification 2.)

import type { PageContent } from "./page-content.ts";
import { PermissionText } from "./permission-text.tsx";
import { PhoneLine } from "./phone-line.tsx";
import { Footer } from "./small-print.tsx";

export function ThankYouPage({ content }: { content: PageContent }) {
  const { fill, provider, notice, texts } = content;
  const { heading, received, next, caller, permission, keep, stop, back } = texts.thankYou;
  return (
    <>
      <main className="calm">
        <h1>{heading}</h1>
        <p className="standfirst">{received}</p>
        <section>
          <h2>{next.heading}</h2>
          <ol className="next">
            {next.steps.map((step) => (
              <li key={step}>{fill(step)}</li>
            ))}
          </ol>
        </section>
        <section className="caller">
          <h2>{caller.heading}</h2>
          <p>{fill(caller.text)}</p>
          <p className="number">{provider.callsFrom}</p>
          {caller.warning.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </section>
        <section>
          <h2>{permission.heading}</h2>
          <p>{permission.text}</p>
          <PermissionText className="aside" text={notice.text} phone={provider.phone} />
        </section>
        <section className="keep">
          <h2>{keep.heading}</h2>
          {keep.text.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </section>
        <section>
          <h2>{stop.heading}</h2>
          <p>{fill(stop.text)}</p>
          <PhoneLine content={content} />
        </section>
        <p className="back">
          <a className="go" href={content.path || "/"}>
            {back}
          </a>
        </p>
      </main>
      <Footer content={content} />
    </>
  );
}
