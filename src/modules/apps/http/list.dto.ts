import { IdOf, MAX_LENGTH, OneOf, Text } from '../../../edge/http/fields.js';
import { ListQuery } from '../../../edge/http/list.dto.js';
import { KEY_KINDS, type KeyKind } from '../domain/api-key.js';
import { REDIRECT_KINDS, type RedirectKind } from '../domain/redirect-url.js';

export class ListAppsQuery extends ListQuery {
  /** Lists only apps whose name contains this text, in upper or lower case. */
  @Text({ optional: true, min: 1, max: MAX_LENGTH.name })
  readonly name?: string;

  /** The id of the last app of the previous page. */
  @IdOf('app', { optional: true })
  readonly starting_after?: string;
}

export class ListKeysQuery extends ListQuery {
  /** Lists only keys of this kind. */
  @OneOf(KEY_KINDS, { optional: true })
  readonly kind?: KeyKind;

  /** The id of the last key of the previous page. */
  @IdOf('key', { optional: true })
  readonly starting_after?: string;
}

export class ListRedirectUrlsQuery extends ListQuery {
  /** Lists only redirect URLs of this kind. */
  @OneOf(REDIRECT_KINDS, { optional: true })
  readonly kind?: RedirectKind;

  /** The id of the last redirect URL of the previous page. */
  @IdOf('redirectUrl', { optional: true })
  readonly starting_after?: string;
}

export class ListOauthConnectionsQuery extends ListQuery {
  /** The id of the last connection of the previous page. */
  @IdOf('oauthConnection', { optional: true })
  readonly starting_after?: string;
}
