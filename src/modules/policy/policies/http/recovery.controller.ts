import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { IdOf } from '../../../../edge/http/fields.js';
import { PathId } from '../../../../edge/http/path-id.js';
import type { AppId, ApprovalId, UserId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { AppNotFound } from '../../../apps/index.js';
import {
  BeginRecoveryRequest,
  DuplicateEmail,
  DuplicatePhoneNumber,
  InvalidEmail,
  InvalidPhoneNumber,
  RecoveryNotNeeded,
  RecoveryResponse,
  UserInactive,
  UserNotFound,
} from '../../../identity/index.js';
import { BeginRecovery } from '../application/begin-recovery.js';
import { APPROVAL_REFUSALS } from '../../approvals/domain/approval.errors.js';

/** The new address, and the approval of the recovery where it needs one. */
export class ApprovableRecoveryRequest extends BeginRecoveryRequest {
  /** The approval that the refused call (409 `approval_required`) named, once it is approved. */
  @IdOf('approval', { optional: true })
  readonly approval_id?: ApprovalId;
}

@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users/:user_id')
export class RecoveryController {
  constructor(private readonly beginRecovery: BeginRecovery) {}

  /**
   * Recover the account of a user
   *
   * @remarks Helps a user who has lost the only sign-in method. It notifies the verified addresses of the user at once. After
   * `recovery_wait_hours` of the app, unless an operator or a fresh session of the user cancels it, a code that is sent to the new address
   * signs the user in. That session is not fresh until `step_up_method_age_hours` have passed. If a policy governs the wallets
   * of the user and the app has `policy_change`, this needs an approval. Begun again by the same address, it goes on.
   */
  @Post('recovery')
  @HttpCode(200)
  @ManagementKey('support')
  @Refuses(UserInactive, InvalidEmail, InvalidPhoneNumber)
  @Refuses(DuplicateEmail, DuplicatePhoneNumber, RecoveryNotNeeded, ...APPROVAL_REFUSALS)
  async begin(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Body() body: ApprovableRecoveryRequest,
  ): Promise<RecoveryResponse> {
    const address = BeginRecoveryRequest.address(body);
    const request = { by, appId, approvalId: body.approval_id };
    return RecoveryResponse.of(await this.beginRecovery.execute(request, userId, address));
  }
}
