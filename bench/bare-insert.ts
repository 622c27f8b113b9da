// What one would write without this product: node:http and postgres.js, one statement a request, one request a lead.
// It inserts into the same table with the same triggers. Usage: node bench/bare-insert.ts DATABASE_URL; prints its port.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "../database/connect.ts";

const sql = connect(process.argv[2] ?? "", { max: 10 });
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const request_headers = sql.json(request.headers as Record<string, string>);
  await sql`insert into leads ${sql({ ...JSON.parse(body), request_headers })}`;
  response.writeHead(201, { "content-length": 0 }).end();
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
