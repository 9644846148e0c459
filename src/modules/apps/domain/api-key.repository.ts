import type { AppId, KeyId } from '../../../kernel/ids.js';
import type { ApiKey, KeyKind } from './api-key.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** The keys of apps. */
export abstract class ApiKeyRepository {
  abstract insert(...keys: readonly ApiKey[]): Promise<void>;

  /** Revokes a key: on this replica at once, on every other replica within half a second. Returns false if the app has no such live key. */
  abstract revoke(appId: AppId, id: KeyId): Promise<boolean>;

  /** Lists the keys that are not revoked, of all kinds or of one. Throws `AppNotFound`. */
  abstract list(appId: AppId, page: PageRequest, filter?: { readonly kind?: KeyKind }): Promise<Page<ApiKey>>;
}
