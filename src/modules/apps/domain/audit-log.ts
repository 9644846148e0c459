import type { AppId, Id } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

export type AuditOutcome = 'ok' | 'refused';

/** Stands for the app in entries that name none, such as those about management keys. */
export const NO_APP = '' as AppId;

/** Names the changed object and fields but no values, so it contains no secret. */
export interface AuditEntry {
  readonly appId: AppId;
  readonly id: Id<'auditEntry'>;
  /** As `Requester` names it; `unknown` for a refused call without a valid key. */
  readonly actor: string;
  /** Dotted lower-case name, e.g. `key.created`; `call.refused` for a refused call. */
  readonly action: string;
  /** For a refused call: its method and route. */
  readonly targetId: string;
  /** The fields a change was asked for; empty where the action says it all. */
  readonly fields: readonly string[];
  readonly outcome: AuditOutcome;
  readonly errorType: string | null;
  /** The number of refused calls that the entry stands for; 1 for a change. */
  readonly calls: number;
  readonly requestId: string | null;
  /** The caller's address; null if there was no HTTP request, or once it is erased. */
  readonly ip: string | null;
  readonly isErased: boolean;
  readonly createdAt: Date;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  /** Inclusive; `until` is exclusive. */
  readonly since?: Date;
  readonly until?: Date;
}

/** Entries are added in the transaction of the change and never altered. */
export abstract class AuditLog {
  abstract add(
    by: Requester,
    appId: AppId,
    action: string,
    targetId: string,
    fields?: readonly string[],
  ): Promise<void>;

  /** Lists also the entries of a deleted app. Throws `AppNotFound` if the app never existed. */
  abstract list(appId: AppId, page: PageRequest, filter?: AuditFilter): Promise<Page<AuditEntry>>;
}
