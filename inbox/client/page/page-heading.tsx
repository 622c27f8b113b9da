// The heading of a page. It takes the focus when the page comes up after another one, so that a screen reader starts there.
import { type ReactNode, useEffect, useRef } from "react";

let isFirstPage = true;

/** `title` becomes the document's title, so it must say nothing about a person. */
export function PageHeading({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title === "Leads" ? title : `${title} · Leads`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus();
    isFirstPage = false;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
