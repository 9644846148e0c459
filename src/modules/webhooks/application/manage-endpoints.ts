import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { inTurn } from '../../../kernel/collections.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { isEventType } from '../../../kernel/event-types.js';
import { type AppId, type KeyId, newId, type WebhookEndpointId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { Receivers } from '../domain/receivers.js';
import {
  type DisabledReason,
  type EndpointDetails,
  faultOfUrl,
  MOST_ENDPOINTS,
  NO_EVENTS,
  WebhookEndpoint,
} from '../domain/webhook-endpoint.js';
import { type CallingKey, WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { TooManyWebhookEndpoints, WebhookEndpointNotFound } from '../domain/webhook.errors.js';
import { WebhookEndpointWasDisabled } from '../domain/webhook.events.js';
import { EndpointSecrets } from './endpoint-secrets.js';

const ALL = '*';
const MINUTE_MS = 60_000;

export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

export type EndpointCaller = { readonly keyId: KeyId; readonly readsEvents: boolean } | null;

export interface EndpointChanges extends Partial<EndpointDetails> {
  readonly isDisabled?: boolean;
}

/** A restricted key finds only the endpoints that it made, and they carry events only if it may read them. */
@Injectable()
export class ManageEndpoints {
  constructor(
    private readonly apps: AppsFacade,
    private readonly receivers: Receivers,
    private readonly secrets: EndpointSecrets,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async create(
    by: Requester,
    appId: AppId,
    asked: EndpointDetails,
    caller: EndpointCaller = null,
  ): Promise<EndpointWithSecret> {
    await this.apps.requireLive(appId);
    // This check saves the look-up of the URL's host; the one below decides.
    await this.assertRoom(appId);
    const checked = await this.checked(appId, asked);
    const details = caller && !caller.readsEvents ? { ...checked, eventTypes: NO_EVENTS } : checked;
    const key = { appId, id: newId('webhookEndpoint') };
    await this.secrets.ready(appId);
    const { text, sealed } = this.secrets.mint(key);
    const endpoint = WebhookEndpoint.create(
      { ...key, sealedSecret: sealed, keyId: caller?.keyId ?? null },
      details,
      this.clock.now(),
    );
    await this.transactions.run(async () => {
      // The lock lets the second of two simultaneous calls count the endpoint of the first.
      await this.apps.lock(appId);
      await this.assertRoom(appId);
      await this.endpoints.insert(endpoint);
      await this.apps.audit(by, appId, 'webhook_endpoint.created', endpoint.id);
    });
    return { endpoint, secret: text };
  }

  /** Enabling a disabled endpoint, or another URL, forgets its failures, so it begins like a new one. */
  async update(
    by: Requester,
    appId: AppId,
    id: WebhookEndpointId,
    { isDisabled, ...asked }: EndpointChanges,
    caller: EndpointCaller = null,
  ): Promise<WebhookEndpoint> {
    await this.apps.requireLive(appId);
    const details = await this.checked(appId, asked);
    const fields = Object.keys({ ...asked, ...(isDisabled !== undefined && { disabled: isDisabled }) });
    return this.apps.audited({ by, appId, action: 'webhook_endpoint.updated', target: id, fields }, async () => {
      const before = await this.endpoints.lock(appId, id, caller?.keyId);
      if (details.eventTypes && carriesNoEvents(before) && !caller?.readsEvents) assertCarriesNone(details.eventTypes);
      const changed = before.change(details, this.clock.now());
      await this.endpoints.update(isDisabled === false ? changed.enable(this.clock.now()) : changed);
      if (isDisabled === true) await this.disable(appId, id, 'by_app');
      if ((isDisabled === false && before.disabledAt) || changed.url !== before.url)
        await this.endpoints.forgetFailures(appId, id);
      return this.endpoints.get(appId, id);
    });
  }

  /** An earlier previous secret ends at once. Without an overlap the current secret is not opened, so a broken seal can be replaced. */
  async rotateSecret(
    by: Requester,
    appId: AppId,
    id: WebhookEndpointId,
    overlapMinutes: number,
    key: CallingKey = null,
  ): Promise<EndpointWithSecret> {
    await this.secrets.ready(appId);
    const { text, sealed } = this.secrets.mint({ appId, id });
    return this.apps.audited({ by, appId, action: 'webhook_endpoint.secret_rotated', target: id }, async () => {
      const before = await this.endpoints.lock(appId, id, key);
      const now = await this.endpoints.now();
      const previous =
        overlapMinutes === 0
          ? null
          : { sealed: this.secrets.asPrevious(before), endsAt: new Date(now.getTime() + overlapMinutes * MINUTE_MS) };
      const endpoint = before.rotate(sealed, previous, now);
      await this.endpoints.update(endpoint);
      return { endpoint, secret: text };
    });
  }

  async delete(by: Requester, appId: AppId, id: WebhookEndpointId, key: CallingKey = null): Promise<void> {
    await this.apps.audited({ by, appId, action: 'webhook_endpoint.deleted', target: id }, async () => {
      await this.endpoints.lock(appId, id, key);
      if (!(await this.endpoints.delete(appId, id))) throw new WebhookEndpointNotFound();
    });
  }

  /** Leaves an endpoint enabled that has another URL than `url` or, for the reason `failing`, that no longer fails. */
  disable(appId: AppId, id: WebhookEndpointId, reason: DisabledReason, url?: string): Promise<void> {
    return this.transactions.run(async () => {
      const endpoint = await this.endpoints.lock(appId, id);
      if (endpoint.disabledAt || (url !== undefined && url !== endpoint.url)) return;
      if (reason === 'failing' && !(await this.endpoints.isLost(appId, id))) return;
      await this.endpoints.update(endpoint.disable(reason, this.clock.now()));
      await this.events.publish(new WebhookEndpointWasDisabled(appId, { webhook_endpoint_id: id, reason }));
    });
  }

  /** `ids`: a client that may read events no more keeps the endpoints of events that any caller may get. */
  passToApp(appId: AppId, key: KeyId, ids?: readonly WebhookEndpointId[]): Promise<void> {
    return this.transactions.run(async () => {
      for (const endpoint of await this.endpoints.lockOf(appId, key)) {
        if (ids && !ids.includes(endpoint.id)) continue;
        await this.endpoints.update(endpoint.passToApp(this.clock.now()));
        if (endpoint.disabledAt) continue;
        const event = { webhook_endpoint_id: endpoint.id, reason: 'key_ended' } as const;
        await this.events.publish(new WebhookEndpointWasDisabled(appId, event));
      }
    });
  }

  /** Keys that were revoked while they made an endpoint are covered too. */
  async passOnEnded(): Promise<void> {
    await inTurn(await this.endpoints.ofEndedKeys(), ({ appId, keyId, ids }) => this.passToApp(appId, keyId, ids));
  }

  private async assertRoom(appId: AppId): Promise<void> {
    if ((await this.endpoints.count(appId)) >= MOST_ENDPOINTS) throw new TooManyWebhookEndpoints();
  }

  /** Queries a name server, so call it before a transaction begins. */
  private async checked<D extends Partial<EndpointDetails>>(appId: AppId, details: D): Promise<D> {
    return {
      ...details,
      ...(details.eventTypes && { eventTypes: subscribed(details.eventTypes) }),
      ...(details.url !== undefined && { url: await this.callable(appId, details.url) }),
    };
  }

  private async callable(appId: AppId, text: string): Promise<string> {
    const fault = faultOfUrl(text);
    if (fault !== null) throw invalid('url', fault);
    const url = new URL(text).href;
    const refused = await this.receivers.faultOf(appId, url);
    if (refused !== null) throw invalid('url', `is not allowed: ${lowerCased(refused)}`);
    return url;
  }
}

function carriesNoEvents({ keyId, eventTypes }: WebhookEndpoint): boolean {
  return keyId !== null && eventTypes.join() === NO_EVENTS.join();
}

function assertCarriesNone(eventTypes: readonly string[]): void {
  if (eventTypes.join() !== NO_EVENTS.join())
    throw invalid(
      'event_types',
      'may only be webhook.test: the key that made the endpoint lacks the scope events:read',
      'scope',
    );
}

/** An empty list stands for all types, also those of later releases. */
function subscribed(names: readonly string[]): string[] {
  const unknown = names.findIndex((name) => name !== ALL && !isEventType(name));
  if (unknown !== -1) {
    const message = 'is not a type of events; GET /v1/event_types lists them';
    throw invalid(`event_types[${unknown}]`, message, 'exists');
  }
  return names.includes(ALL) ? [] : [...new Set(names)];
}

function invalid(field: string, message: string, rule = 'format'): InvalidRequest {
  return new InvalidRequest([{ field, rule, message }]);
}

/** The text becomes a part of another sentence, which ends with its own full stop. */
function lowerCased(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}
