import { Wallet, recoverAddress, Transaction, TypedDataEncoder } from 'ethers';
import { KEY_SCOPES } from '../../../../src/kernel/key-restriction.js';
import type { Answer } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { keyPair, open } from '../../../support/hpke-peer.js';
import { Money, newAddress, SOL } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { type Holder, PasskeyApp, refusal } from '../../passkey/passkeys.js';
import { asking, type Fields } from '../policies.js';
import { Treasury as TreasuryOfApp, type TreasuryChoices } from '../treasury.js';

let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({ env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

const Treasury = { of: (choices?: TreasuryChoices) => TreasuryOfApp.of(money, observer, choices) };
type Treasury = TreasuryOfApp;

const MAIL = {
  domain: { name: 'Mail' },
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], Mail: [{ name: 'text', type: 'string' }] },
  primaryType: 'Mail',
  message: { text: 'Hello' },
};
const TRANSACTION = {
  chainId: 31_337,
  nonce: 0,
  gas: 21_000,
  maxFeePerGas: 1_000_000_000,
  maxPriorityFeePerGas: 1,
  to: newAddress('ethereum'),
  value: 5,
};
const receiver = keyPair();

/** A use of a key: its body, another body, a part of the payload that approvers see, and the account that its result is of. */
interface Use {
  readonly body: Fields;
  readonly another: Fields;
  readonly payload: Fields;
  accountOf(result: Answer['body']): string;
}

const USES: Readonly<Record<string, Use>> = {
  sign_typed_data: {
    body: { typed_data: MAIL },
    another: { typed_data: { ...MAIL, message: { text: 'Hullo' } } },
    payload: { operation: 'sign_typed_data', primary_type: 'Mail', message: MAIL.message },
    accountOf({ signature }) {
      const { Mail } = MAIL.types;
      return recoverAddress(TypedDataEncoder.hash(MAIL.domain, { Mail }, MAIL.message), signature);
    },
  },
  sign_transaction: {
    body: { eth_transaction: TRANSACTION },
    another: { eth_transaction: { ...TRANSACTION, value: 6 } },
    payload: { operation: 'sign_transaction', to: TRANSACTION.to, value: '5', nonce: 0 },
    accountOf: ({ signed_transaction }) => Transaction.from(signed_transaction).from!,
  },
  export: {
    body: { encryption_public_key: receiver.getPublicKey('base64') },
    another: { encryption_public_key: keyPair().getPublicKey('base64') },
    payload: { operation: 'export', encryption_public_key: receiver.getPublicKey('base64') },
    accountOf({ encapsulated_key, ciphertext }) {
      const sealed = { enc: Buffer.from(encapsulated_key, 'base64'), ct: Buffer.from(ciphertext, 'base64') };
      return new Wallet(open(receiver, sealed).toString()).address;
    },
  },
};

const call = ({ app, payer }: Treasury, use: string, body: Fields, key = app.secretKey): Promise<Answer> =>
  money.app.call('POST', `/v1/wallets/${payer.walletId}/${use}`, { key, body });

async function restrictedKey({ policies }: Treasury): Promise<{ id: string; key: string }> {
  const { body, text } = await policies.manage('POST', '/keys', { kind: 'restricted', scopes: KEY_SCOPES });
  if (!body.key) throw new Error(text);
  return body;
}

describe.each(Object.entries(USES))('a use of a key by %s', (name, { body, another, payload, accountOf }) => {
  it('is put to approvers with everything that is signed, and is given once for what they have seen', async () => {
    const treasury = await Treasury.of({ count: 2 });
    const [first, second] = treasury.members as [Holder, Holder];
    const asked = await call(treasury, name, body);
    expect(refusal(asked)).toEqual([409, 'approval_required']);
    const { approval_id } = asked.body;
    expect(await treasury.approval(approval_id)).toMatchObject({ state: 'waiting', payload });
    await treasury.vote(approval_id, first);
    expect(refusal(await call(treasury, name, { ...body, approval_id }))).toEqual([409, 'approval_required']);
    await treasury.vote(approval_id, second);
    expect(refusal(await call(treasury, name, { ...another, approval_id }))).toEqual([409, 'approval_mismatch']);
    const given = await call(treasury, name, { ...body, approval_id });
    expect([given.status, accountOf(given.body)]).toEqual([200, treasury.payer.address]);
    expect(await treasury.approval(approval_id)).toMatchObject({ state: 'executed' });
    expect(refusal(await call(treasury, name, { ...body, approval_id }))).toEqual([409, 'approval_ended']);
  });

  it('is refused after the rejection of its approval', async () => {
    const treasury = await Treasury.of();
    const { approval_id } = (await call(treasury, name, body)).body;
    await treasury.vote(approval_id, treasury.members[0]!, 'reject');
    expect(refusal(await call(treasury, name, { ...body, approval_id }))).toEqual([409, 'approval_ended']);
  });
});

