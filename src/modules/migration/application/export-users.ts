import { Injectable } from '@nestjs/common';
import { epochSeconds } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { SealBroken, SealKeyGone } from '../../../kernel/vault.js';
import { AppsFacade } from '../../apps/index.js';
import { type ExportedUser, type PortablePart, PortableParts, PortableUsers } from '../../identity/index.js';

const PAGE = 200;

export interface ExportOptions {
  readonly after: UserId | null;
  readonly includesSecrets: boolean;
}

@Injectable()
export class ExportUsers {
  constructor(
    private readonly apps: AppsFacade,
    private readonly parts: PortableParts,
    private readonly users: PortableUsers,
  ) {}

  /** The oldest user is first. Secrets are read only after the audit log has recorded it. */
  async execute(
    by: Requester,
    appId: AppId,
    { after, includesSecrets }: ExportOptions,
  ): Promise<AsyncIterable<string>> {
    await this.apps.requireLive(appId);
    if (includesSecrets)
      await this.apps.audited({ by, appId, action: 'users.exported', target: appId }, () => Promise.resolve());
    const parts = this.parts.all.filter(({ exported }) => includesSecrets || !exported.isSecret);
    return this.lines(appId, parts, after);
  }

  private async *lines(appId: AppId, parts: readonly PortablePart[], first: UserId | null): AsyncGenerator<string> {
    for (let after = first; ;) {
      const users = await this.users.page(appId, parts, { after, limit: PAGE });
      for (const each of users) if (!each.isAltered) yield `${JSON.stringify(await rowOf(appId, each, parts))}\n`;
      if (users.length < PAGE) return;
      after = users.at(-1)!.user.id;
    }
  }
}

/** Empty members stay, except where a row may not have them. */
async function rowOf(appId: AppId, { user, items }: ExportedUser, parts: readonly PortablePart[]): Promise<object> {
  const shown: [string, object][] = [];
  for (const { field, isSingle, exported } of parts) {
    const list: object[] = [];
    for (const item of items[field] ?? []) {
      const shown = (await exported.shown?.(appId, item).catch(leftOut)) ?? (exported.shown ? null : item);
      if (shown) list.push(present(shown));
    }
    if (list.length > 0) shown.push([field, isSingle ? list[0]! : list]);
  }
  return {
    user_id: user.id,
    ...(user.externalId !== null && { external_id: user.externalId }),
    first_name: user.firstName,
    middle_name: user.middleName,
    last_name: user.lastName,
    status: user.status,
    deactivated: user.deactivatedAt !== null,
    created_at: epochSeconds(user.createdAt),
    wallet_type: user.walletType,
    metadata: user.metadata,
    ...Object.fromEntries(shown),
  };
}

/** One altered secret does not end the export; the vault has logged it. A lost key does: all secrets would be missing. */
function leftOut(error: unknown): null {
  if (error instanceof SealBroken && !(error instanceof SealKeyGone)) return null;
  throw error;
}

function present(item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}
