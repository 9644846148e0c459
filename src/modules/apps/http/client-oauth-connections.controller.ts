import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { OauthConnectionId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import type { AuthenticatedApp } from '../../../edge/auth/app-authenticator.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Config } from '../../../services/config/config.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { CreateOauthConnection } from '../application/create-oauth-connection.js';
import { DeleteOauthConnection } from '../application/delete-oauth-connection.js';
import { UpdateOauthConnection } from '../application/update-oauth-connection.js';
import { DuplicateOauthConnection, InvalidOauthConnection, OauthConnectionNotFound } from '../domain/apps.errors.js';
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
import { withoutNulls } from './wire-names.js';

/** The same connections under the path of earlier clients: with the app's secret key. */
@ApiTags('oauth connections')
@Controller('v1/auth/oauth_connections')
export class ClientOauthConnectionsController {
  constructor(
    private readonly connections: OauthConnectionRepository,
    private readonly createConnection: CreateOauthConnection,
    private readonly updateConnection: UpdateOauthConnection,
    private readonly deleteConnection: DeleteOauthConnection,
    private readonly config: Config,
  ) {}

  /**
   * Connect the app with an identity provider
   *
   * @remarks An app has at most one connection per provider. The client secret and the private key are stored sealed and never returned.
   */
  @Post('create')
  @HttpCode(200)
  @SecretKey()
  @Refuses(InvalidOauthConnection, UrlNotAllowed, DuplicateOauthConnection)
  async create(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @Body() body: CreateOauthConnectionRequest,
  ): Promise<OauthConnectionResponse> {
    const connection = await this.createConnection.execute(by, appId, creationIn(body));
    return OauthConnectionResponse.of(connection, this.config.baseUrl);
  }

  /**
   * List the app's connections
   *
   * @remarks Returns the connections of the app, the newest first, without their secrets.
   */
  @Get('list')
  @SecretKey()
  async list(
    @App() { id: appId }: AuthenticatedApp,
    @Query() query: ListOauthConnectionsQuery,
  ): Promise<OauthConnectionListResponse> {
    return OauthConnectionListResponse.of(await this.connections.list(appId, pageIn(query)), this.config.baseUrl);
  }

  /**
   * Get a connection of the app
   *
   * @remarks Returns the connection without its secrets.
   */
  @Get(':oauthconn_id')
  @SecretKey()
  @Refuses(OauthConnectionNotFound)
  async get(
    @App() { id: appId }: AuthenticatedApp,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
  ): Promise<OauthConnectionResponse> {
    return OauthConnectionResponse.of(await this.connections.get(appId, id), this.config.baseUrl);
  }

  /**
   * Change a connection of the app
   *
   * @remarks Fields that are absent stay as they are.
   */
  @Put(':oauthconn_id/update')
  @SecretKey()
  @Refuses(OauthConnectionNotFound, InvalidOauthConnection, UrlNotAllowed)
  async update(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
    @Body() body: UpdateOauthConnectionRequest,
  ): Promise<OauthConnectionResponse> {
    const connection = await this.updateConnection.execute(by, appId, id, withoutNulls(optionsIn(body)));
    return OauthConnectionResponse.of(connection, this.config.baseUrl);
  }

  /**
   * Delete a connection of the app
   *
   * @remarks Users can no longer sign in through this connection. Their identities at the provider stay.
   */
  @Delete(':oauthconn_id/delete')
  @SecretKey()
  @Refuses(OauthConnectionNotFound)
  async delete(
    @RequestedBy() by: Requester,
    @App() { id: appId }: AuthenticatedApp,
    @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
  ): Promise<DeletedResponse> {
    await this.deleteConnection.execute(by, appId, id);
    return DeletedResponse.of(id, 'The OAuth connection was deleted.');
  }
}
