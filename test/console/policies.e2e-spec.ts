import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import type { GivenApp } from '../support/given.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { type Holder, PasskeyApp } from '../modules/passkey/passkeys.js';
import { asking, PolicyApp } from '../modules/policy/policies.js';
import { launchChromium } from './chromium.js';
import { consoleSettings, managementKey, Visitor } from './visitor.js';

// Browsers offer passkeys at localhost, and not at an IP address.
let app: TestApp;
let site: { readonly url: string };
let browser: Browser;
beforeAll(async () => {
  const settings = await consoleSettings();
  site = { url: settings['BASE_URL']!.replace('127.0.0.1', 'localhost') };
  [app, browser] = await Promise.all([startApp({ env: { ...settings, BASE_URL: site.url } }), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

let shop: GivenApp;
let policies: PolicyApp;
let visitor: Visitor;
let page: Page;
beforeEach(async () => {
  const webauthn = { rp_id: 'localhost', origins: [site.url] };
  shop = await app.given.app({ name: 'Corner shop', webauthn });
  policies = PolicyApp.at(app, shop);
  visitor = await Visitor.arrive(browser, site);
  page = visitor.page;
});
afterEach(async () => expect(await visitor.leave()).toEqual([]));

const at = (view: string): string => `/console/apps/${shop.id}${view}`;
const signIn = (view: string): Promise<void> => visitor.signIn(app.managementKey, at(view));
const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const shows = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

/** Presses a button and, in the dialog that it opens, the button of the same name. */
async function act(name: string, ...expected: readonly (string | RegExp)[]): Promise<void> {
  await press(name);
  const dialog = page.getByRole('dialog');
  for (const text of expected) await dialog.getByText(text).waitFor();
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function walletOf(user_id: string): Promise<string> {
  const { body } = await app.call('GET', '/v1/wallets/list', { key: shop.secretKey, query: { user_id } });
  return body.wallets[0].id as string;
}

const walletOfNewUser = async (): Promise<string> =>
  walletOf((await app.given.user(shop, { wallet_type: 'ethereum' })).user_id);

describe('a new version', () => {
  it('is entered by inputs and as JSON, and its faults are shown where the service finds them', async () => {
    await signIn('/policies');
    await shows('No policy yet');
    await page.getByRole('link', { name: 'New policy' }).click();
    await page.getByLabel('Name').fill('Payouts');
    const first = page.getByRole('group', { name: 'Rule 1', exact: true });
    await first.getByLabel('messages').check();
    await press('Add budget to rule 1');
    await first.getByLabel('Period').fill('5 seconds');
    await first.getByLabel('Most requests in that time').fill('2');
    const json = page.getByLabel('The same as JSON');
    expect(JSON.parse(await json.inputValue())).toEqual({
      name: 'Payouts',
      scope: { kind: 'app' },
      rules: [
        {
          effect: 'allow',
          match: { operations: ['sign_message'] },
          windows: [{ seconds: 5, per: 'policy', max_count: 2 }],
        },
      ],
    });
    await press('Store draft');
    await first.getByText('must be at least 60 seconds').waitFor();
    await visitor.inspect('new-policy');
    const entered = JSON.parse(await json.inputValue()) as { rules: { windows: object[] }[] };
    entered.rules[0]!.windows = [{ seconds: 86_400, per: 'policy', max_count: 2 }];
    await json.fill(JSON.stringify({ ...entered, rules: [{ ...entered.rules[0], mach: {} }] }));
    expect(await first.getByLabel('Period').inputValue()).toBe('24 hours');
    await press('Store draft');
    await shows('rules[0].mach');
    await json.fill('{');
    await shows('This is no JSON');
    expect(await page.getByRole('button', { name: 'Store draft' }).getAttribute('aria-disabled')).toBe('true');
    await json.fill(JSON.stringify(entered));
    await press('Store draft');
    await page.getByRole('heading', { name: 'Payouts' }).waitFor();
    await shows('Allow messages, at most 2 requests in 24 hours.');
  });

  it('begins with the rules of another version, whose order and number the buttons change', async () => {
    const from = await policies.version({
      rules: [
        { id: 'small', effect: 'allow', match: { operations: ['sign_message'] } },
        { id: 'none', effect: 'deny' },
      ],
    });
    await signIn(`/policies/${from}`);
    await page.getByRole('link', { name: 'New version' }).click();
    await press('Move rule 2 up');
    await press('Add rule');
    const third = page.getByRole('group', { name: 'Rule 3', exact: true });
    await third.getByLabel('Effect').selectOption('require_approval');
    await third.getByLabel('Approvals needed').waitFor();
    await shows('No approver group yet.');
    await press('Remove rule 3');
    await third.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Id (optional)' }).first().inputValue()).toBe('none');
    await press('Store draft');
    await shows('Version 2');
    await shows('The rules that both versions have are in another order.');
  });
});

describe('a version of a policy', () => {
  it('says what its activation and its retirement do, and what differs from another version', async () => {
    const rules = [{ id: 'few', effect: 'allow', windows: [{ seconds: 3_600, max_count: 1 }] }];
    const versions = [await policies.version({ rules }), await policies.version()];
    await signIn(`/policies/${versions[0]}`);
    await act('Activate', 'It is the first active policy of this scope (the whole app)');
    await page.getByText('active', { exact: true }).first().waitFor();
    await visitor.open(at(`/policies/${versions[1]}`));
    await shows('Changes from version 1 to version 2');
    const change = page.getByRole('row', { name: 'few' });
    for (const text of ['removed', 'Allow everything, at most 1 request in 1 hour.'])
      await change.getByText(text).waitFor();
    await visitor.inspect('policy');
    await act('Activate', 'Version 1 is retired at the same time', 'It may allow requests that are refused now.');
    await page.getByText('active', { exact: true }).first().waitFor();
    // The dialog speaks of the versions that the page has loaded.
    await visitor.open(at(`/policies/${versions[1]}`));
    await act('Retire', 'It is the last active policy of this scope (the whole app)');
    await page.getByRole('row').getByText('retired').nth(1).waitFor();
    await page.getByRole('link', { name: 'Policies' }).click();
    await page.getByLabel('State').selectOption('draft');
    await press('Apply');
    await shows('No version fits these filters.');
    await page.getByLabel('State').selectOption('retired');
    await press('Apply');
    await page.getByRole('rowheader').nth(1).waitFor();
    await visitor.inspect('policies');
  });

  it('has a dry run, which shows the rule and its budgets', async () => {
    const wallet = await walletOfNewUser();
    const rules = [
      {
        id: 'few',
        effect: 'allow',
        match: { operations: ['sign_message'] },
        windows: [{ seconds: 3_600, max_count: 1 }],
      },
    ];
    await policies.activate(await policies.version({ rules }));
    const call = { key: shop.secretKey, body: { message: 'Hello' } };
    expect((await app.call('POST', `/v1/wallets/${wallet}/sign_message`, call)).status).toBe(200);
    await signIn('/policies');
    await page.getByRole('link', { name: 'Dry run' }).click();
    await page.getByLabel('Use of the key').selectOption('sign_message');
    await press('Apply');
    await page.getByLabel('Wallet').fill('wallet');
    await page.getByLabel('Message').fill('Hello again');
    await press('Evaluate');
    await shows('Nothing was saved: correct the marked fields.');
    await page.getByLabel('Wallet').fill(wallet);
    await press('Evaluate');
    for (const text of ['few of version 1', 'The budget of the rule has no further request.']) await shows(text);
    const budget = page.getByRole('row', { name: 'few' });
    expect((await budget.getByRole('cell').allInnerTexts()).slice(0, 6)).toEqual([
      '1 hour',
      'number of requests',
      '',
      '1',
      '0',
      '1',
    ]);
    await visitor.inspect('dry-run');
  });
});

describe('signing', () => {
  it('is stopped with the name of the app, which every page shows until the app signs again', async () => {
    await signIn('/wallets');
    await press('Stop all signing');
    await page.getByLabel('Enter the name Corner shop to confirm').fill('Corner');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Stop all signing' }).click();
    await shows('The name is another one.');
    await visitor.inspect('freeze');
    await page.getByLabel('Enter the name Corner shop to confirm').fill('Corner shop');
    await dialog.getByRole('button', { name: 'Stop all signing' }).click();
    await shows('All signing is stopped');
    const call = { key: shop.secretKey, body: { message: 'Hello' } };
    const signed = await app.call('POST', `/v1/wallets/${await walletOfNewUser()}/sign_message`, call);
    expect(signed.body.error_type).toBe('app_frozen');
    await visitor.open(at('/users'));
    await shows('All signing is stopped');
    await visitor.inspect('frozen');
    await act('Sign again');
    await page.getByText('All signing is stopped').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop all signing' }).waitFor();
  });
});

describe('an approver group', () => {
  it('is made of users with a passkey, who are found by their email, and deleted unless a policy asks it', async () => {
    const { userId: member } = await approver('ada@example.com');
    await app.given.user(shop, { email: 'grace@example.com' });
    await signIn('/approver-groups');
    await shows('No approver group yet.');
    await page.getByRole('link', { name: 'New group' }).click();
    const search = async (entry: string): Promise<void> => {
      await page.getByLabel('Find a user').fill(entry);
      await press('Apply');
    };
    await search('grace@example.com');
    await shows('has no passkey');
    await search('ada@');
    await press('Add ada@example.com');
    await shows('The members are changed when the group is saved.');
    await page.getByLabel('Name').fill('Treasury');
    await visitor.inspect('new-group');
    await press('Save group');
    await page.getByRole('heading', { name: 'Treasury' }).waitFor();
    await shows('No active policy asks this group.');
    const group = page.url().split('/').at(-1)!;
    expect((await policies.manage('GET', `/approver_groups/${group}`)).body.members).toEqual([{ user_id: member }]);
    const version = await policies.version({ rules: [{ id: 'all', ...asking(group) }] });
    await policies.activate(version);
    await page.reload();
    await page.getByRole('link', { name: 'Payouts' }).waitFor();
    await visitor.inspect('group');
    await press('Delete');
    await press('Delete group');
    await shows('An active policy or policy_change needs the approval of this group.');
    await press('Cancel');
    await policies.retire(version);
    await press('Delete');
    await press('Delete group');
    await shows('No approver group yet.');
  });
});

describe('the approvers of changes of policies', () => {
  it('are a group and a number of approvals, and only they let an operator withdraw them', async () => {
    const ada = await approver('ada@example.com');
    await Device.with(ada);
    const group = await policies.group([ada.userId]);
    const stored = async () => (await policies.manage('GET', '')).body.policy_change;
    await signIn('/policies');
    await page.getByRole('link', { name: 'Approvers of changes' }).click();
    await page.getByLabel('Approver group').selectOption({ label: 'Treasury' });
    await page.getByLabel('Approvals needed').fill('2');
    await press('Save');
    await shows('Nothing was saved: correct the marked fields.');
    expect(await stored()).toBeNull();
    await page.getByLabel('Approvals needed').fill('1');
    await visitor.inspect('policy-change');
    await press('Save');
    await shows('A change of this setting needs approvals of the group Treasury: 1.');
    expect(await stored()).toEqual({ group, count: 1 });
    await page.getByLabel('Approver group').selectOption('');
    await press('Save');
    await page.getByRole('link', { name: 'Show the approval' }).click();
    await act('Approve', /The passkey of the approver signs this vote/);
    await act('Carry out', 'The approval is used up.');
    await page.getByText('executed', { exact: true }).waitFor();
    expect(await stored()).toBeNull();
  });
});

/** A user with a passkey for the site of the console. */
async function approver(email: string): Promise<Holder> {
  const { user_id } = await app.given.user(shop, { email });
  return PasskeyApp.at(app, shop).holder(new VirtualAuthenticator(site.url), user_id);
}

/**
 * The passkeys of the device. The Chromium of the tests is a headless shell, which crashes when a page uses a passkey. So the test takes the
 * place of that one function of the browser: it signs the options of the page with a real key, or refuses like a user who cancels.
 */
class Device {
  isCancelled = false;

  private constructor(private readonly holders: readonly Holder[]) {}

  static async with(...holders: readonly Holder[]): Promise<Device> {
    const device = new Device(holders);
    await page.exposeFunction('signWithPasskey', (rpId: string, challenge: string, ids: readonly string[]) => {
      const found = device.holders.find(({ authenticator }) =>
        ids.includes(authenticator.credentialId.toString('base64url')),
      );
      return device.isCancelled ? null : (found?.authenticator.get({ rpId, challenge }) ?? null);
    });
    await page.addInitScript(`navigator.credentials.get = async ({ publicKey: { rpId, challenge, allowCredentials } }) => {
      const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      const signed = await signWithPasskey(rpId, base64url(challenge), allowCredentials.map(({ id }) => base64url(id)));
      if (!signed) throw new DOMException('The operation either timed out or was not allowed.', 'NotAllowedError');
      return { toJSON: () => signed };
    }`);
    return device;
  }
}

describe('an approval', () => {
  /** An approval for a message of a new wallet, which two of three members must approve. */
  async function asked(message: string, members: readonly Holder[], count = 1): Promise<string> {
    const wallet = await walletOfNewUser();
    const group = await policies.group(members.map(({ userId }) => userId));
    await policies.activate(await policies.version({ rules: [{ id: 'all', ...asking(group, count) }] }));
    const call = { key: shop.secretKey, body: { message } };
    const { body } = await app.call('POST', `/v1/wallets/${wallet}/sign_message`, call);
    return body['approval_id'] as string;
  }

  it('is approved with the passkeys of its approvers', async () => {
    const members = [await approver('ada@example.com'), await approver('grace@example.com')];
    await Device.with(...members);
    const approval = await asked('I agree to the terms', members, 2);
    await signIn('/approvals');
    await page.getByRole('row').getByText('0 of 2').waitFor();
    await visitor.inspect('approvals');
    await page.getByRole('link', { name: 'Sign the message “I agree to the terms”' }).click();
    await shows('Votes to approve: 0 of 2.');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await visitor.inspect('approval');
    for (const email of ['ada@example.com', 'grace@example.com']) {
      await press('Approve');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Who votes').selectOption({ label: email });
      await dialog.getByRole('button', { name: 'Approve' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('row', { name: email }).getByText('approve').waitFor();
    }
    await shows('It is approved. The caller must repeat the call');
    expect((await policies.manage('GET', `/approvals/${approval}`)).body).toMatchObject({
      state: 'approved',
      votes: members.map(({ userId }) => ({ user_id: userId, decision: 'approve' })),
    });
  });

  it('is rejected with a passkey, and counts no vote that the passkey does not sign', async () => {
    const ada = await approver('ada@example.com');
    const device = await Device.with(ada);
    const approval = await asked('Never', [ada]);
    await signIn(`/approvals/${approval}`);
    device.isCancelled = true;
    await press('Reject');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Sign the message “Never”. The request ends.').waitFor();
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.getByText('No vote was counted.').waitFor();
    expect((await policies.manage('GET', `/approvals/${approval}`)).body).toMatchObject({
      state: 'waiting',
      votes: [],
    });
    device.isCancelled = false;
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('rejected', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('of a change of policies shows it in words and in full, and the operator carries it out', async () => {
    const ada = await approver('ada@example.com');
    const grace = await approver('grace@example.com');
    await Device.with(ada);
    const group = await policies.group([ada.userId]);
    await policies.manage('PATCH', '', { policy_change: { group, count: 1 } });
    const version = await policies.version();
    await signIn(`/policies/${version}`);
    const approveAndCarryOut = async (summary: string): Promise<void> => {
      await page.getByRole('link', { name: 'Show the approval' }).click();
      await page.getByRole('heading', { name: summary }).waitFor();
      await act('Approve', /[^.]\. The passkey of the approver signs this vote/);
      await act('Carry out', 'The approval is used up.');
      await page.getByText('executed', { exact: true }).waitFor();
    };
    await press('Activate');
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await approveAndCarryOut('Activate version 1 of the policy Payouts where no version is active.');
    expect((await policies.active()).map(({ id }: { id: string }) => id)).toEqual([version]);
    await visitor.open(at(`/approver-groups/${group}`));
    await page.getByLabel('Find a user').fill('grace@');
    await press('Apply');
    await press('Add grace@example.com');
    await press('Save group');
    await approveAndCarryOut('Change the members of the approver group Treasury from 1 to 2.');
    const { body } = await policies.manage('GET', `/approver_groups/${group}`);
    expect(body.members).toEqual([{ user_id: ada.userId }, { user_id: grace.userId }]);
    await visitor.open(at(`/policies/${version}`));
    await press('Retire');
    await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click();
    await approveAndCarryOut('Retire version 1 of the policy Payouts.');
    expect(await policies.active()).toEqual([]);
    await policies.manage('POST', '/freeze', {});
    await page.reload();
    await press('Sign again');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign again' }).click();
    await approveAndCarryOut('Thaw the app Corner shop');
    await page.getByText('All signing is stopped').waitFor({ state: 'detached' });
  });

  it('says where to vote if the passkeys of the app are of another domain', async () => {
    const elsewhere = await PolicyApp.of(app);
    const { approval } = await elsewhere.asked();
    await visitor.signIn(app.managementKey, `/console/apps/${elsewhere.app.id}/approvals/${approval}`);
    await shows('Votes are signed by passkeys of example.com, which browsers do not offer at http://localhost:');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});

it('an auditor reads all of it and has no button that changes it', async () => {
  const elsewhere = await PolicyApp.of(app);
  const { approval } = await elsewhere.asked();
  const { policy_id, group } = (await elsewhere.manage('GET', `/approvals/${approval}`)).body;
  await visitor.signIn(await managementKey(app, 'auditor'), `/console/apps/${elsewhere.app.id}`);
  for (const view of [
    'policies',
    `policies/${policy_id}`,
    'approvals',
    `approvals/${approval}`,
    'approver-groups',
    `approver-groups/${group}`,
  ]) {
    await visitor.open(`/console/apps/${elsewhere.app.id}/${view}`);
    await page.getByRole('table').first().waitFor();
    const main = page.locator('main');
    const names = await main.getByRole('button').allInnerTexts();
    expect(names.filter((name) => /Activate|Retire|Approve|Reject|Delete|Remove|Stop|Add/.test(name))).toEqual([]);
    expect(await main.getByRole('link', { name: /New (policy|version|group)/ }).count()).toBe(0);
  }
  expect(await page.getByRole('button', { name: 'Save group' }).getAttribute('aria-disabled')).toBe('true');
  expect(await page.getByRole('button', { name: 'Stop all signing' }).count()).toBe(0);
  await visitor.open(`/console/apps/${elsewhere.app.id}/policies/changes`);
  expect(await page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
});
