import { type AppId, newId, type OauthClientId, type UserId } from '../../../src/kernel/ids.js';
import { GrantRepository } from '../../../src/modules/authorization/domain/grant.js';
import { Artifacts } from '../../../src/modules/authorization/infrastructure/artifacts.js';
import type { TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { sessionOf } from './servers.js';
import type { ModuleFacts } from '../../support/module-facts.js';

const MANAGED = '/management/v1/apps/{app_id}';
const CLIENTS = `${MANAGED}/oauth_clients`;
const RESOURCES = `${MANAGED}/resources`;

const at = (app: GivenApp, path: string): string => `/management/v1/apps/${app.id}${path}`;
const resource = () => ({ audience: `https://${unique()}.example`, name: 'Orders', scopes: ['orders:read'] });
const client = { name: 'Import', type: 'confidential', grant_types: ['client_credentials'] };

async function idOf(service: TestApp, app: GivenApp, path: string, body: object): Promise<string> {
  return (await service.ok('POST', at(app, path), { key: service.managementKey, body })).id as string;
}

const toClient =
  (suffix = '', body?: Record<string, unknown>) =>
  async (service: TestApp, app: GivenApp) => ({
    path: at(app, `/oauth_clients/${await idOf(service, app, '/oauth_clients', client)}${suffix}`),
    ...(body && { body }),
  });

const toResource = (body?: Record<string, unknown>) => async (service: TestApp, app: GivenApp) => ({
  path: at(app, `/resources/${await idOf(service, app, '/resources', resource())}`),
  ...(body && { body }),
});

/** A grant of the user for a new client, as the service stores it. */
async function grantOf(service: TestApp, app: GivenApp, userId: string): Promise<string> {
  const id = newId('grant');
  const none = { user: [], resources: {} };
  const scopes = ['openid', 'offline_access'];
  await service.nest.get(GrantRepository, { strict: false }).insert({
    appId: app.id as AppId,
    id,
    userId: userId as UserId,
    clientId: (await idOf(service, app, '/oauth_clients', { ...client, scopes })) as OauthClientId,
    sessionId: newId('session'),
    granted: { ...none, user: scopes },
    rejected: none,
    isOffline: true,
    sessionEndsAt: new Date(),
  });
  return id;
}

const ofUser = async (service: TestApp, app: GivenApp) =>
  grantOf(service, app, (await service.given.user(app)).user_id);

/** An interaction that a browser has begun. */
async function interactionOf(service: TestApp, app: GivenApp): Promise<string> {
  const id = unique();
  const params = { client_id: await idOf(service, app, '/oauth_clients', client), scope: 'openid' };
  const now = Math.floor(Date.now() / 1_000);
  const payload = { kind: 'Interaction', params, iat: now, exp: now + 600, returnTo: 'https://acme.example/auth/1' };
  await service.nest.get(Artifacts, { strict: false }).store(app.id as AppId, 'Interaction', id, payload, 600);
  return id;
}

const INTERACTION = '/v1/oauth2/interactions/{interaction}';

export const facts: ModuleFacts = {
  settings: { authorization_server: { login_url: 'https://acme.example/login' } },
  ids: async (service, app, userId) => {
    // A second one, so that the list has two pages.
    await grantOf(service, app, userId);
    return {
      grant_id: await grantOf(service, app, userId),
      interaction: await interactionOf(service, app),
      client_id: await idOf(service, app, '/oauth_clients', client),
      resource_id: await idOf(service, app, '/resources', resource()),
    };
  },
  bodies: {
    [`POST ${INTERACTION}/accept`]: () => ({ session_token: 'unknown' }),
    [`POST ${INTERACTION}/reject`]: () => ({ error: 'access_denied' }),
  },
  calls: {
    [`POST ${INTERACTION}/accept`]: async (service, app) => {
      const interaction = await interactionOf(service, app);
      const session_token = await sessionOf(service, app);
      return { path: `/v1/oauth2/interactions/${interaction}/accept`, body: { session_token } };
    },
    [`POST ${INTERACTION}/reject`]: async (service, app) => ({
      path: `/v1/oauth2/interactions/${await interactionOf(service, app)}/reject`,
      body: { error: 'access_denied' },
    }),
    'DELETE /v1/oauth2/grants/{grant_id}': async (service, app) => ({
      path: `/v1/oauth2/grants/${await ofUser(service, app)}`,
    }),
    [`DELETE ${MANAGED}/oauth2/grants/{grant_id}`]: async (service, app) => ({
      path: at(app, `/oauth2/grants/${await ofUser(service, app)}`),
    }),
    [`POST ${CLIENTS}`]: () => ({ body: client }),
    [`PATCH ${CLIENTS}/{client_id}`]: toClient('', { name: 'Export' }),
    [`POST ${CLIENTS}/{client_id}/rotate_secret`]: toClient('/rotate_secret', {}),
    [`DELETE ${CLIENTS}/{client_id}`]: toClient(),
    [`POST ${RESOURCES}`]: () => ({ body: resource() }),
    [`PATCH ${RESOURCES}/{resource_id}`]: toResource({ name: 'All orders' }),
    [`DELETE ${RESOURCES}/{resource_id}`]: toResource(),
  },
  withoutEvent: { [`POST ${INTERACTION}/reject`]: 'Nothing begins or ends: the other program gets the error.' },
  sealed: async (service, app) => {
    for (let i = 0; i < 2; i++) await interactionOf(service, app);
  },
  unsealed: {
    'authorization_artifacts.id_hash': 'It is a keyed hash.',
    'authorization_artifacts.secret_hash': 'It is a keyed hash.',
    'authorization_clients.secret_hash': 'It is a keyed hash.',
    'authorization_clients.previous_secret_hash': 'It is a keyed hash.',
  },
  withoutMac: {
    authorization_artifacts: 'The columns by which rows are found and ended are bound into the seal of the payload.',
    authorization_revoked_tokens:
      'A row can only refuse a token, and who may remove it may remove the row of the client.',
  },
};
