import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { PathId } from '../../../edge/http/path-id.js';
import { ChangesNothing } from '../../../edge/idempotency/post-routes.js';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { AppNotFound, AppsFacade, OauthConnectionNotFound } from '../../apps/index.js';
import { ConnectionTest } from '../domain/connection-test.js';
import { ConnectionTestResponse } from './connection-test.dto.js';

@ApiTags('management: oauth connections')
@Controller('management/v1/apps/:app_id/oauth_connections/:oauthconn_id/test')
export class ConnectionTestController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly connectionTest: ConnectionTest,
  ) {}

  /**
   * Test a connection
   *
   * @remarks Calls the provider and checks its discovery document, its keys and its clock. Changes nothing. The status is 200 even if a
   * check fails; each call of the provider takes 5 s at most.
   */
  @Post()
  @HttpCode(200)
  @ChangesNothing()
  @ManagementKey('operator')
  async test(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
  ): Promise<ConnectionTestResponse> {
    const connection = await this.apps.connectionOf(appId, id);
    return { checks: await this.connectionTest.run(connection) };
  }
}
