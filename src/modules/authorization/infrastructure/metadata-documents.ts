import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId } from '../../../kernel/ids.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { SharedRuns } from '../../../kernel/shared-runs.js';
import { Transactions } from '../../../kernel/transactions.js';
import { OutboundFailed, UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { Outbound } from '../../../services/outbound/outbound.js';
import { ClientCreated, ClientUpdated } from '../domain/authorization.events.js';
import { faultsOf } from '../domain/client-rules.js';
import { clientIdOf, type DescribedClient, describedIn } from '../domain/metadata-document.js';
import { ClientNotFound, MOST_CLIENTS, OauthClient, OauthClientRepository } from '../domain/oauth-client.js';
import { MOST_RESOURCES, OauthResourceRepository } from '../domain/oauth-resource.js';
import { USER_SCOPES } from '../domain/oauth-scope.js';

/** While the host does not respond, the stored document stays valid. */
const FRESH_MS = 300_000;
/** The host is not asked again for this time. */
const SILENT_MS = 60_000;
const MOST_SILENT = 1_000;
/** The host of a client may hang. */
export const FETCH = {
  timeoutMs: 2_500,
  maxBytes: 16_384,
  mostOpen: 4,
  decodes: true,
  headers: { accept: 'application/json' },
};

/** Client ID Metadata Documents. The first request of a client stores it. */
@Injectable()
export class MetadataDocuments {
  private readonly reads = new SharedRuns<OauthClient | null>();
  /** The documents that were not there lately, and when. */
  private readonly silent = new RecentlyUsed<string, number>(MOST_SILENT);

  constructor(
    private readonly clients: OauthClientRepository,
    private readonly resources: OauthResourceRepository,
    private readonly outbound: Outbound,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** The caller has checked the host. */
  client(appId: AppId, url: string): Promise<OauthClient | null> {
    return this.reads.join(`${appId} ${url}`, () => this.find(appId, url));
  }

  private async find(appId: AppId, url: string): Promise<OauthClient | null> {
    const id = clientIdOf(appId, url)!;
    const stored = await this.clients.get(appId, id).catch(nullIfUnknown);
    const now = this.clock.now().getTime();
    if (stored && now - stored.updatedAt.getTime() < FRESH_MS) return stored;
    if (now - (this.silent.peek(id) ?? 0) < SILENT_MS) return stored;
    // A replica that was reading the document, or is of the release before, may have stored a client again that the app has deleted.
    if (await this.clients.isRefused(appId, id)) return null;
    const text = await this.read(appId, url);
    if (typeof text !== 'string') {
      if (text.isSilent) this.silent.set(id, now);
      return stored;
    }
    const described = describedIn(text, url);
    if (!described) return null;
    if (stored) return this.update(stored, described).catch(nullIfUnknown);
    const client = await this.created(appId, url, described);
    return isPermitted(client) ? this.insert(client) : null;
  }

  private async read(appId: AppId, url: string): Promise<string | { readonly isSilent: boolean }> {
    try {
      const { status, body } = await this.outbound.send(url, { ...FETCH, appId });
      return status === 200 ? body : status >= 500 || status === 429 ? { isSilent: true } : '';
    } catch (error) {
      if (error instanceof UrlNotAllowed) return '';
      // `busy` is this service: other documents of the host are being read for the app.
      if (error instanceof OutboundFailed)
        return error.reason === 'too_large' ? '' : { isSilent: error.reason !== 'busy' };
      throw error;
    }
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

  /** What the app has decided about the client stays, also while the document was read. */
  private update({ appId, id }: OauthClient, { name, settings }: DescribedClient): Promise<OauthClient | null> {
    return this.transactions.run(async () => {
      const before = await this.clients.lock(appId, id);
      const client = before.change({ name, settings }, this.clock.now());
      if (!isPermitted(client)) return null;
      await this.clients.update(client);
      const isSame = JSON.stringify([before.name, before.settings]) === JSON.stringify([client.name, client.settings]);
      if (!isSame) await this.events.publish(new ClientUpdated(appId, { client_id: id }));
      return client;
    });
  }

  /** Null if the app has reached its limit. Of simultaneous requests one stores the client. */
  private async insert(client: OauthClient): Promise<OauthClient | null> {
    const { appId, id } = client;
    if ((await this.clients.count(appId, true)) >= MOST_CLIENTS) return null;
    await this.transactions.run(async () => {
      if (await this.clients.insert(client)) await this.events.publish(new ClientCreated(appId, { client_id: id }));
    });
    return client;
  }
}

const isPermitted = ({ type, settings, authMethod }: OauthClient): boolean =>
  faultsOf({ type, settings, authMethod }).length === 0;

function nullIfUnknown(error: unknown): null {
  if (error instanceof ClientNotFound) return null;
  throw error;
}
