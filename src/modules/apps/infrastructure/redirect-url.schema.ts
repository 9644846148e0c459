import { EntitySchema } from 'typeorm';
import { RedirectUrl } from '../domain/redirect-url.js';

export const RedirectUrlSchema = new EntitySchema<RedirectUrl>({
  name: 'RedirectUrl',
  target: RedirectUrl,
  tableName: 'redirect_urls',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'redirect_urls_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'redirect_urls_pkey' },
    kind: { type: 'text' },
    url: { type: 'text' },
    isDefault: { type: 'boolean', name: 'is_default' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
  checks: [{ name: 'redirect_urls_kind_check', expression: `kind in ('login', 'registration', 'invite')` }],
  uniques: [{ name: 'redirect_urls_url_key', columns: ['appId', 'kind', 'url'] }],
  indices: [{ name: 'redirect_urls_one_default', columns: ['appId', 'kind'], unique: true, where: 'is_default' }],
  foreignKeys: [
    { name: 'redirect_urls_app_fkey', target: 'App', columnNames: ['appId'], referencedColumnNames: ['id'] },
  ],
});
