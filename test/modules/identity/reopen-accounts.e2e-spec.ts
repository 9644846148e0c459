import pg from 'pg';
import { generateSync } from 'otplib';
import type { AppId } from '../../../src/kernel/ids.js';
import { ReopenAccounts } from '../../../src/modules/identity/application/reopen-accounts.js';
import { AccountUses, ProveAddress } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { keyPair } from '../../support/hpke-peer.js';
import { Observer } from '../../support/observer.js';

let service: TestApp;
let observer: Observer;
let app: GivenApp;
const lines: string[] = [];
beforeAll(async () => {
  service = await startApp({ env: { LOG_LEVEL: 'info' }, log: { write: (line: string) => void lines.push(line) } });
  observer = await Observer.of(service);
  app = await service.given.app({ default_wallet_type: 'ethereum' });
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
});

const pass = (): Promise<void> => service.nest.get(ReopenAccounts, { strict: false }).execute();
const post = async (path: string, body: object): Promise<Answer['body']> => {
  const { status, body: answer, text } = await service.call('POST', `/v1/${path}`, { key: app.secretKey, body });
  if (status !== 200) throw new Error(text);
  return answer;
};

interface Account {
  readonly userId: string;
  readonly email: string;
  readonly walletId: string;
}

/** The account of a user with a name, as a replica of an earlier release has left it. */
async function closedByName(): Promise<Account> {
  const email = `${unique()}@example.com`;
  const { user_id: userId } = await post('auth/users/create', { email, first_name: 'Grace' });
  const { wallets } = (await service.call('GET', `/v1/auth/users/${userId}`, { key: app.secretKey })).body;
  await observer.rows(`update users set claim = 'closed' where id = $1`, [userId]);
  return { userId, email, walletId: wallets[0].id };
}
const claimOf = async (userId: string): Promise<string> =>
  (await observer.rows<{ claim: string }>('select claim from users where id = $1', [userId]))[0]!.claim;
/** Puts the last change of the account this long ago. */
const age = (userId: string, minutes: number) =>
  observer.rows(
    `update users set updated_at = ((updated_at at time zone 'UTC') - make_interval(mins => $2)) at time zone 'UTC' where id = $1`,
    [userId, minutes],
  );
const proved = (email: string) => service.nest.get(ProveAddress, { strict: false }).email(app.id as AppId, email);

const sign = ({ walletId }: Account) => post(`wallets/${walletId}/sign_message`, { message: 'yes' });

describe('an account that an earlier release closed because of a name', () => {
  it('is open some minutes after the pass that began to reopen it, and belongs to its user', async () => {
    const { userId, email } = await closedByName();
    await pass();
    await pass();
    expect(await claimOf(userId)).toBe('reopening');
    await age(userId, 6);
    await pass();
    expect(await claimOf(userId)).toBe('open');
    expect(await proved(email)).toMatchObject({ userId, prepared: { fields: ['first_name'] } });
    expect(lines.filter((line) => line.includes('that an earlier release closed')).at(-1)).toContain('"reopened":1');
  });

  it.each<[string, (account: Account) => Promise<unknown>]>([
    ['signed', sign],
    [
      'was exported',
      ({ walletId }) => post(`wallets/${walletId}/export`, { encryption_public_key: keyPair().getPublicKey('base64') }),
    ],
    [
      'had a session',
      async ({ userId: user_id }) => {
        const { token } = await post('auth/magic_links/create', { user_id });
        await post('auth/magic_links/verify', { token, session_expires_in: 60 });
      },
    ],
    [
      'has a verified sign-in method',
      async ({ userId: user_id }) => {
        const { secret } = await post('auth/totps/create', { user_id });
        await post('auth/totps/verify', { user_id, totp: generateSync({ secret }) });
      },
    ],
    [
      'is older than what would show its use',
      ({ userId }) =>
        observer.rows(
          `update users set created_at = ((created_at at time zone 'UTC') - interval '29 days') at time zone 'UTC' where id = $1`,
          [userId],
        ),
    ],
    [
      'has a wallet whose key left',
      ({ walletId }) => observer.rows('update wallets set key_left_at = now() where id = $1', [walletId]),
    ],
  ])('stays closed if it %s', async (_, use) => {
    const account = await closedByName();
    await use(account);
    await observer.rows(`update users set claim = 'closed' where id = $1`, [account.userId]);
    await pass();
    expect(await claimOf(account.userId)).toBe('closed');
  });

  it('is closed by an act between the two passes', async () => {
    const account = await closedByName();
    await pass();
    await age(account.userId, 6);
    await sign(account);
    await pass();
    expect(await claimOf(account.userId)).toBe('closed');
  });

  it('does not pass to the prover before the second pass', async () => {
    const { userId, email } = await closedByName();
    await pass();
    expect((await proved(email)).userId).not.toBe(userId);
  });

  it('stays closed while a process of an earlier release is connected', async () => {
    const { userId } = await closedByName();
    const older = new pg.Client({ connectionString: service.databaseUrl, application_name: 'identity-and-wallets' });
    await older.connect();
    await pass();
    expect(await claimOf(userId)).toBe('closed');
    await older.end();
  });

  it('is judged by the records of all modules that close accounts', () => {
    const { records, provenDays } = service.nest.get(AccountUses, { strict: false });
    for (const table of ['sessions', 'wallets', 'transfers', 'event_log', 'unsequenced_events'])
      expect(records).toMatch(new RegExp(` from ${table}\\s`));
    expect(provenDays).toBe(30);
  });
});
