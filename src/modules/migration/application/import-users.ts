import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { grouped } from '../../../kernel/collections.js';
import type { FieldError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { inPortions } from '../../../kernel/other-calls.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { type AppId, ID_PREFIXES, type IdKind, isId, newId, type UserId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { LockedRowsChanged, Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import {
  AddressMoved,
  type ImportedUser,
  MAX_UNVERIFIED_ADDRESSES,
  type PortablePart,
  PortableParts,
  type PortableReader,
  PortableUsers,
  type ReadingContext,
  User,
  UserCreated,
  UserUpdated,
} from '../../identity/index.js';
import { BatchOfUsers, type Candidate, type Decision, type EarlierNames, type RowOfPart } from './batch-of-users.js';

export type RowOfImport =
  | { readonly user: ImportedUser; readonly items: Readonly<Record<string, readonly object[]>> }
  | { readonly externalId: string | null; readonly faults: readonly FieldError[] };

export interface ImportOptions {
  readonly onConflict: 'skip' | 'fail';
  readonly isDryRun: boolean;
  readonly publishes: boolean;
  readonly keepsIds: boolean;
  readonly revives: boolean;
  /** A dry run of several batches has it. */
  readonly earlier?: EarlierNames;
}

export interface ImportResult {
  readonly externalId: string | null;
  readonly outcome: 'imported' | 'skipped' | 'failed';
  readonly userId: UserId | null;
  readonly errors: readonly FieldError[];
}

export type RowCheck = (row: RowOfImport) => Candidate;

