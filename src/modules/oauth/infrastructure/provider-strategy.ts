import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import { requireVersion } from '../../../postgres/written-for.js';
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

// `_request` of the package under passport-oauth2 is private. test/modules/oauth/passport-identity-provider.spec.ts is its test.
requireVersion('oauth', '0.10');

type Stored = (error: null, value: string) => void;

/** passport-oauth2 sends PKCE and exchanges the code. Connections are rows, so each call makes a strategy, without its middleware. */
export class ProviderStrategy extends OAuth2Strategy {
  private parameters: Readonly<Record<string, string>> = {};
  private codeVerifier = '';
  private nonce = '';
  private firstPost: string | undefined;

  constructor(
    private readonly provider: Provider,
    private readonly endpoints: ProviderEndpoints,
    private readonly connection: ProviderConnection,
    private readonly secret: string | null,
    callbackURL: string,
    private readonly checks: OpenidChecks,
    private readonly http: ProviderHttp,
  ) {
    // Holds only the verifier of this call: another statement spends the state. The types know no store for PKCE.
    const store = {
      store: (_request: Request, codeVerifier: string | undefined, _state: unknown, _meta: unknown, done: Stored) => {
        this.codeVerifier = codeVerifier ?? '';
        done(null, this.parameters['state']!);
      },
      // passport-oauth2 sends a text as the verifier. A login without PKCE has none.
      verify: (_request: Request, _state: unknown, done: (error: null, verifier: string | true) => void) =>
        done(null, (connection.sendsPkce && this.codeVerifier) || true),
    } as unknown as OAuth2Strategy.StateStore;
    super(
      {
        authorizationURL: endpoints.authorization,
        tokenURL: endpoints.token,
        clientID: connection.clientId,
        clientSecret: secret ?? '',
        callbackURL,
        scope: [...(connection.scopes ?? provider.scopes)],
        pkce: connection.sendsPkce,
        store,
        skipUserProfile: true,
      },
      (accessToken: string, refreshToken: unknown, tokens: Json, _profile: unknown, done) => {
        this.userOf(accessToken, refreshToken, tokens).then((login) => done(null, login), done);
      },
    );
    // The request of the package has no limit of time and size, and sends the client secret in the form only.
    Object.assign(this._oauth2, {
      _request: (_post: string, url: string, _headers: object, form: string, _none: null, done: Stored): void =>
        void this.tokensAt(url, form).then(
          (tokens) => done(null, JSON.stringify(tokens)),
          (refusal: unknown) => this.error(refusal),
        ),
    });
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
    const code = this.checks.codeOf(response);
    this.codeVerifier = sent.codeVerifier;
    this.nonce = sent.nonce;
    this.firstPost = response.user;
    return new Promise<ProviderLogin>((resolve, reject) => {
      Object.assign(this, { success: resolve, error: reject });
      this.authenticate({ query: { code } } as unknown as Request);
    });
  }

  /** Discovery does not say how the client was registered, so methods are tried in order. A refused client leaves the code unspent. */
  private async tokensAt(url: string, form: string): Promise<Json> {
    const { appId } = this.connection;
    const methods = this.endpoints.clientAuthentication;
    for (const [i, method] of methods.entries()) {
      const { status, body } = await this.http.send(url, {
        method: 'POST',
        appId,
        ...this.authenticated(form, method),
      });
      const tokens = jsonObject(
        await conform('token response', () => JSON.parse(body) as unknown),
        'the token response',
      );
      const { error } = tokens;
      if (error === 'invalid_client' && i + 1 < methods.length) continue;
      // Some providers return errors with status 200.
      if (status !== 200 || error !== undefined)
        throw new ProviderRejected(`the token endpoint answered ${status} ${errorCode(error)}`);
      if (!tokens['access_token']) throw new ProviderRejected('the token response has no access_token');
      return tokens;
    }
    throw new ProviderRejected('the provider accepts no client secret');
  }

  /** Client authentication by RFC 6749, section 2.3.1. Without a secret only PKCE proves the client. */
  private authenticated(form: string, method: ClientAuthentication) {
    const fields = new URLSearchParams(form);
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
    if (this.secret === null) fields.delete('client_secret');
    else if (method === 'client_secret_basic') {
      headers['authorization'] = basicHeader(this.connection.clientId, this.secret);
      for (const name of ['client_id', 'client_secret']) fields.delete(name);
    }
    return { headers, body: fields.toString() };
  }

  private async userOf(accessToken: string, refreshToken: unknown, tokens: Json): Promise<ProviderLogin> {
    const { profile: profileUrl, emails: emailsUrl } = this.endpoints;
    const idToken = await this.checks.verified(tokens, this.nonce);
    const { profile, userinfoDenial = null } = idToken
      ? await this.checks.userinfo(accessToken, idToken)
      : { profile: await this.statement(profileUrl, accessToken) };
    // GitHub returns 403 or 404 to a GitHub App without the permission "Email addresses".
    const emails = await this.statement(emailsUrl, accessToken, [403, 404]);
    const said = { profile, emails, idToken, fields: this.provider.fields, firstPost: this.firstPost };
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
function basicHeader(clientId: string, secret: string): string {
  return `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64')}`;
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
