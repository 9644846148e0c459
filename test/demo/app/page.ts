// The page of a customer's app. It holds no key: every call goes to the backend of the app.
import {
  createPasskey,
  type EthereumWallet,
  oauthButton,
  oauthResult,
  signInWithEthereum,
  usePasskey,
} from '../../../openapi/client/src/browser.js';

declare const ethereum: EthereumWallet | undefined;

type Fields = Readonly<Record<string, string>>;
interface Me {
  readonly name: string;
  readonly factors: readonly string[];
  readonly expires_at: number;
  readonly verified_offline: boolean;
  readonly wallet: string;
  readonly balance: string;
  readonly has_passkey: boolean;
  readonly budget: { readonly used: string; readonly held: string; readonly limit: string } | null;
}
interface Transfer {
  readonly id: string;
  readonly status: string;
  readonly stage: string;
  readonly blockchain_tx_hash: string;
  readonly approval_id: string;
}

const element = (id: string): HTMLElement => document.querySelector(`#${id}`)!;
const field = (id: string): HTMLInputElement => document.querySelector(`input#${id}`)!;
const valueOf = (id: string): string => field(id).value.trim();
const say = (id: string, text: string): void => void (element(id).textContent = text);
const show = (id: string, isShown: boolean): void => void (element(id).hidden = !isShown);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const HERE = location.pathname.replace(/\/$/, '');

async function call<T>(route: string, fields: Fields = {}): Promise<T> {
  const response = await fetch(`${HERE}/api/${route}`, { method: 'POST', body: JSON.stringify(fields) });
  const answer = (await response.json()) as T & { readonly message: string };
  if (!response.ok) throw Object.assign(new Error(answer.message), { status: response.status });
  return answer;
}

/** Does the work of a button or a form, and says what went wrong. */
async function attempt(control: Element | null, work: () => Promise<unknown>): Promise<void> {
  say('problem', '');
  control?.setAttribute('aria-busy', 'true');
  try {
    await work();
  } catch (error) {
    say('problem', (error as Error).message);
  }
  control?.removeAttribute('aria-busy');
}
const press = (id: string, work: () => Promise<unknown>): void =>
  element(id).addEventListener('click', (event) => void attempt(event.currentTarget as Element, work));
const submit = (id: string, work: () => Promise<unknown>): void =>
  element(id).addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(element(id).querySelector('button'), work);
  });

let method = '';
submit('send', async () => {
  const mailed = { email: valueOf('email'), since: String(Date.now()) };
  field('code').value = '';
  method = (await call<{ method_id: string }>('code/send', mailed)).method_id;
  show('verify', true);
  element('code').focus();
  // The mail is written a moment later.
  for (let tries = 0; tries < 20 && valueOf('code') === ''; tries++, await pause(250)) {
    const { code } = await call<{ code: string | null }>('code/read', mailed);
    if (code && valueOf('code') === '') field('code').value = code;
  }
});
submit('verify', async () => {
  await call('code/verify', { method_id: method, otp: valueOf('code') });
  await refresh();
});
press('passkey', async () => {
  const credential = await usePasskey(await call('passkey/begin'));
  await call('passkey/verify', { credential: JSON.stringify(credential) });
  await refresh();
});
press('wallet', async () => {
  const wallet = typeof ethereum === 'undefined' ? (await import('./page-wallet.js')).pageWallet() : ethereum;
  const signed = await signInWithEthereum(wallet, (address) => call('wallet/begin', { address }));
  await call('wallet/verify', signed);
  await refresh();
});
press('sign-out', async () => {
  await call('sign-out');
  location.assign(HERE);
});

press('add-passkey', async () => {
  const credential = await createPasskey(await call('passkey/add/begin'));
  await call('passkey/add', { credential: JSON.stringify(credential) });
  await refresh();
});
submit('sign', async () =>
  say('signature', (await call<{ signature: string }>('sign', { message: valueOf('message') })).signature),
);
press('fund', async () => {
  await call('fund');
  await refresh();
});

