// The thank-you page: calm, without a script, and worth printing. (Specification 2 and 9.)
import type { Provider } from "../content/provider.ts";
import * as words from "../content/thank-you.ts";
import { Footer } from "./small-print.tsx";

export function ThankYouPage({ provider }: { provider: Provider }) {
  return (
    <>
      <main className="calm">
        <h1>{words.heading}</h1>
        <p className="standfirst">{words.received}</p>
        <section>
          <h2>{words.next.heading}</h2>
          <ol className="next">
            {words.next.steps(provider).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </section>
        <section className="caller">
          <h2>{words.whoCalls.heading}</h2>
          <p>{words.whoCalls.text(provider)}</p>
          <p className="number">{provider.callsFrom}</p>
          {words.whoCalls.warning.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </section>
        <section>
          <h2>{words.stop.heading}</h2>
          <p>{words.stop.text(provider)}</p>
        </section>
        <p className="back">
          <a className="go" href="/">
            Back to the article
          </a>
        </p>
      </main>
      <Footer provider={provider} />
    </>
  );
}
