import type { Request } from 'express';
import { type ClientAuth, ClientSecretPost, None } from 'oauth4webapi';
import OAuth2Strategy from 'passport-oauth2';
import type {
  AuthorizationBinding,
  AuthorizationRequest,
  AuthorizationResponse,
  ProviderConnection,
  ProviderLogin,
} from '../domain/identity-provider.js';
import { ProviderRejected } from '../domain/oauth.errors.js';
import type { OpenidChecks } from './openid-checks.js';
import { conform, errorCode, type Json, jsonObject, jsonOf, type ProviderHttp } from './provider-http.js';
import type { ClientAuthentication, ProfileFields, Provider, ProviderEndpoints } from './providers.js';

const MAX_NAME = 256;

type Stored = (error: null, value: string) => void;

/**
 * passport-oauth2 makes the authorization request, and oauth4webapi exchanges the code, because that takes limits of time and size.
 * Connections are rows, so each call makes a strategy, without its middleware.
 */
export class ProviderStrategy extends OAuth2Strategy {
  private parameters: Readonly<Record<string, string>> = {};
  private codeVerifier = '';

  constructor(
    private readonly provider: Provider,
    private readonly endpoints: ProviderEndpoints,
    private readonly connection: ProviderConnection,
    private readonly secret: string | null,
    private readonly callbackURL: string,
    private readonly checks: OpenidChecks,
    private readonly http: ProviderHttp,
  ) {
    // Holds only the verifier of this call: another statement spends the state. The types know no store for PKCE.
    const store = {
      store: (_request: Request, codeVerifier: string | undefined, _state: unknown, _meta: unknown, done: Stored) => {
        this.codeVerifier = codeVerifier ?? '';
        done(null, this.parameters['state']!);
      },
    } as unknown as OAuth2Strategy.StateStore;
    super(
      {
        authorizationURL: endpoints.authorization,
        tokenURL: endpoints.token,
        clientID: connection.clientId,
        clientSecret: '',
        callbackURL,
        scope: [...(connection.scopes ?? provider.scopes)],
        pkce: connection.sendsPkce,
        store,
      },
      () => {},
    );
  }

  async begin({ state, nonce, parameters }: AuthorizationBinding): Promise<AuthorizationRequest> {
    const { authorizationParameters } = this.provider;
    this.parameters = { ...authorizationParameters, ...parameters, ...(this.endpoints.openid && { nonce }), state };
    const url = await new Promise<string>((resolve, reject) => {
      Object.assign(this, { redirect: resolve, error: reject });
      // The strategy begins a login if the query contains no `code`.
      this.authenticate({ query: {} } as Request);
    });
    const postsBack = authorizationParameters?.['response_mode'] === 'form_post';
    return { url, codeVerifier: this.codeVerifier, postsBack };
  }

  override authorizationParams(): object {
    return { ...this.parameters };
  }

