import { Client } from 'pg';
import { Vault } from '../../../src/kernel/vault.js';
import { SealRows } from '../../../src/services/crypto/service-row-macs.js';
import { type Answer, MANAGEMENT_KEY, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Money, newAddress, type Payer } from '../../support/money.js';
import { Observer } from '../../support/observer.js';
import { Treasury } from '../policy/treasury.js';

let money: Money;
let observer: Observer;
let payer: Payer;

beforeAll(async () => {
  money = await Money.start();
  observer = await Observer.of(money.app);
  payer = await money.payer('ethereum', 100n);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

/** The tracker has tried at least once to sign what is pending. */
const observe = async (): Promise<void> => {
  const failed = async (): Promise<number> =>
    Number(
      /seal_failures_total\{kind="row of transfers"\} (\d+)/.exec((await money.app.call('GET', '/metrics')).text)![1],
    );
  const before = await failed();
  await eventually(async () => {
    await money.look();
    expect(await failed()).toBeGreaterThan(before);
  });
};

const refusal = ({ status, body }: Answer) => [status, body.error_type];

describe('a transfer whose row was altered by SQL', () => {
  it.each([
    ['dest', (thief: string) => `dest = '${thief}'`],
    ['amount', () => `amount = amount * 2`],
    ['fee_cap', () => `fee_cap = fee_cap * 100`],
    ['mac', (thief: string) => `dest = '${thief}', mac = null`],
    ['mac, empty', (thief: string) => `dest = '${thief}', mac = ''`],
  ])('is not confirmed: %s', async (_, assignment) => {
    const thief = newAddress('ethereum');
    const { id, dest } = await money.created(payer);
    await observer.rows(`update transfers set ${assignment(thief)} where id = $1`, [id]);
    expect(refusal(await money.confirm(payer, id))).toEqual([500, 'seal_broken']);
    expect([await money.balance('ethereum', thief), await money.balance('ethereum', dest)]).toEqual([0n, 0n]);
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', blockchain_tx_hash: '' });
    expect((await money.app.call('GET', '/metrics')).text).toMatch(
      /^seal_failures_total\{kind="row of transfers"\} [1-9]/m,
    );
  });

  it('is left out of lists, unless it has ended', async () => {
    const { app } = money;
    const key = payer.app.secretKey;
    const [ended, altered] = [await money.created(payer), await money.created(payer)];
    await app.ok('POST', `/v1/transfers/${ended.id}/cancel`, { key });
    await observer.rows('update transfers set dest = $1 where id = any($2)', [
      newAddress('ethereum'),
      [ended.id, altered.id],
    ]);
    const lists = [
      await app.ok('GET', '/v1/transfers/list', { key, query: { limit: '10' } }),
      await app.ok('GET', `/management/v1/apps/${payer.app.id}/transfers`, {
        key: MANAGEMENT_KEY,
        query: { limit: '1' },
      }),
    ];
    expect(lists.map(({ transfers }) => transfers[0].id)).toEqual([ended.id, ended.id]);
  });

  it('is not confirmed with the MAC of another transfer', async () => {
    const [{ id }, other] = [await money.created(payer), await money.created(payer)];
    await observer.rows(
      `update transfers t set dest = o.dest, mac = o.mac from transfers o where o.id = $2 and t.id = $1`,
      [id, other.id],
    );
    expect(refusal(await money.confirm(payer, id))).toEqual([500, 'seal_broken']);
    expect((await money.confirm(payer, other.id)).body.status).toBe('completed');
  });

  it('is not paid as if its app had confirmed it, and can be cancelled', async () => {
    const { id, dest } = await money.created(payer);
    await observer.rows(
      `update transfers set status = 'pending', stage = 'queued', confirmed_at = now() - interval '1 hour', next_check_at = now() where id = $1`,
      [id],
    );
    await observe();
    expect(await money.get(payer, id)).toMatchObject({ status: 'pending', blockchain_tx_hash: '' });
    expect(await money.balance('ethereum', dest)).toBe(0n);
    const cancelled = await money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: payer.app.secretKey });
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
  });

  it('does not become right by the step that an approval stores', async () => {
    const treasury = await Treasury.of(money, observer);
    const { id, approval } = await treasury.awaiting();
    const thief = newAddress('ethereum');
    await observer.rows(`update transfers set dest = $2 where id = $1`, [id, thief]);
    await treasury.vote(approval, treasury.members[0]!);
    await observe();
    expect(await money.get(treasury.payer, id)).toMatchObject({ status: 'pending', blockchain_tx_hash: '' });
    expect(await money.balance('ethereum', thief)).toBe(0n);
  });
});

