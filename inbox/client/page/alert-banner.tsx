// Warns on every page when leads wait and no channel has notified the team of them, so that members look at the queue themselves.
import { useCall } from "../queries.ts";
import { useNow } from "./clock.ts";
import { Icon } from "./icon.tsx";
import { span } from "./times.ts";
import { count } from "./words.ts";

export function AlertBanner({ isManager }: { isManager: boolean }) {
  const { data } = useCall("alert", {}, { refetchInterval: 60_000 });
  const now = useNow();
  if (!data?.oldest_at) return null;
  const { leads, oldest_at } = data;
  const since = span(now.getTime() - Date.parse(oldest_at));
  return (
    <div className="banner">
      <Icon name="warning" />
      <span>
        {/* Only this sentence is the alert, because a screen reader would read the time again each minute. */}
        <span role="alert">Leads wait, and no message told of them.</span> {count(leads, "lead")}, the oldest
        for {since}.{" "}
        {isManager ? "Look at Health, and tell your operator." : "Look at the queue, and tell your manager."}
      </span>
    </div>
  );
}
