import { Injectable } from '@nestjs/common';
import { type AppId, ID_PREFIXES, type WebhookDeliveryId, type WebhookEndpointId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { type DeliveryStatus, WebhookDeliveries, type WebhookDelivery } from '../domain/webhook-deliveries.js';

/** Sorts after every id of a delivery, in every collation: they differ on characters that ids do not have. */
const AFTER_ALL = `${ID_PREFIXES.webhookDelivery}_${'z'.repeat(26)}` as WebhookDeliveryId;

const OF_ENDPOINT = 'app_id = $1 and endpoint_id = $2 and id < $3';
const SHOWN = `id, event_id as "eventId", event_type as "eventType", attempts, created_at as "createdAt"`;

const pending = `select ${SHOWN}, 'pending' as status, due_at as "nextAttemptAt" from webhook_queue where ${OF_ENDPOINT}`;
const ended = (status: string) =>
  `select ${SHOWN}, status, null::timestamptz as "nextAttemptAt" from webhook_deliveries where ${OF_ENDPOINT} ${status}`;

/** The planner takes a parameter as limit for a tenth of all rows, and would then sort them; the constant makes it read an index. */
const newestOf = (rows: string) => `select * from (${rows} order by id desc limit 1001) newest limit $4`;

/** A delivery moves from one table to the other by one statement, so this one sees it in one of them. */
const LIST_ALL = newestOf(`select * from ((${newestOf(pending)}) union all (${newestOf(ended(''))})) as deliveries`);
const LIST = {
  pending: newestOf(pending),
  delivered: newestOf(ended(`and status = 'delivered'`)),
  failed: newestOf(ended(`and status = 'failed'`)),
};

@Injectable()
export class PostgresWebhookDeliveries extends WebhookDeliveries {
  constructor(private readonly database: Database) {
    super();
  }

  async list(
    appId: AppId,
    endpointId: WebhookEndpointId,
    { limit, startingAfter = AFTER_ALL }: PageRequest<WebhookDeliveryId>,
    status?: DeliveryStatus,
  ): Promise<Page<WebhookDelivery>> {
    const sql = status === undefined ? LIST_ALL : LIST[status];
    const rows = await this.database.list<WebhookDelivery>(sql, [appId, endpointId, startingAfter, limit + 1]);
    return pageFrom(rows, limit);
  }
}
