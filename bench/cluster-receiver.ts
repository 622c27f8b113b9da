// `node bench/cluster-receiver.ts FILE`: the receiver of webhooks in the trial cluster. It writes the id of each message into the
// file, a line each, and answers only then.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const [, , file = ""] = process.argv;

createServer((request, response) => {
  request.resume().on("end", () => {
    appendFileSync(file, `${request.headers["webhook-id"]}\n`);
    response.writeHead(204).end();
  });
}).listen(9000, "127.0.0.1");
