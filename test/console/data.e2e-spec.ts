import type { Browser, Locator, Page } from 'playwright-core';
import { Chains } from '../../src/kernel/chain/chain.js';
import { type AppId, newId, type UserId, type WalletId } from '../../src/kernel/ids.js';
import { DepositRepository } from '../../src/modules/transfer/deposits/domain/deposit.js';
import { type Receiver, startReceiver } from '../modules/webhooks/webhook-receiver.js';
import { eventually } from '../support/eventually.js';
import { Money, newAddress, type Payer } from '../support/money.js';
import { NATIVE_ASSETS } from '../support/native-assets.js';
import { Observer } from '../support/observer.js';
import { type SmsSink, startSmsSink } from '../support/sms-receiver.js';
import { launchChromium } from './chromium.js';
import { consoleSettings, Visitor } from './visitor.js';

// Blocks come only when a test makes them, so a confirmed transfer stays pending.
let money: Money;
let texts: SmsSink;
let receiver: Receiver;
let browser: Browser;
let visitor: Visitor;
let page: Page;
let payer: Payer;
beforeAll(async () => {
  [texts, receiver] = await Promise.all([startSmsSink(), startReceiver()]);
  const settings = {
    ...(await consoleSettings()),
    SMS_URL: texts.url,
    NETWORKS: JSON.stringify({ sepolia: SEPOLIA }),
    TRANSFER_CONFIRM_WAIT_SECONDS: '0',
    TRANSFER_STUCK_AFTER_SECONDS: '1',
  };
  [money, browser] = await Promise.all([
    Money.start({ ethereum: { blockTime: 'never' }, env: settings }),
    launchChromium(),
  ]);
  await money.anvil.mine();
  const shop = await money.app.given.app({ name: 'Corner shop', limits: { sms_countries: ['*'] } });
  payer = await money.payer('ethereum', 10n, shop);
  visitor = await Visitor.arrive(browser, money.app);
  page = visitor.page;
  await visitor.signIn(money.app.managementKey, at('/users'));
});
afterEach(() => expect(visitor.faults.splice(0)).toEqual([]));
afterAll(async () => {
  await browser?.close();
  await money?.stop();
  await receiver?.stop();
  await texts?.stop();
});

/** A public network whose only node is unavailable. */
const SEPOLIA = {
  id: 'eip155:11155111',
  kind: 'ethereum',
  rpc: ['http://127.0.0.1:9'],
  explorer: 'https://sepolia.etherscan.io/tx/{hash}',
};
const at = (view: string): string => `/console/apps/${payer.app.id}${view}`;

async function sendPasscode(number: string): Promise<void> {
  const body = { phone_number: number };
  const { status, text } = await money.app.call('POST', '/v1/auth/otps/sms/login_or_create', {
    key: payer.app.secretKey,
    body,
  });
  if (status !== 200) throw new Error(text);
}

/** Opens a dialog by its button and confirms it by the button of the same name. */
async function act(name: string, fill: (dialog: Locator) => Promise<unknown> = async () => {}): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await fill(dialog);
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' }).catch(async () => {
    throw new Error(await dialog.innerText());
  });
}

