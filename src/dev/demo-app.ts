import type { NestExpressApplication } from '@nestjs/platform-express';
import { parseEther } from 'ethers';
import type { Request, Response } from 'express';
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isFromOwnPage } from '../edge/auth/own-page.js';
import { basePathOf } from '../edge/http/base-path.js';
import { pagePolicy, setPageHeaders } from '../edge/pages/static-file.js';
import { ManagementKeys } from '../modules/apps/index.js';
import { Config } from '../services/config/config.js';
import { ROOT } from '../services/root.js';
import { fundOnLocalChain } from './local-chain.js';
import { isLoopback } from './loopback.js';
import { codeInOutbox } from './outbox-code.js';

type DemoApp = (request: IncomingMessage, response: ServerResponse, path: string, place: string) => Promise<void>;

const POLICY = pagePolicy("style-src 'self'", "img-src 'self'");
const BY_DEMO = { actor: 'demo', requestId: null, ip: null };
/** The keys of the demo app live twice as long. */
const RENEWED_MS = 12 * 3_600_000;
const FUNDS = parseEther('5');

/** Only this machine may use the demo app, because its keys work for every caller. The first visitor starts it. */
export function serveDemoApp(nest: NestExpressApplication): void {
  const file = join(ROOT, 'dist', 'demo', 'backend.js');
  const { baseUrl } = nest.get(Config);
  const [place, origin] = [`${basePathOf(baseUrl)}/demo`, new URL(baseUrl)];
  let app: Promise<DemoApp> | undefined;
  const current = (): Promise<DemoApp> => {
    if (app) return app;
    const forget = (): void => void (app = undefined);
    app = start(nest, file);
    app.then(() => setTimeout(forget, RENEWED_MS).unref(), forget);
    return app;
  };
  nest.use('/demo', async (request: Request, response: Response) => {
    if (!isLoopback(request) || (request.method !== 'GET' && !isFromOwnPage(request, origin)))
      return response.status(403).type('text').send(`Open ${baseUrl}/demo on this machine.`);
    if (!existsSync(file)) return response.status(404).type('text').send('Run npm start, which builds the demo app.');
    if (request.originalUrl === '/demo/') return response.redirect(place);
    setPageHeaders(response, POLICY);
    response.setHeader('Cache-Control', 'no-store');
    return (await current())(request, response, request.path, place);
  });
}

async function start(nest: NestExpressApplication, file: string): Promise<DemoApp> {
  const { baseUrl, dataDir } = nest.get(Config);
  const options = { name: 'Demo app', role: 'owner', expiresAt: new Date(Date.now() + RENEWED_MS * 2) } as const;
  const { key } = await nest.get(ManagementKeys, { strict: false }).create(BY_DEMO, options);
  const { startDemoApp } = (await import(pathToFileURL(file).href)) as {
    startDemoApp: (surroundings: object) => Promise<DemoApp>;
  };
  return startDemoApp({
    baseUrl,
    managementKey: key,
    codeFor: (email: string, since: number) => codeInOutbox(dataDir, email, since),
    fund: (address: string) => fundOnLocalChain(dataDir, address, FUNDS).then(({ hash }) => ({ hash })),
  });
}
