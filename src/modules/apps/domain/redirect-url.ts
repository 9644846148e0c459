import type { DataOf } from '../../../kernel/entity.js';
import { type AppId, newId, type RedirectUrlId } from '../../../kernel/ids.js';
import type { AppMode } from './app-mode.js';
import { InvalidRedirectUrl } from './apps.errors.js';
import { isTrustworthy } from './web-address.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

export const REDIRECT_KINDS = ['login', 'registration', 'invite'] as const;
export type RedirectKind = (typeof REDIRECT_KINDS)[number];

const MAX_URL_LENGTH = 2_048;

/** Compared as text, in canonical form, and in full. */
export class RedirectUrl {
  declare readonly appId: AppId;
  declare readonly id: RedirectUrlId;
  declare readonly kind: RedirectKind;
  declare readonly url: string;
  declare readonly isDefault: boolean;
  declare readonly createdAt: Date;

  private constructor(data: DataOf<RedirectUrl>) {
    Object.assign(this, data);
  }

  static create(
    {
      appId,
      mode,
      kind,
      url,
      isDefault,
    }: { appId: AppId; mode: AppMode; kind: RedirectKind; url: string; isDefault: boolean },
    now: Date,
  ): RedirectUrl {
    const canonical = canonicalRedirectUrl(url);
    if (canonical === null || !isTrustworthy(new URL(canonical), mode)) throw new InvalidRedirectUrl();
    return new RedirectUrl({ appId, id: newId('redirectUrl'), kind, url: canonical, isDefault, createdAt: now });
  }
}

/** The one spelling under which an address is stored and compared, as a browser normalises it (WHATWG). */
export function canonicalRedirectUrl(text: string): string | null {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return null;
  const url = new URL(text);
  const refused =
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.password !== '' ||
    url.href.includes('#') ||
    url.href.length > MAX_URL_LENGTH;
  return refused ? null : url.href;
}

export abstract class RedirectUrlRepository {
  /** A new default replaces the previous one. The app must be locked. */
  abstract insert(redirectUrl: RedirectUrl): Promise<void>;

  abstract delete(appId: AppId, id: RedirectUrlId): Promise<boolean>;

  abstract list(appId: AppId, page: PageRequest, filter?: { readonly kind?: RedirectKind }): Promise<Page<RedirectUrl>>;

  abstract has(appId: AppId, kind: RedirectKind, url: string): Promise<boolean>;

  abstract defaultOf(appId: AppId, kind: RedirectKind): Promise<string | null>;
}