  async complete(
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin> {
    const callback = this.checks.callbackOf(response);
    // A login that began with PKCE has a verifier also after the setting was switched off.
    const tokens = await this.tokensFor(callback, this.connection.sendsPkce ? sent.codeVerifier : '');
    return this.loginBy(tokens, sent.nonce, response.user);
  }

  /** Discovery does not say how the client was registered, so methods are tried in order. A refused client leaves the code unspent. */
  private async tokensFor(callback: URLSearchParams, codeVerifier: string): Promise<Json> {
    const methods = this.endpoints.clientAuthentication;
    for (const [i, method] of methods.entries()) {
      const response = await this.checks.exchange(
        callback,
        this.authentication(method),
        this.callbackURL,
        codeVerifier,
      );
      const tokens = jsonObject(await conform('token response', () => response.json()), 'the token response');
      const { error } = tokens;
      if (error === 'invalid_client' && i + 1 < methods.length) continue;
      // Some providers return errors with status 200.
      if (response.status !== 200 || error !== undefined)
        throw new ProviderRejected(`the token endpoint answered ${response.status} ${errorCode(error)}`);
      if (!tokens['access_token']) throw new ProviderRejected('the token response has no access_token');
      return tokens;
    }
    throw new ProviderRejected('the provider accepts no client secret');
  }

  /** Client authentication by RFC 6749, section 2.3.1. Without a secret only PKCE proves the client. */
  private authentication(method: ClientAuthentication): ClientAuth {
    const { secret } = this;
    if (secret === null) return None();
    return method === 'client_secret_post' ? ClientSecretPost(secret) : basicBy(secret);
  }

  private async loginBy(tokens: Json, nonce: string, firstPost: string | undefined): Promise<ProviderLogin> {
    const { profile: profileUrl, emails: emailsUrl } = this.endpoints;
    const idToken = await this.checks.verified(tokens, nonce);
    const { access_token: accessToken, refresh_token: refreshToken } = tokens as Json & {
      readonly access_token: string;
    };
    const { profile, userinfoDenial = null } = idToken
      ? await this.checks.userinfo(accessToken, idToken)
      : { profile: await this.statement(profileUrl, accessToken) };
    // GitHub returns 403 or 404 to a GitHub App without the permission "Email addresses".
    const emails = await this.statement(emailsUrl, accessToken, [403, 404]);
    const said = { profile, emails, idToken, fields: this.provider.fields, firstPost };
    return {
      ...loginFrom(said),
      accessToken,
      refreshToken: typeof refreshToken === 'string' ? refreshToken : '',
      userinfoDenial,
    };
  }

  private async statement(
    url: string | undefined,
    accessToken: string,
    denials: readonly number[] = [],
  ): Promise<unknown> {
    if (url === undefined) return undefined;
    const headers = { authorization: `Bearer ${accessToken}` };
    const response = await this.http.send(url, { appId: this.connection.appId, headers });
    return denials.includes(response.status) ? undefined : jsonOf(url, response);
  }
}

/** RFC 6749, section 2.3.1, but `-`, `.` and `_` stay unencoded: providers that do not decode would see another client id. */
function basicBy(secret: string): ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const pair = `${formEncoded(clientId)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** A field is undefined if the provider does not state it. `firstPost` came through the browser, the rest from the provider itself. */
interface UserStatements {
  readonly fields: ProfileFields;
  readonly profile: unknown;
  readonly emails: unknown;
  /** Verified. */
  readonly idToken: Json | undefined;
  readonly firstPost: string | undefined;
}

function loginFrom(said: UserStatements): Omit<ProviderLogin, 'accessToken' | 'refreshToken' | 'userinfoDenial'> {
  const { fields, idToken } = said;
  const profile = said.profile === undefined ? undefined : jsonObject(said.profile, 'the profile');
  const claims = { ...profile, ...idToken };
  const subject = subjectOf(claims[fields.subject]);
  return {
    subject,
    email: emailOf([primaryOf(said.emails), idToken, profile], fields),
    ...namesOf(claims, fields.name, said.firstPost),
    claims,
  };
}

function subjectOf(value: unknown): string {
  const subject = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof subject === 'string' && subject !== '' && subject.length <= 255 && subject === text(subject, 255))
    return subject;
  throw new ProviderRejected('the provider names no usable subject');
}

/** Address and verification come from the same statement: the verification of one address says nothing about another. */
function emailOf(statements: readonly (Json | undefined)[], fields: ProfileFields): ProviderLogin['email'] {
  const statement = statements.find((said) => typeof said?.['email'] === 'string' && said['email'] !== '');
  if (!statement) return null;
  return {
    address: statement['email'] as string,
    isVerified: fields.verifiedValues.includes(statement[fields.emailVerified]),
  };
}

function primaryOf(emails: unknown): Json | undefined {
  return Array.isArray(emails) ? emails.find((entry: Json | null) => entry?.['primary'] === true) : undefined;
}

function namesOf(claims: Json, nameField: string, firstPost: string | undefined) {
  const posted = namesOfFirstPost(firstPost);
  const firstName = text(claims['given_name'] ?? posted.firstName, MAX_NAME);
  const lastName = text(claims['family_name'] ?? posted.lastName, MAX_NAME);
  const middleName = text(claims['middle_name'], MAX_NAME);
  if (firstName || lastName) return { firstName, middleName, lastName };
  const words = text(claims[nameField], MAX_NAME).split(/\s+/);
  const last = words.length > 1 ? words.pop() : undefined;
  return { firstName: words.join(' '), middleName, lastName: last ?? '' };
}

function namesOfFirstPost(json = '{}'): { firstName?: unknown; lastName?: unknown } {
  try {
    return (JSON.parse(json) as { name?: object } | null)?.name ?? {};
  } catch {
    return {};
  }
}

/** Text that PostgreSQL can store: no control characters, no lone surrogates, at most `maxLength` characters. */
function text(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return '';
  const clean = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...clean].slice(0, maxLength).join('');
}
