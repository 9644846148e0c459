import type { TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import type { Call, ModuleFacts } from '../../support/module-facts.js';
import { storeEndpoint } from './webhook-rows.js';

/** No receiver listens there. */
const URL = 'http://127.0.0.1:9/hooks';

async function endpoint(service: TestApp, app: GivenApp): Promise<string> {
  const { body, text } = await service.call('POST', '/v1/webhook_endpoints', {
    key: app.secretKey,
    body: { url: URL },
  });
  if (!body.id) throw new Error(text);
  return body.id;
}

async function delivery(service: TestApp, app: GivenApp): Promise<{ whk_id: string; whd_id: string }> {
  const whk_id = await endpoint(service, app);
  const { body } = await service.call('POST', `/v1/webhook_endpoints/${whk_id}/test`, { key: app.secretKey });
  return { whk_id, whd_id: body.delivery_id };
}

/** The calls of both APIs: with a management key, and with the secret key of the app. */
const BASES: Readonly<Record<string, (app: GivenApp) => string>> = {
  '/management/v1/apps/{app_id}/webhook_endpoints': ({ id }) => `/management/v1/apps/${id}/webhook_endpoints`,
  '/v1/webhook_endpoints': () => '/v1/webhook_endpoints',
};

const toEndpoint =
  (of: (app: GivenApp) => string, suffix: string, body?: () => Record<string, unknown>) =>
  async (service: TestApp, app: GivenApp): Promise<Call> => ({
    path: `${of(app)}/${await endpoint(service, app)}${suffix}`,
    ...(body && { body: body() }),
  });

const recovery = () => ({ since: Math.floor(Date.now() / 1_000) - 3_600 });

const AUDITED = 'The audit log has the change. An endpoint does not receive its own settings.';
const SENDS = 'It sends events that have happened before.';

export const facts: ModuleFacts = {
  ids: delivery,
  bodies: {
    'POST /v1/webhook_endpoints': null,
    'PATCH /v1/webhook_endpoints/{whk_id}': () => ({ description: 'Mallory' }),
    'POST /v1/webhook_endpoints/{whk_id}/rotate_secret': () => ({}),
    'POST /v1/webhook_endpoints/{whk_id}/recover': recovery,
  },
  calls: Object.assign(
    {},
    ...Object.entries(BASES).map(([base, of]) => ({
      [`POST ${base}`]: (_: TestApp, app: GivenApp) => ({ path: of(app), body: { url: URL } }),
      [`PATCH ${base}/{whk_id}`]: toEndpoint(of, '', () => ({ disabled: true })),
      [`DELETE ${base}/{whk_id}`]: toEndpoint(of, ''),
      [`POST ${base}/{whk_id}/rotate_secret`]: toEndpoint(of, '/rotate_secret', () => ({})),
      [`POST ${base}/{whk_id}/test`]: toEndpoint(of, '/test', () => ({})),
      [`POST ${base}/{whk_id}/recover`]: toEndpoint(of, '/recover', recovery),
      [`POST ${base}/{whk_id}/deliveries/{whd_id}/resend`]: async (service: TestApp, app: GivenApp) => {
        const { whk_id, whd_id } = await delivery(service, app);
        return { path: `${of(app)}/${whk_id}/deliveries/${whd_id}/resend`, body: {} };
      },
    })),
  ) as ModuleFacts['calls'],
  withoutEvent: Object.assign(
    {},
    ...Object.keys(BASES).map((base) => ({
      [`POST ${base}`]: AUDITED,
      [`DELETE ${base}/{whk_id}`]: AUDITED,
      [`POST ${base}/{whk_id}/rotate_secret`]: AUDITED,
      [`POST ${base}/{whk_id}/test`]: 'The event `webhook.test` is not in the feed.',
      [`POST ${base}/{whk_id}/recover`]: SENDS,
      [`POST ${base}/{whk_id}/deliveries/{whd_id}/resend`]: SENDS,
    })),
  ) as ModuleFacts['withoutEvent'],
  sealed: async (service, app) => {
    for (let i = 0; i < 2; i++) await storeEndpoint(service.nest, app.id);
  },
};
