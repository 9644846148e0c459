import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/dev/free-port.js';
import { signIn } from '../support/sign-in.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { writeKeyUses } from '../support/background.js';
import { ensureBuilt } from '../support/built.js';
import { type GivenApp, unique } from '../support/given.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';
import { roundTripsOf } from '../support/statements.js';

const BEGIN = /^(begin|start transaction)/i;
const COMMIT = /^commit$/i;

describe('round trips to the database', () => {
  let app: TestApp;
  let provider: OpenIdProvider;
  let shop: GivenApp;

  beforeAll(async () => {
    // Without a worker nothing is sent but what calls make.
    app = await startApp({ env: { ROLE: 'api' } });
    provider = await startIdentityProvider();
    shop = await app.given.app();
    for (const kind of ['login', 'registration'] as const)
      await app.given.redirectUrl(shop, kind, `https://shop.example/${kind}`);
    const client = { client_id: 'statements', client_secret: 'canary-client-secret' };
    const connection = await app.given.connection(shop, { provider: 'acme', issuer: provider.issuer, ...client });
    await provider.register({ ...client, redirect_uris: [connection.callback_url] });
    // The next use of these keys is written a minute later.
    await writeKeyUses(app);
  });
  afterAll(async () => {
    await app?.stop();
    await provider?.stop();
  });

  /**
   * What a call sends once keys and caches are warm and its statements prepared on every connection. Keys are read anew
   * every half second, so the shortest of some counts.
   */
  async function fewestRoundTripsOf(call: () => Promise<Answer>, prepare?: () => Promise<void>): Promise<string[][]> {
    let fewest: string[][] | undefined;
    for (let tries = 0; tries < 15; tries++) {
      await prepare?.();
      await app.call('GET', '/v1/auth/jwks/default', { key: shop.secretKey });
      const trips = await roundTripsOf(async () => {
        const { status, text } = await call();
        if (status !== 200) throw new Error(text);
      });
      // On a busy machine a call may outlast the half second for which settings are remembered.
      const own = trips.filter(([first]) => !/from apps a where a\.id = \$1/.test(first!.text));
      if (!fewest || own.length < fewest.length)
        fewest = own.map((trip) => trip.map(({ text }) => text.trim().replace(/\s+/g, ' ')));
    }
    return fewest!;
  }

  const statementsOf = async (...of: Parameters<typeof fewestRoundTripsOf>): Promise<string[]> =>
    (await fewestRoundTripsOf(...of)).flat();

  const get = (path: string, query?: Record<string, string>) =>
    app.call('GET', path, { key: shop.secretKey, ...(query && { query }) });
  const post = (path: string, body: object) => app.call('POST', path, { key: shop.secretKey, body });

  describe('of a read', () => {
    it.each<[string, number, () => Promise<() => Promise<Answer>>]>([
      [
        'GET users/{id}',
        1,
        async () => {
          const { user_id } = await app.given.user(shop);
          return () => get(`/v1/auth/users/${user_id}`);
        },
      ],
      ['POST users/search', 1, async () => () => post('/v1/auth/users/search', {})],
      [
        'GET sessions/list',
        1,
        async () => {
          const user = await app.given.user(shop);
          await signIn(app, shop, user);
          return () => get('/v1/auth/sessions/list', { user_id: user.user_id });
        },
      ],
      [
        'POST sessions/verify by token',
        1,
        async () => {
          const { session_token } = await signIn(app, shop, await app.given.user(shop));
          return () => post('/v1/auth/sessions/verify', { session_token });
        },
      ],
      [
        'POST sessions/verify by JWT',
        1,
        async () => {
          const { session_jwt } = await signIn(app, shop, await app.given.user(shop));
          return () => post('/v1/auth/sessions/verify', { session_jwt });
        },
      ],
      [
        'POST sessions/verify that extends',
        2,
        async () => {
          const { session_token } = await signIn(app, shop, await app.given.user(shop));
          return () => post('/v1/auth/sessions/verify', { session_token, session_expires_in: 120 });
        },
      ],
      [
        'GET wallets/list',
        1,
        async () => {
          const { user_id } = await app.given.user(shop);
          return () => get('/v1/wallets/list', { user_id });
        },
      ],
      [
        'GET wallets/{id}',
        1,
        async () => {
          const id = await walletOf(await app.given.user(shop));
          return () => get(`/v1/wallets/${id}`);
        },
      ],
      // A minute may pass before a replica reads the keys again, and nothing else stands in the set.
      ['GET jwks/default', 0, async () => () => get('/v1/auth/jwks/default')],
      ['GET jwks/{app_id}', 0, async () => () => app.call('GET', `/v1/auth/jwks/${shop.id}`)],
    ])('%s: %i', async (_, count, given) => {
      const call = await given();
      expect(await statementsOf(call)).toHaveLength(count);
    });
  });

  describe('of a verify call', () => {
    let token = '';
    const signInAtProvider = async (sub = unique()): Promise<void> => {
      const begun = await app.call('GET', `/v1/auth/oauth/acme/begin`, { query: { public_token: shop.publicToken } });
      const { pathname, search } = new URL((await provider.signIn(begun.body.redirect_url, { sub })).url);
      const landed = await app.call('GET', pathname + search);
      token = new URL(landed.headers.get('location')!).searchParams.get('token')!;
    };

    // COMMIT waits for the answer of the INSERT, which may refuse: no method commits its caller's transaction.
    it('that starts a session: eight in three round trips, BEGIN and COMMIT among them', async () => {
      const trips = await fewestRoundTripsOf(
        () => post('/v1/auth/oauth/verify', { token, session_expires_in: 60 }),
        signInAtProvider,
      );
      expect(trips).toEqual([
        [expect.stringMatching(BEGIN), expect.stringMatching(/ update login_tickets .* set consumed_at = now\(\)/)],
        // The session, only if its user may hold one.
        [
          expect.stringMatching(/make_room_for_login/),
          expect.stringMatching(/^insert into sessions /),
          expect.stringMatching(/from users/),
        ],
        [
          expect.stringMatching(/^update sessions set mac/),
          expect.stringMatching(/^insert into unsequenced_events/),
          expect.stringMatching(COMMIT),
        ],
      ]);
    });

    it('that asks for no session: five in three round trips, because its user must be allowed to sign in', async () => {
      const trips = await fewestRoundTripsOf(() => post('/v1/auth/oauth/verify', { token }), signInAtProvider);
      expect(trips.map((trip) => trip.length)).toEqual([2, 2, 1]);
    });

    it('that joins a session: one before them, as a session that is not live must spend nothing', async () => {
      await signInAtProvider('ann');
      const { body } = await post('/v1/auth/oauth/verify', { token, session_expires_in: 60 });
      const statements = await statementsOf(
        () => post('/v1/auth/oauth/verify', { token, session_token: body.session_token }),
        () => signInAtProvider('ann'),
      );
      expect(statements).toHaveLength(8);
      expect(statements[0]).toMatch(/^select .* from sessions/);
    });
  });

  describe('of a change', () => {
    // The count of the send commits before the transaction that stores the link begins, so it takes a round trip of its own.
    it('POST magic_links/email/login_or_create: the count, the holder of the address, and the link with its mail', async () => {
      let email = '';
      const trips = await fewestRoundTripsOf(
        () => post('/v1/auth/magic_links/email/login_or_create', { email }),
        async () => {
          email = `${unique()}@example.com`;
          await app.given.user(shop, { email });
        },
      );
      expect(trips).toEqual([
        [expect.stringMatching(/^select .* from take_sends/)],
        [expect.stringMatching(BEGIN), expect.stringMatching(/^select .* from emails c join users u .* for key share/)],
        [
          expect.stringMatching(/^with c as .* insert into replaced_magic_links/),
          expect.stringMatching(/^insert into magic_links/),
          expect.stringMatching(/^insert into jobs/),
          expect.stringMatching(/^insert into messages/),
          expect.stringMatching(COMMIT),
        ],
      ]);
    });

    it('POST users/create: the user with the email, the wallet, the events, and what is answered', async () => {
      expect(
        await fewestRoundTripsOf(() => post('/v1/auth/users/create', { email: `${unique()}@example.com` })),
      ).toEqual([
        [
          expect.stringMatching(BEGIN),
          expect.stringMatching(/^insert into users/),
          expect.stringMatching(/^insert into emails/),
        ],
        [expect.stringMatching(/^insert into wallets/)],
        [expect.stringMatching(/^select .* from users/)],
        [expect.stringMatching(/^insert into unsequenced_events/), expect.stringMatching(COMMIT)],
      ]);
    });

    it('POST sign_message: the wallet, its owner, who must not have left, the MAC of the owner, and the event of the signature', async () => {
      const id = await walletOf(await app.given.user(shop));
      const sign = () => post(`/v1/wallets/${id}/sign_message`, { message: 'I agree.' });
      expect(await fewestRoundTripsOf(sign)).toEqual([
        [expect.stringMatching(/^select .* from wallets/)],
        [
          expect.stringMatching(BEGIN),
          expect.stringMatching(/^select set_config\('synchronous_commit'/),
          expect.stringMatching(/^select hold_user\(.*hold_signing\(/),
          expect.stringMatching(/^select .* mac from users/),
        ],
        [expect.stringMatching(/^insert into unsequenced_events/), expect.stringMatching(COMMIT)],
      ]);
    });
  });

  async function walletOf({ user_id }: { user_id: string }): Promise<string> {
    return (await get('/v1/wallets/list', { user_id })).body.wallets[0].id;
  }
});

/** Those of `npm start`. */
const FLAGS = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }).scripts.start.match(
  /--\S+/g,
)!;

// The build, as it ships: under Jest everything is slower and larger.
describe('at rest', () => {
  beforeAll(ensureBuilt);
  const dataDir = mkdtempSync(join(tmpdir(), 'at-rest-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is ready soon on a database that is there, the embedded one started too, and takes little memory', async () => {
    await start();
    const { processorSeconds, megabytes } = await start();
    const loading = spawnMeasured(['--input-type=module', '--eval', `await import('./dist/src/app.module.js')`]);
    const toLoad = await loading.processorSeconds;
    // 1.25 times here. Processor time, and as a ratio, because the clock also measures the load and the age of the machine.
    expect(processorSeconds / toLoad).toBeLessThan(1.6);
    expect(megabytes).toBeLessThan(200);
  });

  /** Starts the service, lets it rest for a moment and stops it. */
  async function start(): Promise<{ processorSeconds: number; megabytes: number }> {
    const port = await freePort();
    const env = { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'silent', DRAIN_SECONDS: '0' };
    const { service, processorSeconds } = spawnMeasured(['dist/src/main.js'], env);
    let megabytes: number;
    try {
      while (!(await isReady(`http://127.0.0.1:${port}/readyz`))) {
        if (service.exitCode !== null)
          throw new Error(`The service ended with ${service.exitCode} before it was ready.`);
        await pause(20);
      }
      await pause(2_000);
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      megabytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)![1]) / 1024 / 1024;
    } finally {
      service.kill('SIGTERM');
    }
    return { processorSeconds: await processorSeconds, megabytes };
  }

  /** A process of Node, and the processor time of its whole life. `/metrics` does not know that of loading the code. */
  function spawnMeasured(args: string[], env: NodeJS.ProcessEnv = {}) {
    const report = `process.on('exit', () => { const { user, system } = process.cpuUsage(); console.log('µs', user + system); })`;
    const service = spawn(process.execPath, ['--import', `data:text/javascript,${report}`, ...FLAGS, ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const processorSeconds = text(service.stdout).then((output) => Number(/^µs (\d+)$/m.exec(output)![1]) / 1e6);
    return { service, processorSeconds };
  }

  const isReady = (url: string): Promise<boolean> =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
});
