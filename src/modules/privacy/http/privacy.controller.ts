import { Controller, Get, HttpCode, Post, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { SafeToRepeat } from '../../../edge/idempotency/post-routes.js';
import { RefusedAsPrefilled } from '../../../edge/openapi/examples.js';
import { exampleId } from '../../../kernel/examples.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import { ErasePerson } from '../application/erase-person.js';
import { ExportPerson } from '../application/export-person.js';
import { ErasureNotFound } from '../domain/privacy.errors.js';
import { ErasureResponse } from './erasure.dto.js';

/** What a person may ask for. */
@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users/:user_id')
export class PrivacyController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly exporting: ExportPerson,
    private readonly erasing: ErasePerson,
  ) {}

  /**
   * Export all about one person
   *
   * @remarks Streams one JSON object with a list for each kind of rows about the user: the profile, addresses, sign-in methods without
   * secrets, sessions, wallets, transfers, approvals, events, deliveries, messages and audit entries. For a deleted user it has what is left.
   */
  @Get('export')
  @ManagementKey('owner', { needsProof: true })
  @ApiOkResponse({
    description: 'All about the person. The names of the lists are those of the lines of an erasure.',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['app_id', 'user_id', 'exported_at', 'data'],
          properties: {
            app_id: { type: 'string', description: 'The app.', example: exampleId('app') },
            user_id: { type: 'string', description: 'The user.', example: exampleId('user') },
            exported_at: { type: 'integer', description: 'Epoch seconds.', example: 1_764_000_000 },
            data: {
              type: 'object',
              description: 'The rows by what they are.',
              additionalProperties: { type: 'array', items: { type: 'object', additionalProperties: true } },
              example: { emails: [{ email: 'ada@example.com' }] },
            },
          },
        },
      },
    },
  })
  async export(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<StreamableFile> {
    const parts = await this.exporting.execute(by, appId, userId);
    // A client takes a response that ends early for a whole one, so the connection breaks.
    return new StreamableFile(Readable.from(parts), { type: 'application/json' }).setErrorHandler((_, response) =>
      response.destroy?.(),
    );
  }

  /**
   * Erase a person
   *
   * @remarks Deletes the user, if that was not done before, and then removes or makes anonymous in the background what a deletion leaves.
   * The response is the receipt; while `status` is `running`, get it again. A repeated call returns the same receipt. This cannot be undone.
   */
  @Post('erase')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('owner', { needsProof: true })
  @Refuses(ErasePerson)
  async erase(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
  ): Promise<ErasureResponse> {
    return ErasureResponse.of(await this.erasing.execute(by, appId, userId));
  }

  /**
   * Get the receipt of an erasure
   *
   * @remarks Returns what was removed, made anonymous or must stay, and how far the erasure is.
   */
  @RefusedAsPrefilled('No user of the demo app is erased.')
  @Get('erase')
  @ManagementKey('auditor')
  async receipt(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', ErasureNotFound) userId: UserId,
  ): Promise<ErasureResponse> {
    await this.apps.requireLive(appId);
    return ErasureResponse.of(await this.erasing.get(appId, userId));
  }
}
