import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { SigningKeyRepository } from '../domain/signing-key.repository.js';
import { SigningKeys } from './signing-keys.js';

/** A key signs for this long. */
const ROTATION_DAYS = 30;

/** A retired key stays published far longer than a JWT lives and a replica remembers, so rotations may follow each other at once. */
const RETENTION_MINUTES = 60;

/** Lets the next key sign from now on, and publishes a new next one. Simultaneous rotations are one rotation. */
@Injectable()
export class RotateSigningKeys {
  constructor(
    private readonly repository: SigningKeyRepository,
    private readonly keys: SigningKeys,
    private readonly transactions: Transactions,
  ) {}

  async execute(appId: AppId): Promise<void> {
    const { current } = await this.keys.reload(appId);
    const next = await this.keys.generate(appId);
    await this.transactions.run(() => this.repository.rotate(appId, current.kid, next, RETENTION_MINUTES));
    await this.keys.reload(appId);
  }

  /** Rotates the keys of apps that are due for it. */
  async rotateOld(): Promise<void> {
    for (const appId of await this.repository.dueForRotation(ROTATION_DAYS, 1_000)) await this.execute(appId);
  }
}
