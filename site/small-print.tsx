// What stands at the end of the pages, in full size: the sources of the claims, and the sponsor's disclaimer.

import { telAddress } from "../config/phone-number.ts";
import { type SourceName, sources } from "../content/claims.ts";
import { withFullStop } from "../content/fill-in.ts";
import { languageHelpLines } from "../content/language-help.ts";
import type { PageContent } from "./page-content.ts";

export function Sources({ content }: { content: PageContent }) {
  const { article, sources: titles, tag } = content.texts;
  // One for all sources, because to make one takes a millisecond.
  const days = new Intl.DateTimeFormat(tag, { dateStyle: "long", timeZone: "UTC" });
  return (
    <section className="sources">
      <h2>{article.sources.heading}</h2>
      <ul>
        {Object.entries(sources).map(([name, { url, reviewed }]) => {
          const { title, publisher } = titles[name as SourceName];
          return (
            <li key={url}>
              <a href={url}>{title}</a> {publisher}. {article.sources.reviewed}{" "}
              <span className="unbroken">{`${days.format(new Date(reviewed))}.`}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function Footer({ content }: { content: PageContent }) {
  const { provider, fill } = content;
  const { footer, tty } = content.texts.page;
  return (
    <footer>
      <h2>{footer.heading}</h2>
      {footer.text.map((text) => (
        <p key={text}>{fill(text)}</p>
      ))}
      <address>
        {provider.legalName}, {withFullStop(provider.address)} {footer.phone}{" "}
        <a href={telAddress(provider.phone)}>{provider.phone}</a> <span className="unbroken">({tty}).</span>{" "}
        {footer.npi} {provider.npi}.
      </address>
      {provider.privacyUrl && (
        <p>
          <a href={provider.privacyUrl}>{footer.privacyLink}</a>
        </p>
      )}
      {provider.languageHelpUrl && (
        <p>
          <a href={provider.languageHelpUrl}>{footer.languageHelpLink}</a>
        </p>
      )}
      <LanguageHelp content={content} />
    </footer>
  );
}

/** One line in each language that the settings name. (45 CFR 92.11) */
const LanguageHelp = ({ content: { provider } }: { content: PageContent }) =>
  languageHelpLines(provider).map(({ language, direction, text }) => (
    <p key={language} lang={language} dir={direction}>
      {text}
    </p>
  ));
