import { SignHeads } from '../../../src/modules/audit/application/sign-heads.js';
import { AuditChain, AuditHeads } from '../../../src/modules/audit/domain/audit-heads.js';
import { messageOfCheckpoint } from '../../../src/modules/audit/domain/checkpoint.js';
import { ChainReader } from '../../../src/modules/audit/domain/chain-reader.js';
import { hashOfLink, NO_LINK } from '../../../src/modules/audit/domain/chain-link.js';
import { PostgresAuditChain } from '../../../src/modules/audit/infrastructure/postgres-audit-chain.js';
import { startApp, type TestApp } from '../../support/app.js';
import { AUDIT_TABLES, Chains } from './chains.js';
import { untilAvailable } from '../../support/eventually.js';

let service: TestApp;
let chains: Chains;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  chains = new Chains(service);
});
afterAll(() => service.stop());

/** Puts back the tables as they were before a test changed them. */
type Copy = Awaited<ReturnType<Chains['copy']>>;
let putBack: Copy;
afterEach(() => putBack());

/** An app with a chain as below, before anything is changed. */
async function wholeChain(): Promise<string> {
  const app = await chains.appWithChain();
  putBack = await chains.copy();
  return app;
}

/** What a signer refuses that knows only the tables; it must have signed nothing of them. */
async function refusedAfterRestart(appId: string): Promise<[appId: string, number: number][]> {
  const signed = () => chains.sql(`select app_id, seq from audit_checkpoints where app_id = $1`, [appId]);
  const before = await signed();
  const refused = await chains.refusedBy(chains.restarted(SignHeads));
  expect(await signed()).toEqual(before);
  return refused;
}

