import { TypedDataEncoder } from 'ethers/hash';
import { factsOfTypedData } from '../../../../src/modules/policy/rules/domain/facts-of-typed-data.js';
import { type Fact, type Move, UNREADABLE } from '../../../../src/modules/policy/rules/domain/facts.js';
import { ethereumAddressOf } from '../../../../src/services/crypto/keccak.js';

const CONTRACT = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const OWNER = '0xBE0eB53F46cd790Cd13851d5EFf43D12404d33E8';
const SPENDER = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const NONCE = `0x${'11'.repeat(32)}`;
const MAX = 2n ** 256n - 1n;

type Message = Record<string, unknown>;

interface Domain {
  readonly network?: Fact<string>;
  readonly verifyingContract?: string | null;
}

/** The facts of a message of types that are written as EIP-712 encodes them, the primary type first. */
function unchecked(text: string, message: Message, { network = 'base', verifyingContract = CONTRACT }: Domain = {}) {
  const primaryType = text.slice(0, text.indexOf('('));
  const typedData = { network, primaryType, types: typesIn(text), verifyingContract, message };
  return factsOfTypedData(typedData, (address) => ethereumAddressOf(address)!);
}

/** ethers hashes the message, which therefore is of the types. */
function factsOf(text: string, message: Message, domain?: Domain) {
  const encoder = TypedDataEncoder.from(typesIn(text));
  expect(encoder.encodeType(encoder.primaryType).startsWith(text.slice(0, text.indexOf(')')))).toBe(true);
  encoder.hash(message);
  return unchecked(text, message, domain);
}

function typesIn(text: string): Record<string, { name: string; type: string }[]> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)\(([^)]*)\)/g)].map(([, struct, members]) => [
      struct!,
      members!.split(',').map((member) => ({ type: member.split(' ')[0]!, name: member.split(' ')[1]! })),
    ]),
  );
}

const PERMIT = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
const permit: Message = { owner: OWNER, spender: SPENDER, value: '5', nonce: 1, deadline: 9 };
const DAI = 'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)';
const dai: Message = { holder: OWNER, spender: SPENDER, nonce: 1, expiry: 0, allowed: true };
const AUTHORIZED = '(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';
const authorization: Message = { from: OWNER, to: SPENDER, value: 5, validAfter: 0, validBefore: 9, nonce: NONCE };
const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)';
const SINGLE = `PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`;
const BATCH = `PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`;
const details = (amount: unknown, token = TOKEN): Message => ({ token, amount, expiration: 9, nonce: 0 });
const allowing = (given: unknown): Message => ({ details: given, spender: SPENDER, sigDeadline: 9 });
const PERMITTED = 'TokenPermissions(address token,uint256 amount)';
const TRANSFER = `PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)${PERMITTED}`;
const TRANSFERS = TRANSFER.replace('PermitTransferFrom(TokenPermissions', 'PermitBatchTransferFrom(TokenPermissions[]');
const witnessed = (text: string, witness: string, structs = ''): string =>
  text
    .replace('TransferFrom', 'WitnessTransferFrom')
    .replace('uint256 deadline)', `uint256 deadline,${witness})${structs}`);
const permitting = (permitted: unknown, given: Message = {}): Message => ({
  permitted,
  spender: SPENDER,
  nonce: 1,
  deadline: 9,
  ...given,
});
const order = { order: { swapper: OWNER, input: 1 } };
const ORDER = 'Order(address swapper,uint256 input)';
const SEAPORT = `OrderComponents(address offerer,OfferItem[] offer,uint256 counter)OfferItem(uint8 itemType,address token)`;
const OPERATION =
  'PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)';
const operation: Message = {
  sender: OWNER,
  nonce: 0,
  initCode: '0x',
  callData: '0x',
  accountGasLimits: NONCE,
  preVerificationGas: 0,
  gasFees: NONCE,
  paymasterAndData: '0x',
};

