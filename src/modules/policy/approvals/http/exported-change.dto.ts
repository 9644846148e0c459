import { IdOf } from '../../../../edge/http/fields.js';
import type { ApprovalId } from '../../../../kernel/ids.js';

/** A change that the setting `policy_change` of the app may put to approvers. */
export class ApprovableChange {
  /** The approval that the refused call (409 `approval_required`) named, once it is approved. */
  @IdOf('approval', { optional: true })
  readonly approval_id?: ApprovalId;
}
