import { ListOf } from '../../../edge/http/compound-fields.js';
import { HttpUrl, Text } from '../../../edge/http/fields.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { RequestedOfApp, ShownOfApp } from '../../apps/index.js';
import { AUTHORIZATION_SERVER, type AuthorizationServerSettings } from '../domain/authorization-server.js';

/**
 * Makes the app an authorization server with the issuer `{base_url}/oauth2/{app_id}`. `null` switches it off: all its tokens end, and
 * stay ended when it is switched on again.
 */
@RequestedOfApp(AUTHORIZATION_SERVER)
export class AuthorizationServerRequest {
  /** The page of the app on which users sign in and consent: https, or http on loopback. */
  @HttpUrl({ example: 'http://localhost:3001/login' })
  readonly login_url!: string;

  /** Must be empty: client metadata documents are not supported yet. */
  @ListOf(Text({ min: 1, max: 255 }), { max: 0, optional: true, example: [] })
  readonly client_metadata_hosts?: string[];
}

/** The authorization server of the app; null while it is switched off. */
@ShownOfApp(AUTHORIZATION_SERVER)
export class AuthorizationServerResponse {
  /** The page of the app on which users sign in and consent. */
  @Example('http://localhost:3001/login')
  readonly login_url!: string;
  /** The hosts of client metadata documents. Always empty. */
  @Example([])
  readonly client_metadata_hosts!: string[];

  static of(this: void, settings: AuthorizationServerSettings | null): AuthorizationServerResponse | null {
    return settings && { login_url: settings.loginUrl, client_metadata_hosts: [] };
  }
}
