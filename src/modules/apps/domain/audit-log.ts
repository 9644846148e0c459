import type { AppId, Id } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import type { Page, PageRequest } from './page.js';

export type AuditOutcome = 'ok' | 'refused';

/** Stands for the app in entries that name none, such as those about management keys. */
export const NO_APP = '' as AppId;

/** A change that an operator made, or a refused call. Names what was changed, never to which value, so no secret can stand in it. */
export interface AuditEntry {
  /** `NO_APP` for an entry that names no app. */
  readonly appId: AppId;
  readonly id: Id<'auditEntry'>;
  /** As in `Requester`; `unknown` for a refused call without a valid key. */
  readonly actor: string;
  /** Dotted lower-case name, e.g. `key.created`; `call.refused` for a refused call. */
  readonly action: string;
  /** The id of what was changed; of a refused call its method and route. */
  readonly targetId: string;
  /** The fields a change was asked for; empty where the action says it all. */
  readonly fields: readonly string[];
  readonly outcome: AuditOutcome;
  /** Null for a change. */
  readonly errorType: string | null;
  /** The number of refused calls that the entry stands for; 1 for a change. */
  readonly calls: number;
  readonly requestId: string | null;
  /** Null where there was no HTTP request, and once it is erased. */
  readonly ip: string | null;
  readonly isErased: boolean;
  readonly createdAt: Date;
}

/** Which entries are listed; all when empty. */
export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  /** From this time on. */
  readonly since?: Date;
  /** Before this time. */
  readonly until?: Date;
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
  abstract list(appId: AppId, page: PageRequest, filter?: AuditFilter): Promise<Page<AuditEntry>>;
}
