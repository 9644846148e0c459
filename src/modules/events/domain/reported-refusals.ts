import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId } from '../../../kernel/ids.js';

/** An event that may be published once in a while for its key. */
export interface RefusalReport {
  readonly key: string;
  readonly event: DomainEvent;
}

/** What was reported in the last minute, by any replica. */
export abstract class ReportedRefusals {
  /**
   * Publishes those of the events for whose key none was published within a minute before. Returns, for each key, the seconds until
   * the next one may be published.
   */
  abstract publish(appId: AppId, reports: readonly RefusalReport[]): Promise<ReadonlyMap<string, number>>;
}
