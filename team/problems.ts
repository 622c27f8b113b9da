// What may be wrong with an installation, as `leads status`, the inbox and /metrics name it. The SQL function private.problems decides.

/**
 * - "no channel": leads wait, and no channel is set up to tell the team of them.
 * - "failed": a delivery failed for good.
 * - "stuck": a delivery has been owed for 15 minutes and is not made.
 * - "overdue": a lead has waited 24 hours for its review.
 * - "backup": the newest scheduled backup failed or is a day and a half old, or the first one was not made within that time.
 */
export const problems = ["no channel", "failed", "stuck", "overdue", "backup"] as const;
export type Problem = (typeof problems)[number];
