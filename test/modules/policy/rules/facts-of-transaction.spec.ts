import { Interface } from 'ethers/abi';
import { factsOfTransaction } from '../../../../src/modules/policy/rules/domain/facts-of-transaction.js';
import { type Move, UNREADABLE } from '../../../../src/modules/policy/rules/domain/facts.js';
import { ethereumAddressOf } from '../../../../src/services/crypto/keccak.js';

const CONTRACT = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const ACCOUNT = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const OTHER = '0xBE0eB53F46cd790Cd13851d5EFf43D12404d33E8';
const MAX = 2n ** 256n - 1n;

const abi = new Interface([
  'function transfer(address to, uint256 value)',
  'function transferFrom(address from, address to, uint256 value)',
  'function approve(address spender, uint256 value)',
  'function increaseAllowance(address spender, uint256 addedValue)',
  'function setApprovalForAll(address operator, bool approved)',
  'function multicall(bytes[] calls)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
]);
const transfer = abi.encodeFunctionData('transfer', [ACCOUNT, 5n]);

function factsOf(data: string, value = 0n, to: string | null = CONTRACT) {
  return factsOfTransaction({ network: 'base', to, value, data }, (address) => ethereumAddressOf(address)!);
}

const coin = (amount: bigint, destination: string = CONTRACT): Move => ({
  asset: { network: 'base', token: null },
  destination,
  amount,
});
const token = (amount: Move['amount']): Move => ({
  asset: { network: 'base', token: CONTRACT },
  destination: ACCOUNT,
  amount,
});

it.each<[string, string, Move, boolean]>([
  ['transfer', transfer, token(5n), false],
  ['transfer of nothing', abi.encodeFunctionData('transfer', [ACCOUNT, 0n]), token(0n), false],
  ['transfer of everything', abi.encodeFunctionData('transfer', [ACCOUNT, MAX]), token('unlimited'), false],
  ['transferFrom', abi.encodeFunctionData('transferFrom', [OTHER, ACCOUNT, 5n]), token(5n), false],
  ['approve', abi.encodeFunctionData('approve', [ACCOUNT, 5n]), token(5n), true],
  ['approve of nothing', abi.encodeFunctionData('approve', [ACCOUNT, 0n]), token(0n), true],
  ['approve without limit', abi.encodeFunctionData('approve', [ACCOUNT, MAX]), token('unlimited'), true],
  ['approve from 2^255 up', abi.encodeFunctionData('approve', [ACCOUNT, 2n ** 255n]), token('unlimited'), true],
  ['approve below 2^255', abi.encodeFunctionData('approve', [ACCOUNT, 2n ** 255n - 1n]), token(2n ** 255n - 1n), true],
  ['approve as Permit2', abi.encodeFunctionData('approve', [ACCOUNT, 2n ** 160n - 1n]), token('unlimited'), true],
  ['increaseAllowance', abi.encodeFunctionData('increaseAllowance', [ACCOUNT, 5n]), token(5n), true],
  ['setApprovalForAll', abi.encodeFunctionData('setApprovalForAll', [ACCOUNT, true]), token('unlimited'), true],
  ['setApprovalForAll revoked', abi.encodeFunctionData('setApprovalForAll', [ACCOUNT, false]), token(0n), true],
])('reads %s of a token', (_, data, move, isDelegation) => {
  const facts = { operation: 'sign_transaction', network: 'base', isDelegation };
  expect(factsOf(data)).toEqual({ ...facts, moves: [move] });
  expect(factsOf(`0x${data.slice(2).toUpperCase()}`)).toEqual({ ...facts, moves: [move] });
  expect(factsOf(data, 3n)).toEqual({ ...facts, moves: [coin(3n), move] });
});

it('reads the coin that is sent, also if it is nothing', () => {
  expect(factsOf('0x', 7n, ACCOUNT).moves).toEqual([coin(7n, ACCOUNT)]);
  expect(factsOf('0x', 0n, ACCOUNT).moves).toEqual([coin(0n, ACCOUNT)]);
});

it('does not read the code of a new contract', () => {
  expect(factsOf('0x6000', 0n, null).moves).toEqual([UNREADABLE]);
  expect(factsOf(transfer, 7n, null).moves).toEqual([{ ...coin(7n), destination: 'missing' }, UNREADABLE]);
  expect(factsOf('0x', 7n, null).moves).toEqual([{ ...coin(7n), destination: 'missing' }, UNREADABLE]);
});

const [selector, account, amount] = [transfer.slice(0, 10), transfer.slice(10, 74), transfer.slice(74)];
const approval = abi.encodeFunctionData('setApprovalForAll', [ACCOUNT, true]);

it.each<[string, string]>([
  ['a call of several', abi.encodeFunctionData('multicall', [[transfer]])],
  ['an unknown selector', `0xdeadbeef${account}${amount}`],
  [
    'a permit',
    abi.encodeFunctionData('permit', [OTHER, ACCOUNT, 1n, 1n, 27, `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]),
  ],
  ['a selector alone', selector],
  ['less than a selector', '0xa9059c'],
  ['no amount', selector + account],
  ['a short amount', transfer.slice(0, -2)],
  ['a byte more', `${transfer}00`],
  ['an argument more', transfer + amount],
  ['a line break more', `${transfer}\n`],
  ['the first bit of the padding of an address', `${selector}8${account.slice(1)}${amount}`],
  ['the last bit of the padding of an address', `${selector}${account.slice(0, 23)}1${account.slice(24)}${amount}`],
  [
    'a sender with a bit in its padding',
    abi.encodeFunctionData('transferFrom', [OTHER, ACCOUNT, 5n]).replace(/^(0x.{8})0/, '$11'),
  ],
  ['true as 2', `${approval.slice(0, -1)}2`],
  ['true with a bit in its padding', `${approval.slice(0, 74)}1${approval.slice(75)}`],
])('does not read a call with %s', (_, data) => {
  expect(factsOf(data)).toEqual({
    operation: 'sign_transaction',
    network: 'base',
    moves: [UNREADABLE],
    isDelegation: false,
  });
  expect(factsOf(data, 3n).moves).toEqual([coin(3n), UNREADABLE]);
});
