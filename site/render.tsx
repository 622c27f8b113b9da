// Renders the three pages to HTML. The build makes a module of it that the server calls at start,
// with the settings it was started with, and for each refused plain post of the form.
import { renderToStaticMarkup, renderToString } from "react-dom/server";
import type { ProviderSettings } from "../config/config.ts";
import * as words from "../content/article.ts";
import { permissionNotice } from "../content/permission.ts";
import { completeProvider } from "../content/provider.ts";
import type { Lead } from "../lead/lead.ts";
import { ArticlePage } from "./article-page.tsx";
import { built } from "./built.ts";
import { Document } from "./document.tsx";
import { LeadForm } from "./lead-form.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { Picture } from "./pictures.tsx";
import { ShareHead } from "./share-head.tsx";
import { ThankYouPage } from "./thank-you-page.tsx";

export interface PageSettings {
  site: { url: string; backendUrl: string; backendKey: string };
  provider: ProviderSettings;
}

/** Why a plain post was refused, and what it said. */
export interface Refused {
  lead: Partial<Lead>;
  message: string;
}

/** The article page. With `refused`: the same, with the banner and everything typed kept. */
export function renderArticle({
  site,
  provider: settings,
  refused,
}: PageSettings & { refused?: Refused }): string {
  const { provider } = completeProvider(settings);
  const backend = { url: site.backendUrl, key: site.backendKey };
  const notice = permissionNotice(provider);
  const formHtml = renderToString(
    <LeadForm backend={backend} provider={provider} notice={notice} refused={refused} />,
  );
  return html(
    <Document
      title={`${refused ? "Error: " : ""}Sponsored: ${words.headline} | ${provider.name}`}
      description={words.standfirst}
      canonical={`${site.url}/`}
      head={<ShareHead siteUrl={site.url} provider={provider} />}
      script={built.loader}
    >
      <ArticlePage provider={provider} backend={backend} formHtml={formHtml} />
    </Document>,
  );
}

export function renderThankYou({ provider: settings }: PageSettings): string {
  const { provider } = completeProvider(settings);
  return html(
    <Document
      title={`Thank You for Your Interest | ${provider.name}`}
      description="We have received your information."
      robots="noindex"
    >
      <ThankYouPage provider={provider} />
    </Document>,
  );
}

export function renderNotFound({ provider: settings }: PageSettings): string {
  const { provider } = completeProvider(settings);
  return html(
    <Document
      title={`Page not found | ${provider.name}`}
      description="This address leads nowhere."
      robots="noindex"
    >
      <NotFoundPage provider={provider} />
    </Document>,
  );
}

export { shareCardPath } from "./share-card-path.ts";

/** The article's drawing by itself, for the share card. */
export const renderDrawing = (): string => renderToStaticMarkup(<Picture alt="" photo={null} />);

const html = (document: React.ReactElement) => `<!doctype html>${renderToStaticMarkup(document)}`;
