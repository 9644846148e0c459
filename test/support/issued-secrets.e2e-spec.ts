import { Client } from 'pg';
import { newId } from '../../src/kernel/ids.js';
import { QueuedMailer } from '../../src/services/mail/queued-mailer.js';
import { createDatabase, type TestDatabase } from './database.js';
import { holdsSecret, storedSecrets } from './issued-secrets.js';
import { testTokens } from './secret-tokens.js';

const CODE = '730164';

let database: TestDatabase;
let client: Client;
let token: string;
beforeAll(async () => {
  database = await createDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  token = testTokens().mint();
  const mailer = { server: {}, deliveries: { enqueue: () => undefined } };
  QueuedMailer.prototype.send.apply(mailer as never, [{ appId: newId('app') }, { code: CODE }] as never);
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const EVENT = `insert into unsequenced_events (app_id, id, type, data) values ('app', $1, 'user.created', json_build_object('name', $2::text))`;
const BYTES = `insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('app', $1, '', convert_to($2, 'UTF8'))`;
const MESSAGE = `insert into messages (app_id, id, channel, kind, recipient) values ('app', $1, 'mail', 'invite', $2)`;

describe('a token or code that the service issued', () => {
  it.each([
    ['the data of an event', 'unsequenced_events', EVENT, () => token],
    ['a link in the data of an event', 'unsequenced_events', EVENT, () => `https://app.example/?token=${token}&a=1`],
    ['a column of bytes', 'idempotency_keys', BYTES, () => `sk_test_${token}`],
    ['a column of text', 'messages', MESSAGE, () => `Your code is ${CODE}.`],
  ])('is found in %s', async (_, table, insert, value) => {
    await client.query(insert, [newId('event'), value()]);
    expect((await storedSecrets(database.url)).map((row) => row.split(':')[0])).toEqual([`table ${table}`]);
    await client.query(`delete from ${table}`);
    expect(await storedSecrets(database.url)).toEqual([]);
  });

  it('is found in a line of the log', () => {
    expect(holdsSecret(`{"level":"info","path":"/login?token=${token}"}`)).toBe(true);
    expect(holdsSecret(`{"level":"info","code":"${CODE}"}`)).toBe(true);
  });

  it('is not found in its hash, nor in a number that contains the digits of a code', () => {
    const hash = testTokens().hash('session', token).toString('hex');
    const time = `2026-01-01 12:00:00.${CODE}+00`;
    expect([hash, time, `msg_${CODE}`, `${CODE}0`].filter(holdsSecret)).toEqual([]);
  });
});
