import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/http/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { CommitsItself } from '../../../edge/idempotency/post-routes.js';
import { EnumValues } from '../../../edge/openapi/plugin-schemas.js';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { AppNotFound, AppsFacade, OauthConnectionNotFound } from '../../apps/index.js';
import { CHECK_NAMES, type CheckName, ConnectionTest } from '../domain/connection-test.js';

export class ConnectionCheckResponse {
  @EnumValues(CHECK_NAMES)
  readonly name: CheckName;
  readonly ok: boolean;
  /** What was found, or what is wrong. */
  readonly detail: string;
}

export class ConnectionTestResponse {
  /** `credentials`, `discovery`, `keys` and `clock`, in this order. */
  readonly checks: ConnectionCheckResponse[];
}

@ApiTags('management')
@Controller('management/v1/apps/:app_id/oauth_connections/:oauthconn_id/test')
export class ConnectionTestController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly connectionTest: ConnectionTest,
  ) {}

  /**
   * Test a connection
   *
   * @remarks Calls the provider: its discovery document, its keys and its clock. Changes nothing. The answer is 200 also when a check
   * fails; each call of the provider takes 5 s at most.
   */
  @Post()
  @HttpCode(200)
  @CommitsItself()
  @ManagementKey('operator')
  @Refuses(AppNotFound, OauthConnectionNotFound)
  async test(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
  ): Promise<ConnectionTestResponse> {
    const connection = await this.apps.connectionOf(appId, id);
    return { checks: await this.connectionTest.run(connection) };
  }
}
