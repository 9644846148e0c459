// Loaded into a process of the service before its own code (`node --import`). When the parent process arms a place, this process ends
// itself by SIGKILL there, or cuts a database connection. It wraps methods of the built service, whose code has no hooks for it.
import { subscribe } from 'node:diagnostics_channel';
import { arming, built, reached, report, wrap } from '../kill-point.mjs';

const events = (path) => built(`modules/events/${path}`);
const webhooks = (path) => built(`modules/webhooks/${path}`);

/** Long enough for PostgreSQL to carry out a COMMIT. */
const CUT_AFTER_MS = 50;

/** Deliveries that this process has claimed and whose results are not known to be stored. */
const inFlight = new Set();

const dieAt = (place, variant) => reached(place, variant, { inFlight: inFlight.size });

const { EventStore } = await built('postgres/event-store.js');
const { OpenTransaction } = await built('postgres/current-transaction.js');
const { PostgresEventSequence } = await events('infrastructure/postgres-event-sequence.js');
const { PostgresDeliveryQueue } = await webhooks('infrastructure/postgres-delivery-queue.js');
const { OutboundReceivers } = await webhooks('infrastructure/outbound-receivers.js');
const { TypeormWebhookEndpointRepository } = await webhooks('infrastructure/typeorm-webhook-endpoint.repository.js');
const { ManageEndpoints } = await webhooks('application/manage-endpoints.js');

// After COMMIT: the events are stored, the caller has no response, and the sequencer was not woken up.
wrap(EventStore, 'announce', (announce, ...args) => {
  dieAt('after-commit');
  announce(...args);
});

// Between sequencing and claim: the events have positions and deliveries.
wrap(PostgresEventSequence, 'queueBy', (queueBy, insert, onQueued) =>
  queueBy(insert, () => {
    dieAt('after-sequencing');
    onQueued();
  }),
);

// After the claim: nothing was sent yet of what it claimed.
wrap(PostgresDeliveryQueue, 'claim', async (claim, ...args) => {
  const claimed = await claim(...args);
  for (const { id } of claimed.deliveries) inFlight.add(id);
  if (claimed.deliveries.length > 0) dieAt('after-claim');
  return claimed;
});

// After the last byte of a request has left the process, and before its response.
subscribe('http.client.request.start', ({ request }) => {
  if (request.hasHeader('webhook-id')) request.once('finish', () => dieAt('after-request'));
});

// After a 2xx, before it is recorded.
wrap(PostgresDeliveryQueue, 'record', async (record, results) => {
  if (results.some(({ outcome }) => outcome === 'delivered')) dieAt('before-record');
  const recorded = await record(results);
  for (const { delivery } of results) inFlight.delete(delivery.id);
  return recorded;
});

// While disabling and while rotating: inside the transaction, or after COMMIT and before the effect is known to the caller.
wrap(TypeormWebhookEndpointRepository, 'update', async (update, endpoint) => {
  await update(endpoint);
  if (endpoint.disabledReason === 'gone') dieAt('disabling', 'inside');
  if (endpoint.previousSecretEndsAt !== null) dieAt('rotating', 'inside');
});
wrap(ManageEndpoints, 'disable', async (disable, ...args) => {
  await disable(...args);
  dieAt('disabling', 'after');
});
wrap(ManageEndpoints, 'rotateSecret', async (rotate, ...args) => {
  const rotated = await rotate(...args);
  dieAt('rotating', 'after');
  return rotated;
});

// A connection cut in COMMIT: before the COMMIT leaves the process, or after it and before its answer is read.
wrap(OpenTransaction, 'commit', function (commit) {
  const { place, variant } = arming.current ?? {};
  if (place !== 'commit-cut' || this.isUntouched) return commit();
  arming.current = undefined;
  const { stream } = this.client.connection;
  stream.pause();
  const committed = commit();
  const cut = () => stream.destroy(new Error('The connection was cut.'));
  if (variant === 'inside') cut();
  else setTimeout(cut, CUT_AFTER_MS);
  report({ msg: 'cut', place: 'commit-cut', variant, inFlight: 0 });
  return committed;
});

// Shorter than in production when the run asks for it, so that a receiver that hangs does not make the run long.
const timeoutMs = Number(process.env.CHAOS_TIMEOUT_MS);
if (timeoutMs > 0) {
  wrap(OutboundReceivers, 'post', function (post, ...args) {
    this.settings.timeoutMs = timeoutMs;
    return post(...args);
  });
}
