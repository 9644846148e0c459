import { startApp, type TestApp } from '../../support/app.js';
import { Chains } from './chains.js';

let service: TestApp;
let chains: Chains;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  chains = new Chains(service);
});
afterAll(() => service.stop());

/** Each chain has four entries that a checkpoint covers, and a fifth that none covers yet. */
describe('a chain of five entries', () => {
  it('holds while nothing is changed', async () => {
    const app = await chains.appWithChain();
    expect(await chains.verify(app)).toEqual({
      chains: 1,
      entries: 5,
      checkpoints: 1,
      erased: 0,
      unchained: 0,
      faults: [],
      broken: 0,
    });
  });

  it.each<[string, string, number, RegExp]>([
    ['the actor of an entry', `update audit_log set actor = 'key_other' where number = 2`, 2, /hash differs/],
    ['the action of an entry', `update audit_log set action = 'app.read' where number = 2`, 2, /hash differs/],
    ['the target of an entry', `update audit_log set target_id = 'app_other' where number = 2`, 2, /hash differs/],
    ['the fields of an entry', `update audit_log set fields = '{name,limits}' where number = 2`, 2, /hash differs/],
    ['the outcome of an entry', `update audit_log set outcome = 'refused' where number = 2`, 2, /hash differs/],
    ['the error type of an entry', `update audit_log set error_type = '' where number = 2`, 2, /hash differs/],
    ['the number of calls of an entry', `update audit_log set calls = 2 where number = 2`, 2, /hash differs/],
    ['the request id of an entry', `update audit_log set request_id = null where number = 2`, 2, /hash differs/],
    [
      'the time of an entry',
      `update audit_log set created_at = created_at + '1 us' where number = 2`,
      2,
      /hash differs/,
    ],
    ['the id of an entry', `update audit_log set id = id || '0' where number = 2`, 2, /hash differs/],
    ['when it was chained', `update audit_log set chained_at = now() where number = 2`, 2, /hash differs/],
    ['the stored hash of an entry', `update audit_log set hash = sha256('x') where number = 2`, 2, /hash differs/],
    ['the commitment', `update audit_log set ip_commitment = null where number = 2`, 2, /hash differs/],
    ['a row that is deleted', `delete from audit_log where number = 2`, 2, /missing/],
    ['a first row that is deleted', `delete from audit_log where number = 1`, 1, /missing/],
    ['a row that is unchained', `update audit_log set number = null where number = 2`, 2, /missing/],
    [
      'two rows that are exchanged',
      `update audit_log set number = case number when 2 then -3 when 3 then -2 end where number in (2, 3);
       update audit_log set number = -number where number < 0`,
      2,
      /hash differs/,
    ],
    ['a row with a number below 1', `update audit_log set number = -1 where number = 5`, 0, /below 1/],
    ['a tail that is deleted', `delete from audit_log where number = 5`, 5, /end differs/],
    [
      'a tail that is deleted below the checkpoint, with the head',
      `delete from audit_log where number >= 4;
       update audit_chains c set last_number = 3, last_hash = l.hash from audit_log l where l.app_id = c.app_id and l.number = 3`,
      4,
      /truncated/,
    ],
    ['a head that is moved', `update audit_chains set last_number = 9`, 6, /end differs/],
    ['a head that is deleted', `delete from audit_chains`, 5, /head of the chain is missing/],
    ['a checkpoint that is deleted', `delete from audit_checkpoints`, 5, /checkpoint is 0/],
    ['a checkpoint that covers less', `update audit_checkpoints set number = 3`, 3, /changed/],
    ['the hash of a checkpoint', `update audit_checkpoints set hash = sha256('x')`, 4, /changed/],
    ['the time of a checkpoint', `update audit_checkpoints set at = at + '1 s'`, 4, /changed/],
    [
      'the signature of a checkpoint',
      `update audit_checkpoints set signature = sha256('x') || sha256('y')`,
      4,
      /changed/,
    ],
    ['the key of a checkpoint', `update audit_checkpoints set key_id = 'auditkey_other'`, 4, /key/],
    ['an address', `update audit_personal_data set ip = '192.0.2.1'`, 1, /personal data/],
    ['the salt of an address', `update audit_personal_data set salt = sha256('x')`, 1, /personal data/],
  ])('names the first broken link after a change of %s', async (_, change, number, difference) => {
    const app = await chains.appWithChain();
    for (const statement of change.split(';')) {
      const where = /\bwhere\b(?!.*\bfrom audit_log l\b)/.test(statement) ? ' and' : ' where';
      const own = statement.includes('from audit_log l')
        ? statement.replace('where', `where c.app_id = '${app}' and`)
        : `${statement}${where} app_id = '${app}'`;
      await chains.sql(own);
    }
    expect(await chains.fault(app)).toEqual({ appId: app, number, difference: expect.stringMatching(difference) });
    // The chains of other apps hold.
    expect(await chains.fault('')).toBeUndefined();
  });

  it('does not hold after it was rewritten without the key of its checkpoint', async () => {
    const app = await chains.appWithChain();
    await chains.sql(`update audit_log set actor = 'key_other' where app_id = $1 and number = 2`, [app]);
    // What the sequencer would write: the whole chain anew.
    await chains.sql(`update audit_log set number = null, hash = null where app_id = $1`, [app]);
    await chains.sql(`update audit_chains set last_number = 0, last_hash = $2 where app_id = $1`, [
      app,
      Buffer.alloc(32),
    ]);
    await chains.chain();
    expect(await chains.fault(app)).toEqual({
      appId: app,
      number: 4,
      difference: expect.stringContaining('rewritten'),
    });
  });

  it('does not hold when a key that is not sealed by the service signs it', async () => {
    const app = await chains.appWithChain();
    await chains.sql(`update audit_checkpoints set key_id = 'auditkey_mine' where app_id = $1`, [app]);
    await chains.sql(
      `insert into audit_signing_keys (id, public_key, sealed_private_key)
       select 'auditkey_mine', public_key, sealed_private_key from audit_signing_keys limit 1`,
    );
    expect((await chains.fault(app))?.difference).toContain('does not open');
    await chains.sql(`delete from audit_signing_keys where id = 'auditkey_mine'`);
  });

  it('does not hold when it is gone as a whole', async () => {
    const app = await chains.appWithChain();
    for (const table of ['audit_log', 'audit_chains', 'audit_checkpoints'])
      await chains.sql(`delete from ${table} where app_id = $1`, [app]);
    expect(await chains.fault(app)).toMatchObject({ number: 1, difference: expect.stringContaining('whole chain') });
  });

  it('does not hold when no checkpoint covers an entry for hours, although its head names none', async () => {
    const app = await chains.appWithChain();
    const { id } = await service.given.app();
    await chains.chain();
    expect(await chains.fault(id)).toBeUndefined();
    await chains.sql(`delete from audit_checkpoints where app_id = $1`, [app]);
    await chains.sql(`update audit_chains set last_checkpoint = 0 where app_id = $1`, [app]);
    // The time of chaining is in the hash, so the test moves the clock of the check.
    const now = jest.spyOn(chains.clock(), 'now').mockReturnValue(new Date(Date.now() + 4 * 3_600_000));
    expect(await chains.fault(app)).toMatchObject({ number: 1, difference: expect.stringContaining('No checkpoint') });
    now.mockRestore();
  });
});

