import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { Injectable } from '@nestjs/common';
import { KeyTransport, type SealedMessage } from '../../domain/keys/key-transport.js';

/** HPKE (RFC 9180) on WebCrypto, whose keys live outside the heap. P-256, because every platform has it, hardware too. */
@Injectable()
export class HpkeKeyTransport extends KeyTransport {
  private readonly suite = new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });

  async generate(): Promise<{ publicKey: Uint8Array; privateKey: Uint8Array }> {
    const { kem } = this.suite;
    const pair = await kem.generateKeyPair();
    return {
      publicKey: new Uint8Array(await kem.serializePublicKey(pair.publicKey)),
      privateKey: new Uint8Array(await kem.serializePrivateKey(pair.privateKey)),
    };
  }

  async open(privateKey: Uint8Array, { encapsulatedKey, ciphertext }: SealedMessage): Promise<Uint8Array | null> {
    const recipientKey = await this.suite.kem.deserializePrivateKey(privateKey);
    try {
      return new Uint8Array(await this.suite.open({ recipientKey, enc: encapsulatedKey }, ciphertext));
    } catch {
      return null;
    }
  }

  async seal(publicKey: Uint8Array, plaintext: Uint8Array): Promise<SealedMessage | null> {
    const recipientPublicKey = await this.suite.kem.deserializePublicKey(publicKey).catch(() => null);
    if (!recipientPublicKey) return null;
    const { enc, ct } = await this.suite.seal({ recipientPublicKey }, plaintext);
    return { encapsulatedKey: new Uint8Array(enc), ciphertext: new Uint8Array(ct) };
  }
}
