import { getAddress, Interface, MaxUint256, Transaction, TypedDataEncoder } from 'ethers';
import type { Answer, TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Money, newAddress, type Payer } from '../../support/money.js';
import { Observer } from '../../support/observer.js';
import { type Holder, ORIGIN, PasskeyApp, refusal, RP_ID } from '../passkey/passkeys.js';
import { asking, type Fields, PolicyApp } from './policies.js';

// Attacks of the table in src/modules/policy/threats.md that no other test shows.

let money: Money;
let replica: TestApp;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({ env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  replica = await money.replica();
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await money?.stop();
});

const TOKEN = getAddress('0xcccccccccccccccccccccccccccccccccccccccc');
const SPENDER = getAddress('0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb');
const SCOPES = ['wallets:read', 'wallets:sign', 'transfers:read', 'transfers:write'];
const INVALID = [400, 'invalid_webauthn_credential'];

interface Key {
  readonly id: string;
  readonly key: string;
}

/** An app with an agent, which has a restricted key and a funded wallet, and with an approver. */
class Agency {
  private constructor(
    readonly payer: Payer,
    readonly policies: PolicyApp,
    readonly approver: Holder,
    readonly group: string,
    readonly agent: Key,
  ) {}

  static async of(settings: Fields = {}, authenticator?: Holder['authenticator'], scopes = SCOPES): Promise<Agency> {
    const webauthn = { rp_id: RP_ID, origins: [ORIGIN] };
    const app = await money.app.given.app({ default_wallet_type: 'none', webauthn, ...settings });
    const payer = await money.payer('ethereum', 100n, app);
    const approver = await PasskeyApp.at(money.app, app).holder(authenticator);
    const policies = PolicyApp.at(money.app, app);
    const group = await policies.group([approver.userId]);
    return new Agency(payer, policies, approver, group, await keyOf(policies, scopes));
  }

  /** Puts rules over the key of the agent in force. */
  async inForce(...rules: Fields[]): Promise<string> {
    const version = await this.policies.version({ name: 'Agent', scope: { kind: 'key', id: this.agent.id }, rules });
    const { status, text } = await this.policies.activate(version);
    if (status !== 200) throw new Error(text);
    return version;
  }

  post(path: string, body: Fields, key = this.agent.key, service = money.app): Promise<Answer> {
    return service.call('POST', `/v1${path}`, { key, body });
  }

  sign(path: string, body: Fields, key?: string, service?: TestApp): Promise<Answer> {
    return this.post(`/wallets/${this.payer.walletId}/${path}`, body, key, service);
  }

  message(message: string, approval_id?: string, key?: string, service?: TestApp): Promise<Answer> {
    return this.sign('sign_message', { message, ...(approval_id && { approval_id }) }, key, service);
  }

  transaction(fields: Fields): Promise<Answer> {
    const fees = { gas: 60_000, maxFeePerGas: 1, maxPriorityFeePerGas: 1, chainId: money.anvil.chainId };
    return this.sign('sign_transaction', { eth_transaction: { nonce: 0, ...fees, ...fields } });
  }

  /** The confirmation of a new payment. */
  async pay(source_amount: string, service = money.app, dest = newAddress('ethereum')): Promise<Answer> {
    const payment = { source: this.payer.walletId, dest, source_amount };
    const ether = { source_currency: 'ethereum', dest_currency: 'ethereum' };
    const created = await this.post('/transfers/create', { ...payment, ...ether }, this.agent.key, service);
    if (created.status !== 200) return created;
    return this.post(`/transfers/${created.body.id}/confirm`, {}, this.agent.key, service);
  }

  /** A payment that awaits its approval. */
  async awaiting(): Promise<{ readonly id: string; readonly approval: string }> {
    const { body, text } = await this.pay('0.5');
    if (body.status !== 'awaiting_approval') throw new Error(text);
    return { id: body.id, approval: body.approval_id };
  }

  async approval(id: string) {
    return (await money.app.call('GET', `/v1/approvals/${id}`, { key: this.payer.app.secretKey })).body;
  }

  async begin(approval: string) {
    const body = { user_id: this.approver.userId, decision: 'approve' };
    const begun = await this.post(`/approvals/${approval}/begin`, body, this.payer.app.secretKey);
    return begun.body.public_key_credential_request_options;
  }

  approve(approval: string, credential: unknown, key: string = this.payer.app.secretKey): Promise<Answer> {
    const body = { user_id: this.approver.userId, public_key_credential: credential };
    return this.post(`/approvals/${approval}/approve`, body, key);
  }

  async vote(approval: string, key?: string): Promise<Answer> {
    return this.approve(approval, this.approver.authenticator.get(await this.begin(approval)), key);
  }
}

