// What stands at the end of the pages, in full size: the sources of the claims, and the sponsor's disclaimer.
import { disclaimer } from "../content/article.ts";
import { type Source, sources } from "../content/claims.ts";
import { dial, type Provider } from "../content/provider.ts";

export function Sources() {
  return (
    <section className="sources">
      <h2>Where our facts come from</h2>
      <ul>
        {Object.values(sources).map((source: Source) => (
          <li key={source.url}>
            <a href={source.url}>{source.title}</a> {source.publisher}. Reviewed{" "}
            <span className="unbroken">{day(source.reviewed)}</span>.
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Footer({ provider }: { provider: Provider }) {
  return (
    <footer>
      <h2>{disclaimer.heading}</h2>
      {disclaimer.text(provider.name).map((text) => (
        <p key={text}>{text}</p>
      ))}
      <address>
        {provider.legalName}, {provider.address}. Phone: <a href={dial(provider.phone)}>{provider.phone}</a>.
        Supplier number: {provider.supplierId}.
      </address>
      {provider.privacyUrl && (
        <p>
          <a href={provider.privacyUrl}>{disclaimer.privacyLink}</a>
        </p>
      )}
    </footer>
  );
}

const day = (date: string) =>
  new Date(date).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
