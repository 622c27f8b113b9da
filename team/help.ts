// What `leads --help` prints.

export const help = `Usage: npm run leads -- <command> [options]

Reads and looks after the leads, also while the server runs: the embedded database (DATA_DIR) or DATABASE_URL.

Commands:
  list                 Who is waiting: people who withdrew their permission first, then the newest
    --since 24h        Came in within 24h, 7d, 30min or since a day such as 2026-01-31
    --due              Not reviewed yet, the one with the least of its 24 hours left first
    --suspect          Looks like spam
    --limit 20         At most so many (a table shows 50 unless told otherwise)
  show <id>            Everything about one lead: answers, permission with its wording, deliveries, review
  export               All leads for another program (docs/export.md)
    --format csv|json  CSV for a spreadsheet, or one JSON array
    --since 7d         As for list

Options:
  --json               Print JSON instead of text (list, show)
  --help               Print this

An <id> is a lead's id or the beginning of it, such as the reference in a message: 3f9c1a2b.
Results go to standard output, messages to standard error.
Exit status: 0 all is well, 1 something is wrong or cannot be done, 2 the command was not understood.

Examples:
  npm run leads -- list --due
  npm run leads -- show 3f9c1a2b
  npm run leads -- list --since 24h --json
  npm run --silent leads -- export --format csv --since 7d > leads.csv
`;