/** Each chain has four entries that a checkpoint covers, and a fifth that none covers yet. */
describe('a chain of five entries', () => {
  let app: string;
  let whole: Copy;
  beforeAll(async () => {
    // No case may refuse the chain of another app.
    await chains.appWithChain();
    app = await chains.appWithChain();
    whole = await chains.copy();
  });
  beforeEach(() => {
    putBack = whole;
  });

  it('holds while nothing is changed', async () => {
    expect(await chains.verify(app)).toEqual({
      chains: 1,
      entries: 5,
      checkpoints: 1,
      unsigned: 1,
      cut: 0,
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
      `update audit_log set created_at = ((created_at at time zone 'UTC') + interval '1 us') at time zone 'UTC' where number = 2`,
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
    ['a checkpoint that is deleted', `delete from audit_checkpoints`, 4, /head of the service names/],
    [
      'a checkpoint that is deleted, with the head of the chain',
      `delete from audit_checkpoints; update audit_chains set last_checkpoint = 0`,
      4,
      /head of the service names/,
    ],
    ['the predecessor of a checkpoint', `update audit_checkpoints set previous = sha256('x')`, 4, /changed/],
    ['the MAC of an entry', `update audit_log set mac = sha256('x') where number = 5`, 5, /MAC/],
    ['a checkpoint that covers less', `update audit_checkpoints set number = 3`, 3, /changed/],
    ['the hash of a checkpoint', `update audit_checkpoints set hash = sha256('x')`, 4, /changed/],
    [
      'the time of a checkpoint',
      `update audit_checkpoints set at = ((at at time zone 'UTC') + interval '1 s') at time zone 'UTC'`,
      4,
      /changed/,
    ],
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
    for (const statement of change.split(';')) {
      const where = /\bwhere\b(?!.*\bfrom audit_log l\b)/.test(statement) ? ' and' : ' where';
      const own = statement.includes('from audit_log l')
        ? statement.replace('where', `where c.app_id = '${app}' and`)
        : `${statement}${where} app_id = '${app}'`;
      await chains.sql(own);
    }
    expect(await chains.fault(app)).toEqual({ appId: app, number, difference: expect.stringMatching(difference) });
    expect(await refusedAfterRestart(app)).toEqual([[app, number]]);
    // The chains of other apps hold.
    expect(await chains.fault('')).toBeUndefined();
  });

  it('does not hold when a key that is not sealed by the service signs it', async () => {
    await chains.sql(`update audit_checkpoints set key_id = 'auditkey_mine' where app_id = $1`, [app]);
    await chains.sql(
      `insert into audit_signing_keys (id, public_key, sealed_private_key)
       select 'auditkey_mine', public_key, sealed_private_key from audit_signing_keys limit 1`,
    );
    expect((await chains.fault(app))?.difference).toContain('does not open');
    await chains.sql(`delete from audit_signing_keys where id = 'auditkey_mine'`);
  });

  it('does not hold when no checkpoint covers an entry for hours, until the signer covers it', async () => {
    const { id } = await service.given.app();
    await chains.chain();
    expect(await chains.fault(id)).toBeUndefined();
    // The time of chaining is in the hash, so the test moves the clock of the check.
    const now = jest.spyOn(chains.clock(), 'now').mockReturnValue(new Date(Date.now() + 4 * 3_600_000));
    try {
      const fault = await chains.fault(id);
      expect(fault).toMatchObject({ number: 1, difference: expect.stringContaining('No checkpoint') });
      // A process that was killed before it signed, or a backup, is started hours later: what it finds was never signed.
      expect(await chains.refusedBy(chains.restarted(SignHeads))).toEqual([]);
      expect(await chains.fault(id)).toBeUndefined();
    } finally {
      now.mockRestore();
    }
    await chains.sign();
    putBack = await chains.copy();
  });
});

/** Rewrites of an attacker who may run any SQL, but has no master key. */
describe('a rewrite with SQL', () => {
  /** As the service computes the hashes of links; the MACs cannot be computed. */
  async function rehash(appId: string, after: number): Promise<void> {
    let hash: Uint8Array = (await chains.get(ChainReader).hashAt(appId, after)) ?? NO_LINK;
    for await (const link of chains.get(ChainReader).links(appId, after)) {
      hash = hashOfLink(hash, appId, link);
      await chains.sql(`update audit_log set hash = $3 where app_id = $1 and number = $2`, [appId, link.number, hash]);
    }
    await chains.sql(`update audit_chains set last_hash = $2 where app_id = $1`, [appId, hash]);
  }

  /** Lets a process that has just started chain all entries anew, with the key. */
  async function chainAnew(where = 'true'): Promise<void> {
    await chains.sql(`update audit_log set number = null, hash = null, mac = null, chained_at = null where ${where}`);
    await chains.sql(`update audit_chains set last_number = 0, last_hash = $1, last_checkpoint = 0 where ${where}`, [
      NO_LINK,
    ]);
    const sequencer = chains.restarted(PostgresAuditChain);
    for (let after = '', hasMore = true; hasMore;)
      ({ after, hasMore } = await untilAvailable(() => sequencer.advance(after)));
  }

  type Rewrite = (app: string, other: string, older: Copy) => Promise<unknown>;
  it.each<[string, Rewrite, (app: string) => [appId: string, number: number]]>([
    [
      'an actor and all hashes after it',
      async (app) => {
        await chains.sql(`update audit_log set actor = 'key_other' where app_id = $1 and number = 2`, [app]);
        await rehash(app, 0);
      },
      (app) => [app, 2],
    ],
    [
      'an actor after the last checkpoint, with its hash',
      async (app) => {
        await chains.sql(`update audit_log set actor = 'key_other' where app_id = $1 and number = 6`, [app]);
        await rehash(app, 5);
      },
      (app) => [app, 6],
    ],
    [
      'links that have no MAC any more',
      async (app) => {
        await chains.sql(`alter table audit_log drop constraint audit_log_keyed`);
        await chains.sql(`update audit_log set actor = 'key_other', mac = null where app_id = $1`, [app]);
        await rehash(app, 0);
      },
      (app) => [app, 3],
    ],
    [
      'a chain that the service itself chains anew',
      async (app) => {
        await chains.sql(`update audit_log set actor = 'key_other' where app_id = $1 and number = 2`, [app]);
        await chains.sql(`delete from audit_checkpoints where app_id = $1`, [app]);
        await chainAnew(`app_id = '${app}'`);
      },
      (app) => [app, 5],
    ],
    ['an older copy of a chain', (app, _, older) => older(app), (app) => [app, 5]],
    [
      'a chain whose tables are all emptied',
      async (app) => {
        for (const table of ['audit_log', 'audit_chains', 'audit_checkpoints', 'audit_personal_data'])
          await chains.sql(`delete from ${table} where app_id = $1`, [app]);
      },
      (app) => [app, 1],
    ],
    [
      'the chain of another app in its place',
      async (app, other) => {
        for (const table of ['audit_log', 'audit_chains', 'audit_checkpoints', 'audit_personal_data']) {
          await chains.sql(`delete from ${table} where app_id = $1`, [app]);
          await chains.sql(
            `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('app_id', $1::text))).* from ${table} t where app_id = $2`,
            [app, other],
          );
        }
      },
      (app) => [app, 1],
    ],
    [
      'the checkpoint of another app',
      async (app, other) => {
        await chains.sql(`delete from audit_checkpoints where app_id = $1`, [app]);
        await chains.sql(
          `insert into audit_checkpoints select (jsonb_populate_record(t, jsonb_build_object('app_id', $1::text))).* from audit_checkpoints t where app_id = $2`,
          [app, other],
        );
      },
      (app) => [app, 3],
    ],
    ['all heads, which are deleted', () => chains.sql(`delete from audit_heads`), () => ['head', 1]],
    ['the heads, by an older copy of them', (_, __, older) => older(undefined, ['audit_heads']), () => ['head', 0]],
    [
      'the ends that the head names',
      () => chains.sql(`update audit_heads set ends = '[]' where ends is not null`),
      () => ['head', 0],
    ],
    [
      'a head in the middle, which is deleted',
      () => chains.sql(`delete from audit_heads where seq = 2`),
      () => ['head', 2],
    ],
    [
      'everything, consistently: a new history that the service itself has chained',
      async () => {
        for (const table of ['audit_heads', 'audit_checkpoints', 'audit_cuts', 'audit_signing_keys'])
          await chains.sql(`delete from ${table}`);
        await chains.sql(`update audit_log set actor = 'key_other'`);
        await chainAnew();
      },
      () => ['head', 1],
    ],
  ])('of %s is found, and is not signed after a restart', async (_, rewrite, expected) => {
    const [app, other] = [await chains.appWithChain(3), await chains.appWithChain(3)];
    const older = await chains.copy();
    await chains.rename(app, 'Later');
    await chains.sign();
    await chains.rename(app, 'Last');
    await chains.chain();
    putBack = await chains.copy();
    expect((await chains.verify(null)).faults).toEqual([]);
    const { seq } = (await chains.get(AuditHeads).last())!;
    await rewrite(app, other, older);
    const [place, number] = expected(app);
    // 0 stands for the last head.
    const found: [string, number] = [place, number || seq];
    const { faults } = await chains.verify(null);
    expect(faults.map((fault) => [fault.appId, fault.number])).toContainEqual(found);
    expect(await refusedAfterRestart(app)).toContainEqual(found);
    // Nor by the process that has signed, which reads the heads before its own once a day.
    if (number !== 2) expect(await chains.refusedBy(chains.get(SignHeads))).not.toEqual([]);
    await chains.sql(`alter table audit_log drop constraint if exists audit_log_keyed`);
    await chains.sql(
      `alter table audit_log add constraint audit_log_keyed check (number is null or mac is not null) not valid`,
    );
  });
});

describe('a database that is set back as a whole', () => {
  it('is refused by the process that signed, and found by the logged head; a process that was restarted cannot know', async () => {
    const app = await chains.appWithChain();
    const setBack = await chains.copy();
    await chains.sign();
    const logged = (await chains.get(AuditHeads).last())!;
    putBack = await chains.copy();
    expect((await chains.verify(null, logged)).faults).toEqual([]);
    await setBack();
    expect(await chains.refusedBy(chains.get(SignHeads))).toEqual([['head', logged.seq]]);
    expect((await chains.verify(app)).faults).toEqual([]);
    expect((await chains.verify(app, logged)).faults).toEqual([
      { appId: 'head', number: logged.seq, difference: expect.stringContaining('set back') },
    ]);
    expect(await chains.refusedBy(chains.restarted(SignHeads))).toEqual([]);
    // It has signed another head with the same number.
    expect((await chains.verify(app, logged)).faults).toMatchObject([{ appId: 'head', number: logged.seq }]);
  });

  it('is found, also by a process that was restarted, if only the audit tables were set back', async () => {
    const app = await chains.appWithChain();
    const setBack = await chains.copy();
    await chains.sign();
    const { seq } = (await chains.get(AuditHeads).last())!;
    putBack = await chains.copy();
    await setBack(undefined, AUDIT_TABLES);
    expect((await chains.verify(app)).faults).toEqual([
      { appId: 'head', number: seq, difference: expect.stringContaining('set back') },
    ]);
    expect(await chains.refusedBy(chains.restarted(SignHeads))).toEqual([['head', seq]]);
  });

  it('is not chained on by the process that has chained more, and a new process goes on', async () => {
    const app = await wholeChain();
    await chains.sql(`delete from audit_log where app_id = $1 and number = 5`, [app]);
    await chains.sql(
      `update audit_chains c set last_number = 4, last_hash = l.hash from audit_log l
        where c.app_id = $1 and l.app_id = $1 and l.number = 4`,
      [app],
    );
    await chains.rename(app, 'Waits');
    await untilAvailable(() => chains.get(AuditChain).advance(''));
    expect(await chains.verify(app)).toMatchObject({ unchained: 1 });
    // No signature covers the removed entry, so a new process cannot know of it.
    await untilAvailable(() => chains.restarted(PostgresAuditChain).advance(''));
    expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 5, unchained: 0 });
  });
});

