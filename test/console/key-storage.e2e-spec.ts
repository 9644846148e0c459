import type { Browser, Locator, Page } from 'playwright-core';
import { EscrowTable } from '../../src/services/crypto/escrow/escrow-table.js';
import { startApp, type TestApp } from '../support/app.js';
import { createDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startVault, type VaultServer } from '../support/vault-server.js';
import { launchChromium } from './chromium.js';
import { consoleSettings, managementKey, Visitor } from './visitor.js';

let vault: VaultServer;
let drop: () => Promise<void>;
let app: TestApp;
let browser: Browser;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  // Its values are under a master key.
  const before = await startApp({ databaseUrl: database.url, env: { ROLE: 'api' } });
  await before.given.app();
  await before.stop();
  vault = await startVault();
  app = await startApp({ databaseUrl: database.url, env: { ...(await consoleSettings()), ...vault.env } });
  const shop = await app.given.app();
  await app.call('GET', `/v1/auth/jwks/${shop.id}`);
  browser = await launchChromium();
  visitor = await Visitor.arrive(browser, app);
  page = visitor.page;
  await visitor.signIn(await managementKey(app, 'auditor'));
});
afterEach(() => expect(visitor.faults.splice(0)).toEqual([]));
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await vault?.stop();
  await drop?.();
});

const cellsOf = (table: string, row: RegExp): Promise<string[]> =>
  page.getByRole('table', { name: table }).getByRole('row', { name: row }).getByRole('cell').allInnerTexts();
const warning = (words: RegExp): Locator => page.locator('.notice').filter({ hasText: words });
const commandIn = (notice: Locator): Promise<string> => notice.getByLabel('Command', { exact: true }).inputValue();

describe('the key storage', () => {
  it('is linked from the list of apps, and says where the keys are and what an operator should do', async () => {
    await page.getByRole('link', { name: 'Key storage' }).click();
    // The values are counted in the background, so the page loads them later by itself.
    await page.getByRole('rowheader', { name: 'test', exact: true }).waitFor();
    expect((await cellsOf('Providers', /^Vault/)).slice(0, 3)).toEqual(['ok', '', '']);
    expect(await cellsOf('App keys', /^Vault, generation 1/)).toEqual(['2']);
    expect(await cellsOf('Sealed values', /^Vault/)).toEqual([expect.stringMatching(/^\d+$/), 'current']);
    expect(await cellsOf('Sealed values', /^test/)).toEqual([expect.stringMatching(/^\d+$/), 'to be moved']);
    expect(await commandIn(warning(/^There is no escrow of the app keys\./))).toContain('npm run cli -- keys escrow');
    expect(await commandIn(warning(/^Values under other keys/))).toBe('npm run cli -- keys move --to vault');
    await visitor.inspect('key-storage');
  });

  it('warns of keys that are not in the escrow, and of a provider that fails', async () => {
    const escrow = { createdAt: new Date(0), keys: 1, threshold: 2, recipients: 3 };
    await app.nest.get(EscrowTable, { strict: false }).record(escrow, 'vault', Buffer.alloc(32));
    vault.fault = 403;
    const shop = await app.given.app();
    await app.call('GET', `/v1/auth/jwks/${shop.id}`);
    await page.reload();
    await warning(/^Keys that are not in the last escrow: \d+\./).waitFor();
    await page.getByText('2 of 3 private keys').waitFor();
    expect(await warning(/no escrow/).count()).toBe(0);
    expect(await commandIn(warning(/^Calls to Vault fail: it refuses access\./))).toBe('npm run cli -- keys status');
    expect((await cellsOf('Providers', /^Vault/)).slice(0, 2)).toEqual(['unavailable', 'denied']);
    await visitor.inspect('key-storage-unavailable');
    // The page loads again by itself while a provider fails.
    vault.fault = null;
    await eventually(async () => expect((await app.call('GET', `/v1/auth/jwks/${shop.id}`)).status).toBe(200));
    await warning(/^Calls to Vault fail/).waitFor({ state: 'detached' });
  });
});
