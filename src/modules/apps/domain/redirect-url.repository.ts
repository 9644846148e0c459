import type { AppId, RedirectUrlId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { RedirectKind, RedirectUrl } from './redirect-url.js';

/** The URLs to which apps let browsers be sent. */
export abstract class RedirectUrlRepository {
  /** Stores a redirect URL. A new default replaces the previous one. The app must be locked. Throws `DuplicateRedirectUrl`. */
  abstract insert(redirectUrl: RedirectUrl): Promise<void>;

  /** Returns false if the app has no such redirect URL. */
  abstract delete(appId: AppId, id: RedirectUrlId): Promise<boolean>;

  /** Lists the redirect URLs of all kinds or of one. Throws `AppNotFound`. */
  abstract list(appId: AppId, page: PageRequest, filter?: { readonly kind?: RedirectKind }): Promise<Page<RedirectUrl>>;

  /** Whether exactly this canonical URL is registered for this purpose. */
  abstract has(appId: AppId, kind: RedirectKind, url: string): Promise<boolean>;

  abstract defaultOf(appId: AppId, kind: RedirectKind): Promise<string | null>;
}
