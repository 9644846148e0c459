import { EntitySchema } from 'typeorm';
import type { NewPasskey } from '../domain/passkey.js';

interface PasskeyRow extends NewPasskey {
  /** The last login whose counter did not rise. */
  readonly suspiciousAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
}

export const PasskeySchema = new EntitySchema<PasskeyRow>({
  name: 'Passkey',
  tableName: 'webauthn_credentials',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    userId: { type: 'text', name: 'user_id' },
    credentialId: { type: 'bytea', name: 'credential_id' },
    publicKey: { type: 'bytea', name: 'public_key' },
    rpId: { type: 'text', name: 'rp_id' },
    name: { type: 'text' },
    transports: { type: 'text', array: true },
    signCount: { type: 'bigint', name: 'sign_count' },
    isBackupEligible: { type: 'boolean', name: 'is_backup_eligible' },
    isBackedUp: { type: 'boolean', name: 'is_backed_up' },
    suspiciousAt: { type: 'timestamptz', name: 'suspicious_at', nullable: true },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
});
