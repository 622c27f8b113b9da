// What a backup is tried with: a database that holds leads and what the program and the team record about them.
import type { Sql } from "../../database/connect.ts";
import { aLead } from "./database.ts";

/** Puts into an empty database leads and what is recorded about them, with text that is hard to carry. */
export async function fill(owner: Sql): Promise<void> {
  await owner`insert into private.notices (hash, language, text) values (encode(sha256('I “agree”'), 'hex'), 'en', 'I “agree”')`;
  await owner`update private.settings set site_origin = 'https://a.example', keep_address = false`;
  await owner`update private.channels set enabled = true, cooldown_until = '2026-01-31T10:00:00.123456Z' where name in ('email', 'webhook')`;
  const names = [
    "Rosa",
    'back\\slash "quote" \\n',
    "line\r\nend\u2028and\u2029\t\x01",
    "José 田中 👩‍👩‍👧",
    '{"table":"x"}',
  ];
  for (const name of names) {
    const request_headers = owner.json({
      referer: "https://a.example/?utm_source=ü&utm_term=x",
      "user-agent": name,
    });
    await owner`insert into leads ${owner({ ...aLead({ name, email: "same@example.com", phone: `305 555 01${10 + names.indexOf(name)}` }), request_headers })}`;
  }
  // The same lead again after more than a day: a restoration that ran the triggers could refuse one of the two.
  await owner`update leads set created_at = '2026-01-31T10:00:00.654321Z' where name = 'Rosa'`;
  await owner`insert into leads ${owner(aLead({ name: "Rosa", email: "same@example.com", phone: "305 555 0110" }))}`;
  await owner`update private.deliveries set delivered_at = now(), attempts = 2 where channel = 'webhook'`;
  await owner`update private.deliveries set failed_at = now(), last_error = '550' where lead_id in (select id from leads where name like 'José%') and channel = 'email'`;
  await owner`select private.withdraw_permission(id) from leads where name like 'José%'`;
  await owner`insert into private.reviews (lead_id, outcome) select id, 'qualifies' from leads where name like 'José%'`;
  await owner`insert into private.paused_states (state, paused_by, reason) values ('LA', 'Ruth', 'Hurricane')`;
  await owner`select private.erase_leads(array[id], 'asked') from leads where name like 'back%'`;
}