describe('transfers', () => {
  it('an unconfirmed transfer is cancelled at once', async () => {
    const { id } = await money.created(payer, { custom_id: 'order-1' });
    await visitor.open(at(`/transfers/${id}`));
    await page.getByText('Nothing has been signed yet.').waitFor();
    await act('Cancel transfer', (dialog) => dialog.getByText('Nothing is paid.').waitFor());
    await page.getByText('cancelled', { exact: true }).waitFor();
    expect((await money.get(payer, id)).status).toBe('cancelled');
  });

  it('a pending transfer shows its transactions, and that of its cancellation beside the payment', async () => {
    const { id } = await money.created(payer, { notes: 'two coffees' });
    await money.confirm(payer, id);
    const [payment] = (await money.get(payer, id)).attempts;
    await visitor.open(at('/transfers?status=pending'));
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(2);
    await visitor.screenshot('transfers');
    await rows.nth(1).getByRole('link').click();
    const transaction = page.getByRole('row', { name: payment.hash });
    await transaction.getByText('payment', { exact: true }).waitFor();
    await visitor.untilShown('stuck');
    await page.getByText('This transfer takes too long: no block contains it.').waitFor();
    await act('Cancel transfer', (dialog) => dialog.getByText('pays 0 to the same wallet').waitFor());
    await page.getByRole('row').getByText('cancellation', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel transfer' }).count()).toBe(0);
    await page.getByText('ethereum, eip155:31337', { exact: true }).waitFor();
    expect(await transaction.getByRole('link').count()).toBe(0);
    await visitor.inspect('transfer');
    await eventually(async () => {
      await money.anvil.mine();
      expect((await money.get(payer, id)).status).toBe('failed');
    });
    await page.reload();
    await page.getByText('Nothing was paid, so it is safe to pay again.').waitFor();
  });

  it('a transaction links to its page at the block explorer of its network, if one is configured', async () => {
    const { body } = await money.app.call('GET', `/management/v1/apps/${payer.app.id}/transfers?status=failed`, {
      key: money.app.managementKey,
    });
    const { id, attempts } = (body as { transfers: { id: string; attempts: { hash: string }[] }[] }).transfers[0]!;
    // It has ended, so the service looks for it on no network.
    const observer = await Observer.of(money.app);
    await observer.rows(`update transfers set network = 'eip155:11155111' where app_id = $1 and id = $2`, [
      payer.app.id,
      id,
    ]);
    await observer.close();
    await visitor.open(at(`/transfers/${id}`));
    await page.getByText('ethereum, Sepolia, a test network (eip155:11155111)', { exact: true }).waitFor();
    for (const { hash } of attempts) {
      const link = page.getByRole('link', { name: `${hash} (opens sepolia.etherscan.io in a new tab)`, exact: true });
      const attributes = ['href', 'target', 'rel'].map((name) => link.getAttribute(name));
      expect(await Promise.all(attributes)).toEqual([
        `https://sepolia.etherscan.io/tx/${hash}`,
        '_blank',
        'noreferrer noopener',
      ]);
    }
    expect(attempts).toHaveLength(2);
    await visitor.inspect('transfer-linked');
  });
});

describe('the deposits of a wallet', () => {
  it('are listed on its page with links to the block explorer, and all of them on a page of their own', async () => {
    const wallet = {
      appId: payer.app.id as AppId,
      walletId: payer.walletId as WalletId,
      userId: payer.userId as UserId,
    };
    const deposits = Array.from({ length: 26 }, (_, i) => ({
      ...wallet,
      id: newId('deposit'),
      // The network has had another name.
      asset: { ...NATIVE_ASSETS.ethereum, chain: i === 0 ? 'ethereum' : 'testnet' },
      network: i === 0 ? 'eip155:31337' : 'eip155:11155111',
      amount: BigInt(i + 1) * 10n ** 18n,
      from: i === 1 ? '' : newAddress('ethereum'),
      hash: `0x${String(i).padStart(64, '0')}`,
      position: -1,
      block: 100 + i,
      at: new Date(),
    }));
    const path = at(`/wallets/${payer.walletId}`);
    await visitor.open(path);
    await page.getByText('No deposit to this wallet is final yet.').waitFor();
    await money.app.nest.get(DepositRepository, { strict: false }).add(wallet.appId, deposits);
    await visitor.open(path);
    const rows = page.getByRole('table', { name: 'Deposits of this wallet' }).locator('tbody tr');
    const linkOf = (hash: string) =>
      rows.getByRole('link', { name: `${hash} (opens sepolia.etherscan.io in a new tab)`, exact: true });
    const newest = deposits.at(-1)!;
    await linkOf(newest.hash).waitFor();
    expect(await linkOf(newest.hash).getAttribute('href')).toBe(`https://sepolia.etherscan.io/tx/${newest.hash}`);
    expect(await rows.count()).toBe(10);
    expect((await rows.first().allInnerTexts()).join()).toContain(newest.from);
    await visitor.inspect('wallet-deposits');
    await page.getByRole('link', { name: 'All deposits of this wallet' }).click();
    await eventually(async () => expect(await rows.count()).toBe(25));
    await rows.getByText('several addresses').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await eventually(async () => expect(await rows.count()).toBe(1));
    await rows.getByText(deposits[0]!.hash, { exact: true }).waitFor();
    expect(await rows.getByRole('link').count()).toBe(0);
    await visitor.inspect('deposits');
  });
});

describe('the networks of the service', () => {
  it('are listed with the state and the height of each node', async () => {
    await money.app.nest.get(Chains, { strict: false }).checkEndpoints();
    await visitor.open('/console');
    await page.getByRole('link', { name: 'Networks' }).click();
    const [networks, nodes] = ['Networks', 'Nodes'].map((name) => page.getByRole('table', { name }));
    const cellsOf = (table: Locator, name: RegExp) =>
      table.getByRole('row', { name }).getByRole('cell').allInnerTexts();
    await networks!.getByRole('rowheader', { name: 'sepolia' }).waitFor();
    expect(await cellsOf(networks!, /^ethereum/)).toEqual(['ok', 'eip155:31337', 'ethereum', 'ETH', '']);
    expect(await cellsOf(networks!, /^sepolia/)).toEqual([
      'unavailable',
      'Sepolia, a test network (eip155:11155111)',
      'ethereum',
      'ETH',
      SEPOLIA.explorer,
    ]);
    expect(await cellsOf(nodes!, /^ethereum 1/)).toEqual([
      'ok',
      String(await money.anvil.provider.getBlockNumber()),
      '',
    ]);
    expect(await cellsOf(nodes!, /^sepolia 1/)).toEqual([
      'unavailable',
      '',
      'The node cannot be reached: ECONNREFUSED.',
    ]);
    await visitor.inspect('networks');
  });
});

/** Colour and indent of the first paragraph of the mail. */
const STYLE_OF_GREETING = `(({ contentWindow: mail } = document.querySelector('iframe')) =>
  (({ color, textIndent } = mail.getComputedStyle(mail.document.querySelector('p'))) => [color, textIndent])())()`;

describe('templates', () => {
  it('show a mail as its reader sees it, without running anything of it', async () => {
    await visitor.open(at('/templates?kind=magic_link'));
    await page.getByLabel('Text (optional)').fill('Dear {{greeting}}: {{link}}');
    await page.getByLabel('HTML (optional)').fill(
      `<!doctype html><html><head><style>p { text-indent: 7px }</style><script>parent.document.title = 'taken'</script></head>
       <body style="background-color: rgb(1, 2, 3)"><p style="color: rgb(250, 240, 230)">{{greeting}}</p>
       <img src="x:" alt="" onerror="parent.document.title = 'taken'"><a href="{{link}}" target="_top">Sign in</a></body></html>`,
    );
    await page.getByLabel('Name in the preview').fill('Zoë');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    const mail = page.frameLocator('iframe');
    const greeting = mail.getByText('Zoë');
    await greeting.waitFor();
    expect(await visitor.evaluate(STYLE_OF_GREETING)).toEqual(['rgb(250, 240, 230)', '7px']);
    await mail.getByRole('link').click();
    expect([new URL(page.url()).pathname, await page.title()]).toEqual([at('/templates'), 'Templates · Console']);
    expect(visitor.faults.splice(0)).not.toEqual([]);
  });

  it('show the built-in mail, and the words of the app after they were saved', async () => {
    await visitor.open(at('/templates?kind=one_time_code'));
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.frameLocator('iframe').getByText('Corner shop').first().waitFor();
    await visitor.inspect('template');
    await page.getByLabel('Subject').fill('Your code for {{app_name}}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This app uses words of its own.').waitFor();
    await page.reload();
    expect(await page.getByLabel('Subject').inputValue()).toBe('Your code for {{app_name}}');
  });
});

describe('messages', () => {
  it('are listed with their state and the reason of a failure, and filtered', async () => {
    await sendPasscode('+14155550101');
    await texts.smsTo('+14155550101');
    const { requests } = texts;
    texts.refuse(400);
    await sendPasscode('+14155550102');
    // Two messages that wait together are sent in any order.
    await eventually(() => expect(texts.requests).toBeGreaterThan(requests));
    texts.refuse(503, 503, 503, 503);
    await sendPasscode('+14155550103');
    await visitor.open(at('/messages'));
    await visitor.untilShown('failed');
    const failed = page.getByRole('row', { name: '+14155550102' });
    await failed.getByText('400').waitFor();
    await page.getByRole('row', { name: '+14155550101' }).getByText('sent', { exact: true }).waitFor();
    await visitor.inspect('messages');
    await page.getByLabel('State').selectOption('failed');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('row', { name: '+14155550101' }).waitFor({ state: 'detached' });
    await failed.waitFor();
    await page.goBack();
    await page.getByRole('row', { name: '+14155550101' }).waitFor();
    expect(await page.getByLabel('State').inputValue()).toBe('');
  });
});

describe('webhooks', () => {
  it('show each attempt, send a delivery again, and recover events from before the endpoint existed', async () => {
    await visitor.open(at('/webhooks'));
    receiver.answerWith((response) => response.writeHead(500).end('out of order'));
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const user = await money.app.given.user(payer.app);
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
    await page.getByRole('link', { name: receiver.url }).click();
    await visitor.untilShown('user.created');
    const row = page.getByRole('row', { name: 'user.created' }).first();
    await row
      .getByText(/^500 after \d+ ms$/)
      .first()
      .click();
    await row.getByText(/^All attempts: \d+$/).waitFor();
    await visitor.inspect('webhook-deliveries');
    await visitor.open(at(''));
    await page.getByRole('link', { name: 'Webhook endpoints that only fail: 1' }).click();
    await page.getByText('failing since').waitFor();
    expect(await page.getByText('sending', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: receiver.url }).click();
    await visitor.untilShown('user.created');
    receiver.answerWith((response) => response.end());
    const before = receiver.requests.length;
    await act('Resend', (shown) => shown.getByText('with the same id').waitFor());
    await eventually(() =>
      expect(
        receiver.requests
          .slice(before)
          .map(({ body }) => body)
          .join(),
      ).toContain(user.user_id),
    );
    await visitor.untilShown('delivered');
    await act('Recover events', async (shown) => shown.getByLabel('From').fill(localTime(Date.now() - 3_600_000)));
    await eventually(() => expect(receiver.requests.map(({ body }) => body).join()).toContain('transfer.cancelled'));
    await page.getByLabel('State').selectOption('failed');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No delivery with this state.').waitFor();
  });
});

/** As an input of the type datetime-local holds it. The browser has the time zone of this process. */
function localTime(epochMs: number): string {
  const date = new Date(epochMs);
  return new Date(epochMs - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

describe('lists', () => {
  it('of more than 25 rows have pages, forth and back, and a filter leads to the first one', async () => {
    await Promise.all(Array.from({ length: 26 }, () => money.app.given.user(payer.app)));
    const { body } = await money.app.call('GET', `/management/v1/apps/${payer.app.id}/users`, {
      key: money.app.managementKey,
    });
    const newest = (body.users as { user_id: string }[]).map(({ user_id: id }) => id);
    await visitor.open(at('/users'));
    const links = page.getByRole('table').getByRole('link');
    const shown = (): Promise<string[]> =>
      links.evaluateAll((found) => found.map((link) => link.getAttribute('href')!.split('/').at(-1)!));
    await links.first().waitFor();
    expect(await shown()).toEqual(newest.slice(0, 25));
    await visitor.inspect('users-page');
    await page.getByRole('button', { name: 'Next page' }).click();
    await eventually(async () => expect(await shown()).toEqual(newest.slice(25)));
    expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Previous page' }).click();
    await eventually(async () => expect(await shown()).toEqual(newest.slice(0, 25)));
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByLabel('Search by').selectOption('user_id');
    await page.getByLabel('Search for').fill(newest[0]!);
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => expect(await shown()).toEqual([newest[0]]));
    expect(await page.getByText('Page 2').count()).toBe(0);
  });
});

describe('two tabs', () => {
  it('show what the other one changed, without loading the page again', async () => {
    await visitor.open(at('/keys'));
    const other = await visitor.newTab();
    await other.goto(`${money.app.url}${at('/keys')}`);
    await other.getByRole('table').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('staging');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = other.getByRole('row', { name: 'staging' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await other.getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'staging' }).waitFor({ state: 'detached' });
    await other.close();
  });
});

describe('a user', () => {
  it('leads to the transfers of the user, and a wallet to its own', async () => {
    await money.created(await money.payer('ethereum', 10n, payer.app));
    const amounts = page.getByRole('table', { name: 'Transfers' }).getByRole('link');
    await visitor.open(at('/transfers'));
    await eventually(async () => expect(await amounts.count()).toBe(3));
    await visitor.open(at(`/users/${payer.userId}`));
    await visitor.untilShown('Transfer failed. Show the transfer');
    await visitor.inspect('user');
    const happened = page.getByRole('list', { name: 'What happened' }).getByRole('listitem');
    const kinds = page.getByLabel('Show', { exact: true });
    await kinds.selectOption('Sign-in');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Nothing of this kind is stored about this user.').waitFor();
    await page.reload();
    await page.getByText('Nothing of this kind is stored about this user.').waitFor();
    await kinds.selectOption('Wallets and money');
    await page.getByRole('button', { name: 'Apply' }).click();
    await happened.getByText('Wallet created.').waitFor();
    expect(await happened.getByText('User created.').count()).toBe(0);
    await page.goBack();
    await page.goBack();
    await happened.getByText('User created.').waitFor();
    await page.getByRole('link', { name: 'Transfers of this user' }).click();
    await eventually(async () => expect(await amounts.count()).toBe(2));
    await visitor.open(at('/wallets'));
    await page.getByLabel('user id').fill(payer.userId);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('row', { name: payer.address }).getByRole('link', { name: 'Show' }).click();
    await eventually(async () => expect(await amounts.count()).toBe(2));
    expect(await page.getByLabel('From wallet').inputValue()).toBe(payer.walletId);
  });
});

describe('a wallet', () => {
  it('shows its balances and only its own transfers', async () => {
    await visitor.open(at(`/wallets?user_id=${payer.userId}`));
    await page.getByRole('link', { name: payer.address }).click();
    await page.getByRole('heading', { name: 'Wallet', exact: true }).waitFor();
    await page
      .getByText(/^[\d.]+ ETH$/)
      .first()
      .waitFor();
    const amounts = page.getByRole('table', { name: 'Transfers of this wallet' }).getByRole('link');
    await eventually(async () => expect(await amounts.count()).toBe(2));
    await visitor.inspect('wallet');
    await page.getByLabel('State').selectOption('failed');
    await page.getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => expect(await amounts.count()).toBe(1));
    await amounts.click();
    await page.getByRole('heading', { name: 'Transactions', exact: true }).waitFor();
  });
});

describe('what needs attention', () => {
  it('leads to the rows that it counts, and the charts count what happened', async () => {
    await visitor.open(at(''));
    await eventually(async () => {
      await page.reload();
      await page.getByRole('heading', { name: 'Transfers by state' }).waitFor();
      await page.getByText('cancelled: 1').waitFor({ timeout: 10_000 });
    });
    await visitor.inspect('overview');
    await page.getByRole('link', { name: 'Messages that could not be sent: 1' }).click();
    await page.getByRole('row', { name: '+14155550102' }).waitFor();
    await visitor.open(at('/jobs'));
    await page.getByRole('table').waitFor();
    await visitor.inspect('jobs');
    await page.getByLabel('State').selectOption('dead');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('400').first().waitFor();
  });
});

describe('settings', () => {
  it('of mails, passkeys, typed data and tokens are saved and shown again, and a refused line is named', async () => {
    const contract = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const parts = {
      'Mails and SMS': { 'Name of the sender': 'The corner shop', 'Words of an SMS': '{{code}} is your code' },
      Passkeys: { Domain: 'example.com', Origins: 'https://login.example.com' },
      'Signing policy': { 'Listed typed data': `Permit ${contract} 1` },
      'Payments in a block': { 'Largest payment of a currency': 'ethereum 0.5' },
      Tokens: { 'Accepted tokens': `ethereum usdc USDC 6 ${contract}` },
    };
    await visitor.open(at('/settings'));
    for (const [title, entries] of Object.entries(parts)) {
      const part = page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
      for (const [label, value] of Object.entries(entries))
        await part.getByRole('textbox', { name: `${label} (optional)` }).fill(value);
      const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await part.getByRole('button', { name: 'Save' }).click();
      expect((await saved).status()).toBe(200);
    }
    await page.reload();
    const shown = page.getByRole('textbox', { name: /^Accepted tokens/ });
    await shown.waitFor();
    expect(await shown.inputValue()).toBe(parts.Tokens['Accepted tokens']);
    const { body } = await money.app.call('GET', `/management/v1/apps/${payer.app.id}`, {
      key: money.app.managementKey,
    });
    expect(body).toMatchObject({
      messages: { sender_name: 'The corner shop', templates: { sms: { text: '{{code}} is your code' } } },
      webauthn: { rp_id: 'example.com', rp_name: null, origins: ['https://login.example.com'] },
      signing_policy: { listed_typed_data: [{ primary_type: 'Permit', verifying_contract: contract, chain_id: 1 }] },
      accept_confirmed: [{ currency: 'ethereum', max_amount: '0.5' }],
      assets: [{ chain: 'ethereum', name: 'usdc', symbol: 'USDC', decimals: 6, token: contract }],
    });
    const policy = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Transfer policy' }) });
    await policy.getByRole('textbox', { name: 'Highest amount' }).fill('ethereum 0.5\nsolana much');
    await policy.getByRole('button', { name: 'Save' }).click();
    await policy.getByText(/^Line 2: /).waitFor();
  });
});
