import { ApiSchema } from '@nestjs/swagger';
import { ListOf } from '../../../edge/http/compound-fields.js';
import { HttpUrl, IdOf, MAX_LENGTH, Text, WholeNumber } from '../../../edge/http/fields.js';
import { ListQuery } from '../../../edge/http/list.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import type { OauthResourceId } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/paging.js';
import {
  MOST_SCOPES,
  type OauthResource,
  type ResourceDetails,
  SCOPE,
  TOKEN_SECONDS,
} from '../domain/oauth-resource.js';

export const Scope = () => Text({ min: 1, max: 128, pattern: SCOPE, patternName: 'a scope without blanks and quotes' });
const Seconds = (options: { optional?: boolean } = {}) =>
  WholeNumber({ min: TOKEN_SECONDS.min, max: TOKEN_SECONDS.max, unit: 'seconds', ...options });

export class CreateOauthResourceRequest {
  /** The URL of the API, which is the `aud` of its tokens. Clients may add or omit a slash at the end. */
  @HttpUrl({ example: 'https://reports.example.com' })
  readonly audience!: string;

  /** A name that users and operators recognise. */
  @Text({ min: 1, max: MAX_LENGTH.name, pattern: /\S/, example: 'Reports' })
  readonly name!: string;

  /** The scopes of the API. */
  @ListOf(Scope(), { max: MOST_SCOPES, example: ['reports:write'] })
  readonly scopes!: string[];

  /** The life of access tokens for the API, in seconds. */
  @Seconds()
  readonly token_seconds: number = TOKEN_SECONDS.standard;
}

/** The changes of a resource. Absent fields stay unchanged; the audience never changes. */
export class UpdateOauthResourceRequest {
  /** A name that users and operators recognise. */
  @Text({ min: 1, max: MAX_LENGTH.name, pattern: /\S/, optional: true, example: 'All reports' })
  readonly name?: string;

  /** The scopes of the API. Replaces the list. */
  @ListOf(Scope(), { max: MOST_SCOPES, optional: true, example: ['reports:read'] })
  readonly scopes?: string[];

  /** The life of access tokens for the API, in seconds. */
  @Seconds({ optional: true })
  readonly token_seconds?: number;

  static changesOf({
    name,
    scopes,
    token_seconds: tokenSeconds,
  }: UpdateOauthResourceRequest): Partial<ResourceDetails> {
    return {
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes: [...new Set(scopes)] }),
      ...(tokenSeconds !== undefined && { tokenSeconds }),
    };
  }
}

export class ListOauthResourcesQuery extends ListQuery {
  /** The id of the last resource of the previous page. */
  @IdOf('oauthResource', { optional: true })
  readonly starting_after?: OauthResourceId;
}

@ApiSchema({ description: 'The resource.' })
export class OauthResourceResponse {
  @Example(exampleId('oauthResource'))
  id!: string;
  /** The URL of the API, as it was registered. */
  @Example('https://orders.example.com')
  audience!: string;
  /** The name that users and operators recognise. */
  @Example('Orders')
  name!: string;
  /** The scopes of the API. */
  @Example(['orders:read', 'orders:write'])
  scopes!: string[];
  /** The life of access tokens for the API, in seconds. */
  @Example(TOKEN_SECONDS.standard)
  token_seconds!: number;
  updated_at!: number;
  created_at!: number;

  static of({ id, audience, name, scopes, tokenSeconds, ...times }: OauthResource): OauthResourceResponse {
    return {
      id,
      audience,
      name,
      scopes: [...scopes],
      token_seconds: tokenSeconds,
      updated_at: epochSeconds(times.updatedAt),
      created_at: epochSeconds(times.createdAt),
    };
  }
}

@ApiSchema({ description: 'A page of the resources.' })
export class OauthResourceListResponse {
  /** The resources, newest first. */
  resources!: OauthResourceResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<OauthResource>): OauthResourceListResponse {
    return { resources: items.map((each) => OauthResourceResponse.of(each)), has_more: hasMore };
  }
}

@ApiSchema({ description: 'The resource was deleted.' })
export class OauthResourceDeletedResponse {
  @Example(exampleId('oauthResource'))
  id!: string;
  @Example('The resource was deleted.')
  message!: string;
}