it('a transfer on solana is paid once it is approved', async () => {
  const treasury = await Treasury.of({ chain: 'solana' });
  const { payer } = treasury;
  const dest = newAddress('solana');
  const { id, approval } = await treasury.awaiting({ dest });
  expect((await treasury.approval(approval)).payload).toMatchObject({ destination: dest, amount: '0.5' });
  expect(await money.balance('solana', dest)).toBe(0n);
  await treasury.vote(approval, treasury.members[0]!);
  await money.become(payer, id, 'completed');
  expect(await money.balance('solana', dest)).toBe(SOL / 2n);
  expect(await treasury.attemptsOf(id)).toHaveLength(1);
});

describe('a request that two policies put to two groups', () => {
  /** The second group has one member, who is not in the first one. `voters`: a member of the group that an approval asks, and a user who is no member. */
  async function twofold() {
    const treasury = await Treasury.of();
    const auditor = await PasskeyApp.at(money.app, treasury.app).holder();
    const { policies, payer, members } = treasury;
    const scope = { kind: 'wallet', id: payer.walletId };
    const rules = [{ id: 'audits', ...asking(await policies.group([auditor.userId])) }];
    await policies.activate(await policies.version({ name: 'Audit', scope, rules }));
    const voters = async (approval: string): Promise<readonly [Holder, Holder]> =>
      (await treasury.approval(approval)).rule_id === 'asks' ? [members[0]!, auditor] : [auditor, members[0]!];
    return { treasury, voters };
  }

  it('is signed once both have approved', async () => {
    const { treasury, voters } = await twofold();
    const first = await treasury.askedSignature('Hello');
    const [member, another] = await voters(first);
    expect(refusal(await treasury.begin(first, another))).toEqual([403, 'not_an_approver']);
    await treasury.vote(first, member);
    const again = await treasury.sign('Hello', first);
    expect(refusal(again)).toEqual([409, 'approval_required']);
    const second = again.body['approval_id'] as string;
    expect(second).not.toBe(first);
    expect(refusal(await treasury.sign('Hello', second))).toEqual([409, 'approval_required']);
    await treasury.vote(second, another);
    expect((await treasury.sign('Hello', second)).status).toBe(200);
    for (const id of [first, second]) expect(await treasury.approval(id)).toMatchObject({ state: 'executed' });
    expect(refusal(await treasury.sign('Hello', first))).toEqual([409, 'approval_ended']);
  });

  it('is paid once both have approved', async () => {
    const { treasury, voters } = await twofold();
    const { id, approval: first } = await treasury.awaiting();
    const [member, another] = await voters(first);
    await treasury.vote(first, member);
    const second = await eventually(async () => {
      const { status, approval_id } = await money.get(treasury.payer, id);
      expect([status, approval_id === first]).toEqual(['awaiting_approval', false]);
      return approval_id as string;
    });
    expect(await treasury.attemptsOf(id)).toHaveLength(0);
    await treasury.vote(second, another);
    await money.become(treasury.payer, id, 'completed');
    for (const approval of [first, second])
      expect(await treasury.approval(approval)).toMatchObject({ state: 'executed' });
  });
});

