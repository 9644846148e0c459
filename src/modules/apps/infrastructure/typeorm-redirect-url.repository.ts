import { EntitySchema } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { RedirectUrl, type RedirectKind, RedirectUrlRepository } from '../domain/redirect-url.js';
import type { AppId, RedirectUrlId } from '../../../kernel/ids.js';
import { Database, isUniqueViolation } from '../../../postgres/database.js';
import { DuplicateRedirectUrl } from '../domain/apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { pageOf } from '../../../postgres/page-of.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

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

interface Defaults {
  readonly urls: Readonly<Partial<Record<RedirectKind, string>>> | null;
}

const DEFAULTS = `select json_object_agg(kind, url) as urls from redirect_urls where app_id = $1 and is_default`;

@Injectable()
export class TypeormRedirectUrlRepository extends RedirectUrlRepository {
  private readonly defaults: (appId: string) => Defaults | null | Promise<Defaults | null>;

  constructor(
    private readonly database: Database,
    private readonly directory: PostgresAppDirectory,
  ) {
    super();
    this.defaults = directory.remembering(
      async (appId) => (await this.database.read<Defaults>(DEFAULTS, [appId]))[0] ?? null,
    );
  }

  async insert(redirectUrl: RedirectUrl): Promise<void> {
    const { appId, kind, isDefault } = redirectUrl;
    if (isDefault) {
      await this.database.manager.update(RedirectUrl, { appId, kind, isDefault: true }, { isDefault: false });
    }
    try {
      await this.database.manager.insert(RedirectUrl, redirectUrl);
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
    return pageOf(this.database.manager, RedirectUrl, { appId, ...(kind !== undefined && { kind }) }, page);
  }

  async has(appId: AppId, kind: RedirectKind, url: string): Promise<boolean> {
    const [found] = await this.database.read(
      `select id from redirect_urls where app_id = $1 and kind = $2 and url = $3`,
      [appId, kind, url],
    );
    return found !== undefined;
  }

  async defaultOf(appId: AppId, kind: RedirectKind): Promise<string | null> {
    return (await this.defaults(appId))?.urls?.[kind] ?? null;
  }
}
