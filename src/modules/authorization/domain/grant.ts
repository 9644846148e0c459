import { refusal } from '../../../kernel/domain-error.js';
import type { AppId, GrantId, OauthClientId, PolicyId, SessionId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** How long a grant with `offline_access` lives without use. */
export const OFFLINE_DAYS = 30;

/** Scopes about the user, and scopes of resources by the canonical form of their audience. */
export interface GrantedScopes {
  readonly user: readonly string[];
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

/** The payments to which a user has consented, as a policy bounds them. */
export interface Budget {
  readonly policyId: PolicyId;
  readonly walletId: WalletId;
  /** As the client asked for it. */
  readonly spend: { readonly type: string };
  /** In epoch seconds. The grant ends then. */
  readonly endsAt: number;
}

/** A consent of a user. Tokens stand for it and end with it. */
export interface Grant {
  readonly appId: AppId;
  readonly id: GrantId;
  readonly userId: UserId;
  readonly clientId: OauthClientId;
  /** The session in which the user consented. Without `isOffline` the grant ends with it. */
  readonly sessionId: SessionId;
  readonly granted: GrantedScopes & { readonly budget?: Budget };
  /** The client asked for these scopes and did not get them. */
  readonly rejected: GrantedScopes;
  readonly isOffline: boolean;
  /** When the session ends, as it was at the consent. */
  readonly sessionEndsAt: Date;
  readonly usedAt: Date;
  readonly createdAt: Date;
}

/** A grant that has not ended, with what the protocol calls its client. */
export interface LiveGrant extends Grant {
  readonly protocolClientId: string;
}

/** A grant as it is shown, with the name of its client. */
export interface ShownGrant extends Grant {
  readonly clientName: string;
}

export abstract class GrantRepository {
  abstract insert(grant: Omit<Grant, 'usedAt' | 'createdAt'>): Promise<void>;

  /** The grant while it is live, with the scopes that its client has now; or null. */
  abstract live(appId: AppId, id: GrantId): Promise<LiveGrant | null>;

  /** The newest live grant in which the user has permitted the client this resource; null if there is none. */
  abstract consentTo(
    appId: AppId,
    of: { readonly userId: UserId; readonly clientId: OauthClientId; readonly resource: string },
  ): Promise<Grant | null>;

  /** The time of the database, in epoch seconds. */
  abstract now(): Promise<number>;

  /** Lets the current transaction fail with `UnauthorizedCredentials` unless the grant is there when it commits, or ends by it. */
  abstract commitOnlyIfLive(appId: AppId, id: GrantId): void;

  /** Records that tokens of the grant were refreshed. */
  abstract use(appId: AppId, id: GrantId): Promise<void>;

  /** Ends the grant with all that stands for it, and returns it; null if there is none. */
  abstract end(appId: AppId, id: GrantId): Promise<Pick<Grant, 'id' | 'userId' | 'clientId'> | null>;

  /** Ends the grants of a user, of a client or of the app. */
  abstract endAll(
    appId: AppId,
    of: { readonly userId?: UserId; readonly clientId?: OauthClientId },
  ): Promise<readonly Pick<Grant, 'id' | 'userId' | 'clientId'>[]>;

  /** Lists grants that have not ended, of a user or of all, newest first. */
  abstract list(appId: AppId, page: PageRequest, userId?: UserId): Promise<Page<ShownGrant>>;
}

export class GrantNotFound extends refusal('not_found', 'grant_not_found', {
  message: 'The app has no such grant.',
  help: 'The app has no grant with this id, or it has ended. List the grants of the user.',
}) {}
