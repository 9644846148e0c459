import { Injectable } from '@nestjs/common';
import { EntitySchema, type FindOneOptions } from 'typeorm';
import type { AppId, KeyId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { pageOf } from '../../../postgres/page-of.js';
import { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import {
  type CallingKey,
  type EndpointsOfEndedKey,
  WebhookEndpointRepository,
} from '../domain/webhook-endpoint.repository.js';
import { WebhookEndpointNotFound } from '../domain/webhook.errors.js';
import { KEEPS_EVENTS, LOST_AFTER } from './delivery-statements.js';

export const WebhookEndpointSchema = new EntitySchema<WebhookEndpoint>({
  name: 'WebhookEndpoint',
  target: WebhookEndpoint,
  tableName: 'webhook_endpoints',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true },
    id: { type: 'text', primary: true },
    keyId: { type: 'text', name: 'key_id', nullable: true },
    url: { type: 'text' },
    eventTypes: { type: 'text', array: true, name: 'event_types' },
    description: { type: 'text' },
    isOrdered: { type: 'boolean', name: 'is_ordered' },
    sealedSecret: { type: 'bytea', name: 'sealed_secret' },
    sealedPreviousSecret: { type: 'bytea', name: 'sealed_previous_secret', nullable: true },
    previousSecretEndsAt: { type: 'timestamptz', name: 'previous_secret_ends_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
    testedAt: { type: 'timestamptz', name: 'tested_at', nullable: true },
    disabledAt: { type: 'timestamptz', name: 'disabled_at', nullable: true },
    disabledReason: { type: 'text', name: 'disabled_reason', nullable: true },
  },
});

const OF_ENDED_KEYS = `
  select e.app_id as "appId", e.key_id as "keyId", array_agg(e.id) as ids from webhook_endpoints e
   where e.key_id is not null
     and not exists (select 1 from live_keys k where k.app_id = e.app_id and k.key_id = e.key_id)
     and not exists (select 1 from live_token_owners o where o.app_id = e.app_id and o.id = e.key_id and ${KEEPS_EVENTS})
   group by e.app_id, e.key_id`;

@Injectable()
export class TypeormWebhookEndpointRepository extends WebhookEndpointRepository {
  constructor(private readonly database: Database) {
    super();
  }

  get(appId: AppId, id: WebhookEndpointId, key: CallingKey = null): Promise<WebhookEndpoint> {
    return this.find(appId, id, key);
  }

  lock(appId: AppId, id: WebhookEndpointId, key: CallingKey = null): Promise<WebhookEndpoint> {
    return this.find(appId, id, key, { mode: 'pessimistic_write' });
  }

  lockOf(appId: AppId, keyId: KeyId): Promise<readonly WebhookEndpoint[]> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.database.manager.find(WebhookEndpoint, { where: { appId, keyId }, order: { id: 'ASC' }, lock });
  }

  ofEndedKeys(): Promise<readonly EndpointsOfEndedKey[]> {
    return this.database.list(OF_ENDED_KEYS, []);
  }

  list(appId: AppId, page: PageRequest, key: CallingKey = null): Promise<Page<WebhookEndpoint>> {
    return pageOf(this.database.manager, WebhookEndpoint, madeBy(key, { appId }), page);
  }

  count(appId: AppId): Promise<number> {
    return this.database.manager.countBy(WebhookEndpoint, { appId });
  }

  async insert(endpoint: WebhookEndpoint): Promise<void> {
    await this.database.manager.insert(WebhookEndpoint, endpoint);
  }

  async delete(appId: AppId, id: WebhookEndpointId): Promise<boolean> {
    const { affected } = await this.database.manager.delete(WebhookEndpoint, { appId, id });
    return affected === 1;
  }

  async update(endpoint: WebhookEndpoint): Promise<void> {
    const { appId, id, ...changes } = endpoint;
    await this.database.manager.update(WebhookEndpoint, { appId, id }, changes);
  }

  async failingSince(appId: AppId, ids: readonly WebhookEndpointId[]): Promise<ReadonlyMap<WebhookEndpointId, Date>> {
    const rows = await this.database.list<{ id: WebhookEndpointId; since: Date }>(
      'select endpoint_id as id, failing_since as since from webhook_health where app_id = $1 and endpoint_id = any($2)',
      [appId, ids],
    );
    return new Map(rows.map(({ id, since }) => [id, since]));
  }

  async isLost(appId: AppId, id: WebhookEndpointId): Promise<boolean> {
    const sql = `select from webhook_health where app_id = $1 and endpoint_id = $2 and failing_since < now() - ${LOST_AFTER}`;
    return (await this.database.write(sql, [appId, id])).length > 0;
  }

  async forgetFailures(appId: AppId, id: WebhookEndpointId): Promise<void> {
    await this.database.write('delete from webhook_health where app_id = $1 and endpoint_id = $2', [appId, id]);
  }

  async now(): Promise<Date> {
    const [row] = await this.database.read<{ now: Date }>('select clock_timestamp() as now');
    return row!.now;
  }

  private async find(
    appId: AppId,
    id: WebhookEndpointId,
    key: CallingKey,
    lock?: FindOneOptions<WebhookEndpoint>['lock'],
  ): Promise<WebhookEndpoint> {
    const endpoint = await this.database.manager.findOne(WebhookEndpoint, {
      where: madeBy(key, { appId, id }),
      ...(lock && { lock }),
    });
    if (!endpoint) throw new WebhookEndpointNotFound();
    return endpoint;
  }
}

function madeBy<W extends object>(key: CallingKey, where: W): W & { readonly keyId?: KeyId } {
  return key === null ? where : { ...where, keyId: key };
}
