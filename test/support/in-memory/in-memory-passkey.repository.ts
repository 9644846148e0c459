import type { AppId, UserId } from '../../../src/kernel/ids.js';
import {
  type NewPasskey,
  type Passkey,
  type PasskeyDescriptor,
  type PasskeyId,
  PasskeyRepository,
} from '../../../src/modules/passkey/domain/passkey.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

export class InMemoryPasskeyRepository extends PasskeyRepository {
  private readonly rows: Rows<NewPasskey>;

  constructor(transactions: InMemoryTransactions) {
    super();
    this.rows = transactions.rows<NewPasskey>();
  }

  async add(passkey: NewPasskey): Promise<boolean> {
    if (await this.find(passkey.appId, passkey.credentialId)) return false;
    this.rows.add(passkey);
    return true;
  }

  async count(appId: AppId, userId: UserId): Promise<number> {
    return this.rows.where(ofUser(appId, userId)).length;
  }

  async find(appId: AppId, credentialId: Buffer): Promise<Passkey | null> {
    const found = this.rows.one((row) => row.appId === appId && row.credentialId.equals(credentialId));
    if (!found) return null;
    const { signCount: _signCount, ...passkey } = found;
    return passkey;
  }

  async descriptors(appId: AppId, userId: UserId, rpId: string): Promise<readonly PasskeyDescriptor[]> {
    return this.rows
      .where((row) => ofUser(appId, userId)(row) && row.rpId === rpId)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ credentialId, transports }) => ({ credentialId: credentialId.toString('base64url'), transports }));
  }

  async holdersAmong(appId: AppId, userIds: readonly UserId[], rpId: string): Promise<readonly UserId[]> {
    const found = this.rows.where((row) => row.appId === appId && userIds.includes(row.userId) && row.rpId === rpId);
    return [...new Set(found.map(({ userId }) => userId))];
  }

  async use(
    { appId, id }: Passkey,
    { signCount, isBackedUp }: { readonly signCount: number; readonly isBackedUp: boolean },
  ): Promise<{ readonly isSuspicious: boolean } | null> {
    const found = this.rows.one(isOf(appId, id));
    if (!found) return null;
    const highest = Math.max(found.signCount, signCount);
    this.rows.change(isOf(appId, id), (row) => ({ ...row, signCount: highest, isBackedUp }));
    return { isSuspicious: signCount <= found.signCount && highest > 0 };
  }

  async ownerOf(appId: AppId, id: PasskeyId): Promise<UserId | null> {
    return this.rows.one(isOf(appId, id))?.userId ?? null;
  }

  async remove(appId: AppId, id: PasskeyId): Promise<boolean> {
    return this.rows.remove(isOf(appId, id)) > 0;
  }

  removeAllOf(appId: AppId, userId: UserId): void {
    this.rows.remove(ofUser(appId, userId));
  }
}

const isOf = (appId: AppId, id: PasskeyId) => (row: Passkey) => row.appId === appId && row.id === id;
const ofUser = (appId: AppId, userId: UserId) => (row: Passkey) => row.appId === appId && row.userId === userId;