describe('a database of the release before keyed links', () => {
  it('is taken over by one head, after which links without a MAC are refused', async () => {
    const app = await wholeChain();
    await chains.sql(`alter table audit_log drop constraint audit_log_keyed`);
    await chains.sql(`alter table audit_checkpoints drop constraint audit_checkpoints_named`);
    const toFormerRelease = async (): Promise<void> => {
      for (const table of ['audit_heads', 'audit_checkpoints', 'service_state'])
        await chains.sql(`delete from ${table}`);
      await chains.sql(`update audit_log set mac = null`);
      await chains.sql(`update audit_chains set last_checkpoint = 0`);
    };
    await toFormerRelease();
    // Without a checkpoint of that release it may as well be a database whose heads were deleted.
    expect(await chains.refusedBy(chains.restarted(SignHeads))).toEqual([['head', 1]]);
    const { hash } = (
      await chains.sql<{ hash: Buffer }>(`select hash from audit_log where app_id = $1 and number = 4`, [app])
    )[0]!;
    const state = {
      seq: 1,
      kind: 'hour',
      head: null,
      previous: null,
      number: 4,
      hash,
      at: new Date(1_700_000_000_000),
    };
    const { keyId, signature } = (await chains.keys().signer())(messageOfCheckpoint(app, state));
    await chains.sql(
      `insert into audit_checkpoints (app_id, seq, kind, number, hash, at, key_id, signature) values ($1, 1, 'hour', 4, $2, $3, $4, $5)`,
      [app, hash, state.at, keyId, signature],
    );
    await chains.sql(`update audit_chains set last_checkpoint = 1 where app_id = $1`, [app]);
    expect((await chains.verify(null)).faults).toEqual([]);
    const signer = chains.restarted(SignHeads);
    expect(await chains.refusedBy(signer)).toEqual([]);
    expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 5, checkpoints: 2, unsigned: 0 });
    await chains.rename(app, 'Keyed');
    await chains.rename(app, 'Signed too');
    await untilAvailable(() => chains.restarted(PostgresAuditChain).advance(''));
    expect(await chains.refusedBy(signer)).toEqual([]);
    expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 7, checkpoints: 3, unsigned: 0 });
    await chains.sql(`update audit_log set mac = null where app_id = $1 and number = 6`, [app]);
    expect(await chains.fault(app)).toMatchObject({ number: 6, difference: expect.stringContaining('MAC') });
    await toFormerRelease();
    expect(await chains.refusedBy(chains.restarted(SignHeads))).toEqual([['head', 1]]);
    await putBack();
    await chains.sql(
      `alter table audit_log add constraint audit_log_keyed check (number is null or mac is not null) not valid`,
    );
  });
});

