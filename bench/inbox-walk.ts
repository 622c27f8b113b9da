// `node bench/inbox-walk.ts --seed 1 --steps 200`: a member at random work on the inbox's page while answers are lost or late, events are
// held, the connection drops, and others act on the same leads. Exits with 1 at the first thing that is not as docs/inbox.md says, and
// prints the steps that led there. The same seed begins the same walk, which the speed of the machine may still change.
// `npm run build` comes first.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../database/connect.ts";
import { startEmbedded } from "../database/embedded.ts";
import { migrate } from "../database/migrate.ts";
import { openRoleLogins } from "../database/role-logins.ts";
import { runEnds } from "../spec/support/at-the-end.ts";
import { launch } from "../spec/support/browser.ts";
import { removeLeads, type TestDatabase } from "../spec/support/database.ts";
import { addLead, addPlaces, nightZip, noonZip, serveInbox } from "../spec/support/inbox.ts";
import { makeRandom } from "./inbox-walk-random.ts";
import { Walk } from "./inbox-walk-steps.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, steps: { type: "string", default: "200" } },
});
const stepsOfAnEpisode = 14;

if (!(Number(values.steps) > 0 && Number.isInteger(Number(values.seed))))
  throw new Error("--steps and --seed take numbers.");

const folder = await mkdtemp(join(tmpdir(), "leads-walk-"));
await chmod(folder, 0o711);
const embedded = await startEmbedded({ dataDir: join(folder, "data"), log: () => {} });
const owner = connect(embedded.url, { max: 2, name: "walk" });
const database = { url: embedded.url, owner } as TestDatabase;
const browser = await launch();
try {
  await migrate(owner);
  await openRoleLogins(owner, embedded.url);
  await addPlaces(database);
  const logged: string[] = [];
  const inbox = await serveInbox(database, {}, { logged });
  const [dana, lee, maria] = [
    await inbox.member("Dana"),
    await inbox.member("Lee"),
    await inbox.member("Maria", "manager"),
  ];
  const random = makeRandom(Number(values.seed));
  // Whole episodes.
  const total = Math.ceil(Number(values.steps) / stepsOfAnEpisode) * stepsOfAnEpisode;
  for (let done = 0; done < total; done += stepsOfAnEpisode) {
    await removeLeads(database.owner);
    await owner`delete from private.paused_states`;
    const leads = [];
    for (const [name, zip_code] of [
      ["Ann", noonZip],
      ["Rosa", noonZip],
      ["Clyde", random.chance(0.3) ? nightZip : noonZip],
    ] as const)
      leads.push(await addLead(database, { name, zip_code }, 1 + leads.length));
    const walk = await Walk.begin({ browser, inbox, owner, dana, lee, maria, leads, random });
    try {
      for (let step = 0; step < stepsOfAnEpisode; step += 1) await walk.step();
      await walk.settle();
      if (logged.includes("bug")) throw new Error("The server logged a bug.");
    } catch (error) {
      console.error(
        `seed ${values.seed}, steps ${done + 1} and on:\n${walk.said.join("\n")}\n${await walk.screen()}`,
      );
      throw error;
    }
    await walk.end();
  }
  console.log(`seed ${values.seed}: ${total} steps, and all as it should be`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await browser.close();
  await runEnds();
  await owner.end({ timeout: 1 });
  await embedded.stop();
  await rm(folder, { recursive: true });
}
