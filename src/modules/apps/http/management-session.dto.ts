import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import type { ManagementCaller } from '../../../edge/auth/app-authenticator.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../../kernel/management-role.js';

/** Who calls, and what they may do. */
export class ManagementSessionResponse {
  /** The management key. */
  key_id!: string;
  /** `owner`: everything; `operator`: no changes of apps, keys, redirect URLs and connections; `auditor`: reading only. */
  @EnumValues(MANAGEMENT_ROLES)
  role!: ManagementRole;
  /** When the session or the key ends. `0`: when the key is revoked. */
  expires_at!: number;

  static of({ keyId, role, expiresAt }: ManagementCaller): ManagementSessionResponse {
    return Object.assign(new ManagementSessionResponse(), { key_id: keyId, role, expires_at: epochSeconds(expiresAt) });
  }
}

export class EndedManagementSessionResponse {
  @Example('The session has ended.')
  message!: string;
}
