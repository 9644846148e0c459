import type { AppId, Id } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

export type AuditOutcome = 'ok' | 'refused';

/** Stands for the app in entries that name none, such as those about management keys. */
export const NO_APP = '' as AppId;

/** A change that an operator made, or a refused call. It names the changed object and fields but no values, so it contains no secret. */
export interface AuditEntry {
  /** `NO_APP` for an entry that names no app. */
  readonly appId: AppId;
  readonly id: Id<'auditEntry'>;
  /** The caller, as `Requester` names it; `unknown` for a refused call without a valid key. */
  readonly actor: string;
  /** Dotted lower-case name, e.g. `key.created`; `call.refused` for a refused call. */
  readonly action: string;
  /** The id of the changed object. For a refused call: its method and route. */
  readonly targetId: string;
  /** The fields a change was asked for; empty where the action says it all. */
  readonly fields: readonly string[];
  readonly outcome: AuditOutcome;
  /** The error type of a refused call; null for a change. */
  readonly errorType: string | null;
  /** The number of refused calls that the entry stands for; 1 for a change. */
  readonly calls: number;
  readonly requestId: string | null;
  /** The caller's address; null if there was no HTTP request, or once it is erased. */
  readonly ip: string | null;
  readonly isErased: boolean;
  readonly createdAt: Date;
}

/** A filter of the listed entries; all entries are listed if it is empty. */
export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  /** The time from which entries are listed. */
  readonly since?: Date;
  /** The time before which entries are listed. */
  readonly until?: Date;
}

/** The log of operators' changes. Entries are added in the transaction of the change and never altered. */
export abstract class AuditLog {
  abstract add(
    by: Requester,
    appId: AppId,
    action: string,
    targetId: string,
    fields?: readonly string[],
  ): Promise<void>;

  /** Lists the entries of an app, also of a deleted one. Throws `AppNotFound` if the app never existed. */
  abstract list(appId: AppId, page: PageRequest, filter?: AuditFilter): Promise<Page<AuditEntry>>;
}
