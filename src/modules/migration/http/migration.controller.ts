import { Body, Controller, Get, HttpCode, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { ManagementKey, RequestedBy } from '../../../edge/auth/credentials.js';
import { LargerJson } from '../../../edge/http/json-body.js';
import { PathId } from '../../../edge/http/path-id.js';
import { TakesReserve } from '../../../edge/idempotency/post-routes.js';
import type { AppId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppNotFound } from '../../apps/index.js';
import { ExportUsers } from '../application/export-users.js';
import { ImportUsers } from '../application/import-users.js';
import { ExportUsersQuery } from './export-users.dto.js';
import { ImportUsersRequest, ImportUsersResponse } from './import-users.dto.js';

const NDJSON = 'application/x-ndjson';
const MEBIBYTE = 1024 * 1024;

/** The move of users into an app and out of it. */
@ApiTags('management: users')
@Controller('management/v1/apps/:app_id/users')
export class MigrationController {
  constructor(
    private readonly importing: ImportUsers,
    private readonly exporting: ExportUsers,
  ) {}

  /**
   * Import users into an app
   *
   * @remarks Adds each row whole or not at all. A row whose `external_id` a user of the app has is skipped, so a call may be repeated. An
   * address that is verified in the row leaves another user who has not verified it; an address that is not verified never leads to
   * another user. The response is 200 even if all rows fail.
   */
  @Post('import')
  @HttpCode(200)
  @TakesReserve()
  @LargerJson({ bytes: 8 * MEBIBYTE, values: 100_000 })
  @ManagementKey('operator')
  async import(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Body() body: ImportUsersRequest,
  ): Promise<ImportUsersResponse> {
    const rows = ImportUsersRequest.rows(body);
    return ImportUsersResponse.of(await this.importing.execute(by, appId, rows, ImportUsersRequest.options(body)));
  }

  /**
   * Export the users of an app
   *
   * @remarks Streams a row for each user, the oldest first, one JSON object a line, in the form that the import takes. If the stream
   * breaks off, continue after the `user_id` of its last whole line.
   */
  @Get('export')
  @ManagementKey('owner', { needsProof: true })
  @ApiOkResponse({
    description: 'The rows, one JSON object a line.',
    content: { [NDJSON]: { schema: { type: 'string' }, example: '{"user_id":"user_01k0000000000000000000d3m0"}' } },
  })
  async export(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ExportUsersQuery,
  ): Promise<StreamableFile> {
    const lines = await this.exporting.execute(by, appId, ExportUsersQuery.options(query));
    // A client takes a response that ends early for a whole one, so the connection breaks.
    return new StreamableFile(Readable.from(lines), { type: NDJSON }).setErrorHandler((_, response) =>
      response.destroy?.(),
    );
  }
}
