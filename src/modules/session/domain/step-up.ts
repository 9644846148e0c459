import type { Session } from './session.js';

/** Methods are stamped by the clocks of replicas, which may differ from the database's clock by minutes. */
const CLOCK_TOLERANCE_MS = 300_000;

/**
 * Whether a factor that joins a session makes it fresh: only if its method was proved before the session began. Otherwise the holder
 * of a stolen session could make it fresh by a method that they enrol through it. The factor that began the session counts too.
 *
 * @param methodProvedAt when the method was proved for the first time; null if it is proved only now.
 */
export function refreshes({ startedAt }: Pick<Session, 'startedAt'>, methodProvedAt: Date | null): boolean {
  return methodProvedAt !== null && methodProvedAt.getTime() + CLOCK_TOLERANCE_MS < startedAt.getTime();
}
