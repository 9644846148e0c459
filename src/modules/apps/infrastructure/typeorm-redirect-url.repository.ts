import { EntitySchema } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { RedirectUrl, type RedirectKind, RedirectUrlRepository } from '../domain/redirect-url.js';
import type { AppId, RedirectUrlId } from '../../../kernel/ids.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database, isUniqueViolation } from '../../../postgres/database.js';
import { DuplicateRedirectUrl } from '../domain/apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

export const RedirectUrlSchema = new EntitySchema<RedirectUrl & { readonly mac: Buffer | null }>({
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
    mac: { type: 'bytea', nullable: true },
  },
});

const URL_MAC = MacTables.declare({ table: 'redirect_urls', since: 3, fields: ['kind', 'url'] });

type UrlRow = Pick<RedirectUrl, 'appId' | 'id' | 'kind' | 'url'>;

interface Defaults {
  readonly urls: Readonly<Partial<Record<RedirectKind, string>>>;
}

const FIND = `select app_id as "appId", id, kind, url, mac from redirect_urls where app_id = $1`;
const DEFAULTS = `${FIND} and is_default`;
const BY_URL = `${FIND} and kind = $2 and url = $3`;

@Injectable()
export class TypeormRedirectUrlRepository extends RedirectUrlRepository {
  private readonly defaults: (appId: string) => Defaults | null | Promise<Defaults | null>;

  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
    private readonly macs: RowMacs,
  ) {
    super();
    this.defaults = directory.remembering(async (appId) => {
      const rows = await this.database.read<UrlRow>(DEFAULTS, [appId]);
      for (const row of rows) this.macs.check(URL_MAC, row);
      return { urls: Object.fromEntries(rows.map(({ kind, url }) => [kind, url])) };
    });
  }

  async insert(redirectUrl: RedirectUrl): Promise<void> {
    const { appId, kind, isDefault } = redirectUrl;
    if (isDefault) {
      await this.database.manager.update(RedirectUrl, { appId, kind, isDefault: true }, { isDefault: false });
    }
    try {
      await this.database.manager.insert(RedirectUrlSchema, this.macs.withMac(URL_MAC, redirectUrl));
    } catch (error) {
      if (isUniqueViolation(error, 'redirect_urls_url_key')) throw new DuplicateRedirectUrl();
      throw error;
    }
    this.directory.changed();
  }

  async delete(appId: AppId, id: RedirectUrlId): Promise<boolean> {
    const { affected } = await this.database.manager.delete(RedirectUrl, { appId, id });
    this.directory.changed();
    return affected === 1;
  }

  async list(
    appId: AppId,
    page: PageRequest,
    { kind }: { readonly kind?: RedirectKind } = {},
  ): Promise<Page<RedirectUrl>> {
    await this.directory.requireLive(appId);
    const where = { appId, ...(kind !== undefined && { kind }) };
    return this.macs.page(URL_MAC, page, (each) => pageOf(this.database.manager, RedirectUrlSchema, where, each));
  }

  async has(appId: AppId, kind: RedirectKind, url: string): Promise<boolean> {
    return this.macs.one(URL_MAC, await this.database.read<UrlRow>(BY_URL, [appId, kind, url])) !== null;
  }

  async defaultOf(appId: AppId, kind: RedirectKind): Promise<string | null> {
    return (await this.defaults(appId))?.urls[kind] ?? null;
  }
}
