import { startApp, type Answer, type TestApp } from '../support/app.js';
import { type GivenApp, unique } from '../support/given.js';
import { Inbox } from '../support/inbox.js';
import { Observer, openConnections } from '../support/observer.js';

export const address = () => `${unique()}@example.com`;
let line = 15_112_000_000;
export const phone = () => `+49${line++}`;

export function expectRefused({ status, body }: Answer, error_type: string, expected = 400): void {
  expect([status, body.error_type]).toEqual([expected, error_type]);
}

export const tally = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status === 200 ? 'ok' : body.error_type;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};

interface Options {
  readonly key?: string;
  readonly by?: TestApp;
}
type Fields = Record<string, unknown>;

/** Two replicas on one database, with an inbox. */
export class MailingApps {
  private constructor(
    readonly inbox: Inbox,
    readonly app: TestApp,
    readonly replica: TestApp,
    readonly observer: Observer,
    readonly shop: GivenApp,
    readonly other: GivenApp,
  ) {}

  /** The app `shop` has the settings. */
  static async start(settings: object = {}): Promise<MailingApps> {
    const inbox = await Inbox.start();
    const env = { ...inbox.env, DATABASE_POOL_SIZE: '30' };
    const app = await startApp({ env });
    const replica = await startApp({ env, databaseUrl: app.databaseUrl });
    for (const each of [app, replica]) await openConnections(each, 25);
    const observer = await Observer.of(app);
    const shop = await app.given.app({ default_wallet_type: 'none', ...settings });
    const other = await app.given.app({ default_wallet_type: 'none' });
    return new MailingApps(inbox, app, replica, observer, shop, other);
  }

  async stop(): Promise<void> {
    await this.observer.close();
    await this.replica.stop();
    await this.app.stop();
    await this.inbox.stop();
  }

  post(path: string, body: unknown, { key = this.shop.secretKey, by = this.app }: Options = {}): Promise<Answer> {
    return by.call('POST', `/v1/auth/${path}`, { key, body });
  }

  sessionOf(session_token: string): Promise<Answer> {
    return this.post('sessions/verify', { session_token });
  }

  async embedded(user_id: string, fields: Fields = {}): Promise<string> {
    return (await this.post('magic_links/create', { user_id, ...fields })).body.token;
  }

  /** Signs in the user without verifying an address. */
  async signedIn(user_id: string): Promise<string> {
    const login = { token: await this.embedded(user_id), session_expires_in: 60 };
    return (await this.post('magic_links/verify', login)).body.session_token;
  }

  async user(userId: string): Promise<Answer['body']> {
    return (await this.app.call('GET', `/v1/auth/users/${userId}`, { key: this.shop.secretKey })).body;
  }

  attach(userId: string, body: object): Promise<Answer> {
    return this.app.call('PUT', `/v1/auth/users/${userId}/update`, { key: this.shop.secretKey, body });
  }

  remove(what: string): Promise<Answer> {
    return this.app.call('DELETE', `/v1/auth/users/${what}/delete`, { key: this.shop.secretKey });
  }

  /** Runs the calls at once, half of them at each replica. They meet at the table. */
  together<T>(table: string, count: number, call: (by: TestApp, n: number) => Promise<T>): Promise<T[]> {
    const calls = Array.from({ length: count }, (_, n) => () => call(n % 2 ? this.app : this.replica, n));
    return this.observer.together(table, calls);
  }
}

/** A passcode or a link that was sent to an address. */
export interface Proof<Sent> {
  readonly name: string;
  readonly refusal: string;
  readonly apps: () => MailingApps;
  /** A recipient of any channel that carries it. */
  readonly recipient: () => string;
  readonly send: (recipient: string) => Promise<Sent>;
  readonly verify: (sent: Sent, fields?: Fields, options?: Options) => Promise<Answer>;
  /** Another of the same form that was never sent. */
  readonly unknown: (sent: Sent) => Sent;
}

