import { EntitySchema } from 'typeorm';
import { App } from '../domain/app.js';

export const AppSchema = new EntitySchema<App>({
  name: 'App',
  target: App,
  tableName: 'apps',
  columns: {
    id: { type: 'text', primary: true },
    name: { type: 'text' },
    mode: { type: 'text' },
    defaultWalletType: { type: 'text', name: 'default_wallet_type' },
    allowedOrigins: { type: 'text', name: 'allowed_origins', array: true },
    limits: { type: 'jsonb' },
    messages: { type: 'jsonb', default: {} },
    assets: { type: 'jsonb', default: [] },
    transferPolicy: { type: 'jsonb', name: 'transfer_policy', default: {} },
    signingPolicy: { type: 'jsonb', name: 'signing_policy', default: {} },
    oauthBegin: { type: 'text', name: 'oauth_begin', default: 'any' },
    moduleSettings: { type: 'jsonb', name: 'settings', default: {} },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
    deletedAt: { type: 'timestamptz', name: 'deleted_at', nullable: true },
  },
});