describe('erasure', () => {
  it('leaves the chain valid and shows that the address was erased', async () => {
    const app = await wholeChain();
    await chains.sql(`delete from audit_personal_data where app_id = $1`, [app]);
    expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 5, erased: 5 });
    const list = await service.call('GET', `/management/v1/apps/${app}/audit_log`, { key: service.managementKey });
    expect(list.body.entries).toHaveLength(5);
    for (const entry of list.body.entries) expect([entry.ip, entry.ip_erased]).toEqual(['', true]);
  });

  it('cannot be taken back with another address', async () => {
    const app = await wholeChain();
    await chains.sql(
      `update audit_personal_data set ip = '192.0.2.1' where app_id = $1
          and entry_id = (select id from audit_log where app_id = $1 and number = 3)`,
      [app],
    );
    expect(await chains.fault(app)).toMatchObject({ number: 3 });
  });
});

describe('checkpoints', () => {
  it('are signed for chains with new entries only, and each names the one before it', async () => {
    const app = await wholeChain();
    await chains.sign();
    await chains.sign();
    const rows = await chains.sql<{ seq: string; previous: Buffer }>(
      `select seq, previous from audit_checkpoints where app_id = $1 order by seq`,
      [app],
    );
    expect(rows.map(({ seq }) => Number(seq))).toEqual([1, 2]);
    expect([rows[0]!.previous, rows[1]!.previous]).toEqual([NO_LINK, expect.any(Buffer)]);
    expect(rows[1]!.previous).not.toEqual(NO_LINK);
    expect(await chains.fault(app)).toBeUndefined();
    putBack = await chains.copy();
  });

  it('of earlier keys stay valid after the key was rotated', async () => {
    const app = await wholeChain();
    const key = await chains.keys().rotate();
    await chains.sign();
    const [last] = await chains.sql<{ key_id: string }>(
      `select key_id from audit_checkpoints where app_id = $1 order by seq desc limit 1`,
      [app],
    );
    expect(last!.key_id).toBe(key);
    expect(await chains.verify(app)).toMatchObject({ broken: 0, checkpoints: 2 });
    putBack = await chains.copy();
  });
});
