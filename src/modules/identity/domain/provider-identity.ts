import type { DataOf } from '../../../kernel/entity.js';
import {
  type AppId,
  newId,
  type OauthConnectionId,
  type ProviderIdentityId,
  type UserId,
} from '../../../kernel/ids.js';

/** The subject is unique within a connection and never changes. */
export interface ProviderSubject {
  readonly connectionId: OauthConnectionId;
  readonly provider: string;
  readonly subject: string;
}

export class ProviderIdentity implements ProviderSubject {
  declare readonly appId: AppId;
  declare readonly id: ProviderIdentityId;
  declare readonly userId: UserId;
  declare readonly connectionId: OauthConnectionId;
  declare readonly provider: string;
  declare readonly subject: string;
  /** When the user first proved the address by which the identity came, else when the identity was linked. */
  declare readonly provedAt: Date | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(data: DataOf<ProviderIdentity>) {
    Object.assign(this, data);
  }

  static link(
    appId: AppId,
    userId: UserId,
    { connectionId, provider, subject }: ProviderSubject,
    now: Date,
    provedAt: Date,
  ): ProviderIdentity {
    const id = newId('providerIdentity');
    const times = { provedAt, createdAt: now, updatedAt: now };
    return new ProviderIdentity({ appId, id, userId, connectionId, provider, subject, ...times });
  }

  static of(row: DataOf<ProviderIdentity>): ProviderIdentity {
    return new ProviderIdentity(row);
  }
}

export abstract class ProviderIdentityRepository {
  abstract find(appId: AppId, subject: ProviderSubject): Promise<ProviderIdentity | null>;

  /** False if the subject has an identity. Waits for another transaction that is storing one for the subject. */
  abstract add(appId: AppId, identity: ProviderIdentity): Promise<boolean>;

  abstract removeAll(appId: AppId, userId: UserId): Promise<void>;
}