const WORDS: Readonly<Record<string, string>> = {
  pending: 'Confirmed, and on its way',
  awaiting_approval: 'Waits for your approval',
  completed: 'Paid: it is in a final block',
  rejected: 'Rejected. Nothing was paid',
  failed: 'It did not pay',
};
/** Lists each state that the payment reaches, until it has ended. */
async function watch(transfer: Transfer, list: string): Promise<void> {
  element(list).replaceChildren();
  for (let [seen, now] = ['', transfer]; ; now = await call<Transfer>('transfer', { id: transfer.id })) {
    if (now.status !== seen) {
      const line = document.createElement('li');
      line.dataset['state'] = seen = now.status;
      line.textContent = `${WORDS[now.status] ?? now.status} ${now.blockchain_tx_hash}`.trim();
      element(list).append(line);
      if (now.status === 'awaiting_approval') void attempt(null, () => ask(now.approval_id));
    }
    if (!['pending', 'awaiting_approval'].includes(now.status)) break;
    await pause(500);
  }
  show('approval', false);
  await refresh();
}
submit('pay', async () => watch(await call('pay', { amount: valueOf('amount'), dest: valueOf('dest') }), 'states'));
press('hire', async () => {
  await call('agent/hire');
  await refresh();
});
submit('spend', async () =>
  watch(await call('agent/pay', { amount: valueOf('sum'), dest: valueOf('dest') }), 'agent-states'),
);

let asked = '';
/** Shows what would be paid, which a passkey approves. */
async function ask(id: string): Promise<void> {
  asked = id;
  const { payload } = await call<{ payload: { amount: string; destination: string } }>('approval/begin', { id });
  say('asked', `Your agent asks to pay ${payload.amount} ETH to ${payload.destination}.`);
  show('approval', true);
}
press('approve', async () => {
  const { options } = await call<{ options: Fields }>('approval/begin', { id: asked });
  const credential = await usePasskey(options);
  await call('approval/approve', { id: asked, credential: JSON.stringify(credential) });
});

const FACTORS: Readonly<Record<string, string>> = {
  oauth: 'the company account',
  otp: 'a code',
  wallet: 'a wallet',
  webauthn: 'a passkey',
};

async function refresh(): Promise<void> {
  const me = await call<Me>('me').catch((error: Error & { status?: number }) => {
    if (error.status !== undefined && error.status < 500) return null;
    throw error;
  });
  show('sign-in', me === null);
  show('home', me !== null);
  if (!me) return;
  const { budget, has_passkey: hasPasskey } = me;
  say('name', me.name);
  const until = new Date(me.expires_at * 1_000).toLocaleTimeString();
  const offline = me.verified_offline ? ' Its JWT was verified offline, with the published keys.' : '';
  say(
    'session',
    `Signed in with ${me.factors.map((type) => FACTORS[type] ?? type).join(', ')}, until ${until}.${offline}`,
  );
  say('balance', me.balance.replace(/(\.\d{4})\d+$/, '$1'));
  say('address', me.wallet);
  show('add-passkey', !hasPasskey);
  const advice = hasPasskey
    ? 'An agent gets a key that pays only from your wallet: 1 ETH a day by itself, and from 0.5 ETH on you approve.'
    : 'Add a passkey first: you approve with it what your agent may not pay by itself.';
  say('agent', budget ? `It has spent ${budget.used} of ${budget.limit} ETH in 24 hours.` : advice);
  show('hire', !budget && hasPasskey);
  show('spend', budget !== null);
}

await attempt(null, async () => {
  oauthButton(element('provider'), {
    redirectUrl: location.origin + HERE,
    ...(await call<{ baseUrl: string; provider: string; publicToken: string }>('provider/begin')),
  });
  if (typeof ethereum === 'undefined')
    say('wallets', 'Without a wallet extension, this page makes a wallet of its own.');
  const returned = oauthResult();
  if (returned) await call('provider/verify', returned);
});
await refresh();
