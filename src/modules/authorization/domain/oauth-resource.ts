import { refusal } from '../../../kernel/domain-error.js';
import { type DataOf, evolve } from '../../../kernel/entity.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import { type AppId, newId, type OauthResourceId, unknownId } from '../../../kernel/ids.js';
import { KEY_SCOPES } from '../../../kernel/key-restriction.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** Seconds. A key that was replaced is published for an hour, which no token outlives. */
export const TOKEN_SECONDS = { min: 30, max: 3_600, standard: 300 } as const satisfies Lifetime & { standard: number };

/** RFC 6749, section 3.3. */
export const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
export const MOST_SCOPES = 100;
export const MOST_RESOURCES = 100;

export interface ResourceDetails {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly tokenSeconds: number;
}

export class OauthResource {
  declare readonly appId: AppId;
  declare readonly id: OauthResourceId;
  declare readonly audience: string;
  declare readonly canonical: string;
  declare readonly name: string;
  declare readonly scopes: readonly string[];
  declare readonly tokenSeconds: number;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(data: DataOf<OauthResource>) {
    Object.assign(this, data);
  }

  static create(appId: AppId, audience: string, details: ResourceDetails, now: Date): OauthResource {
    const canonical = canonicalAudience(audience);
    if (canonical === null || new URL(audience).username !== '' || new URL(audience).password !== '') {
      const message = 'must be a URL without credentials and fragment';
      throw new InvalidRequest([{ field: 'audience', rule: 'format', message }]);
    }
    const id = newId('oauthResource');
    return new OauthResource({ appId, id, audience, canonical, ...details, createdAt: now, updatedAt: now });
  }

  /** Every app has the API of this service. It is not stored. */
  static builtIn(appId: AppId, baseUrl: string): OauthResource {
    const details = { name: 'This service', scopes: KEY_SCOPES, tokenSeconds: TOKEN_SECONDS.standard };
    const times = { createdAt: new Date(0), updatedAt: new Date(0) };
    const canonical = canonicalAudience(baseUrl)!;
    return new OauthResource({
      appId,
      id: unknownId('oauthResource'),
      audience: baseUrl,
      canonical,
      ...details,
      ...times,
    });
  }

  change(details: Partial<ResourceDetails>, now: Date): OauthResource {
    return evolve<OauthResource>(this, { ...details, updatedAt: now });
  }
}

/** Clients add or omit a slash at the end. Null for a text that is no resource indicator (RFC 8707). */
export function canonicalAudience(text: string): string | null {
  if (text.includes('#') || !URL.canParse(text)) return null;
  return new URL(text).href.replace(/\/$/, '');
}

export abstract class OauthResourceRepository {
  abstract insert(resource: OauthResource): Promise<void>;

  abstract get(appId: AppId, id: OauthResourceId): Promise<OauthResource>;

  abstract lock(appId: AppId, id: OauthResourceId): Promise<OauthResource>;

  /** Includes the built-in resource. */
  abstract ofAudience(appId: AppId, canonical: string): Promise<OauthResource | null>;

  /** Like `ofAudience`, at most half a second old. */
  abstract recent(appId: AppId, canonical: string): Promise<DataOf<OauthResource> | null>;

  /** The transaction has locked the resource. */
  abstract update(resource: OauthResource): Promise<void>;

  abstract delete(appId: AppId, id: OauthResourceId): Promise<void>;

  abstract list(appId: AppId, page: PageRequest): Promise<Page<OauthResource>>;

  abstract count(appId: AppId): Promise<number>;
}

export class ResourceNotFound extends refusal('not_found', 'resource_not_found', {
  message: 'The app has no such resource.',
  help: 'The app has no resource with this id, or it was deleted. List the resources of the app.',
}) {}

export class DuplicateAudience extends refusal('conflict', 'duplicate_audience', {
  message: 'The app has a resource with this audience, or the service itself has it. Use another audience.',
  help: 'Each resource of an app has an audience of its own. Audiences that differ only by a slash at the end are one, and the address of this service is built in.',
}) {}

export class TooManyResources extends refusal('conflict', 'too_many_resources', {
  message: `The app has ${MOST_RESOURCES} resources, which is the maximum. Delete one first.`,
  help: 'An app has at most 100 resources. Delete one that is not used any more.',
}) {}
