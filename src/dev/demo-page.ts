import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { isFromOwnPage } from '../edge/auth/own-page.js';
import { pagesOf } from '../edge/pages/static-file.js';
import { exampleId } from '../kernel/examples.js';
import { ManageApiKeys, ManagementKeys } from '../modules/apps/index.js';
import { Config } from '../services/config/config.js';
import { ResetRefused, resetDemo } from './demo-reset.js';
import { hostNameOf, isLoopback, isLoopbackHost } from './loopback.js';
import { codeInOutbox } from './outbox-code.js';

const APP = exampleId('app');
const BY_DOCS = { actor: 'docs', requestId: null, ip: null };
const KEYS_LIVE_MS = 24 * 3_600_000;

/** Elsewhere the service refuses both buttons, so the page has the address where they work. */
const scriptFor = (base: URL): string => `const place = document.querySelector('#demo');
const output = document.createElement('output');
const button = (label, press) => {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.addEventListener('click', async () => {
    made.disabled = true;
    output.textContent = '…';
    try {
      output.textContent = await press();
    } catch {
      output.textContent = 'The service did not respond. Try again.';
    }
    made.disabled = false;
  });
  return made;
};
const post = (path) => fetch(path, { method: 'POST' });
// Swagger UI forgets keys that it gets before the document.
const ready = new Promise((resolve) => addEventListener('documentready', resolve, { once: true }));
const use = button('Use the demo app', async () => {
  await ready;
  const response = await post('docs/demo/keys');
  if (!response.ok) return response.text();
  for (const [scheme, key] of Object.entries(await response.json())) ui.preauthorizeApiKey(scheme, key);
  return 'Every call now has its key. Open one and press Execute.';
});
use.className = 'main';
const bodyOf = (path) => ui.specSelectors.specJson().getIn(['paths', path, 'post', 'requestBody', 'content', 'application/json', 'example']).toJS();
const fill = (path, body) => ui.oas3Actions.setRequestBodyValue({ value: JSON.stringify(body, null, 2), pathMethod: [path, 'post'] });
// Each press of Execute makes another user.
const CREATE = '/v1/auth/users/create';
const newUser = () => {
  const part = Date.now().toString(36);
  fill(CREATE, { ...bodyOf(CREATE), email: 'grace.' + part + '@example.com', external_id: part });
};
let mailed;
// The body of the call that comes after a mail has the code of the mail.
globalThis.valuesOf = async (operationId) => {
  if (operationId !== 'otp_verify' || !mailed) return {};
  for (let tries = 0; tries < 20; tries++) {
    const response = await post('docs/demo/code?' + new URLSearchParams(mailed));
    const otp = response.ok && (await response.json()).code;
    if (otp) return { otp };
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return {};
};
void ready.then(newUser);
const configs = ui.getConfigs();
configs.requestInterceptor = (request) => {
  if (/\\/otps\\/email\\/(send|login_or_create)$/.test(request.url))
    mailed = { email: JSON.parse(request.body).email, since: Date.now() };
  return request;
};
configs.responseInterceptor = (response) => {
  if (response.ok && new URL(response.url).pathname.endsWith(CREATE)) newUser();
  return response;
};
const address = ${JSON.stringify(`${base.origin}${base.pathname.replace(/\/$/, '')}/docs`)};
if (location.origin !== ${JSON.stringify(base.origin)}) output.textContent = 'To use the demo app, open ' + address + ' on the machine of the service.';
else place.append(${isLoopbackHost(hostNameOf(base)) ? 'use, ' : ''}button('Reset the demo data', async () => (await post('docs/demo')).text()));
place.append(output);
`;

export function serveDemoPage(nest: NestExpressApplication): void {
  const { baseUrl, dataDir } = nest.get(Config);
  const origin = new URL(baseUrl);
  pagesOf(nest).file('/docs/demo.js', () => Buffer.from(scriptFor(origin)), 'text/javascript; charset=utf-8');
  const serve = (
    path: string,
    press: (response: Response, request: Request) => Promise<unknown>,
    mayPress = (_: Request) => true,
  ) =>
    nest
      .getHttpAdapter()
      .getInstance()
      .post(path, async (request: Request, response: Response) => {
        if (!isFromOwnPage(request, origin) || !mayPress(request))
          return response.status(403).type('text').send(`Open ${baseUrl}/docs on this machine and use its button.`);
        return press(response, request);
      });
  serve('/docs/demo', async (response) => {
    try {
      await resetDemo(nest, BY_DOCS);
      response.type('text').send('The demo data is as it was at the first start.');
    } catch (error) {
      if (!(error instanceof ResetRefused)) throw error;
      response.status(409).type('text').send(error.message);
    }
  });
  let keys: Promise<Record<string, string>> | undefined;
  const current = (): Promise<Record<string, string>> => {
    if (keys) return keys;
    const forget = (): void => void (keys = undefined);
    keys = makeKeys(nest);
    keys.then(() => setTimeout(forget, KEYS_LIVE_MS / 2).unref(), forget);
    return keys;
  };
  serve('/docs/demo/keys', async (response) => response.json(await current()), isLoopback);
  const codeOf = async (response: Response, request: Request) => {
    const { email, since } = request.query as Record<string, string>;
    response.json({ code: await codeInOutbox(dataDir, email ?? '', Number(since)) });
  };
  serve('/docs/demo/code', codeOf, isLoopback);
}

/** The first keys were printed once and are not stored. */
async function makeKeys(nest: NestExpressApplication): Promise<Record<string, string>> {
  const options = { name: 'Try calls', expiresAt: new Date(Date.now() + KEYS_LIVE_MS) };
  const keys = nest.get(ManageApiKeys, { strict: false });
  const secret = await keys.issue(BY_DOCS, APP, { ...options, kind: 'secret' });
  const token = await keys.issue(BY_DOCS, APP, { ...options, kind: 'public' });
  const management = await nest.get(ManagementKeys, { strict: false }).create(BY_DOCS, { ...options, role: 'owner' });
  return { secret_key: secret.text, public_token: token.text, management_key: management.key };
}
