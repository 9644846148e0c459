import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { type Brand, Brands } from '../../../services/mail/brands.js';
import { MESSAGES_MAC } from '../domain/app-macs.js';
import type { AppMessages } from '../domain/app-messages.js';
import { PostgresAppDirectory } from './postgres-app-directory.js';

@Injectable()
export class PostgresBrands extends Brands {
  private readonly remembered: (appId: string) => Brand | null | Promise<Brand | null>;

  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
    directory: PostgresAppDirectory,
  ) {
    super();
    this.remembered = directory.remembering((appId) => this.read(appId));
  }

  override async of(appId: AppId): Promise<Brand | null> {
    return this.remembered(appId);
  }

  private async read(appId: string): Promise<Brand | null> {
    const rows = await this.database.read<{ name: string; allowedOrigins: string[]; messages: AppMessages }>(
      `select id, name, allowed_origins as "allowedOrigins", messages, messages_mac as "messagesMac"
         from apps where id = $1 and deleted_at is null`,
      [appId],
    );
    const app = this.macs.one(MESSAGES_MAC, rows);
    if (!app) return null;
    const { name, allowedOrigins, messages } = app;
    return {
      appName: name,
      senderName: messages.senderName ?? name,
      senderAddress: messages.senderAddress ?? null,
      webDomain: messages.webDomain ?? (allowedOrigins[0] === undefined ? null : new URL(allowedOrigins[0]).hostname),
      templates: messages.templates ?? {},
    };
  }
}
