import { epochSeconds } from '../../../kernel/clock.js';
import type { AuditEntry } from '../domain/audit-log.js';
import type { Page } from '../domain/page.js';
import { snakeCase } from './wire-names.js';

/** One change an operator made. */
export class AuditEntryResponse {
  id: string;
  /** The id of the key that was used; `cli` or `first_start` where an operator did it at the machine. */
  actor: string;
  /** What was done, e.g. `key.created`. */
  action: string;
  /** The id of what it was done to. */
  target_id: string;
  /** The names of the fields that were to change. */
  fields: string[];
  /** Empty where there was no HTTP request. */
  request_id: string;
  created_at: number;

  static of(entry: AuditEntry): AuditEntryResponse {
    return Object.assign(new AuditEntryResponse(), {
      id: entry.id,
      actor: entry.actor,
      action: entry.action,
      target_id: entry.targetId,
      fields: entry.fields.map(snakeCase),
      request_id: entry.requestId ?? '',
      created_at: epochSeconds(entry.createdAt),
    });
  }
}

export class AuditLogResponse {
  /** Newest first. */
  entries: AuditEntryResponse[];
  has_more: boolean;

  static of({ items, hasMore }: Page<AuditEntry>): AuditLogResponse {
    return Object.assign(new AuditLogResponse(), {
      entries: items.map((entry) => AuditEntryResponse.of(entry)),
      has_more: hasMore,
    });
  }
}
