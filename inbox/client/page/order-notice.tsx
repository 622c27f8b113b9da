// What stands beside two fields for the first and the last day of a period when these are in the wrong order.
import { Notice } from "./notice.tsx";

interface Days {
  since?: string | undefined;
  until?: string | undefined;
}

/** Whether the first day is not later than the last. A missing day is in order with any other. */
export const isInOrder = ({ since, until }: Days): boolean => !since || !until || since <= until;

/** Says that the first day comes after the last; nothing when it does not. `first` and `last` are the names of the two fields. */
export const OrderNotice = ({ days, first, last }: { days: Days; first: string; last: string }) =>
  isInOrder(days) ? null : (
    <Notice kind="trouble">
      “{first}” is later than “{last}”, so there is no day between them.
    </Notice>
  );
