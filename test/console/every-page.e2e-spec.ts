import { readdirSync, readFileSync } from 'node:fs';
import type { KoaContext } from 'oidc-provider';
import type { Browser } from 'playwright-core';
import { logoutPage } from '../../src/modules/authorization/infrastructure/pages.js';
import { Server } from '../modules/authorization/servers.js';
import { PolicyApp } from '../modules/policy/policies.js';
import type { TestApp } from '../support/app.js';
import { Observer } from '../support/observer.js';
import { launchChromium } from './chromium.js';
import { startConsole, Visitor } from './visitor.js';

// No page has a finding of axe, of any impact and in either scheme, or is wider than a small screen.

/** Drawing and checking all pages of one site takes minutes on a busy machine. */
const SITE_MS = 1_200_000;

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  [app, browser] = await Promise.all([startConsole(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

/** All pages of a site have these. */
const SHARED = ['header.site', 'nav.pages', '.app-menu'];

async function findingsOn(visitor: Visitor, paths: readonly string[], shown: string): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const [index, path] of paths.entries()) {
    await visitor.open(path);
    await visitor.page.locator(shown).first().waitFor();
    findings.push(...(await visitor.findings(`page${path.replaceAll('/', '-')}`, index === 0 ? [] : SHARED)));
  }
  return [...findings, ...visitor.faults];
}

const linksIn = (text: string, link: RegExp): string[] => [
  ...new Set([...text.matchAll(link)].map(([, path]) => path!)),
];

describe('every page', () => {
  it(
    'of the guide can be read on a small screen and with assistive technology',
    async () => {
      const paths = linksIn((await app.call('GET', '/llms.txt')).text, /\]\((\/guide\/[^)]+)\.md\)/g);
      expect(paths.length).toBeGreaterThanOrEqual(30);
      const visitor = await Visitor.arrive(browser, app);
      const pages = paths.map((path) => path.replace(/\/index$/, ''));
      expect(await findingsOn(visitor, [...pages, '/errors'], 'h1')).toEqual([]);
      await visitor.leave();
    },
    SITE_MS,
  );

  it(
    'of the reference can be read on a small screen and with assistive technology',
    async () => {
      const groups = linksIn((await app.call('GET', '/reference')).text, /href="(\/reference\/[a-z0-9-]+)"/g);
      expect(groups.length).toBeGreaterThanOrEqual(30);
      const visitor = await Visitor.arrive(browser, app);
      expect(await findingsOn(visitor, ['/reference'], 'h1')).toEqual([]);
      expect(await findingsOn(visitor, groups, 'h2')).toEqual([]);
      await visitor.leave();
    },
    SITE_MS,
  );

  it(
    'for trying calls can be used with assistive technology, with a call and the keys open',
    async () => {
      const visitor = await Visitor.arrive(browser, app);
      await visitor.open('/docs');
      await visitor.page.locator('.opblock-summary-control').first().click();
      await visitor.page.locator('.body-param__text').waitFor();
      await visitor.inspect('page-docs');
      await visitor.page.locator('.btn.authorize').first().click();
      await visitor.page.locator('.modal-ux').waitFor();
      await visitor.inspect('page-docs-keys');
      expect(await visitor.leave()).toEqual([]);
    },
    SITE_MS,
  );

  it(
    'of a sign-in at another program can be used with assistive technology',
    async () => {
      const visitor = await Visitor.arrive(browser, app);
      const { pathname } = new URL((await Server.of(app)).issuer);
      const callback = `/v1/auth/oauth/callback/oauthconn_${'0'.repeat(26)}?state=none`;
      const paths = [callback, `${pathname}/auth?client_id=none`, `${pathname}/logout/success`];
      expect(await findingsOn(visitor, paths, 'h1')).toEqual([]);
      const asked = { type: '', body: '' as unknown } as KoaContext;
      logoutPage(asked, '<form id="op.logoutForm" method="post"></form>');
      await visitor.page.setContent(asked.body as string);
      await visitor.inspect('page-sign-out');
      await visitor.leave();
    },
    SITE_MS,
  );

  it(
    'of the console can be used on a small screen and with assistive technology',
    async () => {
      const ids = await objectsOfEveryKind();
      const pages = consolePages();
      expect(pages.length).toBeGreaterThanOrEqual(35);
      const empty = await app.given.app({ name: 'e'.repeat(256) });
      const paths = pages.flatMap(({ path, isOfService }) => {
        const [list, isOfOne] = path.split('/:');
        if (isOfService) return [`/console/${path}`];
        if (isOfOne) return [`/console/apps/${ids.app}/${list}/${ids[list!] ?? `no object for ${path}`}`];
        return [`/console/apps/${ids.app}/${path}`, `/console/apps/${empty.id}/${path}`];
      });
      const visitor = await Visitor.arrive(browser, app);
      await visitor.open('/console');
      await visitor.page.getByLabel('Management key').waitFor();
      await visitor.inspect('page-sign-in');
      await visitor.signIn(app.managementKey);
      const others = [`/apps/${ids.app}`, '', '/none', `/apps/${empty.id}`, '/apps/app_00000000000000000000000000'];
      expect(await findingsOn(visitor, [...others.map((path) => `/console${path}`), ...paths], 'h1')).toEqual([]);
      await visitor.leave();
    },
    SITE_MS,
  );
});

