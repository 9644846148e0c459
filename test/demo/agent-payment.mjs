// One process of an agent: `fork('test/demo/agent-payment.mjs', [baseUrl, restrictedKey, payment])`. It quotes the payment, reports that it
// is ready, and confirms when its parent says so. It reports the response of the confirmation.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

const [baseUrl, key, payment] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

/** A call that has waited as long as it may is a 503: it is repeated, and pays once. */
async function post(path, body) {
  const request = { method: 'POST', headers: { ...headers, 'idempotency-key': randomUUID() }, body };
  for (;;) {
    const response = await fetch(`${baseUrl}${path}`, request);
    if (response.status !== 503) return { httpStatus: response.status, ...(await response.json()) };
    await setTimeout(Number(response.headers.get('Retry-After')) * 1_000);
  }
}

const quote = await post('/v1/transfers/create', payment);
process.once('message', async () => {
  process.send(await post(`/v1/transfers/${quote.id}/confirm`, '{}'));
  process.disconnect();
});
process.send(quote);
