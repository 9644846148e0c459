import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Database } from '../../../src/postgres/database.js';
import { MANAGEMENT_KEY, startApp } from '../../support/app.js';
import { ensureBuilt } from '../../support/built.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

const EVENTS = 60_000;
const SESSIONS = 30_000;
const KILLS = 3;
const MASTER_KEYS = `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`;

beforeAll(() => ensureBuilt());

describe('an erasure', () => {
  it('whose worker is killed three times goes on where it was, and its receipt counts each row once', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const service = await startApp({ databaseUrl, env: { ROLE: 'api' } });
    const database = service.nest.get(Database);
    const app = await service.given.app();
    const { user_id: userId } = await service.given.user(app, { first_name: 'Grace' });
    const of = [app.id, userId];
    await database.write(
      `insert into event_log (app_id, id, position, type, user_id, body, created_at, sequenced_at)
       select $1, 'event_many' || i, 1000000 + i, 'user.updated', $2, '{}', now(), now() from generate_series(1, ${EVENTS}) i`,
      of,
    );
    await database.write(
      `insert into sessions (app_id, id, user_id, token_hash, expires_at, revoked_at, factors, user_agent, ip)
       select $1, 'session_' || i, $2, sha256(i::text::bytea), now(), now(), '{}', 'agent', 'ip' from generate_series(1, ${SESSIONS}) i`,
      of,
    );
    const path = `/management/v1/apps/${app.id}/users/${userId}/erase`;
    const receipt = async () => (await service.call('GET', path, { key: MANAGEMENT_KEY })).body;
    // No worker runs: the call answers before the end.
    expect((await service.call('POST', path, { key: MANAGEMENT_KEY })).body).toMatchObject({ status: 'running' });

    const env = { ...process.env, NODE_ENV: 'test', DATABASE_URL: databaseUrl, MASTER_KEYS, ROLE: 'worker', PORT: '0' };
    const children: ChildProcess[] = [];
    const worker = (): ChildProcess => {
      const child = spawn(process.execPath, ['dist/src/main.js'], { env, stdio: 'ignore' });
      children.push(child);
      return child;
    };
    const rows = async (): Promise<number> => {
      const [found] = await database.list<{ rows: number }>(
        `select (select sum(value::int) from jsonb_each_text(counts))::int as rows from erasures where app_id = $1 and user_id = $2`,
        of,
      );
      return found!.rows ?? 0;
    };
    try {
      const seen = [await rows()];
      for (let kill = 1; kill <= KILLS; kill++) {
        const child = worker();
        const ended = once(child, 'exit');
        const until = Date.now() + 60_000;
        while (child.exitCode === null && Date.now() < until && (await rows()) <= seen.at(-1)! + 3_000);
        child.kill('SIGKILL');
        await ended;
        expect(child.signalCode).toBe('SIGKILL');
        seen.push(await rows());
        expect((await receipt()).status).toBe('running');
        // A lease later.
        await database.write(`update jobs set due_at = now(), rank_at = now() where kind = 'privacy.erase'`);
      }
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
      worker();
      await eventually(async () => expect((await receipt()).status).toBe('done'));
    } finally {
      for (const child of children) child.kill('SIGKILL');
    }
    const { lines } = await receipt();
    const counted = Object.fromEntries(
      lines.map(({ name, rows: count }: { name: string; rows: number | null }) => [name, count]),
    );
    expect(counted).toMatchObject({ sessions: SESSIONS, emails: 1, user: 1 });
    expect(counted.events).toBeGreaterThanOrEqual(EVENTS);
    expect(counted.events).toBeLessThan(EVENTS + 100);
    expect(await database.list('select from sessions where app_id = $1 and user_id = $2', of)).toEqual([]);
    await service.stop();
    await drop();
  }, 300_000);
});
