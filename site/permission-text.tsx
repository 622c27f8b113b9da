// The permission notice as the form and the thank-you page show it: to the letter, because the form states the hash of it.
import { Fragment } from "react";
import { markAndRest } from "./mark-and-rest.ts";

/** The provider's number stands on one line, and a mark after it beside it. */
export function PermissionText({
  className,
  text,
  phone,
}: {
  className: string;
  text: string;
  phone: string;
}) {
  const [before, ...after] = text.split(phone);
  return (
    <p className={className}>
      {before}
      {after.map((part, index) => {
        const [mark, rest] = markAndRest(part);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text keep their places.
          <Fragment key={index}>
            <span className="unbroken">{`${phone}${mark}`}</span>
            {rest}
          </Fragment>
        );
      })}
    </p>
  );
}
