import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { SignJWT } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { requireSession as onExpress, sessionOf } from '../../openapi/client/src/express.js';
import { requireSession as onFastify } from '../../openapi/client/src/fastify.js';
import { requireSession as onHono } from '../../openapi/client/src/hono.js';
import { createClient, SessionGuard, type SessionGuardOptions } from '../../openapi/client/src/index.js';
import { requireSession as onNext, withSession } from '../../openapi/client/src/next.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { signIn } from '../support/sign-in.js';
import { FaultyNetwork } from './faulty-network.js';

let network: FaultyNetwork;
let service: TestApp;
let shop: GivenApp;
let ann: { user_id: string };
let guards: SessionGuard[] = [];
/** Milliseconds by which the clock of the guard is ahead. */
let ahead: number;
beforeAll(async () => {
  network = await FaultyNetwork.start();
  service = await startApp({ env: { BASE_URL: network.url } });
  network.target = service.url;
});
beforeEach(async () => {
  shop = await service.given.app();
  ann = await service.given.user(shop);
  ahead = 0;
  network.reset();
});
afterEach(() => {
  for (const each of guards) each.close();
  guards = [];
});
afterAll(async () => {
  await service?.stop();
  await network?.stop();
});

const clientOf = (app: GivenApp) =>
  createClient({ baseUrl: network.url, secretKey: app.secretKey, retries: { attempts: 1 } });
const guard = (options: Partial<SessionGuardOptions> = {}): SessionGuard => {
  const made = new SessionGuard({ baseUrl: network.url, appId: shop.id, now: () => Date.now() + ahead, ...options });
  guards.push(made);
  return made;
};
const following = () => guard({ client: clientOf(shop), followRevocations: { pollSeconds: 0.1 } });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const refused = (fault: string, status = 401) => ({ name: 'SessionRefused', fault, status });
const end = (session: { id: string } | null) =>
  service.call('DELETE', '/v1/auth/sessions/delete', { key: shop.secretKey, body: { session_id: session!.id } });
const calls = (path: RegExp) => network.seen.filter((seen) => path.test(seen.path)).length;

type Send = (headers: Record<string, string>) => Promise<Response>;

