import { Injectable } from '@nestjs/common';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { newId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { SealBroken, type SealContext, Vault } from '../../../kernel/vault.js';
import { type AuditKey, type AuditKeyId, AuditKeyRepository } from '../domain/audit-key.repository.js';
import { isSignedBy, type IsSigned, type Signature, signatureOf } from '../domain/checkpoint.js';

/** A key is trusted only if its seal opens, so a key that was added to the table by hand is not. */
@Injectable()
export class AuditKeys {
  constructor(
    private readonly keys: AuditKeyRepository,
    private readonly vault: Vault,
    private readonly transactions: Transactions,
  ) {}

  /** The first call creates a key. */
  async signer(): Promise<(message: Uint8Array) => Signature> {
    const { id, privateKey } = await this.current();
    return (message) => ({ keyId: id, signature: signatureOf(message, privateKey) });
  }

  async isSigned(): Promise<IsSigned> {
    const keys = await this.publicKeys();
    return (message, by) => {
      const key = keys.get(by.keyId);
      return key !== undefined && isSignedBy(message, by, key);
    };
  }

  async rotate(): Promise<AuditKeyId> {
    return (await this.create()).id;
  }

  async publicKeys(): Promise<ReadonlyMap<string, KeyObject>> {
    await this.vault.ready('service');
    const known = new Map<string, KeyObject>();
    for (const key of await this.keys.all()) {
      const privateKey = this.openIfWhole(key);
      if (privateKey) known.set(key.id, createPublicKey(privateKey));
    }
    return known;
  }

  private async current(): Promise<{ readonly id: AuditKeyId; readonly privateKey: KeyObject }> {
    await this.vault.ready('service');
    for (const key of await this.keys.all()) {
      const privateKey = this.openIfWhole(key);
      if (privateKey) return { id: key.id, privateKey };
    }
    return this.create();
  }

  private async create(): Promise<{ readonly id: AuditKeyId; readonly privateKey: KeyObject }> {
    await this.vault.ready('service');
    const id = newId('auditKey');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
    try {
      const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
      // Only a transaction checks that the key of the seal is stored.
      await this.transactions.run(async () =>
        this.keys.add({ id, sealedPrivateKey: this.vault.seal(plain, contextOf(id)) }, pem),
      );
    } finally {
      plain.fill(0);
    }
    return { id, privateKey };
  }

  /** Null if the seal does not open, which the vault has logged. */
  private openIfWhole({ id, sealedPrivateKey }: AuditKey): KeyObject | null {
    let plain: Buffer;
    try {
      plain = this.vault.open(sealedPrivateKey, contextOf(id));
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
    try {
      return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
    } finally {
      plain.fill(0);
    }
  }
}

export function contextOf(id: string): SealContext {
  return ['audit-key', id];
}
