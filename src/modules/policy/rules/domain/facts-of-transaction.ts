import { allowanceOf, type CanonicalAddress, type Facts, type Move, UNREADABLE } from './facts.js';

/** A transaction of type 2 (EIP-1559). */
export interface TransactionUse {
  readonly network: string;
  /** Null creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  readonly data: string;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Null unless the transaction is one payment and nothing else. */
  readonly payment: { readonly token: string | null; readonly dest: string; readonly amount: bigint } | null;
}

interface TokenCall {
  readonly encoding: RegExp;
  /** Another account may take the tokens later. */
  readonly isDelegation: boolean;
}

const ADDRESS = '0{24}([0-9a-f]{40})';
const NUMBER = '([0-9a-f]{64})';
const BOOLEAN = '0{63}([01])';

const SET_APPROVAL_FOR_ALL: TokenCall = tokenCall('a22cb465', ADDRESS + BOOLEAN, true);

/** An NFT has the calls of an ERC-20 token: its number is read as an amount, which only a rule for that contract bounds. */
const TOKEN_CALLS: readonly TokenCall[] = [
  // This is transfer(address to, uint256 value).
  tokenCall('a9059cbb', ADDRESS + NUMBER, false),
  // This is transferFrom(address from, address to, uint256 value). It counts in full even if `from` is another account: this signature
  // moves its tokens.
  tokenCall('23b872dd', `0{24}[0-9a-f]{40}${ADDRESS}${NUMBER}`, false),
  // This is approve(address spender, uint256 value).
  tokenCall('095ea7b3', ADDRESS + NUMBER, true),
  // This is increaseAllowance(address spender, uint256 addedValue).
  tokenCall('39509351', ADDRESS + NUMBER, true),
  SET_APPROVAL_FOR_ALL,
];

/** Calls with another encoding (unknown, too long, bits set in the padding) and the code of a new contract cannot be read. */
export function factsOfTransaction(
  { network, to, value, data }: Pick<TransactionUse, 'network' | 'to' | 'value' | 'data'>,
  canonical: CanonicalAddress,
): Facts {
  const facts = { operation: 'sign_transaction', network, isDelegation: false } as const;
  const coin: Move = { asset: { network, token: null }, destination: to ?? 'missing', amount: value };
  if (to !== null && data === '0x') return { ...facts, moves: [coin] };

  const coins = value > 0n ? [coin] : [];
  const bytes = data.toLowerCase();
  const call = TOKEN_CALLS.find(({ encoding }) => encoding.test(bytes));
  if (to === null || !call) return { ...facts, moves: [...coins, UNREADABLE] };
  const [, account, argument] = call.encoding.exec(bytes) as unknown as [string, string, string];
  const number = BigInt(`0x${argument}`);
  const tokens: Move = {
    asset: { network, token: to },
    destination: canonical(`0x${account}`),
    amount: call === SET_APPROVAL_FOR_ALL && number === 1n ? 'unlimited' : allowanceOf(number),
  };
  return { ...facts, moves: [...coins, tokens], isDelegation: call.isDelegation };
}

function tokenCall(selector: string, args: string, isDelegation: boolean): TokenCall {
  return { encoding: new RegExp(`^0x${selector}${args}$`), isDelegation };
}
