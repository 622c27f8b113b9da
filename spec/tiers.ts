// Which tier a chapter belongs to, by what it needs. `npm run test:quick` runs the quick tier, which is every chapter that is
// not named here; `npm test` runs all three.

export type Tier = "quick" | "browser" | "system";

/** Chapters that drive a browser. */
export const browser = [
  "spec/a-static-site.spec.ts",
  "spec/article.spec.ts",
  "spec/budgets.spec.ts",
  "spec/inbox-access.spec.ts",
  "spec/inbox-call-scripts.spec.ts",
  "spec/inbox-for-managers.spec.ts",
  "spec/inbox-in-the-browser.spec.ts",
  "spec/inbox-sign-in.spec.ts",
  "spec/lead-form.spec.ts",
  "spec/nobody-told.spec.ts",
  "spec/reading.spec.ts",
  "spec/screen-reader.spec.ts",
  "spec/spanish.spec.ts",
  "spec/thank-you.spec.ts",
  "spec/the-visitors-journey.spec.ts",
];

/** Chapters that need root, Debian's packages or Deno, or that start many programs, which takes longer. */
export const system = [
  "packages/embedded-postgres/embedded-postgres.spec.ts",
  "packages/embedded-postgres/upgrade-data.spec.ts",
  "spec/a-database-in-trouble.spec.ts",
  "spec/backup.spec.ts",
  "spec/building.spec.ts",
  "spec/copy-database.spec.ts",
  "spec/delivering.spec.ts",
  "spec/deploying.spec.ts",
  "spec/embedded-database.spec.ts",
  "spec/erasing.spec.ts",
  "spec/every-zip-code.spec.ts",
  "spec/hosted-supabase.spec.ts",
  "spec/inbox-commands.spec.ts",
  "spec/inbox-company-sign-in.spec.ts",
  "spec/inbox-on-a-server-of-yours.spec.ts",
  "spec/inbox-server.spec.ts",
  "spec/killed-processes.spec.ts",
  "spec/migrations.spec.ts",
  "spec/nothing-personal-in-logs.spec.ts",
  "spec/other-engines.spec.ts",
  "spec/rate-limit.spec.ts",
  "spec/restarting.spec.ts",
  "spec/reviewing-and-withdrawing.spec.ts",
  "spec/scheduled-backups.spec.ts",
  "spec/several-processes.spec.ts",
  "spec/starting-and-stopping.spec.ts",
  "spec/supabase-function.spec.ts",
  "spec/suspected-spam.spec.ts",
  "spec/testing-channels.spec.ts",
  "spec/the-doctor.spec.ts",
  "spec/the-export.spec.ts",
  "spec/the-outbox-at-scale.spec.ts",
  "spec/the-status.spec.ts",
  "spec/the-team.spec.ts",
  "spec/two-database-servers.spec.ts",
  "spec/upgrading.spec.ts",
  "spec/what-typed-values-cost.spec.ts",
];