describe('an approval', () => {
  const VOID = (reason: string) => ({ state: 'void', reason });

  it('is void once the key that asked is revoked, before and after its votes', async () => {
    const treasury = await Treasury.of();
    const [voter] = treasury.members as [Holder];
    const agent = await restrictedKey(treasury);
    const signed = (message: string) => call(treasury, 'sign_message', { message }, agent.key);
    const waiting = (await signed('Waiting')).body.approval_id;
    const approved = (await signed('Approved')).body.approval_id;
    await treasury.vote(approved, voter);
    const credential = await treasury.assertion(waiting, voter);
    expect((await treasury.policies.manage('DELETE', `/keys/${agent.id}`)).status).toBe(200);
    expect(refusal(await treasury.send(waiting, voter, credential))).toEqual([409, 'approval_ended']);
    for (const id of [waiting, approved]) expect(await treasury.approval(id)).toMatchObject(VOID('key_revoked'));
    // It was for the revoked key, and is of no use to another one.
    const body = { message: 'Approved', approval_id: approved };
    expect((await call(treasury, 'sign_message', body)).status).toBe(409);
  });

  it('ends its transfer unpaid once the key that confirmed is revoked, also when it is approved and queued', async () => {
    const treasury = await Treasury.of();
    const { payer, members, policies } = treasury;
    const agent = await restrictedKey(treasury);
    const dest = newAddress('ethereum');
    const confirmed = async () => {
      const { id } = await money.created(payer, { dest });
      const { body } = await money.app.call('POST', `/v1/transfers/${id}/confirm`, { key: agent.key, body: {} });
      return { id: id as string, approval: body.approval_id as string };
    };
    const [waiting, approved] = [await confirmed(), await confirmed()];
    await money.withoutTracker(async () => {
      await treasury.vote(approved.approval, members[0]!);
      expect((await money.get(payer, approved.id)).stage).toBe('queued');
      await policies.manage('DELETE', `/keys/${agent.id}`);
    });
    for (const { id, approval } of [waiting, approved]) {
      const rejected = await money.become(payer, id, 'rejected');
      expect(rejected).toMatchObject({ attempts: [], failure: { code: 'key_revoked', retry_safe: true } });
      expect(await treasury.approval(approval)).toMatchObject(VOID('key_revoked'));
    }
    expect(await money.balance('ethereum', dest)).toBe(0n);
  });

  it('is void once the owner of the wallet is deleted, and its transfer is not paid', async () => {
    const treasury = await Treasury.of();
    const { payer, members } = treasury;
    const { id, approval } = await treasury.awaiting();
    const signature = await treasury.askedSignature('Hello');
    const credential = await treasury.assertion(signature, members[0]!);
    expect((await treasury.policies.manage('DELETE', `/users/${payer.userId}`)).status).toBe(200);
    expect(refusal(await treasury.send(signature, members[0]!, credential))).toEqual([409, 'approval_ended']);
    for (const each of [approval, signature])
      expect(await treasury.approval(each)).toMatchObject(VOID('user_inactive'));
    expect(await money.become(payer, id, 'rejected')).toMatchObject({
      attempts: [],
      failure: { code: 'user_inactive', retry_safe: true },
    });
  });
});

describe('the assertion of a vote', () => {
  const INVALID = [400, 'invalid_webauthn_credential'];

  it('is no vote in another app, where the same passkey is that of an approver, too', async () => {
    const [treasury, another] = [await Treasury.of(), await Treasury.of()];
    const [member] = treasury.members as [Holder];
    // The same keys in both apps.
    const twin = await PasskeyApp.at(money.app, another.app).holder(member.authenticator);
    const { body: group } = await another.policies.manage('PATCH', `/approver_groups/${another.group}`, {
      members: [{ user_id: twin.userId }],
    });
    expect(group.members).toEqual([{ user_id: twin.userId }]);
    const [here, there] = [await treasury.askedSignature('Hello'), await another.askedSignature('Hello')];
    const challenge = async (of: Treasury, id: string, holder: Holder) =>
      (await of.begin(id, holder)).body.public_key_credential_request_options;
    const options = await challenge(treasury, here, member);
    // The passkey names the user of the other app.
    const replayed = twin.authenticator.get(options);
    expect(refusal(await another.send(there, twin, replayed))).toEqual(INVALID);
    expect(await another.approval(there)).toMatchObject({ state: 'waiting', votes: [] });
    const own = twin.authenticator.get(await challenge(another, there, twin));
    expect((await another.send(there, twin, own)).body.state).toBe('approved');
  });

  it.each([
    ['approve', 'reject'],
    ['reject', 'approve'],
  ])('to %s is none to %s', async (signed, sent) => {
    const treasury = await Treasury.of();
    const [member] = treasury.members as [Holder];
    const { approval } = await treasury.awaiting();
    const credential = await treasury.assertion(approval, member, signed);
    expect(refusal(await treasury.send(approval, member, credential, sent))).toEqual(INVALID);
    expect(await treasury.approval(approval)).toMatchObject({ state: 'waiting', votes: [] });
    expect((await treasury.send(approval, member, credential, signed)).status).toBe(200);
  });
});
