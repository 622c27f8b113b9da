// The settings of the database: where it is, its backups, and how long what it holds is kept.

import { databaseAddress } from "./addresses.ts";
import { optional, withDefault } from "./setting.ts";
import { folder, onOrOff, wholeNumber } from "./values.ts";

export const database = {
  DATA_DIR: optional(
    folder,
    "The embedded PostgreSQL keeps its data here (default: ./data). A folder that only root may enter cannot be used by\nPostgreSQL, which never runs as root: the data is then below /var/lib/sponsored-article, and the start says where.",
    "./data",
  ),
  DATABASE_URL: optional(
    databaseAddress,
    "Your own PostgreSQL, 14 or newer, as the owner of the database. No embedded one is started.",
    "postgres://owner:password@localhost:5432/leads",
  ),
  INTAKE_DATABASE_URL: optional(
    databaseAddress,
    "Addresses for the processes that should not know the owner's: the intake ...",
    "postgres://leads_intake:password@localhost:5432/leads",
  ),
  DELIVERY_DATABASE_URL: optional(
    databaseAddress,
    "... the delivery ...",
    "postgres://leads_delivery:password@localhost:5432/leads",
  ),
  INBOX_DATABASE_URL: optional(
    databaseAddress,
    "... and the team's inbox.",
    "postgres://leads_team:password@localhost:5432/leads",
  ),
  STANDBY_URL: optional(
    databaseAddress,
    "A standby of that server. `leads export` and the inbox's reports, campaigns and downloads are read there, once it has the\nentry that the primary wrote in the audit log. The logins are those of the addresses above.",
    "postgres://standby.example.com:5432/leads",
  ),
  BACKUP_DIR: optional(
    folder,
    "A folder for a backup of the leads each day (default: none is made). Keep it on another disk.",
    "/var/backups/leads",
  ),
  BACKUP_KEEP: withDefault(wholeNumber(1, 1_000), "14", "How many of those backups are kept."),
};

export const retention = {
  RETENTION_DAYS: optional(
    wholeNumber(1, 36_500),
    "How long things are kept. Leads are erased after RETENTION_DAYS (default: never). What shows how a permission was\ngiven (address, browser, page, campaign words) is emptied after PERMISSION_DAYS; its wording and time stay with the lead.",
    "",
  ),
  PERMISSION_DAYS: withDefault(wholeNumber(1, 36_500), "1826", ""),
  PERMISSION_ADDRESS: withDefault(
    onOrOff,
    "on",
    "off: a permission does not keep the visitor's network address at all.",
  ),
};
