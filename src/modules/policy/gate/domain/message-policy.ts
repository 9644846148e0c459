import { MessageNotAllowed, TypedDataNotAllowed } from '../../rules/domain/policy.errors.js';
import type { TypedDataUse } from '../../rules/domain/facts-of-typed-data.js';
import { KNOWN_STRUCTS, structNamesIn } from '../../rules/domain/known-structs.js';

interface MessagePolicy {
  /** `text`: messages that people read. */
  readonly messages?: 'any' | 'text' | 'none';
  /** The default is `any`. */
  readonly defaultMessages?: 'any' | 'text';
}

/** Characters that are not printed, except line breaks, tabs and the joiners of some scripts and emoji. */
const UNPRINTABLE = /[^\P{C}\t\n\r\u200c\u200d]/u;
/** 32 bytes in hexadecimal and nothing else but white space or quotation marks. */
const HASH = /^\W*(0x)?[0-9a-f]{64}\W*$/i;
const HASH_BYTES = 32;

/**
 * EIP-191 hashes a message of 32 bytes like a 32-byte digest, and Safes and other smart accounts accept such a signature for the
 * transaction with this digest. A transaction can be chosen so that its digest is well-formed text: `text` refuses every message of 32
 * bytes.
 */
export function assertMessageSignable(
  { defaultMessages = 'any', messages = defaultMessages }: MessagePolicy,
  message: string,
): void {
  if (messages === 'any') return;
  if (messages === 'none') throw new MessageNotAllowed('messages');
  if (UNPRINTABLE.test(message)) throw new MessageNotAllowed('a message with unprintable characters');
  if (Buffer.byteLength(message) === HASH_BYTES) throw new MessageNotAllowed('a message of 32 bytes');
  if (HASH.test(message)) throw new MessageNotAllowed('a hash');
}

interface TypedDataPolicy {
  /** `listed`: only listed types. `without_value` (default): also types that are not known to move value. `any`: every type. */
  readonly typedData?: 'listed' | 'without_value' | 'any';
  /** Null stands for a domain that names none. */
  readonly listedTypedData?: readonly {
    readonly primaryType: string;
    readonly verifyingContract: string | null;
    readonly chainId: number | null;
  }[];
}

export function assertSignable({ typedData, listedTypedData = [] }: TypedDataPolicy, intent: TypedDataUse): void {
  const { primaryType, verifyingContract, chainId } = intent;
  const isListed = listedTypedData.some(
    (listed) =>
      listed.primaryType === primaryType &&
      listed.verifyingContract === verifyingContract &&
      (listed.chainId === null ? chainId === null : BigInt(listed.chainId) === chainId),
  );
  if (isListed || typedData === 'any') return;
  if (typedData === 'listed' || movesValue(intent)) throw new TypedDataNotAllowed(primaryType);
}

// Names of members as they are compared: in lower case, without underscores.
const GRANTEE =
  /spender|operator|delegate|grantee|authori[sz]|approv(e|al)|relayer|subaccount|builder|.keys?$|scope|agent|dispatcher|executor|alias/;
const ACTION = /order|burn|withdraw|redeem|redemption|liquidat/;
/** Parties that control an account, or the code that it runs. */
const CONTROL =
  /owner|signer|guardian|admin|manager|module|plugin|recover|authority|controller|governor|custodian|trustee|successor|validator|implementation|upgrade|beacon|fallbackhandler|role$/;
/** The number of those that must agree. */
const CONSENT = /threshold|quorum/;
const CONTROLLING = /approvalforall|^transfer|^(set|add|change|rotate|replace|revoke|remove)(key|account|code)/;
const PAYEE = /^to(address|account|wallet)?$|dest|recipient|receiver|payee|beneficiary/;
const TRADE = /sell|buy|maker|taker|making|taking|offer|consideration/;
const PRICE = /price/;
const QUANTITY =
  /amount|value|price|quantity|qty|^wad$|wei$|shares|^assets$|^ids$|tokenid|nftid|allowed|approved|allowance|balance|stake|collateral/;
/** Contracts that are not written in Solidity know an account as a number, bytes or text. */
const ACCOUNT = /^(address|bytes20|bytes32|uint160|uint256|string)$/;
const SENDER = /^(sender|from|account)$/;

/**
 * Names, types and order are part of the type hash, so everything reachable from the primary type counts, and nothing else. Refused are: an
 * account that may act for the signer; a change of control; an account, two sides of a trade or a price, with a quantity; and bytes or
 * hashes that cannot be decoded.
 */
export function movesValue({ types }: Pick<TypedDataUse, 'types'>): boolean {
  const structs = structNamesIn(types);
  if (structs.some((struct) => KNOWN_STRUCTS.has(struct))) return true;
  const actions = structs.map((struct) => struct.replaceAll('_', ''));
  if (actions.some((action) => [CONTROL, CONSENT, CONTROLLING, GRANTEE, ACTION].some((words) => words.test(action))))
    return true;
  const members = Object.values(types)
    .flat()
    .map(({ name, type }) => ({
      name: name.replaceAll('_', '').toLowerCase(),
      type: type.replace(/\[.*/, ''),
    }));
  const hasType = (type: RegExp) => members.some((member) => type.test(member.type));
  const hasName = (name: RegExp) => members.some((member) => name.test(member.name));
  if (members.some(({ name, type }) => (GRANTEE.test(name) || CONTROL.test(name)) && ACCOUNT.test(type))) return true;
  if (hasName(CONSENT)) return true;
  const quantities = members.filter(({ name }) => QUANTITY.test(name));
  const hasAccount = members.some(({ name, type }) => SENDER.test(name) && /^bytes(20|32)$/.test(type));
  if (quantities.length > 0 && (hasAccount || hasType(/^address$/) || hasName(PAYEE) || hasName(TRADE))) return true;
  if (quantities.length > 1 && hasName(PRICE)) return true;
  const values = members.filter(({ type }) => !Object.hasOwn(types, type));
  return hasType(/^bytes$/) || values.every(({ type }) => type.startsWith('bytes'));
}
