// The member's own call to the person of the lead that is on screen.
import { useRef } from "react";
import { hasAskedToStop } from "./asked-to-stop.ts";
import type { Lead } from "./lead-page.tsx";

/**
 * The last call that was under way while this page was open or, when the person has asked us to stop, the member's last one. It stays after
 * the hour in which it counts as under way.
 */
export function useOwnCall(lead: Lead, memberId: string): Lead["call_log"][number] | undefined {
  const { under_way, call_log } = lead;
  const last = useRef<string>(undefined);
  const begun = hasAskedToStop(lead)
    ? call_log.findLast((one) => one.called && one.member.id === memberId)?.id
    : under_way?.call_id;
  if (begun) last.current = begun;
  return call_log.find(({ id }) => id === last.current);
}
