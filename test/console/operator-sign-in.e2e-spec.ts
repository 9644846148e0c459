import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';
import { launchChromium } from './chromium.js';
import { consoleSettings, Visitor } from './visitor.js';

const ANN = { sub: 'ann', email: 'ann@corp.example', email_verified: true, groups: ['support'] };

let provider: OpenIdProvider;
let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  provider = await startIdentityProvider({ alwaysSignsIn: ANN });
  const settings = await consoleSettings();
  const client = { client_id: 'console', client_secret: 'canary-client-secret' };
  await provider.register({
    ...client,
    redirect_uris: [`${settings['BASE_URL']}/operators/sign_in/callback`],
  });
  [app, browser] = await Promise.all([
    startApp({
      env: {
        ...settings,
        CONSOLE_OIDC_ISSUER: provider.issuer,
        CONSOLE_OIDC_CLIENT_ID: client.client_id,
        CONSOLE_OIDC_CLIENT_SECRET: client.client_secret,
        CONSOLE_OIDC_ROLES: 'groups=support:support',
      },
    }),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await provider?.stop();
});

let visitor: Visitor;
beforeEach(async () => (visitor = await Visitor.arrive(browser, app)));
afterEach(async () => {
  const faults = visitor.faults.filter((fault) => !fault.startsWith(`another host: ${provider.issuer}`));
  await visitor.context.close();
  expect(faults).toEqual([]);
});

const link = () => visitor.page.getByRole('link', { name: `Sign in at ${new URL(provider.issuer).host}` });

describe('the sign-in of an operator at the OpenID provider', () => {
  it('leads back to the page, and shows the name and the role', async () => {
    const shop = await app.given.app({ name: 'Corner shop' });
    await visitor.open(`/console/apps/${shop.id}/users`);
    await link().waitFor();
    await visitor.inspect('sign-in-with-provider');
    await link().click();
    await visitor.page.getByRole('heading', { name: 'Users' }).waitFor();
    await visitor.page.getByText('ann@corp.example').waitFor();
    await visitor.page.getByText('Role: support').waitFor();
  });

  it('leaves the page of an expired session as it is', async () => {
    await visitor.signIn(app.managementKey);
    await visitor.page.getByRole('button', { name: 'Create app' }).click();
    await visitor.page.getByRole('textbox', { name: 'Name' }).fill('A long name that nobody wants to type again');
    await visitor.context.clearCookies();
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Create app' }).click();
    const [tab] = await Promise.all([visitor.context.waitForEvent('page'), link().click()]);
    await tab.getByText('ann@corp.example').waitFor();
    await link().waitFor({ state: 'detached' });
    expect(await visitor.page.getByRole('textbox', { name: 'Name' }).inputValue()).toMatch(/^A long name/);
    await visitor.page.getByText('ann@corp.example').waitFor();
  });

  it('says why it was refused', async () => {
    await visitor.open('/console?sign_in_error=operator_has_no_role');
    await visitor.page.getByText('gives you no role in this console').waitFor();
    await visitor.open('/console?sign_in_error=constructor');
    await visitor.page.getByText('did not complete the sign-in').waitFor();
  });
});
