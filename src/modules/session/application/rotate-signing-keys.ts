import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { SigningKeyUnavailable } from '../domain/session.errors.js';
import { SigningKeyRepository } from '../domain/signing-key.repository.js';
import { SigningKeys } from './signing-keys.js';

/** A key signs for this time. */
const ROTATION_DAYS = 30;

const PERIODS = {
  // This is longer than any cache of the JWKS: one minute in the service, five by its max-age, ten in JOSE libraries.
  publishedMinutes: 15,
  // This is much longer than the lifetime of a JWT.
  retentionMinutes: 60,
};

/** Makes the next key the current one and publishes a new next key, so offline verifiers know each key before it signs. */
@Injectable()
export class RotateSigningKeys {
  constructor(
    private readonly repository: SigningKeyRepository,
    private readonly keys: SigningKeys,
    private readonly transactions: Transactions,
  ) {}

  /** Returns false and changes nothing if the last rotation was minutes ago: verifiers may not know its next key yet. */
  async execute(appId: AppId): Promise<boolean> {
    // Creates the first keys of an app. A current key that cannot be unsealed does not matter: the rotation replaces it.
    await this.keys.of(appId).catch((error: unknown) => {
      if (!(error instanceof SigningKeyUnavailable)) throw error;
    });
    const next = await this.keys.generate(appId);
    const rotated = await this.transactions.run(() => this.repository.rotate(appId, next, PERIODS));
    await this.keys.reload(appId);
    return rotated;
  }

  /** Rotates the keys of apps that are due for it. */
  async rotateExpiring(): Promise<void> {
    for (const appId of await this.repository.dueForRotation(ROTATION_DAYS, 1_000)) await this.execute(appId);
  }
}
