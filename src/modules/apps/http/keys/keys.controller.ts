import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AppId, KeyId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { ManageApiKeys } from '../../application/manage-api-keys.js';
import { ApiKeyRepository } from '../../domain/api-key.js';
import { AppNotFound, InvalidExpiry, KeyNotFound } from '../../domain/apps.errors.js';
import { DeletedResponse } from '../deleted.dto.js';
import { CreatedKeyResponse, CreateKeyRequest, KeyListResponse, KeyResponse } from './key.dto.js';
import { ListKeysQuery } from '../list.dto.js';
import { pageIn } from '../../../../edge/http/list.dto.js';

@ApiTags('management: keys')
@Controller('management/v1/apps/:app_id/keys')
export class KeysController {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly manage: ManageApiKeys,
  ) {}

  /**
   * Create a key
   *
   * @remarks The text of the key is shown only once. An app may have any number of keys at the same time. With `replaces`, another key ends after `overlap_minutes`: programs change to the new one until then.
   */
  @Post()
  @HttpCode(200)
  @ManagementKey('owner', { needsProof: true })
  @Refuses(InvalidExpiry)
  async create(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: CreateKeyRequest,
  ): Promise<CreatedKeyResponse> {
    const options = CreateKeyRequest.optionsIn(body);
    const replaced = CreateKeyRequest.replacedIn(body);
    return CreatedKeyResponse.ofIssued(await this.manage.issue(by, appId, options, replaced));
  }

  /**
   * List an app's keys
   *
   * @remarks Returns the keys with their names and times of last use, never their text.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListKeysQuery,
  ): Promise<KeyListResponse> {
    const { items, hasMore } = await this.keys.list(appId, pageIn(query), query);
    return { keys: items.map(KeyResponse.of), has_more: hasMore };
  }

  /**
   * Revoke a key
   *
   * @remarks Every replica refuses the key within a second.
   */
  @Delete(':key_id')
  @ManagementKey('owner')
  async revoke(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('key_id', 'key', KeyNotFound) keyId: KeyId,
  ): Promise<DeletedResponse> {
    await this.manage.revoke(by, appId, keyId);
    return { id: keyId, message: 'The key was revoked.' };
  }
}
