import { EntitySchema } from 'typeorm';
import type { AppId } from '../../../kernel/ids.js';
import type { Challenge } from '../domain/challenge.js';

interface ChallengeRow extends Challenge {
  readonly appId: AppId;
  readonly expiresAt: Date;
}

export const ChallengeSchema = new EntitySchema<ChallengeRow>({
  name: 'WebauthnChallenge',
  tableName: 'webauthn_challenges',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'webauthn_challenges_pkey' },
    hash: {
      type: 'bytea',
      name: 'challenge_hash',
      primary: true,
      primaryKeyConstraintName: 'webauthn_challenges_pkey',
    },
    purpose: { type: 'text' },
    userId: { type: 'text', name: 'user_id', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
  },
  indices: [
    { name: 'webauthn_challenges_end', columns: ['appId', 'expiresAt'] },
    { name: 'webauthn_challenges_of_user', columns: ['appId', 'userId'], where: '(user_id IS NOT NULL)' },
  ],
});