const move = (amount: Move['amount'], token = TOKEN): Move => ({
  asset: { network: 'base', token },
  destination: SPENDER,
  amount,
});

it.each<[string, string, Message, readonly Move[]]>([
  ['EIP-2612', PERMIT, permit, [move(5n, CONTRACT)]],
  [
    'EIP-2612 in hexadecimal',
    PERMIT,
    { ...permit, value: '0x0A', spender: SPENDER.toLowerCase() },
    [move(10n, CONTRACT)],
  ],
  ['EIP-2612 without limit', PERMIT, { ...permit, value: `${MAX}` }, [move('unlimited', CONTRACT)]],
  ['EIP-2612 from 2^255 up', PERMIT, { ...permit, value: `${2n ** 255n}` }, [move('unlimited', CONTRACT)]],
  ['EIP-2612 below 2^255', PERMIT, { ...permit, value: `${2n ** 255n - 1n}` }, [move(2n ** 255n - 1n, CONTRACT)]],
  ['the permit of DAI', DAI, dai, [move('unlimited', CONTRACT)]],
  ['the revocation of DAI', DAI, { ...dai, allowed: false }, [move(0n, CONTRACT)]],
  ['EIP-3009, sent', `TransferWithAuthorization${AUTHORIZED}`, authorization, [move(5n, CONTRACT)]],
  ['EIP-3009, fetched', `ReceiveWithAuthorization${AUTHORIZED}`, authorization, [move(5n, CONTRACT)]],
  ['an allowance of Permit2', SINGLE, allowing(details(5)), [move(5n)]],
  ['an allowance of Permit2 without limit', SINGLE, allowing(details(`${2n ** 160n - 1n}`)), [move('unlimited')]],
  ['an allowance of Permit2 below the limit', SINGLE, allowing(details(`${2n ** 160n - 2n}`)), [move(2n ** 160n - 2n)]],
  ['allowances of Permit2', BATCH, allowing([details(5), details(6, OWNER)]), [move(5n), move(6n, OWNER)]],
  ['no allowance of Permit2', BATCH, allowing([]), []],
  ['a transfer by Permit2', TRANSFER, permitting({ token: TOKEN, amount: 5 }), [move(5n)]],
  [
    'a transfer by Permit2 without limit',
    TRANSFER,
    permitting({ token: TOKEN, amount: `${MAX}` }),
    [move('unlimited')],
  ],
  [
    'transfers by Permit2',
    TRANSFERS,
    permitting([
      { token: TOKEN, amount: 5 },
      { token: OWNER, amount: 6 },
    ]),
    [move(5n), move(6n, OWNER)],
  ],
  [
    'a transfer by Permit2 with an order',
    witnessed(TRANSFER, 'Order order', ORDER),
    permitting({ token: TOKEN, amount: 5 }, order),
    [move(5n)],
  ],
  [
    'a transfer by Permit2 with a hash',
    witnessed(TRANSFER, 'bytes32 hash'),
    permitting({ token: TOKEN, amount: 5 }, { hash: NONCE }),
    [move(5n)],
  ],
  [
    'transfers by Permit2 with an order',
    witnessed(TRANSFERS, 'Order order', ORDER),
    permitting([{ token: TOKEN, amount: 5 }], order),
    [move(5n)],
  ],
])('reads %s', (_, text, message, moves) => {
  expect(factsOf(text, message)).toEqual({ operation: 'sign_typed_data', network: 'base', moves, isDelegation: true });
});

