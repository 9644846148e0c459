import type { Cut } from './cut.js';

/** Removes entries whose time is over. */
export abstract class AuditCuts {
  /** How long an entry of a refused call is kept after it was chained. */
  abstract readonly keptDays: number;

  /** Removes the entries that the cut stands for, with their personal data, and stores the cut instead of those that it extends. */
  abstract store(appId: string, cut: Cut): Promise<void>;
}
