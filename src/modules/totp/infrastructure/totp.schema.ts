import { EntitySchema } from 'typeorm';
import type { SealedTotp } from '../domain/totp.js';

interface TotpRow extends SealedTotp {
  readonly usedRecoveryCodes: readonly number[];
  /** When the first code was verified; null while the enrolment is pending. */
  readonly verifiedAt: Date | null;
  /** The end of a pending enrolment. */
  readonly expiresAt: Date;
  readonly lastUsedStep: number | null;
  /** Consecutive wrong tries, see `TRIES`; above the maximum when the last try was refused. A success resets it. */
  readonly tries: number;
  readonly lastTriedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const TotpSchema = new EntitySchema<TotpRow>({
  name: 'Totp',
  tableName: 'totps',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'totps_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'totps_pkey' },
    userId: { type: 'text', name: 'user_id' },
    sealedSecret: { type: 'bytea', name: 'sealed_secret' },
    sealedRecoveryCodes: { type: 'bytea', name: 'sealed_recovery_codes' },
    usedRecoveryCodes: { type: 'smallint', name: 'used_recovery_codes', array: true },
    verifiedAt: { type: 'timestamptz', name: 'verified_at', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
    lastUsedStep: { type: 'integer', name: 'last_used_step', nullable: true },
    tries: { type: 'integer' },
    lastTriedAt: { type: 'timestamptz', name: 'last_tried_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
  uniques: [{ name: 'totps_of_user', columns: ['appId', 'userId'] }],
  indices: [{ name: 'totps_pending_end', columns: ['appId', 'expiresAt'], where: '(verified_at IS NULL)' }],
});
