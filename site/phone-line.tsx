// The provider's number, and on a line below it the hours in which somebody answers and how people who do not hear well call.

import { telAddress } from "../config/phone-number.ts";
import { withFullStop } from "../content/fill-in.ts";
import type { PageContent } from "./page-content.ts";

export function PhoneLine({ content }: { content: PageContent }) {
  const { provider, texts, code, fill } = content;
  const hours = provider.hours[code];
  return (
    <>
      <p className="call">
        <a href={telAddress(provider.phone)}>{fill(texts.page.call)}</a>
      </p>
      <p className="hours">{`${hours ? `${withFullStop(hours)} ` : ""}${texts.page.tty}`}</p>
    </>
  );
}
