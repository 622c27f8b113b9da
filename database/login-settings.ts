/** The roles that log in, as the first migration creates them, each with the setting that names a login made by hand. */
export const loginSettings = {
  leads_intake: "INTAKE_DATABASE_URL",
  leads_delivery: "DELIVERY_DATABASE_URL",
  leads_team: "INBOX_DATABASE_URL",
} as const;

export type LoginRole = keyof typeof loginSettings;
