// npm run demo:agent: an agent pays with a restricted key that has a budget. Fifty of its processes race for the rest of the budget, a large
// payment waits for a passkey, and the key is revoked while the agent works. Then an access token is the budget. Ends with an error if anything
// is not as it must be.
import { deepStrictEqual } from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatEther, parseEther } from 'ethers';
import { ApiError, createClient } from '../../openapi/client/src/index.js';
import { Anvil } from '../support/anvil.js';
import { newAddress } from '../support/money.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { liveService } from './live-service.js';
import { CALLBACK, signIn } from './relying-party.js';

const BUDGET = '1';
const FIRST_PAYMENT = '0.1';
const RACERS = 50;
/** Thirty of these are what the first payment leaves of the budget. */
const RACING_PAYMENT = '0.03';
const APPROVED_FROM = '0.5';
const ORIGIN = 'https://approvals.example.com';
const LOOK_MS = 50;
/** A replica may accept a revoked key for this long. */
const REVOKED_WITHIN_MS = 1_000;
const DEADLINE_MS = 230_000;

setTimeout(() => {
  console.error(`The demo did not end within ${DEADLINE_MS / 1_000} s.`);
  process.exit(1);
}, DEADLINE_MS).unref();

const anvil = await Anvil.start({ blockTime: 1 });
const service = await liveService({
  ETHEREUM_RPC_URL: anvil.url,
  ETHEREUM_CHAIN_ID: String(anvil.chainId),
  ETHEREUM_FINALITY_DEPTH: '1',
  TRANSFER_CONFIRM_WAIT_SECONDS: '0',
});

