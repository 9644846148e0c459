import { Inject, Injectable } from '@nestjs/common';
import { importPKCS8, SignJWT } from 'jose';
import { Clock } from '../../../kernel/clock.js';
import { Log } from '../../../kernel/log.js';
import { Config } from '../../../services/config/config.js';
import {
  type AuthorizationBinding,
  type AuthorizationRequest,
  type AuthorizationResponse,
  IdentityProvider,
  type ProviderConnection,
  type ProviderLogin,
} from '../domain/identity-provider.js';
import { ProviderRejected, ProviderUnavailable } from '../domain/oauth.errors.js';
import { OpenidMetadata } from './openid-metadata.js';
import { ProviderClient, type ProviderStatements } from './provider-client.js';
import { type Json, jsonObject, ProviderHttp } from './provider-http.js';
import { ProviderStrategy } from './provider-strategy.js';
import { OPENID, type ProfileFields, type Provider, PROVIDERS } from './providers.js';

const SIGNED_SECRET_LIVES_MS = 300_000;
const MAX_NAME = 256;

/** Identity providers through Passport, one strategy per login. */
@Injectable()
export class PassportIdentityProvider extends IdentityProvider {
  protected readonly providers: Readonly<Record<string, Provider>> = PROVIDERS;

  constructor(
    private readonly http: ProviderHttp,
    private readonly metadata: OpenidMetadata,
    private readonly clock: Clock,
    @Inject(Config) private readonly config: Pick<Config, 'baseUrl'>,
    @Inject(Log) private readonly log: Pick<Log, 'warn'>,
  ) {
    super();
  }

  override isBuiltIn(provider: string): boolean {
    return Object.hasOwn(this.providers, provider);
  }

  override begin(
    connection: ProviderConnection,
    { state, nonce }: AuthorizationBinding,
  ): Promise<AuthorizationRequest> {
    return this.logged(connection, async () => {
      const client = await this.clientOf(connection);
      const { authorizationParameters, scopes } = this.providerOf(connection);
      const callbackUrl = this.callbackUrl(connection);
      const strategy = new ProviderStrategy(client.endpoints, connection.clientId, scopes, callbackUrl);
      const { url, codeVerifier } = await strategy.authorize({
        ...authorizationParameters,
        ...(client.endpoints.openid && { nonce }),
        state,
      });
      return { url, codeVerifier, postsBack: authorizationParameters?.['response_mode'] === 'form_post' };
    });
  }

  override complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin> {
    return this.logged(connection, async () => {
      const client = await this.clientOf(connection);
      const code = client.codeOf(response);
      const secret = await this.secretOf(connection, client);
      const form = { code, redirect_uri: this.callbackUrl(connection), code_verifier: sent.codeVerifier };
      const tokens = await client.tokens(form, sent.nonce, secret);
      const { accessToken, refreshToken, idToken } = tokens;
      const statements = await client.statements(tokens);
      const { fields } = this.providerOf(connection);
      return {
        ...loginFrom({ ...statements, idToken, fields, firstPost: response.user }),
        accessToken,
        refreshToken,
      };
    });
  }

  private providerOf({ provider }: ProviderConnection): Provider {
    return this.isBuiltIn(provider) ? this.providers[provider]! : OPENID;
  }

  private async clientOf(connection: ProviderConnection): Promise<ProviderClient> {
    const { issuer } = connection;
    const endpoints = issuer === null ? this.providerOf(connection).endpoints : await this.metadata.endpoints(issuer);
    if (!endpoints) throw new ProviderRejected('the connection names no issuer');
    return new ProviderClient(this.http, this.metadata, endpoints, connection);
  }

  /** One per connection: an answer of one provider cannot reach the connection of another. */
  private callbackUrl({ id }: ProviderConnection): string {
    return `${this.config.baseUrl}/v1/auth/oauth/callback/${id}`;
  }

  private async secretOf(connection: ProviderConnection, { endpoints }: ProviderClient): Promise<string | null> {
    if (!this.providerOf(connection).signsClientSecret) return connection.clientSecret;
    return signedSecret(connection, endpoints.openid?.issuer ?? endpoints.token, this.clock.now());
  }

  /** The user learns only that the login failed; the reason is for the operator. */
  private async logged<T>({ appId, id, provider }: ProviderConnection, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProviderRejected || error instanceof ProviderUnavailable) {
        const { code, reason } = error;
        this.log.warn({ app_id: appId, connection_id: id, provider, error_type: code, reason }, 'identity provider');
      }
      throw error;
    }
  }
}

/** Apple's client secret: a JWT signed with the team's key. */
async function signedSecret(
  { clientId, teamId, keyId, privateKey }: ProviderConnection,
  audience: string,
  now: Date,
): Promise<string> {
  if (!teamId || !keyId || !privateKey)
    throw new ProviderRejected('the connection lacks team_id, key_id or private_key');
  try {
    return await new SignJWT({ iss: teamId, sub: clientId, aud: audience })
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuedAt(now)
      .setExpirationTime(new Date(now.getTime() + SIGNED_SECRET_LIVES_MS))
      .sign(await importPKCS8(privateKey, 'ES256'));
  } catch {
    throw new ProviderRejected('the private_key of the connection cannot sign ES256');
  }
}

/** All statements about a user. The first post came through the browser; the rest came from the provider itself. */
interface UserStatements extends ProviderStatements {
  readonly fields: ProfileFields;
  /** Verified. */
  readonly idToken?: Json;
  readonly firstPost: string | undefined;
}

/** The user who signed in. Throws `ProviderRejected` when the statements name no usable subject. */
function loginFrom(said: UserStatements): Omit<ProviderLogin, 'accessToken' | 'refreshToken'> {
  const { fields, idToken } = said;
  const profile = said.profile === undefined ? undefined : jsonObject(said.profile, 'the profile');
  const claims = { ...profile, ...idToken };
  const subject = subjectOf(claims[fields.subject]);
  return {
    subject,
    email: emailOf([primaryOf(said.emails), idToken, profile], fields),
    ...namesOf(claims, fields.name, said.firstPost),
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

/** The value as text that PostgreSQL can store: no control characters, no lone surrogates, at most `maxLength` characters; empty for any other type. */
function text(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return '';
  const clean = value
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...clean].slice(0, maxLength).join('');
}