@Injectable()
export class ImportUsers {
  constructor(
    private readonly apps: AppsFacade,
    private readonly parts: PortableParts,
    private readonly users: PortableUsers,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Each row is imported whole or not at all, in order. `rows` yields them one by one, because reading all of them takes long. */
  async execute(
    by: Requester,
    appId: AppId,
    rows: Iterable<RowOfImport>,
    options: ImportOptions,
  ): Promise<readonly ImportResult[]> {
    await this.apps.requireLive(appId);
    const candidates = await inPortions(rows, await this.check(appId, options));
    return this.store(by, appId, candidates, options);
  }

  /** Use it for one batch: the key that seals secrets stays in memory only for a while. */
  async check(appId: AppId, { keepsIds }: ImportOptions): Promise<RowCheck> {
    const readers: [PortablePart, PortableReader<object>][] = [];
    for (const part of this.parts.all) readers.push([part, await part.reader(appId)]);
    return (row) => this.candidate(appId, row, readers, keepsIds);
  }

  /** One transaction. `record` gets the results before its commit, and again if the transaction runs again. */
  async store(
    by: Requester,
    appId: AppId,
    candidates: readonly Candidate[],
    options: ImportOptions,
    record: (results: readonly ImportResult[]) => void = () => {},
  ): Promise<readonly ImportResult[]> {
    const recorded = (decisions: readonly Decision[]): readonly ImportResult[] => {
      const results = decisions.map((decision) => resultOf(decision, options.isDryRun));
      record(results);
      return results;
    };
    if (options.isDryRun) return recorded(await this.decided(appId, candidates, options));
    return this.transactions.run(async () => {
      const decisions = await this.decided(appId, candidates, options);
      await this.add(appId, decisions, options);
      // Held last, or overlapping imports would block a freeze of the app. A deleted app refuses.
      await this.apps.hold(appId);
      await this.apps.audit(by, appId, 'users.imported', appId);
      return recorded(decisions);
    });
  }

  async hasAdded(appId: AppId, userId: UserId): Promise<boolean> {
    return (await this.users.known(appId, [], [userId])).length > 0;
  }

  private candidate(
    appId: AppId,
    row: RowOfImport,
    readers: readonly [PortablePart, PortableReader<object>][],
    keepsIds: boolean,
  ): Candidate {
    if ('faults' in row) return row;
    const externalId = row.user.externalId ?? null;
    try {
      if (keepsIds && row.user.id !== undefined) formerId('user', row.user.id, 'user_id');
      const user = User.imported(appId, row.user, this.clock.now());
      if (user.createdAt > user.updatedAt) throw refusedField('created_at', 'future', 'must not be in the future');
      const context: ReadingContext = {
        user,
        idOf: (kind, stated) => (keepsIds && stated !== undefined ? formerId(kind, stated, 'id') : newId(kind)),
      };
      const read = readers.flatMap(([part, reader]) =>
        reader(row.items[part.field] ?? [], context).map((each) => ({ part, row: each })),
      );
      const labels = read.filter((each) => each.part.labels !== undefined && each.row.provedAt === null);
      if (labels.length > MAX_UNVERIFIED_ADDRESSES) {
        const message = `must not be more than ${MAX_UNVERIFIED_ADDRESSES} with the other unverified addresses of the user`;
        throw refusedField(labels.at(-1)!.part.field, 'too_many', message);
      }
      const provedAt = read.flatMap((each) => each.row.provedAt ?? []);
      const isAddressProved = read.some(({ part, row: { provedAt: at } }) => part.labels !== undefined && at !== null);
      if (user.status === 'pending' && isAddressProved)
        throw refusedField('status', 'one_of', 'must be active, because an address is verified');
      const firstProvedAt = provedAt.length === 0 ? null : new Date(Math.min(...provedAt.map(Number)));
      return { externalId, user: firstProvedAt ? user.proved() : user, firstProvedAt, rows: read };
    } catch (error) {
      // The errors of addresses have the fields too.
      const { fields } = error as { fields?: readonly FieldError[] };
      if (fields === undefined) throw error;
      return { externalId, faults: fields };
    }
  }

  private async decided(
    appId: AppId,
    candidates: readonly Candidate[],
    { onConflict, keepsIds, revives, earlier }: ImportOptions,
  ): Promise<readonly Decision[]> {
    const whole = candidates.flatMap((candidate) => ('user' in candidate ? [candidate] : []));
    const externalIds = whole.flatMap(({ externalId }) => externalId ?? []);
    const userIds = keepsIds ? whole.map(({ user }) => user.id) : [];
    const rowsByPart = grouped(
      whole.flatMap(({ rows }) => rows),
      ({ part }) => part,
    );
    const holdingsOf = async ([part, rows]: [PortablePart, readonly RowOfPart[]]) => {
      const keys = rows.flatMap(({ row }) => row.key ?? []);
      const ids = keepsIds ? rows.map(({ row }) => row.id) : [];
      return [part, await this.users.holdings(part, appId, keys, ids)] as const;
    };
    const [users, deleted, ...holdings] = await Promise.all([
      this.users.known(appId, externalIds, userIds),
      revives ? new Set<string>() : this.users.deleted(appId, externalIds),
      ...[...rowsByPart].map(holdingsOf),
    ]);
    const batch = new BatchOfUsers({ users, deleted, holdings: new Map(holdings) }, onConflict, earlier);
    return inPortions(candidates, (candidate) => batch.decide(candidate));
  }

  private async add(appId: AppId, decisions: readonly Decision[], { publishes }: ImportOptions): Promise<void> {
    const accepted = decisions.flatMap((decision) => ('accepted' in decision ? [decision] : []));
    // Two imports of the same rows take them in the same order, so that they do not deadlock.
    const users = accepted
      .map(({ accepted: { user, firstProvedAt } }) => ({ user, firstProvedAt }))
      .toSorted((a, b) => order(a.user.externalId ?? a.user.id, b.user.externalId ?? b.user.id));
    if (users.length === 0) return;
    const freed = accepted.flatMap(({ accepted: { user }, frees }) => frees.map((free) => ({ ...free, to: user.id })));
    const losers = [...new Set(freed.map(({ userId }) => userId))].toSorted(order);
    // Before an address, as every transaction does.
    if (losers.length > 0) await this.users.lock(appId, losers);
    if (!(await this.users.add(appId, users))) throw new LockedRowsChanged();
    const rows = accepted.flatMap(({ accepted: { user, firstProvedAt }, rows: kept }) =>
      kept.map(({ part, row }) => ({ part, userId: user.id, isProved: firstProvedAt !== null, row })),
    );
    const rowsByPart = grouped(rows, ({ part }) => part);
    for (const part of this.parts.all) {
      const ofPart = rowsByPart.get(part);
      if (!ofPart) continue;
      const keys = freed.filter((each) => each.part === part).map(({ key }) => key);
      if (keys.length > 0) this.users.removeLabels(part, appId, keys.toSorted(order));
      const sorted = ofPart.toSorted((a, b) => order(a.row.key ?? a.row.id, b.row.key ?? b.row.id));
      if (!(await this.users.addRows(part, appId, sorted))) throw new LockedRowsChanged();
    }
    if (!publishes) return;
    // The rows have their wallet already.
    await this.events.publish(...accepted.map(({ accepted: { user } }) => new UserCreated(appId, user.id, 'none')));
    await this.events.publish(
      ...accepted.flatMap(({ accepted: { user }, rows }) =>
        rows.flatMap(({ part, row }) => part.added?.(appId, user.id, row) ?? []),
      ),
      ...losers.map((userId) => new UserUpdated(appId, userId)),
      ...freed.map(({ userId, to, id }) => {
        const kind = isId('email', id) ? 'email' : 'phone_number';
        const moved = { user_id: userId, from_user_id: userId, to_user_id: to, method_id: id, method_type: kind };
        return new AddressMoved(appId, moved);
      }),
    );
  }
}

function formerId(kind: IdKind, stated: string, field: string): string {
  if (isId(kind, stated)) return stated;
  throw refusedField(field, 'format', `must be an id of this service that begins with ${ID_PREFIXES[kind]}_`);
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const refusedField = (field: string, rule: string, message: string): InvalidRequest =>
  new InvalidRequest([{ field, rule, message }]);

function resultOf(decision: Decision, isDryRun: boolean): ImportResult {
  const { externalId, errors } = decision;
  if (!('accepted' in decision)) {
    const { outcome, userId } = decision;
    return { externalId, outcome, userId: isDryRun ? null : userId, errors };
  }
  return { externalId, outcome: 'imported', userId: isDryRun ? null : decision.accepted.user.id, errors };
}
