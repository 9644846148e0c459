import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { FieldError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId, OauthClientId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { AppsFacade } from '../../apps/index.js';
import { ClientCreated, ClientDeleted, ClientUpdated } from '../domain/authorization.events.js';
import { GrantRepository } from '../domain/grant.js';
import {
  CLIENT_SECRET,
  type ClientSettings,
  ClientWithoutSecret,
  MOST_CLIENTS,
  OauthClient,
  OauthClientRepository,
  TooManyClients,
} from '../domain/oauth-client.js';
import { faultsOf } from '../domain/client-rules.js';
import { canonicalAudience, OauthResourceRepository } from '../domain/oauth-resource.js';

export interface ClientWithSecret {
  readonly client: OauthClient;
  readonly secret: string;
}

@Injectable()
export class ManageClients {
  constructor(
    private readonly apps: AppsFacade,
    private readonly clients: OauthClientRepository,
    private readonly resources: OauthResourceRepository,
    private readonly grants: GrantRepository,
    private readonly tokens: SecretTokens,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  create(
    by: Requester,
    appId: AppId,
    details: Pick<OauthClient, 'name' | 'type' | 'settings' | 'authMethod'>,
  ): Promise<ClientWithSecret> {
    const target = ({ client }: ClientWithSecret) => client.id;
    return this.apps.audited({ by, appId, action: 'client.created', target }, async () => {
      await this.apps.lock(appId);
      if ((await this.clients.count(appId, false)) >= MOST_CLIENTS) throw new TooManyClients();
      await this.requireConsistent(appId, details);
      const secret = details.authMethod === 'client_secret_basic' ? this.tokens.mint() : '';
      const hash = secret === '' ? null : this.tokens.hash(CLIENT_SECRET, secret);
      const client = OauthClient.create(appId, details, hash, this.clock.now());
      await this.clients.insert(client);
      await this.events.publish(new ClientCreated(appId, { client_id: client.id }));
      return { client, secret };
    });
  }

  update(
    by: Requester,
    appId: AppId,
    id: OauthClientId,
    changes: { name?: string; settings?: Partial<ClientSettings> },
    fields: readonly string[],
  ): Promise<OauthClient> {
    return this.apps.audited({ by, appId, action: 'client.updated', target: id, fields }, async () => {
      const before = await this.clients.lock(appId, id);
      const client = before.change(changes, this.clock.now());
      await this.requireConsistent(appId, client, before.settings.resources);
      await this.clients.update(client);
      await this.events.publish(new ClientUpdated(appId, { client_id: id }));
      return client;
    });
  }

  rotateSecret(by: Requester, appId: AppId, id: OauthClientId, overlapMinutes: number): Promise<ClientWithSecret> {
    return this.apps.audited({ by, appId, action: 'client.secret_rotated', target: id }, async () => {
      const now = this.clock.now();
      const secret = this.tokens.mint();
      const endsAt = new Date(now.getTime() + overlapMinutes * 60_000);
      const current = await this.clients.lock(appId, id);
      if (current.secretHash === null) throw new ClientWithoutSecret();
      const client = current.rotate(this.tokens.hash(CLIENT_SECRET, secret), endsAt, now);
      await this.clients.update(client);
      await this.events.publish(new ClientUpdated(appId, { client_id: id }));
      return { client, secret };
    });
  }

  delete(by: Requester, appId: AppId, id: OauthClientId): Promise<void> {
    return this.apps.audited({ by, appId, action: 'client.deleted', target: id }, async () => {
      await this.clients.delete(appId, id);
      await this.grants.endAll(appId, { clientId: id });
      await this.events.publish(new ClientDeleted(appId, { client_id: id }));
    });
  }

  /** Runs in the current transaction when the app stops trusting other hosts. */
  async deleteDescribedElsewhere(appId: AppId, hosts: readonly string[]): Promise<void> {
    for (const id of await this.clients.deleteDescribedElsewhere(appId, hosts)) {
      await this.grants.endAll(appId, { clientId: id });
      await this.events.publish(new ClientDeleted(appId, { client_id: id }));
    }
  }

  /** `present` are the client's former audiences: their resources may have been deleted since. */
  private async requireConsistent(
    appId: AppId,
    client: Pick<OauthClient, 'type' | 'settings' | 'authMethod'>,
    present: readonly string[] = [],
  ): Promise<void> {
    const { resources, defaultResource } = client.settings;
    const faults: FieldError[] = faultsOf(client);
    for (const [index, audience] of resources.entries()) {
      if (present.includes(audience)) continue;
      const canonical = canonicalAudience(audience);
      if (canonical !== null && (await this.resources.ofAudience(appId, canonical))) continue;
      const message = 'must be the audience of a resource of the app';
      faults.push({ field: `resources[${index}]`, rule: 'exists', message });
    }
    const canonicals = resources.map(canonicalAudience);
    if (defaultResource !== null && !canonicals.includes(canonicalAudience(defaultResource)))
      faults.push({ field: 'default_resource', rule: 'one_of', message: 'must be one of resources' });
    if (faults.length > 0) throw new InvalidRequest(faults);
  }
}
