import { createHash, randomBytes } from 'node:crypto';
import { StoredBytes } from '../../src/edge/idempotency/stored-bytes.js';
import { newId } from '../../src/kernel/ids.js';
import { Database } from '../../src/postgres/database.js';
import { startApp, type TestApp } from '../support/app.js';
import { untilScheduleDid } from '../support/background.js';
import { eventually } from '../support/eventually.js';
import { type GivenApp, unique } from '../support/given.js';

let one: TestApp;
let two: TestApp;
let app: GivenApp;
beforeAll(async () => {
  one = await startApp();
  two = await startApp({ databaseUrl: one.databaseUrl });
  app = await one.given.app();
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

const create = (replica: TestApp, idempotencyKey: string, body: unknown, secretKey = app.secretKey) =>
  replica.call('POST', '/v1/auth/users/create', {
    key: secretKey,
    body,
    headers: { 'idempotency-key': idempotencyKey },
  });

describe('an Idempotency-Key', () => {
  it('answers the same again, says so, and creates nothing twice', async () => {
    const body = { email: `${unique()}@example.com` };
    const first = await create(one, 'a', body);
    const second = await create(one, 'a', body);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it('refuses another body', async () => {
    await create(one, 'b', { email: `${unique()}@example.com` });
    const { status, body } = await create(one, 'b', { email: `${unique()}@example.com` });
    expect([status, body.error_type]).toEqual([422, 'idempotency_key_reused']);
  });

  it('takes a body whose members come in another order for the same', async () => {
    const email = `${unique()}@example.com`;
    const body = { email, first_name: 'Ann', device: { ip: '192.0.2.1', list: [{ a: 1, b: null }, 'é'] } };
    const first = await create(one, 'order', body);
    const reordered = { device: { list: [{ b: null, a: 1 }, 'é'], ip: '192.0.2.1' }, first_name: 'Ann', email };
    const again = await create(two, 'order', reordered);
    expect([again.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([200, 'true', first.text]);
    for (const other of [
      { ...body, device: { ...body.device, list: ['é', { a: 1, b: null }] } },
      { ...body, first_name: undefined },
      { ...body, device: { ...body.device, list: [{ a: '1', b: null }, 'é'] } },
      { ...body, last_name: null },
    ])
      expect((await create(one, 'order', other)).body.error_type).toBe('idempotency_key_reused');
  });

  it('compares the members in their order where a replica of an earlier release has stored the response', async () => {
    const key = unique();
    const body = { email: `${unique()}@example.com`, first_name: 'Ann' };
    const first = await create(one, key, body);
    await one.nest.get(Database).write('update idempotency_keys set body_digest = null where app_id = $1', [app.id]);
    expect((await create(one, key, body)).text).toBe(first.text);
    const { email, first_name } = body;
    expect((await create(one, key, { first_name, email })).body.error_type).toBe('idempotency_key_reused');
  });

  it('ignores the digest of a body that a replica of an earlier release has replaced', async () => {
    const key = unique();
    const body = { email: `${unique()}@example.com`, first_name: 'Ann' };
    await create(one, key, body);
    await one.nest
      .get(Database)
      .write(`update idempotency_keys set body_hash = sha256('another body') where app_id = $1`, [app.id]);
    expect((await create(one, key, body)).body.error_type).toBe('idempotency_key_reused');
  });

  it('is compared by a replica of an earlier release as before', async () => {
    const key = unique();
    const body = { first_name: 'Ann', email: `${unique()}@example.com` };
    await create(one, key, body);
    const [row] = await one.nest
      .get(Database)
      .write<{ hash: Buffer }>(
        `select body_hash as hash from idempotency_keys where app_id = $1 and key_hash = sha256($2::bytea)`,
        [app.id, Buffer.from(key)],
      );
    expect(row!.hash).toEqual(createHash('sha256').update(JSON.stringify(body)).digest());
  });

  it('belongs to one app', async () => {
    const other = await one.given.app();
    const body = { email: `${unique()}@example.com` };
    const first = await create(one, 'c', body);
    const second = await create(one, 'c', body, other.secretKey);
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    expect(second.body.user_id).not.toBe(first.body.user_id);
  });

  it('given 24 times at once to two replicas, is acted on once and answered the same to all', async () => {
    const body = { email: `${unique()}@example.com` };
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => create(i % 2 ? one : two, 'd', body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  });

  it('is free again after a refusal, which changed nothing', async () => {
    const email = `${unique()}@example.com`;
    const holder = await one.given.user(app, { email });
    expect((await create(one, 'e', { email })).status).toBe(409);
    await one.call('DELETE', `/v1/auth/users/${holder.user_id}/delete`, { key: app.secretKey });
    expect((await create(one, 'e', { email })).status).toBe(200);
  });

  it('is forgotten after 24 hours', async () => {
    const body = { first_name: 'Ann', email: `${unique()}@example.com` };
    await create(one, 'f', body);
    await one.nest
      .get(Database)
      .write(`update idempotency_keys set created_at = now() - interval '25 hours' where app_id = $1`, [app.id]);
    expect((await create(one, 'f', body)).status).toBe(409);
  });

  it('leaves nothing of a session change in the next JWT when its answer could not be kept', async () => {
    const { user_id } = await one.given.user(app);
    const verify = async (fields: object, headers = {}) => {
      const { token } = (
        await one.call('POST', '/v1/auth/magic_links/create', { key: app.secretKey, body: { user_id } })
      ).body as { token: string };
      const body = { token, ...fields };
      return one.call('POST', '/v1/auth/magic_links/verify', { key: app.secretKey, body, headers });
    };
    const { session_token } = (await verify({ session_expires_in: 60 })).body;
    const database = one.nest.get(Database);
    await database.write(`alter table idempotency_keys add constraint refuse_all check (app_id = '') not valid`);
    const cut = await verify({ session_token, session_expires_in: 600 }, { 'idempotency-key': 'i' });
    await database.write(`alter table idempotency_keys drop constraint refuse_all`);
    expect(cut.status).toBe(500);
    const { session, session_jwt } = (await verify({ session_token })).body;
    const claims = JSON.parse(Buffer.from(session_jwt.split('.')[1], 'base64url').toString()) as Record<
      string,
      unknown
    >;
    expect(Object.values(claims)).toContainEqual(expect.objectContaining({ expires_at: session.expires_at }));
  });

  it('leaves the database after 24 hours, in statements of at most 1,000 rows', async () => {
    const database = one.nest.get(Database);
    await database.write(`
      create function refuse_many_rows() returns trigger language plpgsql as $$
      begin
        if (select count(*) from gone) > 1000 then raise 'too many rows for one statement'; end if;
        return null;
      end $$`);
    await database.write(`
      create trigger refuse_many_rows after delete on idempotency_keys referencing old table as gone
        for each statement execute function refuse_many_rows()`);
    const [expired, other, fresh] = [unique(), unique(), unique()];
    for (const [scope, rows, age] of [
      [expired, 2_500, 25],
      [other, 1, 25],
      [fresh, 1, 23],
    ] as const)
      await database.write(
        `insert into idempotency_keys (app_id, path, key_hash, body_hash, created_at)
         select $1, '/', sha256(n::text::bytea), '', now() - make_interval(hours => $3::int) from generate_series(1, $2::int) n`,
        [scope, rows, age],
      );
    const left = async () =>
      (
        await database.write<{ scope: string }>(
          `select distinct app_id as scope from idempotency_keys where app_id = any($1)`,
          [[expired, other, fresh]],
        )
      ).map(({ scope }) => scope);
    await untilScheduleDid(one, 'retention.idempotency_keys', async () => expect(await left()).toEqual([fresh]));
    await database.write(`drop function refuse_many_rows cascade`);
  });

  describe('of an app whose limit of stored responses is 1 MiB', () => {
    const MEGABYTE = 1024 * 1024;
    const TENTH = MEGABYTE / 10;
    let full: GivenApp;
    beforeAll(async () => {
      full = await one.given.app({ limits: { stored_answers_mb: 1 } });
    });

    /** Lets both replicas find these bytes in the usage of the app. */
    async function use(bytes: number, reserved = 0): Promise<void> {
      const database = one.nest.get(Database);
      await database.write(
        `insert into idempotency_usage as u (app_id, hour, bytes, reserved_bytes) values ($1, date_trunc('hour', now()), $2, $3)
         on conflict (app_id, hour) do update set bytes = excluded.bytes, reserved_bytes = excluded.reserved_bytes`,
        [full.id, Math.ceil(bytes), Math.ceil(reserved)],
      );
      // A replica reads the usage after it has written its own.
      for (const { nest } of [one, two]) await nest.get(StoredBytes).update(full.id);
    }
    const post = (path: string, body: unknown, key?: string, at = one) =>
      at.call('POST', path, { key: full.secretKey, body, headers: key ? { 'idempotency-key': key } : {} });
    const createUser = (key?: string, at = one) =>
      post('/v1/auth/users/create', { email: `${unique()}@example.com` }, key, at);

    it('causes an event and a metric from 80 % on, before a call is refused', async () => {
      await use(0.79 * MEGABYTE);
      await use(0.85 * MEGABYTE);
      expect((await createUser(unique())).status).toBe(200);
      const events = await eventually(async () => {
        const rows = await one.nest
          .get(Database)
          .write<{ data: object }>(`select data from stored_events where app_id = $1 and type = 'limit.reached'`, [
            full.id,
          ]);
        expect(rows.length).toBeGreaterThan(0);
        return rows;
      });
      expect(events.map(({ data }) => data)).toEqual([{ class: 'stored_answers', percent: 85 }]);
      const metrics = await one.metrics();
      expect(Number(/^idempotency_stored_share (\S+)/m.exec(metrics)![1])).toBeGreaterThan(0.8);
      expect(Number(/^idempotency_stored_bytes (\S+)/m.exec(metrics)![1])).toBeGreaterThan(0.8 * MEGABYTE);
    });

    it('is refused with 429 beyond it, unless its call is safe to repeat, and still replays', async () => {
      await use(0);
      const body = { email: `${unique()}@example.com` };
      const first = await post('/v1/auth/users/create', body, 'j');
      await use(MEGABYTE);
      for (const replica of [one, two]) {
        const refused = await createUser('k', replica);
        expect([refused.status, refused.body.error_type]).toEqual([429, 'stored_answers_full']);
        expect(refused.headers.get('ratelimit-policy')).toContain(`"stored_answers";q=${MEGABYTE};w=86400`);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        const replayed = await post('/v1/auth/users/create', body, 'j', replica);
        expect([replayed.status, replayed.text]).toEqual([200, first.text]);
        const mailed = await post('/v1/auth/otps/email/login_or_create', body, unique(), replica);
        expect([mailed.status, mailed.headers.get('idempotency-stored')]).toEqual([200, 'false']);
      }
      expect((await createUser()).status).toBe(200);
    });

    it('of a login is carried out beyond it, once', async () => {
      const { user_id } = (await createUser()).body;
      const { token } = (await post('/v1/auth/magic_links/create', { user_id })).body;
      const key = unique();
      const verify = () => post('/v1/auth/magic_links/verify', { token, session_expires_in: 60 }, key);
      const first = await verify();
      expect([first.status, first.headers.get('idempotency-stored')]).toEqual([200, 'false']);
      expect((await verify()).body.error_type).toBe('invalid_magic_token');
    });

    it('of a freeze is carried out beyond it', async () => {
      const { user_id } = (await createUser()).body;
      const frozen = await one.call('POST', `/management/v1/apps/${full.id}/users/${user_id}/freeze`, {
        key: one.managementKey,
        headers: { 'idempotency-key': unique() },
      });
      expect([frozen.status, frozen.headers.get('idempotency-stored')]).toEqual([200, 'false']);
    });

    it('of a payment or an import has a tenth of the room for itself, also where other calls passed the limit', async () => {
      const create = {
        source: newId('wallet'),
        dest: `0x${'12'.repeat(20)}`,
        source_amount: '1',
        source_currency: 'ethereum',
      };
      const pay = async () => (await post('/v1/transfers/create', create, unique())).body.error_type;
      const { user_id } = (await createUser()).body;
      const begin = (key: string) => post('/v1/wallets/import/begin', { user_id, wallet_type: 'ethereum' }, key);
      for (const [bytes, reserved] of [
        [0.95 * MEGABYTE, 0],
        [2 * MEGABYTE, 0.9 * TENTH],
      ] as const) {
        await use(bytes, reserved);
        const key = unique();
        const first = await begin(key);
        expect([first.status, first.headers.get('idempotency-stored')]).toEqual([200, null]);
        const again = await begin(key);
        expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
        expect(await pay()).toBe('wallet_not_found');
      }
      await use(2 * MEGABYTE, TENTH);
      expect((await begin(unique())).headers.get('idempotency-stored')).toBe('false');
      expect(await pay()).toBe('stored_answers_full');
    });

    it('is stored again when an operator raises the limit, or a day later', async () => {
      await use(MEGABYTE);
      expect((await createUser(unique())).status).toBe(429);
      const limits = (stored_answers_mb: number) =>
        one.call('PATCH', `/management/v1/apps/${full.id}`, {
          key: one.managementKey,
          body: { limits: { stored_answers_mb } },
        });
      await limits(2);
      await eventually(async () => expect((await createUser(unique())).status).toBe(200));
      await limits(1);
      await eventually(async () => expect((await createUser(unique())).status).toBe(429));
      await one.nest
        .get(Database)
        .write(`update idempotency_usage set hour = hour - interval '24 hours' where app_id = $1`, [full.id]);
      await one.nest.get(StoredBytes).update(full.id);
      expect((await createUser(unique())).status).toBe(200);
    });
  });

  it('keeps no usable answer in the database', async () => {
    const body = { email: `${unique()}@example.com` };
    await create(one, 'g', body);
    const rows = await one.nest
      .get(Database)
      .write<{ answer: Buffer }>(`select answer from idempotency_keys where app_id = $1`, [app.id]);
    expect(rows.length).toBeGreaterThan(0);
    for (const { answer } of rows) expect(answer.toString('latin1')).not.toContain(body.email);
  });

  it('changes nothing about a path that is too long to be any', async () => {
    const path = `/management/v1/apps/${randomBytes(4_500).toString('hex')}/keys`;
    const headers = { 'idempotency-key': 'h' };
    const { status, body } = await one.call('POST', path, {
      key: one.managementKey,
      body: { kind: 'secret' },
      headers,
    });
    expect([status, body.error_type]).toEqual([404, 'app_not_found']);
  });

  it.each(['', 'a b', 'x'.repeat(256)])('%j is refused', async (key) => {
    const { status } = await create(one, key, { email: `${unique()}@example.com` });
    expect(status).toBe(400);
  });
});
