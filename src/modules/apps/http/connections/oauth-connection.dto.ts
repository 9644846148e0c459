import { ApiSchema } from '@nestjs/swagger';
import type { ConnectionOptions } from '../../application/manage-oauth-connections.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import { ListOf } from '../../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../../edge/http/field.js';
import { Flag, HttpUrl, MAX_LENGTH, OneOf, Text } from '../../../../edge/http/fields.js';
import {
  type OauthConnection,
  PROVIDER_NAME,
  USERINFO_NEEDS,
  type UserinfoNeed,
} from '../../domain/oauth-connection.js';
import { given } from '../wire-names.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';

const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

class ConnectionRequest {
  /** The issuer URL of an OpenID Connect provider, exactly as its tokens spell it. */
  @HttpUrl(RESETTABLE)
  readonly issuer?: string | null;

  /** The id of the developer team, for Apple only. */
  @Text({ min: 1, ...RESETTABLE })
  readonly team_id?: string | null;

  /** The id of the signing key, for Apple only. */
  @Text({ min: 1, ...RESETTABLE })
  readonly key_id?: string | null;

  /** The signing key (PKCS #8 in PEM), for Apple only. It is never returned. */
  @Text({ min: 1, max: MAX_LENGTH.token, optional: true })
  readonly private_key?: string;

  /**
   * Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for
   * microsoft and facebook.
   */
  @Flag({ optional: true })
  readonly trusts_email?: boolean;

  /**
   * The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an
   * empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then
   * trusted with addresses that no user has verified: a login with one that another user has verified ends with
   * `error=account_exists`. Replaces the list; `null` empties it.
   */
  @ListOf(Text({ max: 253 }), { max: 100, ...RESETTABLE })
  readonly email_domains?: string[] | null;

  /**
   * Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a
   * login begins with `redirect=true` or a `code_challenge` of the app.
   */
  @Flag({ optional: true })
  readonly pkce?: boolean;

  /**
   * With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or
   * 404. With `optional`, the id_token suffices for every user.
   */
  @OneOf(USERINFO_NEEDS, { optional: true })
  readonly userinfo?: UserinfoNeed;
}

export class CreateOauthConnectionRequest extends ConnectionRequest {
  /**
   * The provider's name: google, microsoft, apple, github, discord, slack, facebook, okta, linkedin, gitlab, twitch, or a name of your
   * choice for the OpenID Connect provider of `issuer` or `domain`.
   */
  @Text({
    min: 1,
    max: 64,
    pattern: PROVIDER_NAME,
    patternName: 'lower-case letters, digits, - and _',
    example: 'github',
  })
  readonly provider!: string;

  /** The app's id at the provider. */
  @Text({ min: 1, example: 'demo-client' })
  readonly client_id!: string;

  /** The app's secret at the provider. It is never returned. */
  @Text({ min: 1, max: MAX_LENGTH.token, optional: true, example: 'demo-secret' })
  readonly client_secret?: string;

  /** The host of an OpenID Connect provider, in place of `issuer`: the issuer is `https://{domain}`. */
  @Text({ min: 1, max: 253, pattern: HOST, patternName: 'a host name', optional: true })
  readonly domain?: string;
}

/** The changes of a connection. Absent fields stay unchanged; `null` removes a value. */
export class UpdateOauthConnectionRequest extends ConnectionRequest {
  /** The app's id at the provider. */
  @Text({ min: 1, optional: true, example: 'other-client' })
  readonly client_id?: string;

  /** The app's secret at the provider. It is never returned. */
  @Text({ min: 1, max: MAX_LENGTH.token, optional: true })
  readonly client_secret?: string;
}

/** The settings in a request to connect, with the issuer that `domain` stands for. Refuses an `issuer` that differs from it. */
export function creationIn(
  request: CreateOauthConnectionRequest,
): ConnectionOptions & { readonly provider: string; readonly clientId: string } {
  const { provider, client_id: clientId, domain, issuer } = request;
  const named = domain === undefined ? issuer : `https://${domain.toLowerCase()}`;
  if (domain !== undefined && issuer !== undefined && issuer !== null && issuer.replace(/\/$/, '') !== named)
    throw new InvalidRequest([{ field: 'domain', rule: 'issuer', message: 'must be the host of issuer' }]);
  return { ...optionsIn(request), ...given({ issuer: issuer ?? named }), provider, clientId };
}

/** The settings of a connection in a request. */
export function optionsIn(request: UpdateOauthConnectionRequest): ConnectionOptions {
  return given({
    clientId: request.client_id,
    clientSecret: request.client_secret,
    issuer: request.issuer,
    teamId: request.team_id,
    keyId: request.key_id,
    privateKey: request.private_key,
    trustsEmail: request.trusts_email,
    emailDomains: request.email_domains,
    pkce: request.pkce,
    userinfo: request.userinfo,
  });
}

@ApiSchema({ description: 'The connection without its secrets.' })
export class OauthConnectionResponse {
  @Example(exampleId('oauthConnection'))
  id!: string;
  app_id!: string;
  /** The name of the identity provider, as it stands in the paths of a login. */
  @Example(EXAMPLES.provider)
  provider!: string;
  /** The app's id at the provider. */
  @Example('demo-client')
  client_id!: string;
  /** The issuer URL; empty if none was given. */
  @Example('')
  issuer!: string;
  /** The id of Apple's developer team; empty if none was given. */
  @Example('')
  team_id!: string;
  /** The id of Apple's signing key; empty if none was given. */
  @Example('')
  key_id!: string;
  /** Whether an email that this provider calls verified counts as proof of it, within `email_domains`. */
  trusts_email!: boolean;
  /** The domains whose addresses the provider is trusted with, in lower-case ASCII (IDNA). */
  @Example(['example.com'])
  email_domains!: readonly string[];
  /** Whether logins send PKCE (RFC 7636) to the provider. */
  @Example(true)
  pkce!: boolean;
  /** Whether a new user whose id_token has no email is created while the userinfo endpoint denies its answer. */
  @EnumValues(USERINFO_NEEDS)
  @Example('required')
  userinfo!: UserinfoNeed;
  /** The redirect URI to enter at the provider. */
  @Example(`https://auth.example.com/v1/auth/oauth/callback/${exampleId('oauthConnection')}`)
  callback_url!: string;
  updated_at!: number;
  created_at!: number;

  static of(connection: OauthConnection, baseUrl: string): OauthConnectionResponse {
    return {
      id: connection.id,
      app_id: connection.appId,
      provider: connection.provider,
      client_id: connection.clientId,
      issuer: connection.issuer ?? '',
      team_id: connection.teamId ?? '',
      key_id: connection.keyId ?? '',
      trusts_email: connection.trustsEmail,
      email_domains: connection.emailDomains,
      pkce: connection.sendsPkce(),
      userinfo: connection.userinfo,
      callback_url: `${baseUrl}/v1/auth/oauth/callback/${connection.id}`,
      updated_at: epochSeconds(connection.updatedAt),
      created_at: epochSeconds(connection.createdAt),
    };
  }
}

@ApiSchema({ description: 'A page of the connections, without their secrets.' })
export class OauthConnectionListResponse {
  /** The connections, newest first. */
  oauth_connections!: OauthConnectionResponse[];
  has_more!: boolean;
}
