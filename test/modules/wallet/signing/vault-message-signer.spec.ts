import { decodeBase58, getBytes, hexlify, Transaction, verifyMessage, verifyTypedData } from 'ethers';
import { randomBytes } from 'node:crypto';
import { evolve } from '../../../../src/kernel/entity.js';
import { newId } from '../../../../src/kernel/ids.js';
import { SealBroken, type SealBinding, type Sealed, Vault } from '../../../../src/kernel/vault.js';
import { type WalletKey, walletKeyContext, Wallet } from '../../../../src/modules/wallet/wallets/domain/wallet.js';
import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import {
  InvalidMessage,
  InvalidTypedData,
  UnsupportedWalletType,
  WalletNotOwnedByUser,
  WalletReadOnly,
} from '../../../../src/modules/wallet/wallets/domain/wallet.errors.js';
import { InvalidPrivateKey } from '../../../../src/modules/wallet/keys/domain/wallet-import.js';
import { VaultWalletKeys } from '../../../../src/modules/wallet/keys/infrastructure/vault-wallet-keys.js';
import { SECP256K1_BACKENDS } from '../../../../src/modules/wallet/signing/infrastructure/secp256k1-signature.js';
import { offchainMessage } from '../../../../src/modules/wallet/signing/infrastructure/ed25519-signer.js';
import { NotAPayment } from '../../../../src/modules/wallet/signing/infrastructure/ethers-signer.js';
import { VaultMessageSigner } from '../../../../src/modules/wallet/signing/infrastructure/vault-message-signer.js';
import { EnvelopeVault } from '../../../../src/services/crypto/envelope-vault.js';
import { KeyringKeyWrapper } from '../../../../src/services/crypto/keyring-key-wrapper.js';
import { Keyring } from '../../../../src/services/crypto/keyring.js';

/** The real vault, remembering what it let out. */
class WatchedVault extends Vault {
  async ready(): Promise<void> {}

  readonly opened: Buffer[] = [];
  readonly sealedPlaintexts: Uint8Array[] = [];
  private readonly vault = new EnvelopeVault(
    new KeyringKeyWrapper(Keyring.parse(`k1:${randomBytes(32).toString('base64')}`)),
  );

  seal(plaintext: Uint8Array, context: SealBinding): Sealed {
    this.sealedPlaintexts.push(plaintext);
    return this.vault.seal(plaintext, context);
  }
  open(sealed: Uint8Array, context: SealBinding): Buffer {
    const plaintext = this.vault.open(sealed, context);
    this.opened.push(plaintext);
    return plaintext;
  }
  rewrap(sealed: Uint8Array, context: SealBinding): Sealed | null {
    return this.vault.rewrap(sealed, context);
  }
}

const appId = newId('app');
const vault = new WatchedVault();
let signer: VaultMessageSigner;
let keys: VaultWalletKeys;
let ethereum: WalletKey;
let solana: WalletKey;

const newKey = (walletType: WalletType): WalletKey =>
  keys.create({ appId, walletId: newId('wallet'), userId: newId('user'), walletType });

beforeAll(async () => {
  const secp256k1 = { name: 'native', ...(await SECP256K1_BACKENDS[0]!.load()) } as const;
  signer = new VaultMessageSigner(vault, secp256k1);
  keys = new VaultWalletKeys(vault, secp256k1);
  ethereum = newKey('ethereum');
  solana = newKey('solana');
});

const typedData = {
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  domain: { name: 'test' },
  message: { text: 'hello' },
};
const payment = {
  to: '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  nonce: 0,
  gas: 21_000,
  maxFeePerGas: 1,
  maxPriorityFeePerGas: 1,
  chainId: 1,
};

const signedPayment = () =>
  signer.signTransaction(ethereum, signer.readTransaction(ethereum, payment)).signedTransaction;

describe('making a wallet’s key', () => {
  it('never makes the same key twice', () => {
    const addresses = Array.from({ length: 200 }, () => newKey('ethereum').publicAddress);
    expect(new Set(addresses).size).toBe(200);
  });

  it('keeps the key nowhere as plaintext', () => {
    expect(vault.sealedPlaintexts.every((key) => key.every((byte) => byte === 0))).toBe(true);
    expect(vault.open(ethereum.sealed, walletKeyContext(ethereum))).toHaveLength(32);
  });

  it('takes a key with its other half only if that is its own', () => {
    const wallet = { appId, walletId: newId('wallet'), userId: newId('user'), walletType: 'solana' } as const;
    const key = vault.open(solana.sealed, walletKeyContext(solana));
    const half = Buffer.from(decodeBase58(solana.publicAddress).toString(16).padStart(64, '0'), 'hex');
    expect(keys.adopt(wallet, key, half).publicAddress).toBe(solana.publicAddress);
    half[0]! ^= 1;
    expect(() => keys.adopt(wallet, key, half)).toThrow(InvalidPrivateKey);
  });
});

