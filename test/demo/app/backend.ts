// The backend of a customer's app: it has the secret key and the session of each visitor, and calls the service over HTTP.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, type Client, SessionVerifier } from '../../../openapi/client/src/index.js';
import { prepareApp } from './prepare.js';

/** What an operator and the machine give to the app. */
export interface Surroundings {
  readonly baseUrl: string;
  readonly managementKey: string;
  /** The code in the newest mail to an address since a time; null without one. Only in development. */
  readonly codeFor: (email: string, since: number) => Promise<string | null>;
  /** Sends ether of the local chain to an address. */
  readonly fund: (address: string) => Promise<unknown>;
}

/** An agent that a visitor has hired: its key pays only from the visitor's wallet, and only within a budget. */
interface Agent {
  readonly keyId: string;
  readonly client: Client;
}

type Fields = Readonly<Record<string, string>>;
interface Visit {
  readonly token: string;
  readonly set: (token: string) => void;
}
type Route = (sent: Fields, visit: Visit) => Promise<unknown>;

const SESSION = { session_expires_in: 60 };
const FILES: Readonly<Record<string, string>> = {
  '/': 'text/html',
  '/page.js': 'text/javascript',
  '/page-wallet.js': 'text/javascript',
  '/style.css': 'text/css',
};

export async function startDemoApp({ baseUrl, managementKey, codeFor, fund }: Surroundings) {
  const { appId, backend, publicToken, hire, budgetOf } = await prepareApp(baseUrl, managementKey);
  const sessions = new SessionVerifier({ baseUrl, appId });
  const agents = new Map<string, Agent>();

  const signedIn = ({ session_token }: { session_token: string }, { set }: Visit) => set(session_token);
  /** The user of the visit, with the wallet that the service keeps for the user. Throws `ApiError` without a live session. */
  const current = async ({ token }: Visit) => {
    const { session, session_jwt } = await backend.sessions.verify({ session_token: token });
    const user = await backend.users.get(session.user_id);
    const own = user.wallets.find(({ is_read_only }) => !is_read_only);
    // A user who signed in with a wallet has that one only.
    const wallet = own ?? (await backend.wallets.create({ user_id: user.user_id, wallet_type: 'ethereum' }));
    return { user, session, session_jwt, wallet };
  };
  const ether = (amount: string) => ({
    source_amount: amount,
    source_currency: 'ethereum' as const,
    dest_currency: 'ethereum' as const,
  });
  /** `create` quotes, `confirm` pays: once, also if it is repeated. */
  const pay = async (client: Client, source: string, { dest, amount }: Fields) => {
    const { id } = await client.transfers.create({ source, dest: dest!, ...ether(amount!) });
    return client.transfers.confirm(id, {});
  };

  const routes: Readonly<Record<string, Route>> = {
    // Sign in: by a code in a mail, a passkey, a provider, or a wallet of the browser.
    'code/send': async ({ email }) => {
      const { email_id } = await backend.otps.email.loginOrCreate({ email: email! });
      return { method_id: email_id };
    },
    'code/read': async ({ email, since }) => ({ code: await codeFor(email!, Number(since)) }),
    'code/verify': async ({ method_id, otp }, visit) =>
      signedIn(await backend.otps.verify({ method_id: method_id!, otp: otp!, ...SESSION }), visit),
    'passkey/begin': async () =>
      (await backend.webauthn.authentication.begin({})).public_key_credential_request_options,
    'passkey/verify': async ({ credential }, visit) =>
      signedIn(await backend.webauthn.verify({ public_key_credential: credential!, ...SESSION }), visit),
    'provider/begin': () => Promise.resolve({ baseUrl, publicToken, provider: 'company' }),
    'provider/verify': async ({ token, code_verifier }, visit) =>
      signedIn(
        await backend.oauth.verify({ token: token!, ...(code_verifier && { code_verifier }), ...SESSION }),
        visit,
      ),
    'wallet/begin': ({ address }) =>
      backend.wallets.registrations.nonce({ wallet_type: 'ethereum', public_address: address! }),
    'wallet/verify': async ({ id, siwe_challenge, signature }, visit) => {
      const signed = { id: id!, siwe_challenge: siwe_challenge!, signature: signature! };
      return signedIn(await backend.wallets.siwe.verify({ ...signed, ...SESSION }), visit);
    },

    // The visitor: the session by a call, which renews its JWT, and the JWT offline by the keys that the app publishes.
    me: async (_, visit) => {
      const { user, session, session_jwt, wallet } = await current(visit);
      const claims = await sessions.verify(session_jwt);
      const { balance } = await backend.wallets
        .balance({ wallet_id: wallet.id, token_symbol: 'ETH' })
        .catch(() => ({ balance: '0' }));
      const agent = agents.get(user.user_id);
      return {
        name: user.emails[0]?.email ?? user.user_id,
        factors: session.factors.map(({ type }) => type),
        expires_at: session.expires_at,
        verified_offline: claims.sub === user.user_id,
        wallet: wallet.public_address,
        balance,
        has_passkey: user.webauthn_credentials.length > 0,
        budget: agent ? await budgetOf(agent.keyId, wallet.id) : null,
      };
    },
    'sign-out': async (_, { token, set }) => {
      await backend.DELETE('/v1/auth/sessions/delete', { body: { session_token: token } });
      set('');
    },
    'passkey/add/begin': async (_, visit) => {
      const { user } = await current(visit);
      const begun = await backend.webauthn.registrations.begin({ user_id: user.user_id });
      return begun.public_key_credential_creation_options;
    },
    'passkey/add': async ({ credential }, visit) => {
      const { user } = await current(visit);
      const added = { user_id: user.user_id, public_key_credential: credential!, name: 'Demo' };
      await backend.webauthn.registrations.create({ ...added, session_token: visit.token });
    },

    // The wallet: sign, get ether of the local chain, pay, and watch the payment.
    sign: async ({ message }, visit) =>
      backend.wallets.signMessage((await current(visit)).wallet.id, { message: message! }),
    fund: async (_, visit) => fund((await current(visit)).wallet.public_address),
    pay: async (sent, visit) => pay(backend, (await current(visit)).wallet.id, sent),
    transfer: async ({ id }, visit) => {
      const [{ user }, transfer] = await Promise.all([current(visit), backend.transfers.get(id!)]);
      if (transfer.user_id !== user.user_id) throw new Error('This is a payment of another user.');
      return transfer;
    },

    // The agent: it pays with a key of its own, and what is above its budget waits for the passkey of the visitor.
    'agent/hire': async (_, visit) => {
      const { user, wallet } = await current(visit);
      agents.set(user.user_id, await hire(user.user_id, wallet.id));
    },
    'agent/pay': async (sent, visit) => {
      const { user, wallet } = await current(visit);
      const agent = agents.get(user.user_id);
      if (!agent) throw new Error('Hire the agent first.');
      return pay(agent.client, wallet.id, sent).catch((error: unknown) => {
        if (!ApiError.is(error, 'policy_denied') || error.problem?.reason !== 'window_amount') throw error;
        throw new Error('The budget of your agent is used up for now. Nothing was paid.', { cause: error });
      });
    },
    'approval/begin': async ({ id }, visit) => {
      const vote = { user_id: (await current(visit)).user.user_id, decision: 'approve' as const };
      const [{ payload }, begun] = await Promise.all([backend.approvals.get(id!), backend.approvals.begin(id!, vote)]);
      return { payload, options: begun.public_key_credential_request_options };
    },
    'approval/approve': async ({ id, credential }, visit) => {
      const { user } = await current(visit);
      await backend.approvals.approve(id!, { user_id: user.user_id, public_key_credential: credential! });
    },
  };

  /** Answers a request of a page of this app. `path` is below the place of the app, which the cookie is bound to. */
  return async (request: IncomingMessage, response: ServerResponse, path: string, place: string): Promise<void> => {
    const type = FILES[path];
    if (request.method === 'GET' && type) {
      const file = await readFile(new URL(path === '/' ? './page.html' : `.${path}`, import.meta.url));
      response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(file);
      return;
    }
    const route = routes[path.replace('/api/', '')];
    const token = /(?:^|; )demo_session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const set = (value: string): void =>
      void response.setHeader(
        'Set-Cookie',
        `demo_session=${value}; Path=${place}; HttpOnly; SameSite=Lax; Max-Age=${value ? 3_600 : 0}`,
      );
    const [status, answer] =
      request.method !== 'POST' || !route
        ? [404, { message: 'There is nothing here.' }]
        : await route(await fieldsOf(request), { token, set }).then(
            (result) => [200, result ?? {}] as const,
            (error: Error) => [error instanceof ApiError ? error.status : 500, { message: error.message }] as const,
          );
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  };
}

async function fieldsOf(request: IncomingMessage): Promise<Fields> {
  let text = '';
  for await (const part of request) text += String(part);
  return JSON.parse(text || '{}') as Fields;
}
