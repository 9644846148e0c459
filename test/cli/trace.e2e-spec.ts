import { runCommand } from '../../src/cli/run-command.js';
import { type Receiver, startReceiver } from '../modules/webhooks/webhook-receiver.js';
import { storeEndpoint } from '../modules/webhooks/webhook-rows.js';
import { eventually } from '../support/eventually.js';
import { unique } from '../support/given.js';
import { codeIn, Inbox } from '../support/inbox.js';
import { Money } from '../support/money.js';
import { Observer } from '../support/observer.js';

let inbox: Inbox;
let receiver: Receiver;
let money: Money;
let observer: Observer;
beforeAll(async () => {
  [inbox, receiver] = [await Inbox.start(), await startReceiver()];
  money = await Money.start({ env: inbox.env });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer.close();
  await money.stop();
  await receiver.stop();
  await inbox.stop();
});

async function trace(words: string): Promise<{ status: number; lines: [string, string][]; err: string }> {
  let [out, err] = ['', ''];
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const env = { NODE_ENV: 'test', DATABASE_URL: money.app.databaseUrl, ...money.env };
  const status = await runCommand(['trace', ...words.split(' '), '--json'], { env, terminal });
  if (status !== 0) return { status, lines: [], err: out + err };
  return { status, lines: Object.entries(JSON.parse(out) as Record<string, string>), err };
}
/** The kind of each line and what follows the id, as far as the first value of the call. */
const kindsIn = (lines: readonly (readonly [string, string])[]) =>
  lines.map(
    ([name, text]) =>
      `${name.split('Z ')[1]}: ${/^\S+ (.*?)(?: (?:evt|user|key|none|app_|\{|0x|\d).*)?$/.exec(text)![1]}`,
  );
const call = (requestId: string, path: string, body: object, key: string) =>
  money.app.ok('POST', path, { key, body, headers: { 'x-request-id': requestId } });

describe('the trace of a request', () => {
  it('follows a login from the click to the mail, the session, the event and its delivery', async () => {
    const app = await money.app.given.app();
    await storeEndpoint(money.app.nest, app.id, { url: receiver.url });
    const [id, email] = [unique(), `${unique()}@example.com`];
    const asked = () => call(id, '/v1/auth/otps/email/login_or_create', { email }, app.secretKey);
    const { answer, message } = await inbox.after(email, asked);
    const { email_id: methodId } = answer as unknown as { email_id: string };
    const body = { method_id: methodId, otp: codeIn(message), session_expires_in: 60 };
    await call(id, '/v1/auth/otps/verify', body, app.secretKey);
    await eventually(async () =>
      expect(kindsIn((await trace(id)).lines).toSorted()).toEqual([
        ...['session.created', 'user.claimed', 'user.created', 'user.updated', 'wallet.created'].map(
          (type) => `delivery: ${type}`,
        ),
        ...['session.created', 'user.claimed', 'user.created', 'user.updated', 'wallet.created'].map(
          (type) => `event: ${type}`,
        ),
        'message: mail one_time_code, sent',
        'session: begins for',
      ]),
    );
    await eventually(async () => expect(JSON.stringify((await trace(id)).lines)).not.toContain('pending'));
    const { lines } = await trace(id);
    const times = lines.map(([name]) => name.split(' ')[1]!);
    expect(times).toEqual(times.toSorted((one, other) => (one < other ? -1 : 1)));
    expect(await trace(unique())).toMatchObject({
      status: 1,
      err: expect.stringContaining('have nothing of this request'),
    });
    expect((await trace(`${id} --days 0`)).status).toBe(64);
  });

  it('follows a payment from the confirmation to the chain', async () => {
    const payer = await money.payer('ethereum');
    const id = unique();
    const { id: transferId } = await money.created(payer);
    await call(id, `/v1/transfers/${transferId}/confirm`, {}, payer.app.secretKey);
    const { blockchain_tx_hash: hash } = await money.become(payer, transferId, 'completed');
    const { lines } = await trace(id);
    expect(kindsIn(lines).toSorted()).toEqual([
      'event: transfer.completed',
      'event: transfer.confirmed',
      'event: transfer.pending',
      'transfer: is completed in block',
      'transfer: is confirmed',
      'transfer: is quoted on eip155:31337',
      'transfer: is sent as payment',
    ]);
    expect(JSON.stringify(lines)).toContain(hash);
  });

  it('shows refused calls and calls that change the app, and the jobs of a call', async () => {
    const app = await money.app.given.app();
    const id = unique();
    const headers = { 'x-request-id': id };
    await money.app.ok('PATCH', `/management/v1/apps/${app.id}`, {
      key: money.app.managementKey,
      body: { name: 'Renamed' },
      headers,
    });
    await money.app.call('GET', '/v1/wallets/wallet_x', { key: app.secretKey, headers });
    await observer.rows(
      `insert into jobs (id, app_id, kind, request_id, due_at) values ('job_of_trace', $1, 'trace', $2, now() + interval '1 day')`,
      [app.id, id],
    );
    await eventually(async () =>
      expect(kindsIn((await trace(id)).lines).toSorted()).toEqual([
        'call: app.updated ok by',
        'event: app.updated',
        'job: trace, waits, attempt',
        'refused call: GET /v1/wallets/:wallet_id wallet_not_found by',
      ]),
    );
  });
});
