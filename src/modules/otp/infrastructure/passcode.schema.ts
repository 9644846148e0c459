import { EntitySchema } from 'typeorm';
import type { Sealed } from '../../../kernel/vault.js';
import type { TriedPasscode } from '../domain/passcode.repository.js';

interface PasscodeRow extends Omit<TriedPasscode, 'sealedCode' | 'isProved'> {
  /** Null once the passcode is spent or void. */
  readonly sealedCode: Sealed | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export const PasscodeSchema = new EntitySchema<PasscodeRow>({
  name: 'Passcode',
  tableName: 'otps',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'otps_pkey' },
    methodId: { type: 'text', name: 'method_id', primary: true, primaryKeyConstraintName: 'otps_pkey' },
    userId: { type: 'text', name: 'user_id' },
    address: { type: 'text' },
    sealedCode: { type: 'bytea', name: 'sealed_code', nullable: true },
    generation: { type: 'integer', default: 1 },
    tries: { type: 'integer', default: 0 },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
  },
  indices: [
    { name: 'otps_of_user', columns: ['appId', 'userId'], where: '(sealed_code IS NOT NULL)' },
    { name: 'otps_end', columns: ['appId', 'expiresAt'] },
  ],
});
