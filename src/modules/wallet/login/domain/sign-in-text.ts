import { type ChainName, WALLET_TYPES, type WalletType } from '../../../../kernel/chain/chain-name.js';
import type { AppId } from '../../../../kernel/ids.js';

export interface SignInText {
  readonly scheme?: string;
  readonly domain: string;
  readonly address: string;
  readonly chainId?: string;
  readonly nonce: string;
  readonly issuedAt?: Date;
  readonly expirationTime?: Date;
  readonly notBefore?: Date;
}

// The grammars of EIP-4361 and of its Solana variant, rule for rule. Only line ends separate lines, and no repeated group can match the
// text of its neighbour, so matching takes linear time.
const SCHEME = '[A-Za-z][A-Za-z0-9+.-]*';
const CHARACTER = "[A-Za-z0-9._~:@!$&'()*+,;=-]|%[0-9A-Fa-f]{2}"; // pchar of RFC 3986
const URI = `${SCHEME}:(?:${CHARACTER}|[/[\\]])*(?:\\?(?:${CHARACTER}|[/?])*)?(?:#(?:${CHARACTER}|[/?])*)?`;
const STATEMENT = "[A-Za-z0-9._~:/?#[\\]@!$&'()*+,;= -]+"; // reserved, unreserved, blank
const TIME = '\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?(?:[Zz]|[+-]\\d{2}:\\d{2})';
const NONCE = 'Nonce: (?<nonce>[A-Za-z0-9]{8,})';
const greeting = (chain: string): string =>
  `(?:(?<scheme>${SCHEME})://)?(?<domain>[^\\s/?#]+) wants you to sign in with your ${chain} account:\\n`;
const ENDING =
  `(?:\\nExpiration Time: (?<expirationTime>${TIME}))?(?:\\nNot Before: (?<notBefore>${TIME}))?` +
  `(?:\\nRequest ID: (?:${CHARACTER})*)?(?:\\nResources:(?:\\n- ${URI})*)?`;

const GRAMMARS: Readonly<Record<WalletType, RegExp>> = {
  ethereum: new RegExp(
    `^${greeting('Ethereum')}(?<address>0x[0-9A-Fa-f]{40})\\n\\n(?:(?:${STATEMENT})?\\n)?\\n` +
      `URI: ${URI}\\nVersion: 1\\nChain ID: (?<chainId>\\d+)\\n${NONCE}\\nIssued At: (?<issuedAt>${TIME})${ENDING}$`,
  ),
  // Here every line is optional; we insist on the nonce.
  solana: new RegExp(
    `^${greeting('Solana')}(?<address>[1-9A-HJ-NP-Za-km-z]{32,44})(?:\\n\\n${STATEMENT})?\\n` +
      `(?:\\nURI: ${URI})?(?:\\nVersion: 1)?(?:\\nChain ID: (?<chainId>[a-z0-9:]+))?\\n${NONCE}` +
      `(?:\\nIssued At: (?<issuedAt>${TIME}))?${ENDING}$`,
  ),
};

/** Null if the text breaks the grammar of EIP-4361, or of Sign-In With Solana, anywhere. */
export function readSignInText(text: string): ({ readonly walletType: WalletType } & SignInText) | null {
  for (const walletType of WALLET_TYPES) {
    const fields = GRAMMARS[walletType].exec(text)?.groups;
    if (!fields) continue;
    const times = [fields['issuedAt'], fields['expirationTime'], fields['notBefore']].map(timeOf);
    if (times.includes(null)) return null;
    const [issuedAt, expirationTime, notBefore] = times as (Date | undefined)[];
    const { scheme, domain, address, chainId, nonce } = fields;
    return {
      walletType,
      scheme,
      domain: domain!,
      address: address!,
      chainId,
      nonce: nonce!,
      issuedAt,
      expirationTime,
      notBefore,
    };
  }
  return null;
}

/** The tolerance for the clock of a user's device. */
const CLOCK_DRIFT_MS = 5 * 60_000;

/** The time of issue comes from the user's device and must lie between the creation of the nonce and now. The other times are exact. */
export function faultOfTimes(
  { issuedAt, expirationTime, notBefore }: SignInText,
  { nonceMadeAt, now }: { readonly nonceMadeAt: Date; readonly now: Date },
): string | null {
  if (expirationTime && expirationTime <= now) return 'has expired';
  if (notBefore && notBefore > now) return 'is not valid yet';
  if (!issuedAt) return null;
  if (issuedAt.getTime() > now.getTime() + CLOCK_DRIFT_MS) return 'was issued in the future';
  if (issuedAt.getTime() < nonceMadeAt.getTime() - CLOCK_DRIFT_MS) return 'was issued before its nonce';
  return null;
}

/** Null if the day of the RFC 3339 text does not exist, such as the 30th of February, which `Date` takes for March. */
function timeOf(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined;
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)].map(Number);
  const time = new Date(text.toUpperCase());
  const dayExists = new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() === day;
  return Number.isNaN(time.getTime()) || !dayExists ? null : time;
}

export abstract class SignInSettings {
  /** The chains that a sign-in text may name besides those of the networks that the app may use. */
  abstract readonly signInChainIds: readonly number[];
}

export interface ClaimedSigner {
  readonly appId: AppId;
  readonly walletType: WalletType;
  readonly address: string;
  /** The networks whose contract at the address may have signed. Called unless the address's own key signed. */
  readonly networks: () => Promise<readonly ChainName[]>;
}

export interface SignedMessage {
  readonly index: number;
  /** The network whose contract accepts the signature; null where the address's own key signed. */
  readonly network: ChainName | null;
}

export abstract class SignatureVerifier {
  /** Equal addresses give the same text. Null for a text that is no address, or to which no key can belong. */
  abstract address(walletType: WalletType, text: string): string | null;

  /**
   * Ethereum: EIP-191 by the address's own key, or a signature that the contract at the address accepts (EIP-1271), on networks with a
   * node. Solana: Ed25519 over the bytes of the text, or over an off-chain message with the text, as hardware wallets sign. The networks
   * are asked all at once, within the app's bound; if several accept the signature, the first one counts.
   */
  abstract signed(signer: ClaimedSigner, messages: readonly string[], signature: string): Promise<SignedMessage | null>;
}
