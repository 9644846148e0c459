import { Body, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import type { AppId, OauthConnectionId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { inBothScopes } from '../../../../edge/auth/both-scopes.js';
import { RequestedBy } from '../../../../edge/auth/credentials.js';
import { Config } from '../../../../services/config/config.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { UrlNotAllowed } from '../../../../services/outbound/outbound.errors.js';
import { ManageOauthConnections } from '../../application/manage-oauth-connections.js';
import {
  AppNotFound,
  DuplicateOauthConnection,
  InvalidOauthConnection,
  OauthConnectionNotFound,
} from '../../domain/apps.errors.js';
import { type OauthConnection, OauthConnectionRepository } from '../../domain/oauth-connection.js';
import { DeletedResponse } from '../deleted.dto.js';
import { ListOauthConnectionsQuery } from '../list.dto.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import {
  CreateOauthConnectionRequest,
  creationIn,
  OauthConnectionListResponse,
  OauthConnectionResponse,
  UpdateOauthConnectionRequest,
  optionsIn,
} from './oauth-connection.dto.js';

export const OauthConnectionsControllers = inBothScopes(
  { path: 'v1/auth/oauth_connections', tag: 'oauth connections', resource: 'oauth_connections' },
  ({ Changes, InScopes, Mounted, OfApp }) => {
    @Mounted()
    class OauthConnectionsController {
      constructor(
        private readonly connections: OauthConnectionRepository,
        private readonly manage: ManageOauthConnections,
        private readonly config: Config,
      ) {}

      /**
       * Connect an app with an identity provider
       *
       * @remarks An app has at most one connection per provider. Enter `callback_url` of the response at the provider. The client secret and the
       * private key are stored sealed and never returned.
       */
      @InScopes('owner', { client: Post('create') })
      @Post()
      @HttpCode(200)
      @Refuses(InvalidOauthConnection, UrlNotAllowed, DuplicateOauthConnection)
      async create(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @Body() body: CreateOauthConnectionRequest,
      ): Promise<OauthConnectionResponse> {
        return this.shown(await this.manage.create(by, appId, creationIn(body)));
      }

      /**
       * List the connections of an app
       *
       * @remarks Returns the connections of the app, the newest first, without their secrets.
       */
      @InScopes('auditor', { client: Get('list') })
      @Get()
      async list(
        @OfApp(AppNotFound) appId: AppId,
        @Query() query: ListOauthConnectionsQuery,
      ): Promise<OauthConnectionListResponse> {
        const { items, hasMore } = await this.connections.list(appId, pageIn(query));
        return { oauth_connections: items.map((connection) => this.shown(connection)), has_more: hasMore };
      }

      /**
       * Get a connection of an app
       *
       * @remarks Returns the connection without its secrets.
       */
      @InScopes('auditor')
      @Get(':oauthconn_id')
      async get(
        @OfApp(AppNotFound) appId: AppId,
        @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
      ): Promise<OauthConnectionResponse> {
        return this.shown(await this.connections.get(appId, id));
      }

      /**
       * Change a connection of an app
       *
       * @remarks Fields that are absent stay as they are.
       */
      @InScopes('owner', { client: Put(':oauthconn_id/update') })
      @Patch(':oauthconn_id')
      @Refuses(InvalidOauthConnection, UrlNotAllowed)
      async update(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
        @Changes() body: UpdateOauthConnectionRequest,
      ): Promise<OauthConnectionResponse> {
        return this.shown(await this.manage.update(by, appId, id, optionsIn(body)));
      }

      /**
       * Delete a connection of an app
       *
       * @remarks Users can no longer sign in through this connection. Their identities at the provider stay.
       */
      @InScopes('owner', { client: Delete(':oauthconn_id/delete') })
      @Delete(':oauthconn_id')
      async delete(
        @RequestedBy() by: Requester,
        @OfApp(AppNotFound) appId: AppId,
        @PathId('oauthconn_id', 'oauthConnection', OauthConnectionNotFound) id: OauthConnectionId,
      ): Promise<DeletedResponse> {
        await this.manage.delete(by, appId, id);
        return { id, message: 'The OAuth connection was deleted.' };
      }

      private shown(connection: OauthConnection): OauthConnectionResponse {
        return OauthConnectionResponse.of(connection, this.config.baseUrl);
      }
    }
    return OauthConnectionsController;
  },
);
