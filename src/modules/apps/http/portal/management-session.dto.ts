import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import type { ManagementCaller } from '../../../../edge/http/authenticated-request.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { ManagementSession } from '../../domain/management-key.repository.js';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../../../kernel/management-role.js';

@ApiSchema({ description: 'The caller and its role.' })
export class ManagementSessionResponse {
  /** The id of the management key; empty for an operator who signed in at the OpenID provider. */
  @Example(exampleId('key'))
  key_id!: string;
  /** The name of an operator who signed in at the OpenID provider; empty for a key. */
  @Example('')
  operator!: string;
  /**
   * The role: an `owner` may do everything, an `operator` may not change apps, keys, redirect URLs and connections, `support` may
   * change users, their sessions and messages, and retry jobs, an `auditor` may only read.
   */
  @EnumValues(MANAGEMENT_ROLES)
  role!: ManagementRole;
  /** The time when the session or the key ends, in epoch seconds; `0` if the key is valid until it is revoked. */
  expires_at!: number;
  /**
   * The time at which the operator of a browser session proved who they are, in epoch seconds; `0` for a call with a key, and if it is not
   * known.
   */
  @Example(1_767_225_600)
  proved_at!: number;

  static of({ keyId, operator, role, expiresAt, session }: ManagementCaller): ManagementSessionResponse {
    return Object.assign(new ManagementSessionResponse(), {
      key_id: operator === null ? keyId : '',
      operator: operator ?? '',
      role,
      expires_at: epochSeconds(expiresAt),
      proved_at: epochSeconds(session?.provedAt ?? null),
    });
  }
}

@ApiSchema({ description: 'The session has ended, and its cookie is removed.' })
export class EndedManagementSessionResponse {
  @Example('The session has ended.')
  message!: string;
}

/** A live session of a browser. */
export class ListedManagementSession {
  /** The management key that began it; empty for an operator who signed in at the OpenID provider. */
  @Example(exampleId('key'))
  readonly key_id!: string;
  /** The name of an operator who signed in at the OpenID provider; empty for a key. */
  @Example('')
  readonly operator!: string;
  /** The role of the session. */
  @EnumValues(MANAGEMENT_ROLES)
  readonly role!: ManagementRole;
  readonly created_at!: number;
  /** The time of the last call, in epoch seconds, exact to the minute. */
  @Example(1_767_225_600)
  readonly last_used_at!: number;
  /** The time at which the operator proved who they are, in epoch seconds; `0` if it is not known. */
  @Example(1_767_225_600)
  readonly proved_at!: number;
  /** The time at which the session ends at the latest, in epoch seconds. */
  @Example(1_767_254_400)
  readonly expires_at!: number;

  static of(this: void, session: ManagementSession): ListedManagementSession {
    return {
      key_id: session.keyId ?? '',
      operator: session.operator ?? '',
      role: session.role,
      created_at: epochSeconds(session.createdAt),
      last_used_at: epochSeconds(session.lastUsedAt),
      proved_at: epochSeconds(session.provedAt),
      expires_at: epochSeconds(session.expiresAt),
    };
  }
}

@ApiSchema({ description: 'The live sessions of browsers.' })
export class ManagementSessionListResponse {
  /** The sessions, the newest first. */
  readonly sessions!: ListedManagementSession[];
}
