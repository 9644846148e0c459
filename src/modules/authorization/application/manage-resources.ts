import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId, OauthResourceId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppsFacade } from '../../apps/index.js';
import { ResourceCreated, ResourceDeleted, ResourceUpdated } from '../domain/authorization.events.js';
import {
  DuplicateAudience,
  MOST_RESOURCES,
  OauthResource,
  OauthResourceRepository,
  type ResourceDetails,
  TooManyResources,
} from '../domain/oauth-resource.js';

@Injectable()
export class ManageResources {
  constructor(
    private readonly apps: AppsFacade,
    private readonly resources: OauthResourceRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  create(by: Requester, appId: AppId, audience: string, details: ResourceDetails): Promise<OauthResource> {
    const target = ({ id }: OauthResource) => id;
    return this.apps.audited({ by, appId, action: 'resource.created', target }, async () => {
      await this.apps.lock(appId);
      if ((await this.resources.count(appId)) >= MOST_RESOURCES) throw new TooManyResources();
      const resource = OauthResource.create(appId, audience, details, this.clock.now());
      if (await this.resources.ofAudience(appId, resource.canonical)) throw new DuplicateAudience();
      await this.resources.insert(resource);
      await this.events.publish(new ResourceCreated(appId, { resource_id: resource.id }));
      return resource;
    });
  }

  update(
    by: Requester,
    appId: AppId,
    id: OauthResourceId,
    details: Partial<ResourceDetails>,
    fields: readonly string[],
  ): Promise<OauthResource> {
    return this.apps.audited({ by, appId, action: 'resource.updated', target: id, fields }, async () => {
      const resource = (await this.resources.lock(appId, id)).change(details, this.clock.now());
      await this.resources.update(resource);
      await this.events.publish(new ResourceUpdated(appId, { resource_id: id }));
      return resource;
    });
  }

  delete(by: Requester, appId: AppId, id: OauthResourceId): Promise<void> {
    return this.apps.audited({ by, appId, action: 'resource.deleted', target: id }, async () => {
      await this.resources.delete(appId, id);
      await this.events.publish(new ResourceDeleted(appId, { resource_id: id }));
    });
  }
}