it.each<[string, string, Message]>([
  ['an order of Seaport', SEAPORT, { offerer: OWNER, offer: [], counter: 0 }],
  ['a user operation', OPERATION, operation],
  [
    'the permit of an NFT',
    'Permit(address spender,uint256 tokenId,uint256 nonce,uint256 deadline)',
    { ...permit, tokenId: 1 },
  ],
  [
    'a permit in another order',
    PERMIT.replace('address owner,address spender', 'address spender,address owner'),
    permit,
  ],
  ['a permit with other names', PERMIT.replace('value', 'amount'), { ...permit, amount: 5 }],
  ['a permit with other types', PERMIT.replace('uint256 value', 'uint128 value'), permit],
  ['a permit with a member more', PERMIT.replace(')', ',bytes32 salt)'), { ...permit, salt: NONCE }],
  ['a permit in another case', PERMIT.replace('Permit', 'PERMIT'), permit],
  ['a permit in another struct', `Letter(Permit permit)${PERMIT}`, { permit }],
  [
    'details in another order',
    SINGLE.replace('address token,uint160 amount', 'uint160 amount,address token'),
    allowing(details(5)),
  ],
  ['a list of one length', BATCH.replace('[]', '[1]'), allowing([details(5)])],
  [
    'permissions of another type',
    TRANSFER.replace('uint256 amount', 'uint160 amount'),
    permitting({ token: TOKEN, amount: 5 }),
  ],
  [
    'a witness of permissions of another type',
    witnessed(TRANSFER, 'Order order', ORDER).replace('uint256 amount', 'uint160 amount'),
    permitting({ token: TOKEN, amount: 5 }, order),
  ],
  [
    'two witnesses',
    witnessed(TRANSFER, 'Order order,bytes32 hash', ORDER),
    permitting({ token: TOKEN, amount: 5 }, { ...order, hash: NONCE }),
  ],
  ['no witness', TRANSFER.replace('TransferFrom', 'WitnessTransferFrom'), permitting({ token: TOKEN, amount: 5 })],
  [
    'a witness before the spender',
    witnessed(TRANSFER, 'bytes32 hash').replace('address spender,uint256 nonce', 'uint256 nonce,address spender'),
    permitting({ token: TOKEN, amount: 5 }, { hash: NONCE }),
  ],
])('does not read %s, which is a delegation', (_, text, message) => {
  expect(factsOf(text, message)).toEqual({
    operation: 'sign_typed_data',
    network: 'base',
    moves: [UNREADABLE],
    isDelegation: true,
  });
});

it('knows nothing of other types', () => {
  const facts = factsOf('Mail(address to,string text)', { to: SPENDER, text: 'Hello' });
  expect(facts).toEqual({ operation: 'sign_typed_data', network: 'base', moves: 'missing', isDelegation: false });
});

it('does not know the asset without its network or contract', () => {
  const unknown = { ...move(5n), asset: 'missing' };
  expect(factsOf(PERMIT, permit, { network: 'missing' })).toMatchObject({ network: 'missing', moves: [unknown] });
  expect(factsOf(PERMIT, permit, { verifyingContract: null }).moves).toEqual([unknown]);
  expect(factsOf(TRANSFER, permitting({ token: TOKEN, amount: 5 }), { verifyingContract: null }).moves).toEqual([
    move(5n),
  ]);
});

it.each<[string, Message, Partial<Move>]>([
  ['an amount that is no number', { value: 'five' }, { amount: 'missing' }],
  ['an empty amount', { value: '' }, { amount: 'missing' }],
  ['a negative amount', { value: -5 }, { amount: 'missing' }],
  ['an inexact amount', { value: 2 ** 60 }, { amount: 'missing' }],
  ['an absent amount', { value: undefined }, { amount: 'missing' }],
  ['an account that is no address', { spender: '0x12' }, { destination: 'missing' }],
  ['an account as a list', { spender: [SPENDER] }, { destination: 'missing' }],
])('does not guess %s', (_, given, expected) => {
  const facts = unchecked(PERMIT, { ...permit, ...given }, { verifyingContract: TOKEN });
  expect(facts.moves).toEqual([{ ...move(5n), ...expected }]);
});

it('does not guess details that are no struct', () => {
  for (const given of [null, 'x', undefined, [null]])
    expect(unchecked(SINGLE, allowing(given)).moves).toEqual([{ ...UNREADABLE, destination: SPENDER }]);
});
