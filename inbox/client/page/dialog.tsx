// A dialog over the page: the browser's own, which keeps the focus in it and gives it back.
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

interface Props {
  title: string;
  onClose(): void;
  children: ReactNode;
}

/** Open while it is on screen. Escape and the browser's back gesture close it. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  // A layout effect closes the dialog before it leaves the document, because only then the browser gives the focus back.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // The focus goes to a field to type in, or to the heading, and not to the first button, which may do what cannot be taken back: a key
    // that is held, or pressed twice, would press it.
    (opened?.querySelector<HTMLElement>("input[type=text]") ?? heading.current)?.focus();
    return () => opened?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

interface ActionsProps {
  /** The words on the button that does what cannot be taken back. */
  label: string;
  /** Whether the member has confirmed, and the answer has not come. Then nothing can be cancelled any more. */
  isSent: boolean;
  onConfirm(): void;
  onClose(): void;
}

/** The two buttons of a question. */
export function ConfirmOrCancel({ label, isSent, onConfirm, onClose }: ActionsProps) {
  return (
    <div className="actions">
      <button type="button" className="button danger" aria-disabled={isSent} onClick={onConfirm}>
        {label}
      </button>
      <button type="button" className="button" onClick={onClose}>
        {isSent ? "Close" : "Cancel"}
      </button>
    </div>
  );
}
