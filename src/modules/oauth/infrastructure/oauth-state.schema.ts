import { EntitySchema } from 'typeorm';
import type { OauthState } from '../domain/oauth-state.js';

interface OauthStateRow extends OauthState {
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

export const OauthStateSchema = new EntitySchema<OauthStateRow>({
  name: 'OauthState',
  tableName: 'oauth_states',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'oauth_states_pkey' },
    stateHash: { type: 'bytea', name: 'state_hash', primary: true, primaryKeyConstraintName: 'oauth_states_pkey' },
    connectionId: { type: 'text', name: 'connection_id' },
    loginUrl: { type: 'text', name: 'login_url' },
    registrationUrl: { type: 'text', name: 'registration_url' },
    sealedVerifier: { type: 'bytea', name: 'sealed_verifier' },
    nonce: { type: 'text' },
    browserHash: { type: 'bytea', name: 'browser_hash', nullable: true },
    codeChallenge: { type: 'text', name: 'code_challenge', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
    consumedAt: { type: 'timestamptz', name: 'consumed_at', nullable: true },
  },
  indices: [{ name: 'oauth_states_end', columns: ['appId', 'expiresAt'] }],
});
