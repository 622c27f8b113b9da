// The provider's number, when somebody answers it, and how people who do not hear well call: each on a line of its own.
import { dial } from "../content/provider.ts";
import type { PageContent } from "./page-content.ts";

export function PhoneLine({ content }: { content: PageContent }) {
  const { provider, texts, code, fill } = content;
  const hours = provider.hours[code];
  return (
    <>
      <p className="call">
        <a href={dial(provider.phone)}>{fill(texts.page.call)}</a>
      </p>
      <p className="hours">{`${hours ? `${hours}. ` : ""}${texts.page.tty}`}</p>
    </>
  );
}
