// What `leads --help` prints.

export const help = `Usage: npm run leads -- <command> [options]

Reads and looks after the leads, also while the server runs: in the embedded database (DATA_DIR) or in DATABASE_URL.

The leads:
  list                    Who is waiting: those who withdrew their permission first, then the newest
    --since 24h           Came in within 24h, 7d or 30min, or since a day such as 2026-01-31
    --due                 Not reviewed yet; the one with the least of its 24 hours left first
    --suspect             Looks like spam
    --limit 20            At most so many (a table shows 50 unless told otherwise)
  show <id>               All about one lead: answers, permission and its wording, deliveries, review
  review <id>             Record that the team has reviewed it
    --outcome "qualifies" With what outcome
  withdraw <id>           Record that the person withdrew the permission to be phoned; the channels are told
  erase <id>              Remove a lead for good with all about it; asks first
    --email <address>     Instead of an id: all leads with this e-mail address
    --yes                 Do not ask
  export                  All leads for another program (see docs/export.md)
    --format csv          For a spreadsheet; or --format json, one JSON array
    --since 7d            As for list
    --permission          Instead of the leads, the evidence of what each person agreed to

Their way to the team:
  status                  Accepted, stored, delivered, pending, failed and stuck (due for 15 minutes and not sent)
  watch                   The same, live, until Ctrl-C
  retry <id>              Send again what is owed about a lead and not delivered
  retry --failed          Send again all that failed

Safe keeping (see docs/backup.md):
  backup <file>           Copy everything into a new file that only you can read
  restore <file>          Put a backup into an empty database

Options:
  --json                  Print JSON instead of text (list, show, status, watch)
  --help                  Print this

An <id> is a lead's id or one end of it, such as the reference in a message: 3f9c1a2b.
Times are in this machine's time zone (TZ); in JSON and CSV they are in UTC.
Results go to standard output, messages to standard error. "npm run -s" leaves out npm's own lines.
Exit status: 0 all is well; 1 something is wrong, such as a failed or stuck delivery, or cannot be done;
2 the command was not understood, or needs somebody to say yes.

Examples:
  npm run leads -- list --due
  npm run leads -- show 3f9c1a2b
  npm run leads -- review 3f9c1a2b --outcome "qualifies"
  npm run -s leads -- list --since 24h --json
  npm run -s leads -- export --format csv --since 7d > leads.csv
`;
