import type { AppId } from '../../kernel/ids.js';
import { RecentlyUsed } from '../../kernel/recently-used.js';

/** An app's jobs above this rate run after the jobs of the apps that stay below it. */
const JOBS_PER_SECOND = 50;
/** Bounds for how long an app's next jobs run after those of other apps. */
const LONGEST_DELAY_SECONDS = 600;
const MOST_APPS_REMEMBERED = 10_000;

/**
 * Ranks the jobs of an app that stores many at once behind the jobs of the other apps, so that 10,000 mails of one app do not
 * delay the mail of another. A rank only orders jobs: while worker slots are free, jobs run at once. Each process counts the
 * jobs that it stores.
 */
export class FairShares {
  /** `now()` in milliseconds at which each app is back within its share. */
  private readonly usedUntil = new RecentlyUsed<AppId, number>(MOST_APPS_REMEMBERED);

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Counts one job of the app and returns by how many seconds it ranks behind a job that another app stores now. */
  takeDelaySeconds(appId: AppId): number {
    const now = this.now();
    const start = Math.max(now, this.usedUntil.get(appId) ?? 0);
    const delaySeconds = Math.min((start - now) / 1000, LONGEST_DELAY_SECONDS);
    if (delaySeconds < LONGEST_DELAY_SECONDS) this.usedUntil.set(appId, start + 1000 / JOBS_PER_SECOND);
    return delaySeconds;
  }
}
