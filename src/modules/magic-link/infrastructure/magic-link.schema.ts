import { EntitySchema } from 'typeorm';
import { TokenHashColumns } from '../../../kernel/token-hash-columns.js';
import type { AppId, EmailId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

interface MagicLinkRow {
  readonly appId: AppId;
  readonly tokenHash: TokenHash;
  readonly userId: UserId;
  readonly emailId: EmailId | null;
  readonly email: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** How often it was followed on another device. */
  readonly mismatches: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Spent, or void. */
  readonly consumedAt: Date | null;
}

export const MagicLinkSchema = new EntitySchema<MagicLinkRow>({
  name: 'MagicLink',
  tableName: 'magic_links',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'magic_links_pkey' },
    tokenHash: { type: 'bytea', name: 'token_hash', primary: true, primaryKeyConstraintName: 'magic_links_pkey' },
    userId: { type: 'text', name: 'user_id' },
    emailId: { type: 'text', name: 'email_id', nullable: true },
    email: { type: 'text', nullable: true },
    ip: { type: 'text', nullable: true },
    userAgent: { type: 'text', name: 'user_agent', nullable: true },
    mismatches: { type: 'integer', default: 0 },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
    expiresAt: { type: 'timestamptz', name: 'expires_at' },
    consumedAt: { type: 'timestamptz', name: 'consumed_at', nullable: true },
  },
  uniques: [{ name: 'magic_links_one_per_email', columns: ['appId', 'emailId'] }],
  indices: [
    { name: 'magic_links_of_user', columns: ['appId', 'userId'], where: '(consumed_at IS NULL)' },
    { name: 'magic_links_end', columns: ['appId', 'expiresAt'] },
  ],
});

TokenHashColumns.declare({
  table: 'magic_links',
  column: 'token_hash',
  key: ['app_id', 'token_hash'],
  inUse: `consumed_at is null and expires_at > now()`,
});
