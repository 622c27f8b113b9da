// The page for an address that leads nowhere: says so, and where to go.
import { dial, type Provider } from "../content/provider.ts";
import { Footer } from "./small-print.tsx";

export function NotFoundPage({ provider }: { provider: Provider }) {
  return (
    <>
      <main className="calm">
        <h1>We cannot find that page</h1>
        <p className="standfirst">The address may have a typing mistake, or the page may have moved.</p>
        <p>
          <a className="go" href="/">
            Read our article about blood sugar and the CGM
          </a>
        </p>
        <p>
          Or call us at <a href={dial(provider.phone)}>{provider.phone}</a>. We are glad to help.
        </p>
      </main>
      <Footer provider={provider} />
    </>
  );
}
