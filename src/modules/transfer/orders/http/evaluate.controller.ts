import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { ChangesNothing } from '../../../../edge/idempotency/post-routes.js';
import type { AppId } from '../../../../kernel/ids.js';
import { AppNotFound } from '../../../apps/index.js';
import { EvaluatePolicies } from '../application/evaluate-policies.js';
import { EvaluateRequest, EvaluateResponse } from './evaluate.dto.js';

@ApiTags('management: policies')
@Controller('management/v1/apps/:app_id/policies/evaluate')
export class EvaluateController {
  constructor(private readonly evaluatePolicies: EvaluatePolicies) {}

  /**
   * Evaluate the policies
   *
   * @remarks Returns the outcome that a payment or signature would have by the app's `transfer_policy` and `signing_policy` and then by the policies in
   * force, and the use of its windows. It changes nothing, and does not regard a freeze.
   */
  @Post()
  @HttpCode(200)
  @ChangesNothing()
  @ManagementKey('auditor')
  @Refuses(EvaluatePolicies)
  async evaluate(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: EvaluateRequest,
  ): Promise<EvaluateResponse> {
    const caller = { keyId: body.key_id ?? '', owner: body.user_id };
    const use = EvaluateRequest.useIn(body);
    return EvaluateResponse.of(await this.evaluatePolicies.execute(appId, body.wallet_id, caller, use));
  }
}
