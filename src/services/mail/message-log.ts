import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { causingRequest } from '../../kernel/current-call.js';
import { grouped } from '../../kernel/collections.js';
import type { AppId, Id, UserId } from '../../kernel/ids.js';
import type { PageRequest } from '../../kernel/paging.js';
import { Database } from '../../postgres/database.js';
import { pageOf } from '../../postgres/page-of.js';
import { MessageSchema, type MessageStatus, type SentMessage } from './message.schema.js';

export interface MessageCount {
  readonly at: Date;
  readonly label: string;
  readonly value: number;
}

export interface MessageQuery extends PageRequest<Id<'message'>> {
  readonly status?: MessageStatus;
  /** Messages to the addresses that the user has now. */
  readonly userId?: UserId;
}

type AddressesOf = (appId: AppId, userId: UserId) => Promise<readonly string[]>;

const ATTEMPTED = `
  update messages set attempts = attempts + 1, status = $3, last_error = $4 where app_id = $1 and id = $2 and status <> 'sent'`;

/** The count changes with the rows, so a message that is delivered twice counts once. */
const SENT = `
  with sent as (
    update messages set attempts = attempts + 1, status = 'sent', last_error = null, sent_at = now()
     where app_id = $1 and id = any($2::text[]) and status <> 'sent'
    returning app_id, channel
  )
  insert into message_statistics as s (app_id, hour, label, value)
  select app_id, date_trunc('hour', now(), 'UTC'), channel, count(*) from sent group by app_id, channel order by channel
  on conflict (app_id, hour, label) do update set value = s.value + excluded.value`;

const COUNTS = `
  select date_trunc($4, hour, 'UTC') as at, label, sum(value)::float8 as value
    from message_statistics where app_id = $1 and hour >= $2 and hour < $3 group by 1, 2 order by 1, 2`;

/** Messages are kept for a month, without their content. */
@Injectable()
export class MessageLog {
  private addressesOf: AddressesOf = () => Promise.resolve([]);

  constructor(private readonly database: Database) {}

  /** The module of users, which this one cannot call, names the addresses of one. */
  register(addressesOf: AddressesOf): void {
    this.addressesOf = addressesOf;
  }

  add(appId: AppId, message: Pick<SentMessage, 'id' | 'channel' | 'kind' | 'recipient'>): void {
    const { id, channel, kind, recipient } = message;
    void this.database.write(
      `insert into messages (app_id, id, channel, kind, recipient, request_id) values ($1, $2, $3, $4, $5, $6)`,
      [appId, id, channel, kind, recipient, causingRequest() ?? null],
    );
  }

  sent(messages: readonly { readonly appId: AppId; readonly id: string }[]): void {
    // In one order, because the statistics of an app are one row.
    const ofApps = grouped(messages, ({ appId }) => appId);
    for (const app of [...ofApps.keys()].toSorted())
      void this.database.write(SENT, [app, ofApps.get(app)!.map(({ id }) => id)]);
  }

  /** `pending` when another attempt follows. */
  async notSent(appId: AppId, id: string, status: 'pending' | 'failed', error: string): Promise<void> {
    await this.database.write(ATTEMPTED, [appId, id, status, error]);
  }

  counts(appId: AppId, since: Date, until: Date, step: 'hour' | 'day'): Promise<MessageCount[]> {
    return this.database.list<MessageCount>(COUNTS, [appId, since, until, step]);
  }

  find(appId: AppId, id: Id<'message'>): Promise<SentMessage | null> {
    return this.database.manager.findOneBy(MessageSchema, { appId, id });
  }

  async list(appId: AppId, { status, userId, ...page }: MessageQuery) {
    const ofUser = userId !== undefined && { recipient: In(await this.addressesOf(appId, userId)) };
    const where = { appId, ...(status !== undefined && { status }), ...ofUser };
    return pageOf(this.database.manager, MessageSchema, where, page);
  }
}
