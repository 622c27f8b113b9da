// The article page, top to bottom as the specification orders it, with the lead form in its middle. All of it comes to
// the browser as HTML; there a script hydrates only the form's root.

import { ContentError } from "../content/content-error.ts";
import type { VariantPicture } from "../content/experiment.ts";
import type { Text } from "../content/language.ts";
import { built, type Photo } from "./built.ts";
import { FormSection } from "./form-section.tsx";
import { type PageContent, sentences } from "./page-content.ts";
import { PhoneLine } from "./phone-line.tsx";
import { DayPicture, Picture, StepPicture } from "./pictures.tsx";
import { Footer, Sources } from "./small-print.tsx";

/** `formHtml` is the form as React rendered it by itself, so that React can take it over as it stands. */
export interface ArticlePageProps {
  content: PageContent;
  formHtml: string;
}

export function ArticlePage({ content, formHtml }: ArticlePageProps) {
  const { article } = content.texts;
  const picture = content.picture ?? (built.photo ? article.photo : article.picture);
  const photo = content.picture ? variantPhoto(content.picture) : built.photo;
  return (
    <>
      <main>
        <article>
          <ArticleHeader content={content} />
          <figure className="opening-picture">
            <Picture alt={picture.alt} photo={photo} />
            <figcaption>{picture.caption}</figcaption>
          </figure>
          <div className="first">
            <Paragraphs texts={article.opening} />
          </div>
          <HowItWorks content={content} />
          <KeyBenefits content={content} />
          <section>
            <h2>{article.extraSupport.heading}</h2>
            <Paragraphs texts={article.extraSupport.text} />
          </section>
          <FormSection content={content} formHtml={formHtml} />
          <Coverage content={content} />
          <section>
            <h2>{article.future.heading}</h2>
            <Paragraphs texts={article.future.text} />
            <p>
              <a className="go" href="#check">
                {article.future.link}
              </a>
            </p>
          </section>
          <Sources content={content} />
        </article>
      </main>
      <Footer content={content} />
    </>
  );
}

function variantPhoto({ file }: VariantPicture): Photo {
  const photo = built.variantPhotos[file];
  if (!photo)
    throw new ContentError(`The build has no picture content/${file}. Build the site: npm run build`);
  return photo;
}

/** The label, the headline, who we are, and the ways to the form, to the phone and to the other languages. */
function ArticleHeader({ content }: { content: PageContent }) {
  const { article, page } = content.texts;
  const otherLanguages = content.languages.filter(({ code }) => code !== content.code);
  return (
    <header className="opening">
      <p className="label">
        <strong>{article.label}</strong> <span className="payer">{content.fill(article.paidFor)}</span>{" "}
        <span>{article.readingTime}</span>
      </p>
      <h1>{article.headline}</h1>
      <p className="standfirst">{article.standfirst}</p>
      <p className="who-we-are">{article.whoWeAre}</p>
      <div className="ways">
        <p>
          <a href="#check">{page.goToForm}</a>
        </p>
        <PhoneLine content={content} />
        {otherLanguages.map(({ code, tag, link, path }) => (
          <p key={code}>
            <a href={path || "/"} lang={tag} hrefLang={tag}>
              {link}
            </a>
          </p>
        ))}
      </div>
    </header>
  );
}

function HowItWorks({ content }: { content: PageContent }) {
  const { heading, opening, steps, closing } = content.texts.article.howItWorks;
  return (
    <section>
      <h2>{heading}</h2>
      <p>{opening}</p>
      <ol className="steps">
        {steps.map((step, index) => (
          <li key={step.heading}>
            <StepPicture step={index} />
            <div>
              <h3>{step.heading}</h3>
              <p>{sentences(step.text)}</p>
            </div>
          </li>
        ))}
      </ol>
      <p className="aside">{sentences(closing)}</p>
    </section>
  );
}

function KeyBenefits({ content }: { content: PageContent }) {
  const { heading, picture, benefits } = content.texts.article.keyBenefits;
  return (
    <section>
      <h2>{heading}</h2>
      <figure>
        <DayPicture alt={picture.alt} />
        <figcaption>{picture.caption}</figcaption>
      </figure>
      <ul className="benefits">
        {benefits.map((benefit) => (
          <li key={benefit.heading}>
            <strong>{benefit.heading}.</strong> {sentences(benefit.text)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Coverage({ content }: { content: PageContent }) {
  const { heading, opening, needs, share, text } = content.texts.article.coverage;
  const { acceptsAssignment: accepts } = content.provider;
  const shareText = accepts === undefined ? share.unknown : accepts ? share.accepted : share.notAccepted;
  return (
    <section>
      <h2>{heading}</h2>
      <p>{sentences(opening)}</p>
      <ul className="needs">
        {needs.map((need) => (
          <li key={sentences(need)}>{sentences(need)}</li>
        ))}
      </ul>
      <Paragraphs texts={[shareText, ...text]} />
    </section>
  );
}

const Paragraphs = ({ texts }: { texts: readonly Text[] }) =>
  texts.map((text) => <p key={sentences(text)}>{sentences(text)}</p>);
