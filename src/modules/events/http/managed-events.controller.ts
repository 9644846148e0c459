import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { AppNotFound } from '../../apps/index.js';
import { UserNotFound } from '../../identity/index.js';
import { ReadUserEvents } from '../application/read-user-events.js';
import { InvalidCursor } from '../domain/events.errors.js';
import { ListUserEventsQuery, ListUserEventsResponse } from './list-events.dto.js';

@ApiTags('management')
@Controller('management/v1/apps/:app_id/users/:user_id/events')
export class ManagedEventsController {
  constructor(private readonly readUserEvents: ReadUserEvents) {}

  /**
   * List the events of a user
   *
   * @remarks Returns the events of a user, also of a deleted one, as long as events are kept.
   */
  @Get()
  @ManagementKey('auditor')
  @Refuses(AppNotFound, UserNotFound, InvalidCursor)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('user_id', 'user', UserNotFound) userId: UserId,
    @Query() { types, ...query }: ListUserEventsQuery,
  ): Promise<ListUserEventsResponse> {
    const request = { ...pageIn(query), ...(types !== undefined && { types: types.split(',') }) };
    const { items, hasMore } = await this.readUserEvents.execute(appId, userId, request);
    return { events: [...items], has_more: hasMore };
  }
}
