import { EntitySchema } from 'typeorm';
import type { Registration } from '../../domain/login/registration.js';

interface RegistrationRow extends Registration {
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Set once it was answered, or made worthless. */
  readonly spentAt: Date | null;
}

export const RegistrationSchema = new EntitySchema<RegistrationRow>({
  name: 'WalletRegistration',
  tableName: 'wallet_registrations',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'wallet_registrations_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'wallet_registrations_pkey' },
    form: { type: 'text' },
    walletType: { type: 'text', name: 'wallet_type' },
    publicAddress: { type: 'text', name: 'public_address' },
    userId: { type: 'text', name: 'user_id' },
    attaches: { type: 'boolean' },
    nonce: { type: 'text' },
    challenge: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
    spentAt: { type: 'timestamptz', name: 'spent_at', nullable: true },
  },
  indices: [
    {
      name: 'wallet_registrations_open',
      columns: ['appId', 'publicAddress', 'id'],
      where: '(spent_at IS NULL)',
    },
    {
      name: 'wallet_registrations_of_user',
      columns: ['appId', 'userId'],
      where: '(attaches AND (spent_at IS NULL))',
    },
    { name: 'wallet_registrations_end', columns: ['appId', 'expiresAt'] },
  ],
});
