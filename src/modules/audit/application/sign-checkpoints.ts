import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import { AuditCheckpoints } from '../domain/audit-checkpoints.js';
import { signatureOf } from '../domain/checkpoint.js';
import { AuditKeys } from './audit-keys.js';

const CHAINS_PER_BATCH = 200;

/** Signs the end of every chain that has entries without a checkpoint of the hour or of the day. */
@Injectable()
export class SignCheckpoints {
  constructor(
    private readonly checkpoints: AuditCheckpoints,
    private readonly keys: AuditKeys,
    private readonly transactions: Transactions,
  ) {}

  async execute(): Promise<void> {
    await this.checkpoints.prepare();
    const { id: keyId, privateKey } = await this.keys.current();
    for (let signed = CHAINS_PER_BATCH; signed === CHAINS_PER_BATCH;) {
      signed = await this.transactions.run(async () => {
        const due = await this.checkpoints.lockDue(CHAINS_PER_BATCH);
        const checkpoints = due.map(({ appId, kind, lastNumber, lastHash, lastCheckpoint, now }) => {
          const state = { seq: lastCheckpoint + 1, kind, number: lastNumber, hash: lastHash, at: now };
          return { ...state, appId, keyId, signature: signatureOf(appId, state, privateKey) };
        });
        if (checkpoints.length > 0) await this.checkpoints.store(checkpoints);
        return due.length;
      });
    }
  }
}
