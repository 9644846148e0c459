import { EntitySchema } from 'typeorm';
import { SigningKey } from '../domain/signing-key.js';

export const SigningKeySchema = new EntitySchema<SigningKey>({
  name: 'SigningKey',
  target: SigningKey,
  tableName: 'signing_keys',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'signing_keys_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'signing_keys_pkey' },
    state: { type: 'text' },
    publicJwk: { type: 'jsonb', name: 'public_jwk' },
    sealedPrivateKey: { type: 'bytea', name: 'sealed_private_key' },
    activatedAt: { type: 'timestamptz', name: 'activated_at', nullable: true },
    retiredAt: { type: 'timestamptz', name: 'retired_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
  checks: [{ name: 'signing_keys_state', expression: `state in ('next', 'current', 'previous')` }],
  indices: [
    { name: 'signing_keys_one_current', columns: ['appId'], unique: true, where: `(state = 'current'::text)` },
    { name: 'signing_keys_one_next', columns: ['appId'], unique: true, where: `(state = 'next'::text)` },
  ],
});
