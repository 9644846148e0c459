import { epochSeconds } from '../../../kernel/clock.js';
import { Flag, HttpUrl, OneOf } from '../../../edge/http/fields.js';
import { EnumValues } from '../../../edge/openapi/plugin-schemas.js';
import type { Page } from '../domain/page.js';
import { REDIRECT_KINDS, type RedirectKind, type RedirectUrl } from '../domain/redirect-url.js';

export class RegisterRedirectUrlRequest {
  /** https; http also on loopback and for test apps. No credentials, no fragment. Compared in full. */
  @HttpUrl()
  readonly url: string;

  @OneOf(REDIRECT_KINDS)
  readonly kind: RedirectKind;

  /** Whether it applies where a request names no URL. It replaces the earlier default. */
  @Flag()
  readonly is_default: boolean = false;
}

export class RedirectUrlResponse {
  id: string;
  /** In canonical form. */
  url: string;
  @EnumValues(REDIRECT_KINDS)
  kind: RedirectKind;
  is_default: boolean;
  created_at: number;

  static of({ id, url, kind, isDefault, createdAt }: RedirectUrl): RedirectUrlResponse {
    return Object.assign(new RedirectUrlResponse(), {
      id,
      url,
      kind,
      is_default: isDefault,
      created_at: epochSeconds(createdAt),
    });
  }
}

export class RedirectUrlListResponse {
  /** Newest first. */
  redirect_urls: RedirectUrlResponse[];
  has_more: boolean;

  static of({ items, hasMore }: Page<RedirectUrl>): RedirectUrlListResponse {
    return Object.assign(new RedirectUrlListResponse(), {
      redirect_urls: items.map((redirectUrl) => RedirectUrlResponse.of(redirectUrl)),
      has_more: hasMore,
    });
  }
}
