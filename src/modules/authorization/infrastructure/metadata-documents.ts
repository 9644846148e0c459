import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId } from '../../../kernel/ids.js';
import { SharedRuns } from '../../../kernel/shared-runs.js';
import { Transactions } from '../../../kernel/transactions.js';
import { OutboundFailed, UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { Outbound } from '../../../services/outbound/outbound.js';
import { ClientCreated } from '../domain/authorization.events.js';
import { faultsOf } from '../domain/client-rules.js';
import { clientIdOf, type DescribedClient, describedIn } from '../domain/metadata-document.js';
import { ClientNotFound, MOST_CLIENTS, OauthClient, OauthClientRepository } from '../domain/oauth-client.js';
import { MOST_RESOURCES, OauthResourceRepository } from '../domain/oauth-resource.js';
import { USER_SCOPES } from '../domain/oauth-scope.js';

/** A document is read again after this time. While its host does not respond, what it said before counts. */
const FRESH_MS = 300_000;
const FETCH = {
  timeoutMs: 2_500,
  maxBytes: 16_384,
  mostOpen: 4,
  decodes: true,
  headers: { accept: 'application/json' },
};

/** The clients that describe themselves (Client ID Metadata Documents). The first request of one stores it. */
@Injectable()
export class MetadataDocuments {
  private readonly reads = new SharedRuns<OauthClient | null>();

  constructor(
    private readonly clients: OauthClientRepository,
    private readonly resources: OauthResourceRepository,
    private readonly outbound: Outbound,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Null if there is no document by which a client may be known. The caller has checked the host. */
  client(appId: AppId, url: string): Promise<OauthClient | null> {
    return this.reads.join(`${appId} ${url}`, () => this.find(appId, url));
  }

  private async find(appId: AppId, url: string): Promise<OauthClient | null> {
    const known = await this.clients.get(appId, clientIdOf(appId, url)!).catch((error: unknown) => {
      if (error instanceof ClientNotFound) return null;
      throw error;
    });
    if (known && this.clock.now().getTime() - known.updatedAt.getTime() < FRESH_MS) return known;
    const text = await this.read(appId, url);
    // Its host does not respond.
    if (text === null) return known;
    const described = describedIn(text, url);
    if (!described) return null;
    const client = known ? this.changed(known, described) : await this.created(appId, url, described);
    const { type, settings, authMethod } = client;
    if (faultsOf({ type, settings, authMethod }).length > 0) return null;
    return known ? this.update(client) : this.insert(client);
  }

  private async read(appId: AppId, url: string): Promise<string | null> {
    try {
      const { status, body } = await this.outbound.send(url, { ...FETCH, appId });
      return status === 200 ? body : status >= 500 || status === 429 ? null : '';
    } catch (error) {
      if (error instanceof UrlNotAllowed) return '';
      if (error instanceof OutboundFailed) return error.reason === 'too_large' ? '' : null;
      throw error;
    }
  }

  /** What the app has decided about the client stays. */
  private changed(known: OauthClient, { name, settings }: DescribedClient): OauthClient {
    return known.change({ name, settings }, this.clock.now());
  }

  /** It may have all resources that the app has registered, and not the API of this service. */
  private async created(appId: AppId, url: string, { name, settings }: DescribedClient): Promise<OauthClient> {
    const { items } = await this.resources.list(appId, { limit: MOST_RESOURCES });
    const [only, ...others] = items;
    const scopes = [...new Set([...USER_SCOPES, ...items.flatMap((resource) => resource.scopes)])];
    const resources = items.map(({ audience }) => audience);
    const defaultResource = only && others.length === 0 ? only.audience : null;
    const chosen = { scopes, resources, defaultResource, pkce: 'required', claimsInIdToken: true } as const;
    const details = { name, type: 'public', settings: { ...settings, ...chosen, documentUrl: url } } as const;
    return OauthClient.create(appId, details, null, this.clock.now(), clientIdOf(appId, url)!);
  }

  private async update(client: OauthClient): Promise<OauthClient> {
    await this.clients.update(client);
    return client;
  }

  /** Of simultaneous requests one stores it. Null if the app has as many clients as it may. */
  private async insert(client: OauthClient): Promise<OauthClient | null> {
    const { appId, id } = client;
    if ((await this.clients.count(appId)) >= MOST_CLIENTS) return null;
    await this.transactions.run(async () => {
      if (await this.clients.insert(client)) await this.events.publish(new ClientCreated(appId, { client_id: id }));
    });
    return client;
  }
}