describe('erasure', () => {
  it('leaves the chain valid and shows that the address was erased', async () => {
    const app = await chains.appWithChain();
    await chains.sql(`delete from audit_personal_data where app_id = $1`, [app]);
    expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 5, erased: 5 });
    const list = await service.call('GET', `/management/v1/apps/${app}/audit_log`, { key: service.managementKey });
    expect(list.body.entries).toHaveLength(5);
    for (const entry of list.body.entries) expect([entry.ip, entry.ip_erased]).toEqual(['', true]);
  });

  it('cannot be taken back with another address', async () => {
    const app = await chains.appWithChain();
    await chains.sql(
      `update audit_personal_data set ip = '192.0.2.1' where app_id = $1
          and entry_id = (select id from audit_log where app_id = $1 and number = 3)`,
      [app],
    );
    expect(await chains.fault(app)).toMatchObject({ number: 3 });
  });
});

describe('checkpoints', () => {
  it('are signed each hour for chains with new entries, and each day', async () => {
    const app = await chains.appWithChain();
    const kinds = async () =>
      (
        await chains.sql<{ kind: string }>(`select kind from audit_checkpoints where app_id = $1 order by seq`, [app])
      ).map(({ kind }) => kind);
    expect(await kinds()).toEqual(['day']);
    // Midnight does not come before the next lines.
    await chains.sql(`update audit_chains set day_at = day_at + interval '1 day' where app_id = $1`, [app]);
    await chains.sign();
    await chains.sign();
    expect(await kinds()).toEqual(['day', 'hour']);
    await chains.sql(`update audit_chains set day_at = day_at - interval '2 days' where app_id = $1`, [app]);
    await chains.sign();
    await chains.sign();
    expect(await kinds()).toEqual(['day', 'hour', 'day']);
    expect(await chains.fault(app)).toBeUndefined();
  });

  it('of earlier keys stay valid after the key was rotated', async () => {
    const app = await chains.appWithChain();
    const key = await chains.keys().rotate();
    await chains.sign();
    const [last] = await chains.sql<{ key_id: string }>(
      `select key_id from audit_checkpoints where app_id = $1 order by seq desc limit 1`,
      [app],
    );
    expect(last!.key_id).toBe(key);
    expect(await chains.verify(app)).toMatchObject({ broken: 0, checkpoints: 2 });
  });
});