/** The same route, `GET /me`, on each framework. */
const frameworks: Record<string, (guarded: SessionGuard, during: (send: Send) => Promise<void>) => Promise<void>> = {
  async express(guarded, during) {
    const app = express();
    app.get('/me', onExpress(guarded), (request, response) => {
      response.json({ user: sessionOf(request).sub });
    });
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/me`;
      await during((headers) => fetch(url, { headers }));
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
  async fastify(guarded, during) {
    const app = fastify();
    app.get('/me', { onRequest: onFastify(guarded) }, (request) => Promise.resolve({ user: sessionOf(request).sub }));
    try {
      await during(async (headers) => {
        const { body, statusCode: status, headers: sent } = await app.inject({ url: '/me', headers });
        return new Response(body, { status, headers: sent as Record<string, string> });
      });
    } finally {
      await app.close();
    }
  },
  async hono(guarded, during) {
    const app = new Hono();
    app.get('/me', onHono(guarded), (context) => context.json({ user: sessionOf(context).sub }));
    await during(async (headers) => app.request('/me', { headers }));
  },
  async 'a route handler of Next'(guarded, during) {
    const get = withSession(guarded, (_request: Request, session) => Response.json({ user: session.sub }));
    await during((headers) => get(new Request('http://shop.example/me', { headers })));
  },
  async 'the middleware of Next'(guarded, during) {
    const middleware = onNext(guarded);
    await during(async (headers) => {
      const request = new Request('http://shop.example/me', { headers });
      return (await middleware(request)) ?? Response.json({ user: sessionOf(request).sub });
    });
  },
};

describe.each(Object.entries(frameworks))('on %s', (_, run) => {
  it('a valid session passes by header and by cookie, and other requests get a 401 that says why', async () => {
    const { session_jwt: jwt } = await signIn(service, shop, ann);
    const other = await service.given.app();
    const { session_jwt: foreign } = await signIn(service, other, await service.given.user(other));
    await run(guard(), async (send) => {
      for (const headers of [bearer(jwt), { cookie: `theme=dark; session=${jwt}` }]) {
        const response = await send(headers);
        expect([response.status, await response.json()]).toEqual([200, { user: ann.user_id }]);
      }
      const requests: [Record<string, string>, string][] = [
        [{}, 'missing'],
        [{ cookie: 'other=1', authorization: 'Basic YTpi' }, 'missing'],
        [bearer('not-a-jwt'), 'malformed'],
        [bearer(`${jwt.slice(0, -8)}AAAAAAAA`), 'signature'],
        [bearer(foreign), 'unknown_key'],
        // The header has precedence over the cookie.
        [{ ...bearer(foreign), cookie: `session=${jwt}` }, 'unknown_key'],
      ];
      for (const [headers, reason] of requests) {
        const response = await send(headers);
        expect(response.status).toBe(401);
        expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
        const problem = (await response.json()) as { type: string };
        expect(problem).toMatchObject({ status: 401, error_type: 'invalid_session', reason });
        expect((await fetch(problem.type)).status).toBe(200);
      }
      ahead = 306_000;
      expect(await (await send(bearer(jwt))).json()).toMatchObject({ status: 401, reason: 'expired' });
    });
  });

  it('a request gets a 503 while the keys of the service cannot be fetched', async () => {
    const { session_jwt: jwt } = await signIn(service, shop, ann);
    network.always = { status: 503 };
    await run(guard(), async (send) => {
      const response = await send(bearer(jwt));
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    });
  });
});

describe('a session guard', () => {
  it('fetches the keys once, however many unknown key ids are sent', async () => {
    const { session_jwt: jwt } = await signIn(service, shop, ann);
    const guarded = guard();
    await guarded.verifySession(bearer(jwt));
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    for (let i = 0; i < 20; i++) {
      const forged = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: `jwk_${i}` }).sign(privateKey);
      await expect(guarded.verifySession(bearer(forged))).rejects.toMatchObject(refused('unknown_key'));
    }
    expect(calls(/jwks/)).toBe(1);
  });

  it('with an immediate check refuses a session as soon as it has ended', async () => {
    const login = await signIn(service, shop, ann);
    const guarded = guard({ client: clientOf(shop) });
    const sent = bearer(login.session_jwt);
    expect(await guarded.verifySession(sent, { immediate: true })).toMatchObject({ sub: ann.user_id });
    await end(login.session);
    expect(await guarded.verifySession(sent)).toMatchObject({ sub: ann.user_id });
    await expect(guarded.verifySession(sent, { immediate: true })).rejects.toMatchObject(refused('invalid'));
    network.always = 'request_lost';
    await expect(guarded.verifySession(sent, { immediate: true })).rejects.toMatchObject(refused('unavailable', 503));
  });

  it('exchanges a session token once for a JWT, and again after that JWT has expired', async () => {
    const { session_token: token } = await signIn(service, shop, ann);
    const guarded = guard({ client: clientOf(shop) });
    const verified = await Promise.all(
      Array.from({ length: 5 }, () => guarded.verifySession({ cookie: `session=${token}` })),
    );
    expect(verified.map(({ sub }) => sub)).toEqual(Array.from({ length: 5 }, () => ann.user_id));
    expect(calls(/sessions\/verify/)).toBe(1);
    ahead = 306_000;
    // The service issues a JWT by its own clock, so the new one has expired by this clock too.
    await expect(guarded.verifySession(bearer(token))).rejects.toMatchObject(refused('expired'));
    expect(calls(/sessions\/verify/)).toBe(2);
    await expect(guarded.verifySession(bearer('x'.repeat(43)))).rejects.toMatchObject(refused('invalid'));
  });

  it('asks once for the next JWT, however many requests find that the one before has expired', async () => {
    const guarded = guard({ client: clientOf(shop) });
    const { session_token: token } = await signIn(service, shop, ann);
    await guarded.verifySession(bearer(token));
    ahead = 306_000;
    // The service issues a JWT by its own clock, so the new one has expired by this clock too.
    const check = () => expect(guarded.verifySession(bearer(token))).rejects.toMatchObject(refused('expired'));
    await Promise.all(Array.from({ length: 5 }, check));
    expect(calls(/sessions\/verify/)).toBe(2);
  });

  it('that follows the feed refuses an ended session offline, and accepts another session of the user', async () => {
    const [ended, live] = [await signIn(service, shop, ann), await signIn(service, shop, ann)];
    const guarded = following();
    expect(await guarded.verifySession(bearer(ended.session_jwt))).toMatchObject({ sub: ann.user_id });
    await end(ended.session);
    await eventually(() =>
      expect(guarded.verifySession(bearer(ended.session_jwt))).rejects.toMatchObject(refused('ended')),
    );
    expect(await guarded.verifySession(bearer(live.session_jwt))).toMatchObject({ sub: ann.user_id });
    expect(calls(/sessions\/verify/)).toBe(0);
    // An exchanged token is refused too.
    await expect(guarded.verifySession(bearer(ended.session_token))).rejects.toMatchObject(refused('invalid'));
  });

  it('that starts after a session has ended finds it in the feed', async () => {
    const ended = await signIn(service, shop, ann);
    await end(ended.session);
    await eventually(async () => {
      const { body } = await service.call('GET', '/v1/events', { key: shop.secretKey });
      expect(body.events.map(({ type }: { type: string }) => type)).toContain('session.revoked');
    });
    await expect(following().verifySession(bearer(ended.session_jwt))).rejects.toMatchObject(refused('ended'));
  });

  it('begins at the events of the last minutes, without reading the feed', async () => {
    const { session_jwt: jwt } = await signIn(service, shop, ann);
    const [first, last] = [12_345, 100_000];
    const asked: number[] = [];
    const list = ({ after, types }: { after: string; types?: string }) => {
      asked.push(Number(after));
      if (types === undefined && Number(after) > last) {
        const body = { error_type: 'invalid_cursor', error_message: '' };
        return Response.json(body, { status: 400 });
      }
      const now = Math.floor(Date.now() / 1_000);
      const next = { created_at: Number(after) + 1 >= first ? now : now - 3_600, position: Number(after) + 1 };
      const events = types === undefined && Number(after) < last ? [{ ...next, data: {} }] : [];
      return Response.json({ events, has_more: false, feed_id: 'feed_1' });
    };
    const client = createClient({
      baseUrl: network.url,
      fetch: async ({ url }) => list(Object.fromEntries(new URL(url).searchParams) as { after: string }),
    });
    const guarded = guard({ client, followRevocations: { pollSeconds: 600 } });
    await guarded.verifySession(bearer(jwt));
    expect(asked.at(-1)).toBe(first - 1);
    expect(asked.length).toBeLessThan(30);
  });

  it('accepts sessions while the feed cannot be read, unless the app limits its age', async () => {
    const { session_jwt: jwt } = await signIn(service, shop, ann);
    const client = createClient({
      baseUrl: network.url,
      retries: { attempts: 1 },
      fetch: () => Promise.reject(new TypeError('The service is unavailable.')),
    });
    expect(await guard({ client, followRevocations: true }).verifySession(bearer(jwt))).toMatchObject({
      sub: ann.user_id,
    });
    const strict = guard({ client, followRevocations: { maxAgeSeconds: 30 } });
    await expect(strict.verifySession(bearer(jwt))).rejects.toMatchObject(refused('unavailable', 503));
  });

  it('throws the error of the service if the key of its client is wrong', async () => {
    const { session_token: token } = await signIn(service, shop, ann);
    const client = createClient({ baseUrl: network.url, secretKey: `sk_test_${'x'.repeat(32)}` });
    await expect(guard({ client }).verifySession(bearer(token))).rejects.toMatchObject({ name: 'ApiError' });
  });

  it('needs a client for everything that asks the service', () => {
    expect(() => guard({ immediate: true })).toThrow(TypeError);
    expect(() => guard({ followRevocations: true })).toThrow(TypeError);
  });
});
