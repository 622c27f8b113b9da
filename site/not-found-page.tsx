// The page for an address that leads nowhere: says so, and where to go.
import { Fragment } from "react";
import { telAddress } from "../config/phone-number.ts";
import { markAndRest } from "./mark-and-rest.ts";
import type { PageContent } from "./page-content.ts";
import { Footer } from "./small-print.tsx";

export function NotFoundPage({ content }: { content: PageContent }) {
  const { notFound } = content.texts;
  const { phone } = content.provider;
  const words = notFound.call.split("{phone}");
  return (
    <>
      <main className="calm">
        <h1>{notFound.heading}</h1>
        <p className="standfirst">{notFound.text}</p>
        <p>
          <a className="go" href={content.path || "/"}>
            {notFound.link}
          </a>
        </p>
        <p>
          {words.map((part, nth) => {
            // A mark after the number is a part of the link, so that no line begins with it.
            const [mark, rest] = nth > 0 ? markAndRest(part) : ["", part];
            return (
              <Fragment key={part}>
                {nth > 0 && <a href={telAddress(phone)}>{`${phone}${mark}`}</a>}
                {rest}
              </Fragment>
            );
          })}
        </p>
      </main>
      <Footer content={content} />
    </>
  );
}
