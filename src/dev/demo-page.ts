import type { NestExpressApplication } from '@nestjs/platform-express';
import { BlockList } from 'node:net';
import type { Request, Response } from 'express';
import { isFromOwnPage } from '../edge/auth/own-page.js';
import { countedAsPage, pagesOf } from '../edge/pages/static-file.js';
import { exampleId } from '../kernel/examples.js';
import { ManageApiKeys, ManagementKeys } from '../modules/apps/index.js';
import { Config } from '../services/config/config.js';
import { ResetRefused, resetDemo } from './demo-reset.js';

const APP = exampleId('app');
const BY_DOCS = { actor: 'docs', requestId: null, ip: null };
const KEYS_LIVE_MS = 24 * 3_600_000;

const SCRIPT = `const place = document.querySelector('#demo');
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
const use = button('Use the demo app', async () => {
  const response = await post('docs/demo/keys');
  if (!response.ok) return response.text();
  for (const [scheme, key] of Object.entries(await response.json())) ui.preauthorizeApiKey(scheme, key);
  return 'Every call now has its key. Open one and press Execute.';
});
use.className = 'main';
place.append(use, button('Reset the demo data', async () => (await post('docs/demo')).text()), output);
`;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

const FORWARDED = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** A call through a tunnel or a proxy, or under a name of another server's DNS, is no loopback. */
function isLoopback({ host, socket, headers }: Request): boolean {
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false;
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '') : '';
  const isOwn = (address: string): boolean =>
    LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4') || address === 'localhost';
  return isOwn(name) && isOwn((socket.remoteAddress ?? '').replace('::ffff:', ''));
}

export function serveDemoPage(nest: NestExpressApplication): void {
  const { baseUrl } = nest.get(Config);
  const origin = new URL(baseUrl);
  pagesOf(nest).file('/docs/demo.js', () => Buffer.from(SCRIPT), 'text/javascript; charset=utf-8');
  const serve = (path: string, press: (response: Response) => Promise<unknown>, mayPress = (_: Request) => true) =>
    nest
      .getHttpAdapter()
      .getInstance()
      .post(path, countedAsPage(nest), async (request: Request, response: Response) => {
        if (!isFromOwnPage(request, origin) || !mayPress(request))
          return response.status(403).type('text').send(`Open ${baseUrl}/docs on this machine and use its button.`);
        return press(response);
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
}

/** The first keys were printed once and are not stored, so these are made, for a day. */
async function makeKeys(nest: NestExpressApplication): Promise<Record<string, string>> {
  const options = { name: 'Try calls', expiresAt: new Date(Date.now() + KEYS_LIVE_MS) };
  const keys = nest.get(ManageApiKeys, { strict: false });
  const secret = await keys.issue(BY_DOCS, APP, { ...options, kind: 'secret' });
  const token = await keys.issue(BY_DOCS, APP, { ...options, kind: 'public' });
  const management = await nest.get(ManagementKeys, { strict: false }).create(BY_DOCS, { ...options, role: 'owner' });
  return { secret_key: secret.text, public_token: token.text, management_key: management.key };
}
