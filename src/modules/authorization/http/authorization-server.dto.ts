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

  /**
   * The hosts, as `host` or `host:port`, whose Client ID Metadata Documents make clients. Without a list those of before stay. The clients of a
   * host that is left out are deleted, and their tokens end.
   */
  @ListOf(Text({ min: 1, max: 255 }), { max: 50, optional: true, example: ['clients.example.com'] })
  readonly client_metadata_hosts?: string[];
}

/** The authorization server of the app; null while it is switched off. */
@ShownOfApp(AUTHORIZATION_SERVER)
export class AuthorizationServerResponse {
  /** The page of the app on which users sign in and consent. */
  @Example('http://localhost:3001/login')
  readonly login_url!: string;
  /** The hosts whose Client ID Metadata Documents make clients. */
  @Example([])
  readonly client_metadata_hosts!: string[];

  static of(this: void, settings: AuthorizationServerSettings | null): AuthorizationServerResponse | null {
    return settings && { login_url: settings.loginUrl, client_metadata_hosts: [...(settings.metadataHosts ?? [])] };
  }
}