try {
  heading('The operator gives an agent a budget');
  const operator = createClient({ baseUrl: service.url, managementKey: service.managementKey }).management;
  const app = await operator.apps.create({
    name: 'Demo',
    mode: 'test',
    webauthn: { rp_id: 'approvals.example.com', origins: [ORIGIN] },
  });
  const { id: app_id } = app;
  const backend = createClient({ baseUrl: service.url, secretKey: app.secret_key });
  const owner = await backend.users.create({ email: 'ann@example.com', wallet_type: 'none' });
  const wallet = await backend.wallets.create({ user_id: owner.user_id, wallet_type: 'ethereum' });
  await anvil.fund(wallet.public_address, parseEther('10'));
  say(`The wallet ${wallet.public_address} holds 10 ETH.`);

  const key = await operator.apps.keys.create(app_id, {
    kind: 'restricted',
    name: 'agent',
    scopes: ['wallets:read', 'transfers:read', 'transfers:write'],
    wallet_ids: [wallet.id],
  });
  const agent = createClient({ baseUrl: service.url, secretKey: key.key });
  say(`The key ${key.key.slice(0, 12)}… of the agent sees this wallet only, and may read and pay.`);

  const approver = await backend.users.create({ email: 'bob@example.com', wallet_type: 'none' });
  const passkey = new VirtualAuthenticator(ORIGIN);
  const registration = await backend.webauthn.registrations.begin({ user_id: approver.user_id });
  await backend.webauthn.registrations.create({
    user_id: approver.user_id,
    public_key_credential: passkey.create(registration.public_key_credential_creation_options as never),
  });
  const group = await operator.apps.approverGroups.create(app_id, {
    name: 'Treasury',
    members: [{ user_id: approver.user_id }],
  });
  say('Bob has a passkey, and is the only member of the approver group.');

  const match = { operations: ['transfer' as const], assets: ['ethereum'] };
  const policy = await operator.apps.policies.create(app_id, {
    name: 'agent',
    scope: { kind: 'key', id: key.id },
    rules: [
      {
        id: 'large',
        effect: 'require_approval',
        match: { ...match, amount: { min: APPROVED_FROM } },
        approvals: { group: group.id, count: 1, expires_in: 600 },
      },
      {
        id: 'daily-budget',
        effect: 'allow',
        match,
        windows: [{ seconds: 86_400, max_amount: BUDGET, per: 'policy' }],
      },
    ],
  });
  await operator.apps.policies.activate(app_id, policy.id);
  say(`A policy over the key allows ${BUDGET} ETH in 24 hours, and asks Bob from ${APPROVED_FROM} ETH on.`);

  const paymentOf = (dest: string, source_amount: string) => ({
    source: wallet.id,
    dest,
    source_amount,
    source_currency: 'ethereum',
    dest_currency: 'ethereum',
  });
  const pay = async (dest: string, amount: string) => {
    const { id } = await agent.transfers.create(paymentOf(dest, amount));
    return agent.transfers.confirm(id, {});
  };
  const reaching = async (id: string, status: string) => {
    for (;;) {
      const transfer = await backend.transfers.get(id);
      if (transfer.status === status) return transfer;
      check(['pending', 'awaiting_approval'].includes(transfer.status), true, `a transfer is ${transfer.status}`);
      await sleep(LOOK_MS);
    }
  };
  const budget = async () => {
    const asked = { operation: 'transfer' as const, wallet_id: wallet.id, key_id: key.id };
    const payment = {
      dest: newAddress('ethereum'),
      source_currency: 'ethereum',
      source_amount: '0.000000000000000001',
    };
    const outcome = await operator.apps.policies.evaluate(app_id, { ...asked, ...payment });
    const [window] = outcome.windows;
    const spent = parseEther(window!.used) + parseEther(window!.held);
    return { outcome: outcome.outcome, reason: outcome.reason, spent: inEther(spent), limit: window!.limit };
  };

  heading('The agent pays');
  const shop = newAddress('ethereum');
  const paid = await reaching((await pay(shop, FIRST_PAYMENT)).id, 'completed');
  check(await ether(shop), FIRST_PAYMENT, 'the balance of the shop');
  const afterFirst = await budget();
  check(afterFirst.spent, FIRST_PAYMENT, 'the part of the budget that is spent');
  say(
    `It paid ${FIRST_PAYMENT} ETH in ${paid.blockchain_tx_hash}: ${afterFirst.spent} of ${afterFirst.limit} ETH is spent.`,
  );

  heading(`${RACERS} processes of the agent race for the rest`);
  const supplier = newAddress('ethereum');
  const payment = JSON.stringify(paymentOf(supplier, RACING_PAYMENT));
  const racers = Array.from({ length: RACERS }, () =>
    fork('test/demo/agent-payment.mjs', [service.url, key.key, payment], { execArgv: [] }),
  );
  const quotes = await Promise.all(racers.map(reportOf));
  check(new Set(quotes.map(({ id }) => id)).size, RACERS, 'the number of quotes');
  say(`Each process has a quote for ${RACING_PAYMENT} ETH. All confirm at once.`);
  const started = Date.now();
  for (const racer of racers) racer.send('confirm');
  const answers = await Promise.all(racers.map(reportOf));
  const denied = answers.filter(({ httpStatus }) => httpStatus === 403);
  const confirmed = answers.filter(({ httpStatus }) => httpStatus === 200);
  for (const answer of denied)
    check(
      [answer.error_type, answer.policy_id, answer.rule_id, answer.reason],
      ['policy_denied', policy.id, 'daily-budget', 'window_amount'],
      'the denial',
    );
  check([confirmed.length, denied.length], [30, 20], 'the numbers of payments and denials');
  say(
    `After ${Date.now() - started} ms, ${confirmed.length} are paid, and ${denied.length} are denied: 403 policy_denied, rule daily-budget, reason window_amount.`,
  );
  const afterRace = await budget();
  check(afterRace, { outcome: 'deny', reason: 'window_amount', spent: '1', limit: '1' }, 'the budget after the race');
  say(`${afterRace.spent} of ${afterRace.limit} ETH is spent, and a further payment of 1 wei would be denied.`);
  await Promise.all(confirmed.map(({ id }) => reaching(id, 'completed')));
  check(await ether(supplier), '0.9', 'the balance of the supplier');
  say(`On the chain, the supplier holds ${await ether(supplier)} ETH.`);

  heading('The agent asks for more than the budget');
  const builder = newAddress('ethereum');
  const large = await pay(builder, '2');
  check(large.status, 'awaiting_approval', 'the status of the large payment');
  say(`Its payment of 2 ETH is ${large.status}, with the approval ${large.approval_id}.`);
  const [open] = (await backend.approvals.list({ state: 'waiting' })).approvals;
  const { payload, payload_hash } = open!;
  const shown = payload as { amount: string; destination: string };
  check([open!.id, shown.amount, shown.destination], [large.approval_id, '2', builder], 'the payload');
  say(
    `Bob reads on the approval page: pay ${shown.amount} ETH to ${shown.destination}, payload ${payload_hash.slice(0, 16)}….`,
  );
  check(await ether(builder), '0', 'the balance of the builder before the approval');
  const ballot = async (appr_id: string) => {
    const { user_id } = approver;
    const begun = await backend.approvals.begin(appr_id, { user_id, decision: 'approve' });
    const options = begun.public_key_credential_request_options as never;
    return { user_id, public_key_credential: passkey.get(options) };
  };
  const signed = await ballot(open!.id);
  const votes = await Promise.allSettled(Array.from({ length: 5 }, () => backend.approvals.approve(open!.id, signed)));
  check(votes.filter(({ status }) => status === 'fulfilled').length, 1, 'the number of votes that count');
  const approved = await reaching(large.id, 'completed');
  const nonce = await anvil.provider.getTransactionCount(wallet.public_address);
  check([await ether(builder), nonce], ['2', 32], 'the balance of the builder and the number of transactions');
  say(
    `He approves with his passkey, and his browser sends the vote 5 times. It counts once, and the payment is ${approved.status}.`,
  );
  say(`On the chain, ${approved.blockchain_tx_hash} has paid once: the builder holds ${await ether(builder)} ETH.`);

  heading('The operator revokes the key while the agent works');
  const stranger = newAddress('ethereum');
  const waiting = await pay(stranger, '3');
  check(waiting.status, 'awaiting_approval', 'the status of the payment that waits');
  const vote = await ballot(waiting.approval_id!);
  say(
    `A payment of 3 ETH waits for Bob, who has signed his vote but not sent it. The agent reads its payment in a loop.`,
  );
  let [reads, lateReads, revokedAt] = [0, 0, Infinity];
  const work = (async () => {
    for (;;) {
      const beganLate = Date.now() > revokedAt + REVOKED_WITHIN_MS;
      const failure = await refusalOf(agent.transfers.get(waiting.id));
      if (failure) return failure;
      reads += 1;
      if (beganLate) lateReads += 1;
    }
  })();
  while (reads < 10) await sleep(5);
  await operator.apps.keys.revoke(app_id, key.id);
  revokedAt = Date.now();
  const failure = await work;
  check(
    [failure, lateReads],
    ['401 unauthorized_credentials', 0],
    'the response to the revoked key, and the reads that began more than a second after the revocation',
  );
  say(`After ${reads} reads the key is revoked, and within a second the agent gets ${failure}.`);
  const late = await refusalOf(backend.approvals.approve(waiting.approval_id!, vote));
  check(late, '409 approval_ended', 'the response to the vote');
  const ended = await backend.approvals.get(waiting.approval_id!);
  check([ended.state, ended.reason], ['void', 'key_revoked'], 'the approval');
  say(`Bob's vote gets ${late}, because the approval is ${ended.state}, reason ${ended.reason}.`);
  const rejected = await reaching(waiting.id, 'rejected');
  check(rejected.failure?.code, 'key_revoked', 'the end of the payment');
  check(await ether(stranger), '0', 'the balance of the stranger');
  say(
    `The payment is ${rejected.status}, reason ${rejected.failure?.code}, and the destination holds ${await ether(stranger)} ETH.`,
  );

  heading('Ann gives an agent of another company a budget by a token');
  await operator.apps.update(app_id, { authorization_server: { login_url: `${ORIGIN}/consent` } });
  const scopes = ['wallets:read', 'transfers:read', 'transfers:write'];
  const program = await operator.apps.oauthClients.create(app_id, {
    name: 'Agent',
    type: 'confidential',
    grant_types: ['authorization_code'],
    redirect_uris: [CALLBACK],
    scopes,
    resources: [service.url],
  });
  const hers = new VirtualAuthenticator(ORIGIN);
  const { user_id } = owner;
  const begun = await backend.webauthn.registrations.begin({ user_id });
  await backend.webauthn.registrations.create({
    user_id,
    public_key_credential: hers.create(begun.public_key_credential_creation_options as never),
  });
  const asked = {
    type: 'wallet_spend',
    wallet_id: wallet.id,
    assets: ['ethereum'],
    windows: [{ seconds: 86_400, max_amount: '0.2' }],
    expires_in: 3_600,
  };
  const issuer = `${service.url}/oauth2/${app_id}`;
  const relyingParty = { issuer, clientId: program.id, clientSecret: program.client_secret };
  const request = { scope: scopes.join(' '), authorization_details: JSON.stringify([asked]) };
  const { tokens } = await signIn(relyingParty, request, async (interaction) => {
    const { authorization_details: details } = await backend.oauth2.interactions.get(interaction);
    say(`The login page shows: ${details[0]!.description}`);
    const login = await backend.webauthn.authentication.begin({ user_id });
    const { session_token } = (await backend.webauthn.verify({
      public_key_credential: hers.get(login.public_key_credential_request_options as never),
      session_expires_in: 60,
    })) as { session_token: string };
    return (await backend.oauth2.interactions.accept(interaction, { session_token })).redirect_url;
  });
  const bearer = createClient({ baseUrl: service.url, secretKey: tokens.access_token });
  const baker = newAddress('ethereum');
  const bought = await bearer.transfers.create(paymentOf(baker, '0.15'));
  await bearer.transfers.confirm(bought.id, {});
  await reaching(bought.id, 'completed');
  check(await ether(baker), '0.15', 'the balance of the baker');
  const more = await bearer.transfers.create(paymentOf(baker, '0.1'));
  const beyond = await refusalOf(bearer.transfers.confirm(more.id, {}));
  check(beyond, '403 policy_denied', 'the response to more than the budget');
  say(`She consents with her passkey. The token pays 0.15 ETH, and 0.1 ETH more gets ${beyond}.`);
  const [grant] = (await backend.oauth2.grants.list({ user_id })).grants;
  await backend.oauth2.grants.revoke(grant!.id);
  const revoked = await refusalOf(bearer.transfers.get(bought.id));
  check(revoked, '401 unauthorized_credentials', 'the response after the grant was revoked');
  say(`She revokes the grant, and the token gets ${revoked}.`);
} finally {
  await service.stop();
  await anvil.stop();
}

interface Report {
  readonly httpStatus: number;
  readonly id: string;
  readonly error_type?: string;
  readonly policy_id?: string;
  readonly rule_id?: string;
  readonly reason?: string;
}

async function reportOf(racer: ChildProcess): Promise<Report> {
  const [report] = (await once(racer, 'message')) as [Report];
  return report;
}

async function ether(address: string): Promise<string> {
  return inEther(await anvil.balance(address));
}

function inEther(wei: bigint): string {
  return formatEther(wei).replace(/\.0$/, '');
}

/** The status and error type of a call that is refused; null if it succeeds. */
async function refusalOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.errorType}`;
    throw error;
  }
}

function check(actual: unknown, expected: unknown, subject: string): void {
  deepStrictEqual(actual, expected, `Not as it must be: ${subject} (${JSON.stringify(actual)}).`);
}

function heading(line: string): void {
  console.log(`\n${line}`);
}

function say(line: string): void {
  console.log(`  ${line}`);
}
