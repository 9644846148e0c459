import { Flag, IdOf } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';
import type { ExportOptions } from '../application/export-users.js';

export class ExportUsersQuery {
  /** The `user_id` of the last row that the caller has. */
  @IdOf('user', { optional: true })
  readonly starting_after?: UserId;

  /** Whether the rows contain the secrets of authenticator apps. The audit log records it. */
  @Flag()
  readonly include_secrets: boolean = false;

  static options({ starting_after, include_secrets }: ExportUsersQuery): ExportOptions {
    return { after: starting_after ?? null, includesSecrets: include_secrets };
  }
}
