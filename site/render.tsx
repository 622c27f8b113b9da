// Renders the pages of each language to HTML. The build makes a module of it that the server calls at start, with the
// settings it was started with, and for each refused plain post of the form.
import { renderToStaticMarkup, renderToString } from "react-dom/server";
import type { ShownVariant } from "../content/experiment.ts";
import type { LanguageCode } from "../content/languages.ts";
import { fieldNamedIn, refusalIn } from "../content/refusals.ts";
import type { Lead } from "../lead/lead.ts";
import { ArticlePage } from "./article-page.tsx";
import { built } from "./built.ts";
import { Document } from "./document.tsx";
import { leadFormProps } from "./form-section.tsx";
import { LeadForm } from "./lead-form.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { type PageSettings, pageContent } from "./page-content.ts";
import { Picture } from "./pictures.tsx";
import { ShareHead } from "./share-head.tsx";
import { ThankYouPage } from "./thank-you-page.tsx";

export type { PageSettings } from "./page-content.ts";

/** A plain post that was refused: what it said, why, in the words of the intake, and in which language its page was. */
export interface Refused {
  lead: Partial<Lead>;
  message: string;
  language?: string | undefined;
  /** The form states it again, because the article that answers has another address than the page that was posted from. */
  campaign?: string;
  /**
   * The form states it again, because that article is not counted, and its form therefore lacks the field that only a browser without script
   * sends.
   */
  isWithoutScript?: boolean;
}

/**
 * The article page. With `refused`: the same, with the banner and everything typed kept. With `variant`: as an experiment shows it.
 */
export function renderArticle(
  settings: PageSettings,
  code: LanguageCode,
  refused?: Refused,
  variant?: ShownVariant,
): string {
  const given = pageContent(settings, code, variant);
  // The article that answers a refused post is the same page load to its reader, so it is not counted again.
  const content = { ...given, counting: given.counting && !refused };
  const { texts, siteUrl, path, provider } = content;
  const { article, form, page } = texts;
  // Networks and search engines keep what the head describes, so all of it but the title is the original's in every variant.
  const original = pageContent(settings, code);
  const shown = refused && {
    lead: refused.lead,
    message: refusalIn(texts, refused.message),
    field: fieldNamedIn(refused.message),
    campaign: refused.campaign,
    isWithoutScript: refused.isWithoutScript,
  };
  const formHtml = renderToString(<LeadForm {...leadFormProps(content)} refused={shown} />);
  return html(
    <Document
      lang={texts.tag}
      title={`${refused ? form.error : ""}${page.sponsored} ${article.headline} | ${provider.name}`}
      description={original.texts.article.standfirst}
      canonical={`${siteUrl}${path || "/"}`}
      head={<ShareHead content={original} />}
      script={built.loader}
    >
      <ArticlePage content={content} formHtml={formHtml} />
    </Document>,
  );
}

export function renderThankYou(settings: PageSettings, code: LanguageCode): string {
  const content = pageContent(settings, code);
  const { tag, thankYou } = content.texts;
  return html(
    <Document
      lang={tag}
      title={`${thankYou.heading} | ${content.provider.name}`}
      description={thankYou.description}
      robots="noindex"
    >
      <ThankYouPage content={content} />
    </Document>,
  );
}

export function renderNotFound(settings: PageSettings, code: LanguageCode): string {
  const content = pageContent(settings, code);
  const { tag, notFound } = content.texts;
  return html(
    <Document
      lang={tag}
      title={`${notFound.title} | ${content.provider.name}`}
      description={notFound.text}
      robots="noindex"
    >
      <NotFoundPage content={content} />
    </Document>,
  );
}

/** The article's drawing by itself, for the share card. */
export const renderDrawing = (): string => renderToStaticMarkup(<Picture alt="" photo={null} />);

/** The counting script and its address. */
export const countingScript = built.counting;

export { shareCardPath } from "./share-card-path.ts";

const html = (document: React.ReactElement) => `<!doctype html>${renderToStaticMarkup(document)}`;
