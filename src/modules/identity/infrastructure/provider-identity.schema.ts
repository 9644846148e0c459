import { EntitySchema } from 'typeorm';
import { ProviderIdentity } from '../domain/provider-identity.js';

export const ProviderIdentitySchema = new EntitySchema<ProviderIdentity>({
  name: 'ProviderIdentity',
  target: ProviderIdentity,
  tableName: 'provider_identities',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'provider_identities_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'provider_identities_pkey' },
    userId: { type: 'text', name: 'user_id' },
    connectionId: { type: 'text', name: 'connection_id' },
    provider: { type: 'text' },
    subject: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
  uniques: [{ name: 'provider_identities_subject', columns: ['appId', 'connectionId', 'subject'] }],
  indices: [
    { name: 'provider_identities_of_user', columns: ['appId', 'userId'] },
    { name: 'provider_identities_of_provider', columns: ['appId', 'provider', 'userId'] },
  ],
  foreignKeys: [
    {
      name: 'provider_identities_user',
      target: 'User',
      columnNames: ['appId', 'userId'],
      referencedColumnNames: ['appId', 'id'],
    },
  ],
});