/** The cases that every proof of an address has. */
export function describeProofs<Sent>({ name, refusal, apps, recipient, send, verify, unknown }: Proof<Sent>): void {
  const fieldOf = (to: string) => (to.startsWith('+') ? 'phone_number' : 'email');
  const holderOf = (to: string) => apps().app.given.user(apps().shop, { email: undefined, [fieldOf(to)]: to });

  describe(`a ${name} to an address`, () => {
    it('works once', async () => {
      const sent = await send(recipient());
      expect((await verify(sent)).status).toBe(200);
      expectRefused(await verify(sent), refusal);
    });

    it("is unknown to another app's key, and stays valid", async () => {
      const sent = await send(recipient());
      const foreign = await verify(sent, {}, { key: apps().other.secretKey });
      expectRefused(foreign, refusal);
      const { instance: _i, request_id: _r, ...problem } = foreign.body;
      expect((await verify(unknown(sent))).body).toMatchObject(problem);
      expect((await verify(sent)).status).toBe(200);
    });

    it('is not spent by an invalid request or session', async () => {
      const sent = await send(recipient());
      const stranger = await apps().signedIn((await apps().app.given.user(apps().shop)).user_id);
      for (const fields of [{ session_expires_in: 4 }, { session_expires_in: '1h' }, { device_fingerprint: [] }])
        expectRefused(await verify(sent, fields), 'invalid_request');
      for (const fields of [
        { session_token: 'unknown' },
        { session_jwt: 'a.b.c' },
        { session_token: stranger },
        { session_token: stranger, session_expires_in: 60 },
      ])
        expectRefused(await verify(sent, fields), 'invalid_session', 401);
      expect((await apps().sessionOf(stranger)).body.session.factors).toHaveLength(1);
      expect((await verify(sent)).status).toBe(200);
    });

    it('is void once the address or its user is deleted', async () => {
      const email = address();
      const keeper = await apps().app.given.user(apps().shop, { email, phone_number: phone() });
      const sent = await send(email);
      await apps().remove(`emails/${keeper.email_id}`);
      expectRefused(await verify(sent), refusal);
      expect(await apps().observer.rows(`select from emails where canonical = $1`, [email])).toEqual([]);

      const to = recipient();
      const leaver = await holderOf(to);
      const second = await send(to);
      await apps().remove(leaver.user_id);
      expectRefused(await verify(second), refusal);
    });

    it('does not deadlock with the deletion of its user', async () => {
      for (let round = 0; round < 8; round++) {
        const to = recipient();
        const { user_id } = await holderOf(to);
        const sent = await send(to);
        const answers = await apps().observer.together<Answer | Sent>('users', [
          () => verify(sent, { session_expires_in: 5 }),
          () => apps().remove(user_id),
          () => send(to),
        ]);
        expect((answers[0] as Answer).status).toBeLessThan(500);
        expect((answers[1] as Answer).status).toBe(200);
      }
    });

    it('leads to the user who holds the address verified (a)', async () => {
      const to = recipient();
      const first = (await verify(await send(to))).body;
      const second = (await verify(await send(to))).body;
      expect(second).toEqual({ ...first, account_prepared: null, user_created: second.user_created });
    });

    it('verifies it for its holder in their session, who keeps the other sign-in methods (b)', async () => {
      const to = recipient();
      const holder = await holderOf(to);
      const [session_token, before] = [await apps().signedIn(holder.user_id), await apps().signedIn(holder.user_id)];
      const { body } = await verify(await send(to), { session_token });
      expect(body).toMatchObject({ user_id: holder.user_id, session_token });
      expect(body.session.factors).toHaveLength(2);
      expect((await apps().sessionOf(before)).status).toBe(200);
    });

    /** @see CVE-2026-53516 */
    it('passes an account that was only prepared to the prover, without its tokens (c)', async () => {
      const to = recipient();
      const { user_id } = await holderOf(to);
      const planted = await apps().embedded(user_id);
      const { body } = await verify(await send(to), { session_expires_in: 5 });
      expect(body.user_id).toBe(user_id);
      expectRefused(await apps().post('magic_links/verify', { token: planted }), 'invalid_magic_token');
      expect((await apps().sessionOf(body.session_token)).body.session.factors).toHaveLength(1);
    });

    it('moves it from a verified account that holds it unverified to a new one (d)', async () => {
      const [own, to] = [address(), recipient()];
      const { user_id } = (await verify(await send(own))).body;
      await apps().attach(user_id, { [`${fieldOf(to)}s`]: [{ [fieldOf(to)]: to }] });
      const session = await apps().signedIn(user_id);
      const { status, body } = await verify(await send(to), { session_expires_in: 5 });
      expect(status).toBe(200);
      expect(body.user_id).not.toBe(user_id);
      expect((await apps().sessionOf(session)).status).toBe(200);
      const { emails, phone_numbers } = await apps().user(user_id);
      expect([emails, phone_numbers]).toMatchObject([[{ email: own, verified: true }], []]);
      expect(JSON.stringify(await apps().user(body.user_id))).toContain(to);
    });
  });
}
