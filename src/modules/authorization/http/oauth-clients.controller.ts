import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { OperationGroup } from '../../../edge/openapi/tags.js';
import type { AppId, OauthClientId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { ManageClients } from '../application/manage-clients.js';
import { ClientNotFound, ClientWithoutSecret, OauthClientRepository, TooManyClients } from '../domain/oauth-client.js';
import {
  ClientSecretResponse,
  CreateOauthClientRequest,
  ListOauthClientsQuery,
  OauthClientDeletedResponse,
  OauthClientListResponse,
  OauthClientResponse,
  OauthClientWithSecretResponse,
  RotateClientSecretRequest,
  UpdateOauthClientRequest,
} from './oauth-client.dto.js';

@OperationGroup({
  name: 'management: oauth clients',
  description:
    'The programs that get tokens at `{base_url}/oauth2/{app_id}`, whose endpoints its discovery document names.',
  after: 'management: oauth connections',
})
@Controller('management/v1/apps/:app_id/oauth_clients')
export class OauthClientsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly clients: OauthClientRepository,
    private readonly manage: ManageClients,
  ) {}

  /**
   * Create an OAuth client
   *
   * @remarks `client_secret` is shown only once. An app has at most 1,000 clients. `authorization_server` of the app switches the endpoints on.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('owner')
  @Refuses(TooManyClients)
  async create(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: CreateOauthClientRequest,
  ): Promise<OauthClientWithSecretResponse> {
    const { name, type, token_endpoint_auth_method: method } = body;
    const authMethod = method ?? (type === 'public' ? 'none' : 'client_secret_basic');
    const settings = CreateOauthClientRequest.settingsOf(body);
    return OauthClientWithSecretResponse.with(
      await this.manage.create(by, appId, { name, type, settings, authMethod }),
    );
  }

  /**
   * List the OAuth clients of an app
   *
   * @remarks Returns the clients, the newest first, without their secrets.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListOauthClientsQuery,
  ): Promise<OauthClientListResponse> {
    await this.apps.requireLive(appId);
    return OauthClientListResponse.of(await this.clients.list(appId, pageIn(query)));
  }

  /**
   * Get an OAuth client
   *
   * @remarks Returns the client without its secret.
   */
  @Get(':client_id')
  @ManagementKey('auditor')
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('client_id', 'oauthClient', ClientNotFound) id: OauthClientId,
  ): Promise<OauthClientResponse> {
    await this.apps.requireLive(appId);
    return OauthClientResponse.of(await this.clients.get(appId, id));
  }

  /**
   * Change an OAuth client
   *
   * @remarks The change applies to tokens that are issued from now on.
   */
  @Patch(':client_id')
  @ManagementKey('owner')
  async update(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('client_id', 'oauthClient', ClientNotFound) id: OauthClientId,
    @Body() body: UpdateOauthClientRequest,
  ): Promise<OauthClientResponse> {
    const changes = UpdateOauthClientRequest.changesOf(body);
    return OauthClientResponse.of(await this.manage.update(by, appId, id, changes, Object.keys(body)));
  }

  /**
   * Rotate the secret of an OAuth client
   *
   * @remarks The current secret is accepted for `overlap_minutes` more. A secret that was replaced before ends at once.
   */
  @Post(':client_id/rotate_secret')
  @HttpCode(200)
  @ManagementKey('owner')
  @Refuses(ClientWithoutSecret)
  async rotateSecret(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('client_id', 'oauthClient', ClientNotFound) id: OauthClientId,
    @Body() { overlap_minutes: minutes }: RotateClientSecretRequest,
  ): Promise<ClientSecretResponse> {
    const { secret } = await this.manage.rotateSecret(by, appId, id, minutes);
    return { id, client_secret: secret };
  }

  /**
   * Delete an OAuth client
   *
   * @remarks Its tokens end with it: where this service is asked, they are refused within a second.
   */
  @Delete(':client_id')
  @ManagementKey('owner')
  async delete(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('client_id', 'oauthClient', ClientNotFound) id: OauthClientId,
  ): Promise<OauthClientDeletedResponse> {
    await this.manage.delete(by, appId, id);
    return { id, message: 'The client was deleted.' };
  }
}
