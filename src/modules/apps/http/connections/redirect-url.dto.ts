import { ApiSchema } from '@nestjs/swagger';
import { epochSeconds } from '../../../../kernel/clock.js';
import { Flag, HttpUrl, OneOf } from '../../../../edge/http/fields.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { REDIRECT_KINDS, type RedirectKind, type RedirectUrl } from '../../domain/redirect-url.js';
import { exampleId } from '../../../../kernel/examples.js';

export class RegisterRedirectUrlRequest {
  /** The URL uses https, or http on loopback and for test apps. It has no credentials and no fragment, and is compared in full. */
  @HttpUrl({ example: 'http://localhost:3001/account' })
  readonly url!: string;

  /** The users who are sent to the URL: those who log in, those who register, or those who were invited. */
  @OneOf(REDIRECT_KINDS)
  readonly kind!: RedirectKind;

  /** Whether the URL applies if a request names none. It replaces the earlier default. */
  @Flag()
  readonly is_default: boolean = false;
}

@ApiSchema({ description: 'The redirect URL as it is registered.' })
export class RedirectUrlResponse {
  @Example(exampleId('redirectUrl'))
  id!: string;
  /** The URL in canonical form. */
  @Example('http://localhost:3001/welcome')
  url!: string;
  /** The users who are sent to the URL: those who log in, those who register, or those who were invited. */
  @EnumValues(REDIRECT_KINDS)
  kind!: RedirectKind;
  /** Whether the URL applies if a request names none of its kind. */
  @Example(true)
  is_default!: boolean;
  created_at!: number;

  static of({ id, url, kind, isDefault, createdAt }: RedirectUrl): RedirectUrlResponse {
    return { id, url, kind, is_default: isDefault, created_at: epochSeconds(createdAt) };
  }
}

@ApiSchema({ description: 'A page of the registered redirect URLs.' })
export class RedirectUrlListResponse {
  /** The redirect URLs, newest first. */
  redirect_urls!: RedirectUrlResponse[];
  has_more!: boolean;
}
