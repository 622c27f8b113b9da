// The article page, top to bottom as the specification orders it, with the lead form in its middle. All of it
// is plain HTML by the time it leaves; only the form's root is ever touched by a script.
import * as words from "../content/article.ts";
import { dial, type Provider } from "../content/provider.ts";
import { built } from "./built.ts";
import { formAttributes } from "./form-attributes.ts";
import { DayPicture, Picture, StepPicture } from "./pictures.tsx";
import { Footer, Sources } from "./small-print.tsx";

/** `formHtml` is the form as React rendered it by itself, so that React can take it over as it stands. */
export interface ArticlePageProps {
  provider: Provider;
  backend: { url: string; key: string };
  formHtml: string;
}

export function ArticlePage(props: ArticlePageProps) {
  const { provider } = props;
  const picture = built.photo ? words.photo : words.picture;
  return (
    <>
      <main>
        <article>
          <header className="opening">
            <p className="label">
              <strong>{words.label}</strong> <span className="payer">Paid for by {provider.name}</span>{" "}
              <span>{words.readingTime}</span>
            </p>
            <h1>{words.headline}</h1>
            <p className="standfirst">{words.standfirst}</p>
          </header>
          <figure className="lead">
            <Picture alt={picture.alt} photo={built.photo} />
            <figcaption>{picture.caption}</figcaption>
          </figure>
          <Paragraphs texts={words.opening} className="first" />
          <HowItWorks />
          <KeyBenefits />
          <section>
            <h2>{words.extraSupport.heading}</h2>
            <Paragraphs texts={words.extraSupport.text} />
          </section>
          <FormSection {...props} />
          <Coverage />
          <section>
            <h2>{words.future.heading}</h2>
            <Paragraphs texts={words.future.text} />
            <p>
              <a className="go" href="#check">
                {words.future.link}
              </a>
            </p>
          </section>
          <Sources />
        </article>
      </main>
      <Footer provider={provider} />
    </>
  );
}

function HowItWorks() {
  const { heading, opening, steps, closing } = words.howItWorks;
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

function KeyBenefits() {
  const { heading, picture, benefits } = words.keyBenefits;
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

function FormSection({ provider, backend, formHtml }: ArticlePageProps) {
  return (
    <section className="check" id="check" aria-labelledby="check-heading">
      <h2 id="check-heading">{words.form.heading}</h2>
      <address>
        <strong>Who is asking?</strong>
        {[provider.legalName, provider.address, `Supplier number ${provider.supplierId}`].map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        <a className="go" href={dial(provider.phone)}>
          {provider.phone}
        </a>
      </address>
      <div>
        {words.form.opening.map((text) => (
          <p key={text}>{text}</p>
        ))}
        <div
          id="lead-form"
          {...formAttributes({ backend, provider })}
          dangerouslySetInnerHTML={{ __html: formHtml }}
        />
      </div>
    </section>
  );
}

function Coverage() {
  const { heading, opening, needs, text } = words.coverage;
  return (
    <section>
      <h2>{heading}</h2>
      <p>{sentences(opening)}</p>
      <ul className="needs">
        {needs.map((need) => (
          <li key={sentences(need)}>{sentences(need)}</li>
        ))}
      </ul>
      <Paragraphs texts={text} />
    </section>
  );
}

function Paragraphs({ texts, className }: { texts: readonly words.Text[]; className?: string }) {
  const paragraphs = texts.map((text) => <p key={sentences(text)}>{sentences(text)}</p>);
  return className ? <div className={className}>{paragraphs}</div> : paragraphs;
}

const sentences = (text: words.Text) =>
  text.map((sentence) => (typeof sentence === "string" ? sentence : sentence.says)).join(" ");