describe('signing with a wallet’s key', () => {
  it('signs messages, typed data and transactions with an ethereum wallet', () => {
    expect(verifyMessage('hello', signer.signMessage(ethereum, 'hello'))).toBe(ethereum.publicAddress);
    const { domain, types, message } = typedData;
    const signature = signer.signTypedData(ethereum, signer.readTypedData(ethereum, typedData));
    expect(verifyTypedData(domain, types, message, signature)).toBe(ethereum.publicAddress);
    expect(Transaction.from(signedPayment()).from).toBe(ethereum.publicAddress);
  });

  it('signs messages alone with a solana wallet', () => {
    expect(signer.signMessage(solana, 'hello')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    expect(() => signer.readTypedData(solana, typedData)).toThrow(UnsupportedWalletType);
    expect(() => signer.readTransaction(solana, payment)).toThrow(UnsupportedWalletType);
  });

  it('wipes the key afterwards, whether it signed or refused', () => {
    vault.opened.splice(0);
    signer.signMessage(ethereum, 'hello');
    signer.signMessage(solana, 'hello');
    expect(() => signer.signMessage(solana, '')).toThrow(InvalidMessage);
    expect(vault.opened).toHaveLength(3);
    expect(vault.opened.every((key) => key.every((byte) => byte === 0))).toBe(true);
  });

  it('reads what is to be signed without opening the key', () => {
    vault.opened.splice(0);
    signer.readTypedData(ethereum, typedData);
    signer.readTransaction(ethereum, payment);
    expect(() => signer.readTypedData(ethereum, {})).toThrow(InvalidTypedData);
    expect(vault.opened).toHaveLength(0);
  });

  it('refuses a key that was moved from another wallet, app, owner, chain or address', () => {
    const other = newKey('ethereum');
    const moved: Partial<WalletKey>[] = [
      { sealed: other.sealed },
      { walletId: other.walletId },
      { appId: newId('app') },
      { userId: newId('user') },
      { walletType: 'solana' },
      { publicAddress: other.publicAddress },
      { walletId: other.walletId, publicAddress: other.publicAddress },
    ];
    for (const change of moved) {
      expect(() => signer.signMessage({ ...ethereum, ...change }, 'hello')).toThrow(SealBroken);
    }
  });
});

describe('a wallet', () => {
  const managed = () => Wallet.managed(ethereum, new Date());

  it('made by the service is verified, the default, and signs with its own key', () => {
    expect(managed()).toMatchObject({
      verified: true,
      isDefault: true,
      isReadOnly: false,
      isImported: false,
      deletedAt: null,
    });
    expect(managed().signingKey()).toEqual(ethereum);
  });

  it('that is read-only refuses to sign', () => {
    for (const change of [{ isReadOnly: true }, { sealedKey: null }]) {
      expect(() => evolve<Wallet>(managed(), change).signingKey()).toThrow(WalletReadOnly);
    }
  });

  it('is owned by one user', () => {
    expect(() => managed().assertOwnedBy(ethereum.userId)).not.toThrow();
    expect(() => managed().assertOwnedBy(newId('user'))).toThrow(WalletNotOwnedByUser);
  });
});

describe('signing a payment', () => {
  const unsigned = getBytes(
    Transaction.from({ type: 2, to: payment.to, chainId: 1, nonce: 7, gasLimit: 21_000 }).unsignedSerialized,
  );
  /** A message of one signer and the system program, with no instructions. */
  const message = (payer: string, ...version: number[]) =>
    Buffer.concat([
      Buffer.from([...version, 1, 0, 1, 2]),
      Buffer.from(decodeBase58(payer).toString(16).padStart(64, '0'), 'hex'),
      Buffer.alloc(32 + 32 + 1),
    ]);

  it('gives the signature of an unsigned EIP-1559 transaction', () => {
    const signed = Transaction.from(hexlify(unsigned));
    signed.signature = hexlify(signer.signPayment(ethereum, unsigned));
    expect(signed.from).toBe(ethereum.publicAddress);
  });

  it('refuses ethereum bytes that are anything else: a message, another type, a signed one, one with something behind it', () => {
    const legacy = getBytes(Transaction.from({ type: 0, to: payment.to, chainId: 1 }).unsignedSerialized);
    const prefixed = Buffer.from('\x19Ethereum Signed Message:\n5hello', 'latin1');
    const signed = getBytes(signedPayment());
    for (const bytes of [legacy, prefixed, signed, Buffer.concat([unsigned, Buffer.alloc(1)]), new Uint8Array()]) {
      expect(() => signer.signPayment(ethereum, bytes)).toThrow();
    }
  });

  it('gives the signature of a solana message, legacy or of version 0, that the wallet alone signs', () => {
    for (const bytes of [message(solana.publicAddress), message(solana.publicAddress, 0x80)]) {
      expect(signer.signPayment(solana, bytes)).toHaveLength(64);
    }
  });

  it('refuses solana bytes that are anything else: another payer, two signers, an off-chain message', () => {
    const two = message(solana.publicAddress);
    two[0] = 2;
    const other = newKey('solana').publicAddress;
    for (const bytes of [
      two,
      message(other),
      offchainMessage('hello'),
      message(solana.publicAddress, 0x81),
      Buffer.alloc(0),
    ]) {
      expect(() => signer.signPayment(solana, bytes)).toThrow(NotAPayment);
    }
  });
});
