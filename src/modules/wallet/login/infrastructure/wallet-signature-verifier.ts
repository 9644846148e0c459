import { Inject, Injectable } from '@nestjs/common';
import { hashMessage } from 'ethers/hash';
import { createPublicKey, verify } from 'node:crypto';
import { ethereumAddressOf } from '../../../../services/crypto/keccak.js';
import { fromBase58 } from '../../keys/domain/private-key-text.js';
import { EthereumNodeUnavailable } from '../domain/registration.js';
import { type ClaimedSigner, SignatureVerifier, type SignedMessage } from '../domain/sign-in-text.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { ContractSignatures } from './contract-signatures.js';
import { isHexBytes } from '../../signing/infrastructure/ethereum-fields.js';
import { offchainMessages } from '../../signing/infrastructure/ed25519-signer.js';
import { ethereumAddressOfKey } from '../../signing/infrastructure/ethers-signer.js';
import { Secp256k1 } from '../../signing/infrastructure/secp256k1-signature.js';

/** A contract is asked about no more messages than this at a time. */
const CONTRACT_CALLS = 8;

/** The next messages are not asked about later than this: nodes that answer slowly would hold the call for a minute. */
const CONTRACTS_MS = 6_000;

/** Each text has several off-chain messages, and each check takes a tenth of a millisecond. */
const OFFCHAIN_TRIES = 32;

/** The header of a 32-byte Ed25519 public key (RFC 8410). */
const SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');

/** Points of small order (as in libsodium), without the sign of x. Signatures for them that match many messages need no private key. */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

@Injectable()
export class WalletSignatureVerifier extends SignatureVerifier {
  constructor(
    private readonly secp256k1: Secp256k1,
    @Inject(ContractSignatures) private readonly contracts: ContractSignatures | null,
  ) {
    super();
  }

  address(walletType: WalletType, text: string): string | null {
    if (walletType === 'ethereum') return ethereumAddressOf(text);
    const publicKey = publicKeyOf(text);
    if (!publicKey) return null;
    publicKey[31]! &= 0x7f;
    return SMALL_ORDER.includes(publicKey.toString('hex')) ? null : text;
  }

  async signed(
    { appId, walletType, address, networks }: ClaimedSigner,
    messages: readonly string[],
    signature: string,
  ): Promise<SignedMessage | null> {
    if (walletType === 'solana') return byOwnKey(signedByEd25519(address, messages, signature));
    if (!isHexBytes(signature)) return null;
    const own = byOwnKey(messages.findIndex((message) => this.signer(message, signature) === address.toLowerCase()));
    const { contracts } = this;
    if (own !== null || !contracts) return own;
    const asked = (await networks()).filter((name) => contracts.canBeAsked(name));
    const until = performance.now() + CONTRACTS_MS;
    for (let first = 0; first < messages.length; first += CONTRACT_CALLS) {
      if (performance.now() > until) throw new EthereumNodeUnavailable();
      const answers = await Promise.allSettled(
        asked.flatMap((network) =>
          messages.slice(first, first + CONTRACT_CALLS).map(async (message, place) => {
            const isValid = await contracts.isValid(appId, network, { address, message, signature });
            return isValid ? { index: first + place, network } : null;
          }),
        ),
      );
      const valid = answers.find((answer) => answer.status === 'fulfilled' && answer.value !== null);
      if (valid?.status === 'fulfilled') return valid.value;
      // Other networks may have said no, but this one may have the contract.
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (failed) throw failed.reason;
    }
    return null;
  }

  /** The signer by EIP-191, in lower case; null for any other signature. */
  private signer(message: string, signature: string): string | null {
    const bytes = Buffer.from(signature.slice(2), 'hex');
    if (bytes.length !== 65) return null;
    const v = bytes[64]!;
    const recovery = v >= 27 ? v - 27 : v; // Some hardware wallets count from 0.
    if (recovery !== 0 && recovery !== 1) return null;
    const digest = Buffer.from(hashMessage(message).slice(2), 'hex');
    try {
      return ethereumAddressOfKey(this.secp256k1.recover(digest, { compact: bytes.subarray(0, 64), recovery }));
    } catch {
      return null; // No key could have made it.
    }
  }
}

function byOwnKey(index: number): SignedMessage | null {
  return index === -1 ? null : { index, network: null };
}

function publicKeyOf(address: string): Buffer | null {
  if (!/^[\x20-\x7e]{32,44}$/.test(address)) return null;
  const bytes = fromBase58(Buffer.from(address));
  return bytes?.length === 32 ? bytes : null;
}

/** Each message is tried as it is, then as off-chain messages. The signature is in base58. Returns -1 if none was signed. */
function signedByEd25519(address: string, messages: readonly string[], signature: string): number {
  const bytes = /^[\x20-\x7e]{64,88}$/.test(signature) ? fromBase58(Buffer.from(signature)) : null;
  const raw = publicKeyOf(address);
  if (bytes?.length !== 64 || !raw) return -1;
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEADER, raw]), format: 'der', type: 'spki' });
  const isSigned = (message: Buffer): boolean => verify(null, message, key, bytes);
  const index = messages.findIndex((message) => isSigned(Buffer.from(message)));
  if (index !== -1) return index;
  return messages.slice(0, OFFCHAIN_TRIES).findIndex((message) => offchainMessages(message, raw).some(isSigned));
}
