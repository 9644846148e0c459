import { refusal } from '../../../kernel/domain-error.js';
import type { AppId, GrantId, OauthClientId, PolicyId, SessionId, UserId, WalletId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

export const OFFLINE_DAYS = 30;

/** Keys of `resources` are audiences in canonical form. */
export interface GrantedScopes {
  readonly user: readonly string[];
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

export interface Budget {
  readonly policyId: PolicyId;
  readonly walletId: WalletId;
  readonly spend: { readonly type: string };
  /** Epoch seconds. The grant ends then. */
  readonly endsAt: number;
}

export interface Grant {
  readonly appId: AppId;
  readonly id: GrantId;
  readonly userId: UserId;
  readonly clientId: OauthClientId;
  /** Without `isOffline` the grant ends with this session. */
  readonly sessionId: SessionId;
  readonly granted: GrantedScopes & { readonly budget?: Budget };
  readonly rejected: GrantedScopes;
  readonly isOffline: boolean;
  readonly sessionEndsAt: Date;
  readonly usedAt: Date;
  readonly createdAt: Date;
}

/** `granted` has only scopes that the client still has. */
export interface LiveGrant extends Grant {
  readonly protocolClientId: string;
  readonly consented: Grant['granted'];
  /** When it was read, by the clock of the database. */
  readonly asOf: Date;
  readonly mac: Buffer | null;
}

export interface ShownGrant extends Grant {
  readonly clientName: string;
  readonly endsAt: Date;
}

export type EndedGrant = Pick<Grant, 'id' | 'userId' | 'clientId'> & { readonly policyId: PolicyId | null };

export const CLOSE_BUDGETS = 'authorization.close-budgets';

export abstract class GrantRepository {
  abstract insert(grant: Omit<Grant, 'usedAt' | 'createdAt'>): Promise<void>;

  abstract live(appId: AppId, id: GrantId): Promise<LiveGrant | null>;

  /** The client's scopes, and the grant if it is live. Null unless the client is there and the token is neither revoked nor expired. */
  abstract ofToken(
    appId: AppId,
    clientId: OauthClientId,
    token: { readonly jti: string; readonly exp: number; readonly grant_id?: GrantId },
  ): Promise<{ readonly scopes: readonly string[]; readonly grant: LiveGrant | null } | null>;

  abstract consentTo(
    appId: AppId,
    of: { readonly userId: UserId; readonly clientId: OauthClientId; readonly resource: string },
  ): Promise<LiveGrant | null>;

  /** The time of the database, in epoch seconds. */
  abstract now(): Promise<number>;

  /** The current transaction fails with `UnauthorizedCredentials` unless the grant is live when it commits, or ends by it. */
  abstract commitOnlyIfLive(appId: AppId, id: GrantId): void;

  abstract use(grant: LiveGrant): Promise<void>;

  abstract end(appId: AppId, id: GrantId): Promise<EndedGrant | null>;

  /** A budget allows nothing any more; its policy is retired after the transaction, by jobs. */
  abstract endAll(
    appId: AppId,
    of: { readonly userId?: UserId; readonly clientId?: OauthClientId },
  ): Promise<readonly EndedGrant[]>;

  abstract closeBudgets(appId: AppId, grants: readonly EndedGrant[]): Promise<void>;

  abstract list(appId: AppId, page: PageRequest, userId?: UserId): Promise<Page<ShownGrant>>;
}

export class GrantNotFound extends refusal('not_found', 'grant_not_found', {
  message: 'The app has no such grant.',
  help: 'The app has no grant with this id, or it has ended. List the grants of the user.',
}) {}
