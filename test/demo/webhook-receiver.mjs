// A receiver of webhooks: `node test/demo/webhook-receiver.mjs <port>`, with the secret in WEBHOOK_SECRET. Verifies each request as the
// documentation asks a client to, and prints the event. Not for any other use: it does not remember which ids it has seen.
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    try {
      const { type, position, data } = webhook.verify(Buffer.concat(chunks), request.headers);
      console.log(`      receiver: ${String(position).padStart(2)}. ${type.padEnd(24)} ${JSON.stringify(data)}`);
      process.send?.({ type });
      response.writeHead(204).end();
    } catch (error) {
      console.log(`      receiver: refused, ${error.message}`);
      response.writeHead(400).end();
    }
  });
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());
