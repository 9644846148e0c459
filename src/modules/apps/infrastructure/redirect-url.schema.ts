import { EntitySchema } from 'typeorm';
import { RedirectUrl } from '../domain/redirect-url.js';

export const RedirectUrlSchema = new EntitySchema<RedirectUrl>({
  name: 'RedirectUrl',
  target: RedirectUrl,
  tableName: 'redirect_urls',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    kind: { type: 'text' },
    url: { type: 'text' },
    isDefault: { type: 'boolean', name: 'is_default' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
});
