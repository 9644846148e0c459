import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Jobs } from '../../../kernel/jobs.js';
import { type Person, PersonalData, PersonalDataStore } from '../../../kernel/personal-data.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade, ManageUsers, PortableUsers, UserNotFound, UserInUse } from '../../identity/index.js';
import { type Erasure, ErasureRepository } from '../domain/erasure.js';
import { ErasureNotFound } from '../domain/privacy.errors.js';

export const ERASE_PERSON = 'privacy.erase';

/** Most erasures end sooner, so that the response contains the whole receipt. */
const LONGEST_WAIT_MS = 5_000;
const PAUSE_MS = 100;
/** A transaction is short with so few kinds. */
const KINDS_AT_ONCE = 10;

const rowsToErase = () => PersonalData.rows.filter(({ isUnlinked }) => !isUnlinked);
const kindsLeft = ({ done }: Erasure) => rowsToErase().filter(({ name }) => !done.includes(name));
/** The deletion may remove these: they are counted before, where an index finds them. */
const rowsOfDeletion = () => rowsToErase().filter(({ removes, isSearched }) => removes && !isSearched);

@Injectable()
export class ErasePerson {
  static readonly refusals = [UserInUse];

  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly manage: ManageUsers,
    private readonly users: PortableUsers,
    private readonly store: PersonalDataStore,
    private readonly erasures: ErasureRepository,
    private readonly jobs: Jobs,
    private readonly transactions: Transactions,
  ) {}

  /** Begins the erasure unless it has begun, and waits a while for its end. Throws `UserInUse` while a payment is under way. */
  async execute(by: Requester, appId: AppId, userId: UserId): Promise<Erasure> {
    await this.apps.requireLive(appId);
    const begun = await this.erasures.find(appId, userId);
    if (!begun) await this.begin(by, appId, userId);
    else if (begun.finishedAt && kindsLeft(begun).length > 0) await this.resume(appId, userId);
    for (const until = performance.now() + LONGEST_WAIT_MS; ;) {
      const erasure = await this.get(appId, userId);
      if (erasure.finishedAt || performance.now() > until) return erasure;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async get(appId: AppId, userId: UserId): Promise<Erasure> {
    const erasure = await this.erasures.find(appId, userId);
    if (!erasure) throw new ErasureNotFound();
    return erasure;
  }

  /** Portions commit by themselves: a killed process leaves whole ones, and the job runs again. */
  async erase(person: Person): Promise<void> {
    while (await this.transactions.run(() => this.eraseNext(person)));
  }

  /** The second of two callers finds the user deleted, and then the erasure. */
  private async begin(by: Requester, appId: AppId, userId: UserId): Promise<void> {
    try {
      await this.manage.delete(appId, userId, async () => {
        await this.apps.hold(appId);
        await this.identity.lock(appId, userId);
        await this.record(by, appId, userId);
      });
    } catch (error) {
      if (!(error instanceof UserNotFound)) throw error;
      if ((await this.users.known(appId, [], [userId])).length === 0) throw error;
      await this.transactions.run(
        async () => {
          await this.apps.hold(appId);
          await this.record(by, appId, userId);
        },
        { signs: true },
      );
    }
  }

  /** A replica of an earlier release ended the erasure, which did not know all kinds of rows. */
  private resume(appId: AppId, userId: UserId): Promise<void> {
    return this.transactions.run(async () => {
      const erasure = await this.erasures.lock(appId, userId);
      if (!erasure?.finishedAt) return;
      const person = await this.store.person(appId, userId, 'all');
      this.erasures.reopen(appId, userId);
      this.jobs.enqueue({ kind: ERASE_PERSON, appId, payload: { ...person } });
    });
  }

  /** The names by which messages and the audit log know the person leave with the deletion, so the job carries them, sealed. */
  private async record(by: Requester, appId: AppId, userId: UserId): Promise<void> {
    const person = await this.store.person(appId, userId, 'all');
    const counts = await this.store.count(person, rowsOfDeletion());
    if (!(await this.erasures.begin(appId, userId, counts))) return;
    await this.apps.audit(by, appId, 'user.erased', userId);
    this.jobs.enqueue({ kind: ERASE_PERSON, appId, payload: { ...person } });
  }

  /** False once nothing is left. */
  private async eraseNext(person: Person): Promise<boolean> {
    const { appId, userId } = person;
    let erasure = await this.erasures.lock(appId, userId);
    if (!erasure || erasure.finishedAt) return false;
    const left = kindsLeft(erasure);
    for (const kind of left.slice(0, KINDS_AT_ONCE)) {
      // A replica of another release may have begun with other rows.
      const [began, ...key] = erasure.cursor ?? [];
      const { rows, next } = await this.store.erase(person, kind, began === kind.name ? key : null);
      const counted = rowsOfDeletion().includes(kind) ? 0 : rows;
      const counts: Erasure['counts'] = { ...erasure.counts, [kind.name]: (erasure.counts[kind.name] ?? 0) + counted };
      const cursor = next && [kind.name, ...next];
      erasure = { ...erasure, counts, cursor, done: next === null ? [...erasure.done, kind.name] : erasure.done };
      if (next !== null) break;
    }
    this.erasures.store(appId, erasure);
    const isLast = left.every(({ name }) => erasure!.done.includes(name));
    if (isLast) this.erasures.finish(appId, userId);
    return !isLast;
  }
}
