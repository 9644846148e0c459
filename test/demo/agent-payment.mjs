// One process of an agent: `fork('test/demo/agent-payment.mjs', [baseUrl, restrictedKey, payment])`. It quotes the payment, reports that it
// is ready, and confirms when its parent says so. It reports the response of the confirmation.
const [baseUrl, key, payment] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

async function post(path, body) {
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body });
  return { httpStatus: response.status, ...(await response.json()) };
}

const quote = await post('/v1/transfers/create', payment);
process.once('message', async () => {
  process.send(await post(`/v1/transfers/${quote.id}/confirm`, '{}'));
  process.disconnect();
});
process.send(quote);
