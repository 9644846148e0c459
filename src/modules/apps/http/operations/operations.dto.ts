import { ApiSchema } from '@nestjs/swagger';
import { IdOf, OneOf, Text } from '../../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { MAIL_KINDS } from '../../../../kernel/mail-kind.js';
import type { Id, UserId } from '../../../../kernel/ids.js';
import { JOB_STATES, type JobState, type WaitingJob } from '../../../../services/jobs/waiting-jobs.js';
import {
  type Channel,
  CHANNELS,
  MESSAGE_STATUSES,
  type MessageStatus,
  type SentMessage,
} from '../../../../services/mail/message.schema.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';

export class ListMessagesQuery extends ManagementListQuery {
  /** Lists only messages with this status. */
  @OneOf(MESSAGE_STATUSES, { optional: true })
  readonly status?: MessageStatus;

  /** Lists only messages to the addresses that this user has now. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The id of the last message of the previous page. */
  @IdOf('message', { optional: true })
  readonly starting_after?: Id<'message'>;
}

/** A mail or SMS, without its content. */
export class MessageResponse {
  /** The id of the message, which begins with `msg_`. */
  @Example(exampleId('message'))
  id!: string;
  /** The channel: `mail` to an email address, or `sms` to a phone number. */
  @EnumValues(CHANNELS)
  channel!: Channel;
  /** The purpose of the message, which also names its template. */
  @EnumValues(MAIL_KINDS)
  kind!: string;
  /** The email address or phone number that the message goes to. */
  @Example(EXAMPLES.email)
  recipient!: string;
  /** The status: `pending` until the mail server or the SMS gateway accepts it; `failed` when it is not tried again. */
  @EnumValues(MESSAGE_STATUSES)
  status!: MessageStatus;
  /** The number of attempts to send the message. */
  attempts!: number;
  /** The error of the last attempt; empty after a success. */
  @Example('')
  last_error!: string;
  created_at!: number;
  /** The time when it was accepted, in epoch seconds; `0` before. */
  sent_at!: number;

  static of(message: SentMessage): MessageResponse {
    return {
      id: message.id,
      channel: message.channel,
      kind: message.kind,
      recipient: message.recipient,
      status: message.status,
      attempts: message.attempts,
      last_error: message.lastError ?? '',
      created_at: epochSeconds(message.createdAt),
      sent_at: epochSeconds(message.sentAt),
    };
  }
}

@ApiSchema({ description: 'A page of the sent messages, without their contents.' })
export class MessageListResponse {
  /** The messages, newest first. A message is listed for 30 days. */
  messages!: MessageResponse[];
  has_more!: boolean;
}

export class ListJobsQuery extends ManagementListQuery {
  /** Lists only jobs of this kind, such as `mail`. */
  @Text({ max: 100, optional: true })
  readonly kind?: string;

  /** Lists only jobs in this state. */
  @OneOf(JOB_STATES, { optional: true })
  readonly state?: JobState;

  /** The id of the last job of the previous page. */
  @IdOf('job', { optional: true })
  readonly starting_after?: Id<'job'>;
}

@ApiSchema({ description: 'A job of the app that is not done.' })
export class JobResponse {
  /** The id of the job, which begins with `job_`. */
  @Example(exampleId('job'))
  id!: string;
  /** The kind of the job, such as `mail` or `sms`. */
  @Example('mail')
  kind!: string;
  /** The state: `waiting` for its first attempt, `running`, `retrying` after a failure, or `dead`, which is not tried again. */
  @EnumValues(JOB_STATES)
  state!: JobState;
  /** The number of attempts that have begun. */
  attempts!: number;
  /** The error of the last attempt; empty before the first failure. */
  @Example('')
  last_error!: string;
  created_at!: number;
  /** The time of its next run, in epoch seconds; `0` once it is dead. */
  due_at!: number;

  static of(job: WaitingJob): JobResponse {
    return {
      id: job.id,
      kind: job.kind,
      state: job.state,
      attempts: job.attempts,
      last_error: job.lastError ?? '',
      created_at: epochSeconds(job.createdAt),
      due_at: epochSeconds(job.dueAt),
    };
  }
}

@ApiSchema({ description: 'A page of the jobs that are not done.' })
export class JobListResponse {
  /** The jobs, newest first. A job that is done is not listed. */
  jobs!: JobResponse[];
  has_more!: boolean;
}
