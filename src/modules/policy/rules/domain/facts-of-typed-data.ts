import {
  allowanceOf,
  type CanonicalAddress,
  type Fact,
  type Facts,
  type Known,
  type Move,
  UNREADABLE,
} from './facts.js';
import { KNOWN_STRUCTS, structNamesIn } from './known-structs.js';
import { BOUNDS } from './policy.js';
import { TooManyMoves } from './policy.errors.js';

export interface TypedDataUse {
  /** The structs reachable from the primary type: only these are signed. */
  readonly types: Readonly<Record<string, readonly Field[]>>;
  readonly primaryType: string;
  /** Null when the domain names none. */
  readonly chainId: bigint | null;
  readonly verifyingContract: string | null;
  readonly message: Struct;
  readonly digest: string;
}

interface TypedData extends Omit<TypedDataUse, 'chainId' | 'digest'> {
  /** `missing` if the domain names no chain. */
  readonly network: Fact<string>;
}

interface Field {
  readonly name: string;
  readonly type: string;
}

type Struct = Readonly<Record<string, unknown>>;
/** Members that cannot be read are `missing`. */
type Reader = (
  message: Struct,
  move: (token: unknown, account: unknown, amount: unknown) => Move,
  contract: string | null,
) => readonly Move[];

const AUTHORIZATION: Reader = ({ to, value }, move, contract) => [move(contract, to, value)];
const ALLOWANCES: Reader = ({ details, spender }, move) =>
  structsIn(details).map(({ token, amount }) => move(token, spender, amount));
/** The spender chooses the recipient when it takes the tokens. */
const TRANSFERS: Reader = ({ permitted, spender }, move) =>
  structsIn(permitted).map(({ token, amount }) => move(token, spender, amount));

const AUTHORIZED = 'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce';
const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)';
const PERMITTED = 'TokenPermissions(address token,uint256 amount)';
const MAX_UINT256 = (1n << 256n) - 1n;

/** The readers of EIP-2612, the permit of DAI, EIP-3009 and Permit2, by their types as EIP-712 encodes them. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)',
    ({ spender, value }, move, contract) => [move(contract, spender, value)],
  ],
  [
    'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)',
    ({ spender, allowed }, move, contract) => [move(contract, spender, allowed === false ? 0n : MAX_UINT256)],
  ],
  [`TransferWithAuthorization(${AUTHORIZED})`, AUTHORIZATION],
  [`ReceiveWithAuthorization(${AUTHORIZED})`, AUTHORIZATION],
  [`PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`, ALLOWANCES],
  [`PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`, ALLOWANCES],
  [`PermitTransferFrom(${transferOf('TokenPermissions')})${PERMITTED}`, TRANSFERS],
  [`PermitBatchTransferFrom(${transferOf('TokenPermissions[]')})${PERMITTED}`, TRANSFERS],
  [`PermitWitnessTransferFrom(${transferOf('TokenPermissions')},any witness)${PERMITTED}`, TRANSFERS],
  [`PermitBatchWitnessTransferFrom(${transferOf('TokenPermissions[]')},any witness)${PERMITTED}`, TRANSFERS],
]);

/**
 * The hash of the types covers the names, types and order of all members, so a contract accepts exactly the listed types. Other types of
 * known names are delegations that cannot be read; of any others no moves are known.
 */
export function factsOfTypedData(typedData: TypedData, canonical: CanonicalAddress): Facts {
  const { network, types, verifyingContract, message } = typedData;
  const facts = { operation: 'sign_typed_data', network } as const;
  const addressOf = (value: unknown): Known<string> =>
    typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value) ? canonical(value.toLowerCase()) : 'missing';
  const move = (contract: unknown, account: unknown, amount: unknown): Move => {
    const token = addressOf(contract);
    // The signature is valid on every chain if the domain names none.
    const isKnown = token !== 'missing' && network !== 'missing' && network !== 'not_applicable';
    const units = unitsOf(amount);
    return {
      asset: isKnown ? { network, token } : 'missing',
      destination: addressOf(account),
      amount: units === null ? 'missing' : allowanceOf(units),
    };
  };
  const read = READERS.get(encodedTypes(typedData));
  if (read) return { ...facts, moves: read(message, move, verifyingContract), isDelegation: true };
  const isDelegation = structNamesIn(types).some((name) => KNOWN_STRUCTS.has(name));
  return { ...facts, moves: isDelegation ? [UNREADABLE] : 'missing', isDelegation };
}

/** The witness of a Permit2 transfer has the type that its spender wants, and moves nothing. */
function encodedTypes({ primaryType, types }: TypedData): string {
  const { [primaryType]: primary = [], ...used } = types;
  const encoded = (struct: string, fields: readonly Field[]): string =>
    `${struct}(${fields.map(({ type, name }) => `${type} ${name}`).join(',')})`;
  if (/^Permit(Batch)?WitnessTransferFrom$/.test(primaryType)) {
    const fields = primary.map((field, index) => (index === 4 ? { type: 'any', name: 'witness' } : field));
    return encoded(primaryType, fields) + encoded('TokenPermissions', types['TokenPermissions'] ?? []);
  }
  const structs = Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1));
  return [[primaryType, primary] as const, ...structs].map(([struct, fields]) => encoded(struct, fields)).join('');
}

function transferOf(permitted: string): string {
  return `${permitted} permitted,address spender,uint256 nonce,uint256 deadline`;
}

function structsIn(value: unknown): readonly Struct[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length > BOUNDS.moves) throw new TooManyMoves();
  return items.map((item) => (typeof item === 'object' && item !== null ? (item as Struct) : {}));
}

/** A JSON number, or decimal or 0x-hexadecimal text. Null for anything else. */
function unitsOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value >= 0n ? value : null;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  return typeof value === 'string' && /^(\d+|0x[0-9a-f]+)$/i.test(value) ? BigInt(value) : null;
}
