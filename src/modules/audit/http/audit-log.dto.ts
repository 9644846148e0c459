import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { IdOf, EpochSeconds, OneOf, Text } from '../../../edge/http/fields.js';
import { ListQuery } from '../../../edge/http/list.dto.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { type AuditEntry, type AuditOutcome, operatorIn } from '../../apps/index.js';
import { exampleId } from '../../../kernel/examples.js';
import { snakeCase } from '../../../kernel/snake-case.js';

export class ListAuditLogQuery extends ListQuery {
  /** The id of the last entry of the previous page. */
  @IdOf('auditEntry', { optional: true })
  readonly starting_after?: string;

  /** Lists only entries of this actor: the id of a key, `oidc:` and the name of an operator, `cli`, `first_start` or `unknown`. */
  @Text({ optional: true, min: 1, max: 300 })
  readonly actor?: string;

  /** Lists only entries of this action, e.g. `key.created` or `call.refused`. */
  @Text({ optional: true, min: 1, max: 64 })
  readonly action?: string;

  /** Lists only changes (`ok`) or only refused calls (`refused`). */
  @OneOf(['ok', 'refused'], { optional: true })
  readonly outcome?: AuditOutcome;

  /** Lists only entries from this time on, in epoch seconds. */
  @EpochSeconds({ optional: true })
  readonly since?: Date;

  /** Lists only entries before this time, in epoch seconds. */
  @EpochSeconds({ optional: true })
  readonly until?: Date;
}

/** A change that an operator made, or a refused call. */
export class AuditEntryResponse {
  @Example(exampleId('auditEntry'))
  id!: string;
  /** The time of the entry, in epoch seconds. */
  at!: number;
  /**
   * The id of the key that was used; `oidc:` and the name of an operator who signed in at the OpenID provider; `cli` or `first_start` if an
   * operator worked at the machine, `unknown` for a refused call without a valid key.
   */
  @Example(exampleId('key'))
  actor!: string;
  /** The name that the key or the operator has now; empty where there is none. */
  @Example('Backend of the shop')
  actor_name!: string;
  /** The name of the action, e.g. `key.created`; `call.refused` for a refused call. */
  @Example('key.created')
  action!: string;
  /** The id of the changed object. For a refused call: its method and route, or empty if the entry stands for calls of several routes. */
  @Example(exampleId('key'))
  target!: string;
  /** The names of the fields that were to change. */
  @Example([])
  fields!: string[];
  /** The outcome: `ok` or `refused`. */
  @EnumValues(['ok', 'refused'])
  outcome!: string;
  /** The error type of a refused call; otherwise empty. */
  @Example('')
  error_type!: string;
  /** The number of refused calls that the entry stands for; 1 for a change. */
  calls!: number;
  /** The id of the request; empty if there was no HTTP request, or if the entry stands for several. */
  @Example('6f1c1b1e-6f0e-4f0e-9d8a-0c6b5a4e3d2c')
  request_id!: string;
  /**
   * The caller's address, or its network if the entry stands for several calls. Empty if there was no HTTP request, or once it is erased.
   */
  @Example('192.0.2.1')
  ip!: string;
  /** Whether `ip` was erased. */
  ip_erased!: boolean;
  /** The same as `target`. */
  @Example(exampleId('key'))
  target_id!: string;
  /** The same as `at`. */
  created_at!: number;

  static of(entry: AuditEntry, keyNames: ReadonlyMap<string, string>): AuditEntryResponse {
    const at = epochSeconds(entry.createdAt);
    return {
      id: entry.id,
      at,
      actor: entry.actor,
      actor_name: keyNames.get(entry.actor) ?? operatorIn(entry.actor) ?? '',
      action: entry.action,
      target: entry.targetId,
      fields: entry.fields.map(snakeCase),
      outcome: entry.outcome,
      error_type: entry.errorType ?? '',
      calls: entry.calls,
      request_id: entry.requestId ?? '',
      ip: entry.ip ?? '',
      ip_erased: entry.isErased,
      target_id: entry.targetId,
      created_at: at,
    };
  }
}

@ApiSchema({ description: 'A page of the audit log.' })
export class AuditLogResponse {
  /** The entries, newest first. */
  entries!: AuditEntryResponse[];
  has_more!: boolean;
}
