import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { Config } from '../../../services/config/config.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { CreateOauthConnection } from '../application/create-oauth-connection.js';
import { DeleteOauthConnection } from '../application/delete-oauth-connection.js';
import { UpdateOauthConnection } from '../application/update-oauth-connection.js';
import {
  AppNotFound,
  DuplicateOauthConnection,
  InvalidOauthConnection,
  OauthConnectionNotFound,
} from '../domain/apps.errors.js';
import { OauthConnectionRepository } from '../domain/oauth-connection.repository.js';
import { DeletedResponse } from './deleted.dto.js';
import { ListOauthConnectionsQuery, pageIn } from './list.dto.js';
import {
  CreateOauthConnectionRequest,
  creationIn,
  OauthConnectionListResponse,
  OauthConnectionResponse,
  UpdateOauthConnectionRequest,
  optionsIn,
} from './oauth-connection.dto.js';
import { RequestedBy } from '../../../edge/auth/requested-by.js';

@ApiTags('management')
@Controller('management/v1/apps/:app_id/oauth_connections')
export class OauthConnectionsController {
  constructor(
    private readonly connections: OauthConnectionRepository,
    private readonly createConnection: CreateOauthConnection,
    private readonly updateConnection: UpdateOauthConnection,
    private readonly deleteConnection: DeleteOauthConnection,
    private readonly config: Config,
  ) {}

  /**
   * Connect an app with an identity provider
   *
   * @remarks Enter `callback_url` of the answer at the provider. Secrets are never given back.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('owner')
  @Refuses(AppNotFound, InvalidOauthConnection, UrlNotAllowed, DuplicateOauthConnection)
  async create(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: CreateOauthConnectionRequest,
  ): Promise<OauthConnectionResponse> {
    const connection = await this.createConnection.execute(by, appId, creationIn(body));
    return OauthConnectionResponse.of(connection, this.config.baseUrl);
  }

  /**
   * List an app's connections
   *
   * @remarks Returns the connections of the app, the newest first, without their secrets.
   */
  @Get()
  @ManagementKey('auditor')
  @Refuses(AppNotFound)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListOauthConnectionsQuery,
  ): Promise<OauthConnectionListResponse> {
    return OauthConnectionListResponse.of(await this.connections.list(appId, pageIn(query)), this.config.baseUrl);
  }

  /**
   * Get a connection
   *
   * @remarks Returns the connection without its secrets.
   */
  @Get(':oauthconn_id')
  @ManagementKey('auditor')
  @Refuses(AppNotFound, OauthConnectionNotFound)
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
  ): Promise<OauthConnectionResponse> {
    return OauthConnectionResponse.of(await this.connections.get(appId, id), this.config.baseUrl);
  }

  /**
   * Change a connection
   *
   * @remarks Fields that are absent stay as they are.
   */
  @Patch(':oauthconn_id')
  @ManagementKey('owner')
  @Refuses(AppNotFound, OauthConnectionNotFound, InvalidOauthConnection, UrlNotAllowed)
  async update(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
    @Body() body: UpdateOauthConnectionRequest,
  ): Promise<OauthConnectionResponse> {
    const connection = await this.updateConnection.execute(by, appId, id, optionsIn(body));
    return OauthConnectionResponse.of(connection, this.config.baseUrl);
  }

  /**
   * Delete a connection
   *
   * @remarks Users can no longer sign in through this connection. Their identities at the provider stay.
   */
  @Delete(':oauthconn_id')
  @ManagementKey('owner')
  @Refuses(AppNotFound, OauthConnectionNotFound)
  async delete(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
  ): Promise<DeletedResponse> {
    await this.deleteConnection.execute(by, appId, id);
    return DeletedResponse.of(id, 'The OAuth connection was deleted.');
  }
}