async function keyOf(policies: PolicyApp, scopes: readonly string[], binding: Fields = {}): Promise<Key> {
  const { body, text } = await policies.manage('POST', '/keys', { kind: 'restricted', scopes, ...binding });
  if (!body.key) throw new Error(text);
  return body;
}

const denial = ({ status, body }: Answer) => [status, body.error_type, body['reason']];
const denied = (reason: string) => [403, 'policy_denied', reason];

const ofEther = (id: string, max_amount: string, fields: Fields = {}): Fields => ({
  id,
  effect: 'allow',
  match: { operations: ['transfer'], assets: ['ethereum'] },
  windows: [{ seconds: 3_600, max_amount }],
  ...fields,
});

describe('a budget', () => {
  it('is shared by payments below the amount that needs approval, to any destination and on any replica', async () => {
    const agency = await Agency.of();
    const match = { assets: ['ethereum'], amount: { min: '0.5' } };
    await agency.inForce({ id: 'large', ...asking(agency.group), match }, ofEther('small', '1'));
    expect((await agency.pay('0.5')).body.status).toBe('awaiting_approval');
    expect((await agency.pay('0.4')).body.status).toBe('pending');
    expect((await agency.pay('0.4', replica)).body.status).toBe('pending');
    expect(denial(await agency.pay('0.4'))).toEqual(denied('window_amount'));
    expect(denial(await agency.pay('0.200000000000000001', replica))).toEqual(denied('window_amount'));
    expect((await agency.pay('0.2')).body.status).toBe('pending');
  });

  it('counts token approvals and permits like payments, and none that is unlimited or unreadable passes', async () => {
    const dollar = { chain: 'ethereum', name: 'dollar', symbol: 'USD', decimals: 6, token: TOKEN };
    const agency = await Agency.of({ assets: [dollar], signing_policy: { typed_data: 'any' } });
    await agency.inForce({
      id: 'spends',
      effect: 'allow',
      match: { operations: ['sign_transaction', 'sign_typed_data'], assets: ['dollar'] },
      windows: [{ seconds: 3_600, max_amount: '100' }],
    });
    const abi = new Interface([
      'function approve(address,uint256)',
      'function setApprovalForAll(address,bool)',
      'function multicall(bytes[])',
    ]);
    const approve = (amount: bigint) => abi.encodeFunctionData('approve', [SPENDER, amount]);
    const permit = (value: bigint) => agency.sign('sign_typed_data', { typed_data: permitOf(agency.payer, value) });
    expect((await agency.transaction({ to: TOKEN, data: approve(60_000_000n) })).status).toBe(200);
    expect(denial(await permit(60_000_000n))).toEqual(denied('window_amount'));
    expect((await permit(40_000_000n)).status).toBe(200);
    expect(denial(await permit(1n))).toEqual(denied('window_amount'));

    const unlimited = [approve(MaxUint256), abi.encodeFunctionData('setApprovalForAll', [SPENDER, true])];
    for (const data of unlimited)
      expect(denial(await agency.transaction({ to: TOKEN, data }))).toEqual(denied('unlimited'));
    expect(denial(await permit(MaxUint256))).toEqual(denied('unlimited'));
    const unreadable = [abi.encodeFunctionData('multicall', [[approve(1n)]]), '0xdeadbeef'];
    for (const data of unreadable)
      expect(denial(await agency.transaction({ to: TOKEN, data }))).toEqual(denied('missing_fact'));
    const order = typedOf('OrderComponents(address offerer,uint256 counter)', { offerer: SPENDER, counter: '0' });
    const operation = typedOf('PackedUserOperation(address sender,uint256 nonce,bytes callData)', {
      sender: SPENDER,
      nonce: '0',
      callData: '0x',
    });
    for (const typed_data of [order, operation])
      expect(denial(await agency.sign('sign_typed_data', { typed_data }))).toEqual(denied('missing_fact'));

    const elsewhere = { to: TOKEN, data: approve(1n), chainId: 1 };
    expect((await agency.transaction(elsewhere)).body.error_type).toBe('network_not_enabled');
    const second = { to: TOKEN, data: approve(1n), value: 1 };
    expect(denial(await agency.transaction(second))).toEqual(denied('no_rule'));
  });

  it('is not filled by the clock of the process, which is a day ahead', async () => {
    const agency = await Agency.of();
    await agency.inForce(ofEther('pays', '1'));
    const { body } = await agency.pay('1');
    // Before, it counts as held at any time.
    await money.become(agency.payer, body.id, 'completed');
    const untouched = ['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const;
    jest.useFakeTimers({
      now: Date.now() + 86_400_000,
      doNotFake: [...untouched, 'setInterval', 'clearInterval', 'queueMicrotask', 'performance', 'hrtime'],
    });
    try {
      expect(denial(await agency.pay('0.1'))).toEqual(denied('window_amount'));
    } finally {
      jest.useRealTimers();
    }
  });

  it('belongs to the id of its rule, and an activation under a new id is reported as one that allows more', async () => {
    const agency = await Agency.of();
    await agency.inForce(ofEther('first', '1'));
    expect((await agency.pay('0.9')).body.status).toBe('pending');
    await agency.inForce(ofEther('first', '1'));
    const second = await agency.inForce(ofEther('second', '1'));
    expect((await agency.pay('0.9')).body.status).toBe('pending');
    await agency.inForce(ofEther('first', '1'));
    expect(denial(await agency.pay('0.2'))).toEqual(denied('window_amount'));
    const activations = await observer.rows<{ version: string; allows_more: boolean }>(
      `select data->>'policy_id' as version, data->'allows_more' as allows_more from stored_events
        where app_id = $1 and type = 'policy.activated' order by id`,
      [agency.payer.app.id],
    );
    expect(activations.map(({ allows_more }) => allows_more)).toEqual([true, false, true, true]);
    expect(activations[2]!.version).toBe(second);
  });
});

describe('an approval', () => {
  it('is not voted on with the key that asked for it', async () => {
    const agency = await Agency.of({}, undefined, [...SCOPES, 'approvals:vote']);
    await agency.inForce({ id: 'asks', ...asking(agency.group) });
    const { approval } = await agency.awaiting();
    expect(refusal(await agency.vote(approval, agency.agent.key))).toEqual([403, 'not_an_approver']);
    const page = await keyOf(agency.policies, ['approvals:vote']);
    expect((await agency.vote(approval, page.key)).body.state).toBe('approved');
  });

  it('is used neither by another key nor for another wallet', async () => {
    const agency = await Agency.of();
    const rules = [{ id: 'asks', ...asking(agency.group) }];
    await agency.policies.activate(await agency.policies.version({ rules }));
    const approval = (await agency.message('Hello')).body['approval_id'] as string;
    expect((await agency.vote(approval)).body.state).toBe('approved');
    const another = await keyOf(agency.policies, SCOPES);
    expect(refusal(await agency.message('Hello', approval, another.key))).toEqual([409, 'approval_mismatch']);
    const { walletId } = await money.payer('ethereum', 1n, agency.payer.app);
    const elsewhere = { message: 'Hello', approval_id: approval };
    const path = `/wallets/${walletId}/sign_message`;
    expect(refusal(await agency.post(path, elsewhere, agency.payer.app.secretKey))).toEqual([409, 'approval_mismatch']);
    expect((await agency.message('Hello', approval)).status).toBe(200);
  });

  it('takes no assertion that the same passkey made for a login or in another app, nor is a vote a login', async () => {
    const first = await Agency.of();
    const { authenticator } = first.approver;
    const second = await Agency.of({}, authenticator);
    for (const agency of [first, second]) await agency.inForce({ id: 'asks', ...asking(agency.group) });
    const [one, two] = [(await first.awaiting()).approval, (await second.awaiting()).approval];
    const passkeys = PasskeyApp.at(money.app, first.payer.app);
    // The handle names the user. Without it the assertions differ in their challenges only.
    const sign = (options: Parameters<typeof authenticator.get>[0]) => authenticator.get(options, { userHandle: null });
    const { body } = await passkeys.beginAuthentication(first.approver.userId);
    const [login, elsewhere, vote] = [
      sign(body.public_key_credential_request_options),
      sign(await second.begin(two)),
      sign(await first.begin(one)),
    ];
    expect(refusal(await first.approve(one, login))).toEqual(INVALID);
    expect(refusal(await first.approve(one, elsewhere))).toEqual(INVALID);
    expect(refusal(await passkeys.verify(vote))).toEqual(INVALID);
    expect((await passkeys.verify(login)).status).toBe(200);
    expect((await first.approve(one, vote)).body.state).toBe('approved');
  });

  it.each([
    ['revoked', 'update api_keys set revoked_at = now() where app_id = $1 and id = $2 returning id'],
    ['expired', 'update api_keys set expires_at = now() where app_id = $1 and id = $2 returning id'],
  ])('ends when the key that asked for it is %s, and its transfer pays nothing', async (_, statement) => {
    const agency = await Agency.of();
    await agency.inForce({ id: 'asks', ...asking(agency.group) });
    const { id, approval } = await agency.awaiting();
    const signed = agency.approver.authenticator.get(await agency.begin(approval));
    await observer.rows(statement, [agency.payer.app.id, agency.agent.id]);
    expect(refusal(await agency.approve(approval, signed))).toEqual([409, 'approval_ended']);
    expect(await agency.approval(approval)).toMatchObject({ state: 'void', reason: 'key_revoked' });
    const failure = { code: 'key_revoked', retry_safe: true };
    expect(await money.get(agency.payer, id)).toMatchObject({ status: 'rejected', failure });
    await eventually(async () => expect(refusal(await agency.pay('0.5'))).toEqual([401, 'unauthorized_credentials']));
  });

  it('that is given while the app is frozen pays only after the thaw', async () => {
    const agency = await Agency.of();
    await agency.inForce({ id: 'asks', ...asking(agency.group) });
    const { id, approval } = await agency.awaiting();
    await agency.policies.manage('POST', '/freeze', {});
    expect((await agency.vote(approval)).body.state).toBe('approved');
    await money.look();
    const attempts = () => observer.rows('select 1 from transfer_attempts where transfer_id = $1', [id]);
    expect((await money.get(agency.payer, id)).status).toBe('pending');
    expect(await attempts()).toEqual([]);
    await agency.policies.manage('POST', '/thaw', {});
    await money.look();
    await money.become(agency.payer, id, 'completed');
    expect(await attempts()).toHaveLength(1);
  });

  it('shows approvers the digest of typed data, and every member of a transaction, that is then signed', async () => {
    const agency = await Agency.of({ signing_policy: { typed_data: 'any' } });
    await agency.inForce({ id: 'asks', ...asking(agency.group) });
    const approved = async (ask: (approval_id?: string) => Promise<Answer>) => {
      const approval = (await ask()).body['approval_id'] as string;
      const { payload } = await agency.approval(approval);
      await agency.vote(approval);
      return { payload, signed: await ask(approval) };
    };
    const typed_data = permitOf(agency.payer, 5n);
    const permit = await approved((approval_id) => agency.sign('sign_typed_data', { typed_data, approval_id }));
    expect(permit.signed.status).toBe(200);
    const { domain, types, message } = typed_data;
    expect(permit.payload).toMatchObject({ digest: TypedDataEncoder.hash(domain, types, message), message });

    const fees = { gas: 60_000, maxFeePerGas: 3, maxPriorityFeePerGas: 2, chainId: money.anvil.chainId };
    const eth_transaction = { nonce: 4, to: SPENDER, value: 7, data: '0xdeadbeef', ...fees };
    const call = await approved((approval_id) => agency.sign('sign_transaction', { eth_transaction, approval_id }));
    const { to, value, nonce, data, gasLimit, maxFeePerGas } = Transaction.from(call.signed.body.signed_transaction);
    expect(call.payload).toMatchObject({
      operation: 'sign_transaction',
      network: `eip155:${fees.chainId}`,
      to,
      data,
      nonce,
    });
    const numbers = { value, gas: gasLimit, max_fee_per_gas: maxFeePerGas };
    for (const [name, number] of Object.entries(numbers))
      expect([name, BigInt(call.payload[name])]).toEqual([name, number]);
  });
});

describe('a policy', () => {
  it('that is activated, or an app that is frozen, on one replica judges the next call on another one', async () => {
    const agency = await Agency.of();
    const allowed = await agency.inForce({ id: 'all', effect: 'allow' });
    for (let round = 0; round < 5; round++) {
      // The replica has the state of the app in memory. It may refuse a little longer than it must.
      await eventually(async () =>
        expect((await agency.message('Hello', undefined, undefined, replica)).status).toBe(200),
      );
      await agency.inForce({ id: 'none', effect: 'deny' });
      const refused = await agency.message('Hello', undefined, undefined, replica);
      expect(denial(refused)).toEqual(denied('denied_by_rule'));
      await agency.policies.activate(allowed);
      await eventually(async () =>
        expect((await agency.message('Hello', undefined, undefined, replica)).status).toBe(200),
      );
      await agency.policies.manage('POST', '/freeze', {});
      expect(refusal(await agency.message('Hello', undefined, undefined, replica))).toEqual([403, 'app_frozen']);
      await agency.policies.manage('POST', '/thaw', {});
    }
  });
});

const permitOf = ({ address: owner }: Payer, value: bigint) =>
  typedOf('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)', {
    owner,
    spender: SPENDER,
    value: String(value),
    nonce: '0',
    deadline: '9999999999',
  });

/** Typed data of the token on the chain of the tests. */
function typedOf(text: string, message: Fields) {
  const structs = [...text.matchAll(/(\w+)\(([^)]*)\)/g)].map(([, struct, members]) => {
    const fields = members!.split(',').map((member) => member.split(' ') as [string, string]);
    return [struct!, fields.map(([type, name]) => ({ type, name }))] as const;
  });
  return {
    domain: { name: 'Dollar', version: '1', chainId: money.anvil.chainId, verifyingContract: TOKEN },
    types: Object.fromEntries(structs) as Record<string, { type: string; name: string }[]>,
    primaryType: structs[0]![0],
    message,
  };
}
