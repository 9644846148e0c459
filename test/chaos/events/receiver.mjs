// A receiver of webhooks in a process of its own: `node receiver.mjs <journal> <seed>`. It writes each request to the journal on disk
// before it answers. The parent process says when it answers 410 to the requests for a path.
import { createHash } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const [journalPath, seed] = process.argv.slice(2);
const journal = openSync(journalPath, 'a');
let gone = '';
let count = 0;

/** Out of 100 requests, 5 get 500, 5 are accepted and get no answer, 2 are reset, 1 gets 429. */
function faultOf(path) {
  if (path === gone) return 'gone';
  const digest = createHash('sha256')
    .update(`${seed} ${(count += 1)}`)
    .digest();
  const share = digest.readUInt32BE(0) / 2 ** 32;
  if (share < 0.05) return 'failed';
  if (share < 0.1) return 'hung';
  if (share < 0.12) return 'reset';
  return share < 0.13 ? 'busy' : 'accepted';
}

const answers = {
  accepted: (_request, response) => response.writeHead(200).end('ok'),
  failed: (_request, response) => response.writeHead(500).end('failed'),
  busy: (_request, response) => response.writeHead(429, { 'retry-after': '1' }).end('busy'),
  gone: (_request, response) => response.writeHead(410).end('gone'),
  hung: () => {},
  reset: (request) => request.socket.resetAndDestroy(),
};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  // A request of a killed process may end before its last byte.
  request.on('error', () => {});
  request.on('end', () => {
    const answer = faultOf(request.url);
    const line = {
      endpoint: request.url,
      id: request.headers['webhook-id'],
      timestamp: Number(request.headers['webhook-timestamp']),
      signature: request.headers['webhook-signature'],
      body: Buffer.concat(chunks).toString(),
      answer,
    };
    writeSync(journal, `${JSON.stringify(line)}\n`);
    answers[answer](request, response);
  });
});
// Longer than the service keeps connections: the only resets are those of `faultOf`.
server.keepAliveTimeout = 60_000;
process.on('message', (message) => {
  gone = message.gone;
  process.send({ gone });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
