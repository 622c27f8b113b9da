/** The same server and role, another database. */
export const addressOfDatabase = (address: string, database: string): string =>
  Object.assign(new URL(address), { pathname: database }).href;
