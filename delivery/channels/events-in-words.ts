// What each event is called in a message to the team, and what the team is to do about it.
import { typed } from "../../log/installation.ts";
import type { Delivery } from "../delivery.ts";

/** One kind of event in a message, with its deliveries. */
export interface EventInWords {
  title: string;
  todo: string;
  deliveries: Delivery[];
}

interface Wording {
  one: string;
  many: (count: number) => string;
  todo: string;
}

/** In the order in which a message lists them: what must stop comes first. */
const wordings: Record<Delivery["event"], Wording> = {
  "permission.withdrawn": {
    one: "A permission was withdrawn",
    many: (count) => `${count} permissions were withdrawn`,
    todo: "Do not phone, and take the number out of every call list.",
  },
  "lead.erased": {
    one: "A lead was erased",
    many: (count) => `${count} leads were erased`,
    todo: "Remove every copy that was made elsewhere.",
  },
  "lead.overdue": {
    one: "A lead has waited more than 20 hours",
    many: (count) => `${count} leads have waited more than 20 hours`,
    todo: `To be reviewed today, in the inbox or with: ${typed("review REFERENCE")}`,
  },
  "lead.created": {
    one: "A lead is waiting",
    many: (count) => `${count} leads are waiting`,
    todo: "The thank-you page promises a review within 24 hours.",
  },
  test: {
    one: "This is a test, and nobody is waiting",
    many: (count) => `${count} tests, and nobody is waiting`,
    todo: `Somebody has typed: ${typed("test")}`,
  },
};

/** Groups deliveries by event and puts each group into words, what must stop first. */
export function eventsInWords(deliveries: readonly Delivery[]): EventInWords[] {
  return Object.entries(wordings).flatMap(([event, { one, many, todo }]) => {
    const ofEvent = deliveries.filter((delivery) => delivery.event === event);
    if (ofEvent.length === 0) return [];
    return { title: ofEvent.length === 1 ? one : many(ofEvent.length), todo, deliveries: ofEvent };
  });
}
