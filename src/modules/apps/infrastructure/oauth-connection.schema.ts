import { EntitySchema } from 'typeorm';
import { OauthConnection } from '../domain/oauth-connection.js';

export const OauthConnectionSchema = new EntitySchema<OauthConnection>({
  name: 'OauthConnection',
  target: OauthConnection,
  tableName: 'oauth_connections',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    provider: { type: 'text' },
    clientId: { type: 'text', name: 'client_id' },
    clientSecret: { type: 'bytea', name: 'client_secret', nullable: true },
    issuer: { type: 'text', nullable: true },
    teamId: { type: 'text', name: 'team_id', nullable: true },
    keyId: { type: 'text', name: 'key_id', nullable: true },
    privateKey: { type: 'bytea', name: 'private_key', nullable: true },
    trustsEmail: { type: 'boolean', name: 'trusts_email' },
    emailDomains: { type: 'text', name: 'email_domains', array: true, default: [] },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
