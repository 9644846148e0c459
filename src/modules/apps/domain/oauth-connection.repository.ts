import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import type { OauthConnection } from './oauth-connection.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** The apps' registrations at identity providers. */
export abstract class OauthConnectionRepository {
  /** Throws `DuplicateOauthConnection`. */
  abstract insert(connection: OauthConnection): Promise<void>;

  /** Throws `AppNotFound`, `OauthConnectionNotFound`. */
  abstract get(appId: AppId, id: OauthConnectionId): Promise<OauthConnection>;

  /** Locks the row until the transaction ends. The app must be held. Throws `OauthConnectionNotFound`. */
  abstract lock(appId: AppId, id: OauthConnectionId): Promise<OauthConnection>;

  abstract update(connection: OauthConnection): Promise<void>;

  /** Deletes a connection. The app must be held. Returns false if the app has no such connection. */
  abstract delete(appId: AppId, id: OauthConnectionId): Promise<boolean>;

  /** Throws `AppNotFound`. */
  abstract list(appId: AppId, page: PageRequest): Promise<Page<OauthConnection>>;

  abstract ofProvider(appId: AppId, provider: string): Promise<OauthConnection | null>;

  /** The app of a connection. It never changes, so known ones are remembered, also after they were deleted. */
  abstract appOf(id: OauthConnectionId): Promise<AppId | null>;

  /** Finds a connection by its id alone, because a provider's callback names no app. Returns null also if the app was deleted. */
  abstract ofAnyApp(id: OauthConnectionId): Promise<OauthConnection | null>;
}
