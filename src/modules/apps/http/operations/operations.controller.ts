import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { SafeToRepeat } from '../../../../edge/idempotency/post-routes.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { PathId } from '../../../../edge/http/path-id.js';
import type { AppId, Id } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { WaitingJobs } from '../../../../services/jobs/waiting-jobs.js';
import { MessageLog } from '../../../../services/mail/message-log.js';
import { AppDirectory } from '../../domain/app.js';
import { AppsFacade } from '../../application/apps.facade.js';
import { AppNotFound, JobNotFound } from '../../domain/apps.errors.js';
import {
  JobListResponse,
  JobResponse,
  ListJobsQuery,
  ListMessagesQuery,
  MessageListResponse,
  MessageResponse,
} from './operations.dto.js';

/** The background work of the service for an app. */
@Controller('management/v1/apps/:app_id')
export class OperationsController {
  constructor(
    private readonly apps: AppDirectory,
    private readonly messageLog: MessageLog,
    private readonly waitingJobs: WaitingJobs,
    private readonly facade: AppsFacade,
  ) {}

  /**
   * List an app's mails and SMS
   *
   * @remarks Returns the recipient, the status and the times of each message, and the error of a failed one, but never the content.
   */
  @Get('messages')
  @ApiTags('management: messages')
  @ManagementKey('auditor')
  async messages(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() { status, user_id: userId, ...page }: ListMessagesQuery,
  ): Promise<MessageListResponse> {
    await this.apps.requireLive(appId);
    const { items, hasMore } = await this.messageLog.list(appId, { status, userId, ...pageIn(page) });
    return { messages: items.map(MessageResponse.of), has_more: hasMore };
  }

  /**
   * List an app's background jobs
   *
   * @remarks Returns the background jobs of the app by kind and state, with the last error of each.
   */
  @Get('jobs')
  @ApiTags('management: jobs')
  @ManagementKey('auditor')
  async jobs(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() { kind, state, ...page }: ListJobsQuery,
  ): Promise<JobListResponse> {
    await this.apps.requireLive(appId);
    const { items, hasMore } = await this.waitingJobs.list(appId, { kind, state, ...pageIn(page) });
    return { jobs: items.map(JobResponse.of), has_more: hasMore };
  }

  /**
   * Retry a failed job of an app
   *
   * @remarks A dead job gets all its attempts again, and a job that waits for its next attempt after a failure runs at once. A job that has
   * not failed stays as it is.
   */
  @Post('jobs/:job_id/retry')
  @ApiTags('management: jobs')
  @HttpCode(200)
  @SafeToRepeat()
  @ManagementKey('support')
  async retry(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('job_id', 'job', JobNotFound) jobId: Id<'job'>,
  ): Promise<JobResponse> {
    return this.facade.audited({ by, appId, action: 'job.retried', target: jobId }, async () => {
      const job = await this.waitingJobs.retry(appId, jobId);
      if (!job) throw new JobNotFound();
      return JobResponse.of(job);
    });
  }
}
