/** The roles that our processes log in with, each with the setting in which the operator may name another login. */
export const loginSettings = {
  leads_intake: "INTAKE_DATABASE_URL",
  leads_delivery: "DELIVERY_DATABASE_URL",
  leads_team: "INBOX_DATABASE_URL",
} as const;

export type LoginRole = keyof typeof loginSettings;