interface ConsolePage {
  readonly path: string;
  readonly isOfService: boolean;
}

/** As the modules declare them, so that a new page is in the test. */
function consolePages(): readonly ConsolePage[] {
  const files = readdirSync('src/modules', { recursive: true }) as string[];
  return files
    .filter((file) => /^[^/]+\/console\/[^/]+\.tsx$/.test(file))
    .flatMap((file) =>
      readFileSync(`src/modules/${file}`, 'utf8')
        .split(/\bpath: '/)
        .slice(1),
    )
    .map((text) => ({ path: text.slice(0, text.indexOf("'")), isOfService: text.includes('isOfService: true') }));
}

/** An app with one row in each list, one of them with names as long as the service takes, and their ids by the list. */
async function objectsOfEveryKind(): Promise<Readonly<Record<string, string>>> {
  const policies = await PolicyApp.of(app);
  const shop = policies.app;
  const { approval, holder } = await policies.asked();
  const manage = async (path: string, body: object) =>
    (await app.ok('POST', `/management/v1/apps/${shop.id}/${path}`, { key: app.managementKey, body })) as {
      readonly id: string;
    };
  const long = 'W'.repeat(128);
  const names = { first_name: long, last_name: long, email: `${'l'.repeat(60)}@example.com` };
  const { user_id } = await app.given.user(shop, { ...names, wallet_type: 'ethereum' });
  const { user_id: erased } = await app.given.user(shop);
  await manage(`users/${erased}/erase`, {});
  const { wallets } = await app.ok('GET', '/v1/wallets/list', { key: shop.secretKey, query: { user_id } });
  const wallet = wallets[0].id as string;
  const transfer = `transfer_${'0'.repeat(26)}`;
  const observer = await Observer.of(app);
  await observer.rows(
    `insert into transfers (app_id, id, user_id, status, stage, source, source_address, dest, chain, network, currency, symbol,
       decimals, amount, fee_cap, notes, expires_at, stuck_since, stuck_reason)
     values ($1, $2, $3, 'pending', 'submitted', $4, '0x1', '0x2', 'ethereum', 'eip155:1', 'ethereum', 'ETH', 18, 1, 1, '', now(), now(),
       'not_in_a_block')`,
    [shop.id, transfer, user_id, wallet],
  );
  await observer.close();
  await manage('keys', { kind: 'restricted', name: 'invoice-bot', scopes: ['transfers:write'], rate: 5 });
  await manage('redirect_urls', { url: 'https://shop.example.com/login', kind: 'login' });
  await manage('resources', { name: 'Orders', audience: 'https://orders.example.com', scopes: ['orders:read'] });
  await manage('oauth_clients', { name: 'Import', type: 'confidential', grant_types: ['client_credentials'] });
  const connection = { provider: 'google', client_id: 'shop', client_secret: 'shop-secret' };
  const endpoint = { url: 'https://shop.example.com/webhooks', event_types: ['user.created'] };
  await manage('oauth_connections', connection);
  return {
    app: shop.id,
    users: user_id,
    wallets: wallet,
    deposits: wallet,
    transfers: transfer,
    erasures: erased,
    approvals: approval,
    policies: (await policies.active())[0].id as string,
    'approver-groups': await policies.group([holder.userId]),
    connections: connection.provider,
    webhooks: (await manage('webhook_endpoints', endpoint)).id,
  };
}
