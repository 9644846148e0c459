import { Injectable } from '@nestjs/common';
import type { AppId, Id } from '../../kernel/ids.js';
import { Database } from '../../postgres/database.js';
import { columnsOf } from '../../postgres/named.js';
import { MessageSchema, type MessageStatus, type SentMessage } from './message.schema.js';

export interface MessageQuery {
  readonly status?: MessageStatus;
  readonly limit: number;
  readonly startingAfter?: Id<'message'>;
}

const COLUMNS = columnsOf(MessageSchema, [
  'id',
  'channel',
  'kind',
  'recipient',
  'status',
  'attempts',
  'lastError',
  'createdAt',
  'sentAt',
]).of('m');

const ATTEMPTED = `
  update messages set attempts = attempts + 1, status = $3, last_error = $4, sent_at = case when $3 = 'sent' then now() end
   where app_id = $1 and id = $2`;

/** The index of unsent messages serves only a status that the text states. */
const OF_STATUS: Readonly<Record<MessageStatus, string>> = {
  pending: `and m.status = 'pending'`,
  sent: `and m.status = 'sent'`,
  failed: `and m.status = 'failed'`,
};

/** Keeps which mails and SMS were sent to whom, and why one could not be, for a month. Never what stood in them. */
@Injectable()
export class MessageLog {
  constructor(private readonly database: Database) {}

  /** Part of the current transaction, like the job that delivers the message. */
  add(appId: AppId, message: Pick<SentMessage, 'id' | 'channel' | 'kind' | 'recipient'>): void {
    const { id, channel, kind, recipient } = message;
    void this.database.write(
      `insert into messages (app_id, id, channel, kind, recipient) values ($1, $2, $3, $4, $5)`,
      [appId, id, channel, kind, recipient],
    );
  }

  /** The outcome of one attempt: `pending` when another one follows. */
  async attempted(appId: AppId, id: string, status: MessageStatus, error: string | null): Promise<void> {
    await this.database.write(ATTEMPTED, [appId, id, status, error]);
  }

  /** Newest first, by one statement. */
  async list(
    appId: AppId,
    { status, limit, startingAfter }: MessageQuery,
  ): Promise<{ messages: SentMessage[]; hasMore: boolean }> {
    const cursor = startingAfter === undefined ? [] : [startingAfter];
    const rows = await this.database.write<SentMessage>(
      `select ${COLUMNS} from messages m
        where m.app_id = $1 ${status === undefined ? '' : OF_STATUS[status]} ${cursor.length > 0 ? 'and m.id < $3' : ''}
        order by m.id desc limit $2`,
      [appId, limit + 1, ...cursor],
    );
    return { messages: rows.slice(0, limit), hasMore: rows.length > limit };
  }
}
