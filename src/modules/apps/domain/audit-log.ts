import type { AppId, Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from './page.js';

/** On whose word a change is made. */
export interface Requester {
  /**
   * The id of the key that was used; `cli` and `first_start` stand for the operator at the command line and the first
   * start.
   */
  readonly actor: string;
  /** Null where there was no HTTP request. */
  readonly requestId: string | null;
}

/** One change an operator made. Names what was changed, never to which value, so no secret can stand in it. */
export interface AuditEntry extends Requester {
  readonly appId: AppId;
  readonly id: Id<'auditEntry'>;
  /** Dotted lower-case name, e.g. `key.created`. */
  readonly action: string;
  readonly targetId: string;
  /** The fields a change was asked for; empty where the action says it all. */
  readonly fields: readonly string[];
  readonly createdAt: Date;
}

/** What operators did. Entries are added in the transaction of the change and never altered. */
export abstract class AuditLog {
  abstract add(
    by: Requester,
    appId: AppId,
    action: string,
    targetId: string,
    fields?: readonly string[],
  ): Promise<void>;

  /** Also of an app that was deleted. Throws `AppNotFound` when there never was one. */
  abstract list(appId: AppId, page: PageRequest): Promise<Page<AuditEntry>>;
}
