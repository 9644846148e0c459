import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import type { ManagementCaller } from '../../../edge/auth/credential.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../../kernel/management-role.js';

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

  static of({ keyId, operator, role, expiresAt }: ManagementCaller): ManagementSessionResponse {
    return Object.assign(new ManagementSessionResponse(), {
      key_id: operator === null ? keyId : '',
      operator: operator ?? '',
      role,
      expires_at: epochSeconds(expiresAt),
    });
  }
}

@ApiSchema({ description: 'The session has ended, and its cookie is removed.' })
export class EndedManagementSessionResponse {
  @Example('The session has ended.')
  message!: string;
}