describe('a database of an earlier release', () => {
  /** A replica that starts on this database as if an earlier release had made it. */
  async function upgraded(mark: string): Promise<TestApp> {
    const vault = money.app.nest.get(Vault);
    const [row] = await observer.rows<{ id: string; sealed_secret: Buffer }>('select * from service_secrets');
    const secret = vault.open(row!.sealed_secret, ['service-secret', row!.id]);
    const sealed = vault.seal(secret, ['service-secret', mark]);
    await observer.rows('update service_secrets set id = $2, sealed_secret = $1', [sealed, mark]);
    return money.replica();
  }

  const withoutMac = async (): Promise<string> => {
    const { id } = await money.created(payer);
    await observer.rows('update transfers set mac = null where id = $1', [id]);
    return id;
  };

  const seal = ({ nest }: TestApp, isPooled = false) =>
    nest.get(SealRows).execute(() => undefined, { isPooled, isAlone: false });

  it('pays transfers without a MAC until the command has made all MACs', async () => {
    const replicas = [await upgraded('service'), await money.replica()] as const;
    try {
      const [first, second] = [await withoutMac(), await withoutMac()];
      expect((await money.confirm(payer, first, {}, replicas[0])).body.status).toBe('completed');
      const { signed, wrong } = await seal(replicas[0]);
      expect([signed > 0, wrong]).toEqual([true, 0]);
      expect((await money.confirm(payer, second, {}, replicas[0])).body.status).toBe('completed');
      for (const replica of replicas)
        await eventually(async () => {
          const third = await withoutMac();
          expect(refusal(await money.confirm(payer, third, {}, replica))).toEqual([500, 'seal_broken']);
        });
      const again = await seal(replicas[0]);
      expect([again.signed, again.wrong > 0]).toEqual([0, true]);
    } finally {
      await Promise.all(replicas.map((replica) => replica.stop()));
    }
  });

  it('whose MACs are of fewer tables keeps its altered rows wrong, and gives the others their MACs', async () => {
    const replica = await upgraded('service-sealed-rows');
    try {
      const thief = newAddress('ethereum');
      const { id } = await money.created(payer);
      await observer.rows('update transfers set dest = $2, mac = null where id = $1', [id, thief]);
      await observer.rows('update users set mac = null where id = $1', [payer.userId]);
      expect(refusal(await money.confirm(payer, id, {}, replica))).toEqual([500, 'seal_broken']);
      const named: string[] = [];
      const { wrong } = await replica.nest.get(SealRows).execute((_, done, isSigned) => {
        if (!isSigned) named.push(...done.named);
      });
      expect([wrong > 0, named.some((each) => each.endsWith(id))]).toEqual([true, true]);
      expect(refusal(await money.confirm(payer, id, {}, replica))).toEqual([500, 'seal_broken']);
      expect(await money.balance('ethereum', thief)).toBe(0n);
      expect(await observer.rows('select from users where id = $1 and mac is not null', [payer.userId])).toHaveLength(
        1,
      );
    } finally {
      await replica.stop();
    }
  });

  it('is not marked while a replica of an earlier release is connected, or may be', async () => {
    const replica = await upgraded('service');
    const older = new Client({ connectionString: replica.databaseUrl, application_name: 'identity-and-wallets-3' });
    try {
      await expect(seal(replica, true)).rejects.toThrow('the pooler may hide');
      await older.connect();
      await expect(seal(replica)).rejects.toThrow('an earlier release with 1 connections');
      expect(await observer.rows('select id from service_secrets')).toEqual([{ id: 'service' }]);
    } finally {
      await older.end();
    }
    await eventually(async () => expect(await seal(replica)).toMatchObject({ wrong: 0 }));
    await replica.stop();
  });
});
