import type { TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
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

export const facts: ModuleFacts = {
  settings: { authorization_server: { login_url: 'https://acme.example/login' } },
  ids: async (service, app) => ({
    client_id: await idOf(service, app, '/oauth_clients', client),
    resource_id: await idOf(service, app, '/resources', resource()),
  }),
  calls: {
    [`POST ${CLIENTS}`]: () => ({ body: client }),
    [`PATCH ${CLIENTS}/{client_id}`]: toClient('', { name: 'Export' }),
    [`POST ${CLIENTS}/{client_id}/rotate_secret`]: toClient('/rotate_secret', {}),
    [`DELETE ${CLIENTS}/{client_id}`]: toClient(),
    [`POST ${RESOURCES}`]: () => ({ body: resource() }),
    [`PATCH ${RESOURCES}/{resource_id}`]: toResource({ name: 'All orders' }),
    [`DELETE ${RESOURCES}/{resource_id}`]: toResource(),
  },
  unsealed: {
    'authorization_clients.secret_hash': 'It is a keyed hash.',
    'authorization_clients.previous_secret_hash': 'It is a keyed hash.',
  },
  withoutMac: {
    authorization_revoked_tokens:
      'A row can only refuse a token, and who may remove it may remove the row of the client.',
  },
};
