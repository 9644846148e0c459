import { EntitySchema } from 'typeorm';
import type { Sealed } from '../../../kernel/vault.js';
import type { LoginTicket } from '../domain/login-ticket.js';

interface LoginTicketRow extends Omit<LoginTicket, 'sealedTokens'> {
  /** Null once the ticket is spent. */
  readonly sealedTokens: Sealed | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
}

export const LoginTicketSchema = new EntitySchema<LoginTicketRow>({
  name: 'LoginTicket',
  tableName: 'login_tickets',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'login_tickets_pkey' },
    tokenHash: { type: 'bytea', name: 'token_hash', primary: true, primaryKeyConstraintName: 'login_tickets_pkey' },
    userId: { type: 'text', name: 'user_id' },
    connectionId: { type: 'text', name: 'connection_id' },
    provider: { type: 'text' },
    subject: { type: 'text' },
    providerIdentityId: { type: 'text', name: 'provider_identity_id', nullable: true },
    sealedTokens: { type: 'bytea', name: 'sealed_tokens', nullable: true },
    codeChallenge: { type: 'text', name: 'code_challenge', nullable: true },
    isBrowserBound: { type: 'boolean', name: 'is_browser_bound', default: false },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
    consumedAt: { type: 'timestamptz', name: 'consumed_at', nullable: true },
  },
  indices: [
    { name: 'login_tickets_of_user', columns: ['appId', 'userId'], where: '(consumed_at IS NULL)' },
    { name: 'login_tickets_end', columns: ['appId', 'expiresAt'] },
  ],
});
