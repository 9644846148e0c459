import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../../kernel/management-role.js';
import type { Requester } from '../../../kernel/requester.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { actorOf, ManagementSessions } from '../../apps/index.js';
import {
  type AuthorizationResponse,
  OperatorsIdentityProvider,
  type ProviderConnection,
  type ProviderLogin,
} from '../domain/identity-provider.js';
import {
  InvalidOauthState,
  OauthStateExpired,
  OperatorHasNoRole,
  OperatorProofTooWeak,
  OperatorSignInNotConfigured,
} from '../domain/oauth.errors.js';
import { OperatorSignInRepository } from '../domain/operator-sign-in.repository.js';
import { OperatorSettings, type OperatorsProvider } from '../domain/operator-settings.js';

const MOST_MS = 600_000;
/** The longest age of a requested proof. */
const PROOF_SECONDS = 300;
/** The clock of the provider may be late. */
const SKEW_SECONDS = 60;
/** Outbound calls are limited per app; those for operators count as one more app. */
const OPERATORS = 'operators' as AppId & OauthConnectionId;

export const OPERATOR_CALLBACK_PATH = '/operators/sign_in/callback';

/** A cookie with a MAC keeps it, so that anonymous callers fill no table. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly returnTo: string;
  readonly until: number;
}

/** Operators sign in at their own OpenID provider, by the authorization code flow with PKCE. */
@Injectable()
export class OperatorSignIn {
  private readonly connection: ProviderConnection | undefined;
  private readonly spent = new RecentlyUsed<string, true>(10_000);

  constructor(
    private readonly settings: OperatorSettings,
    private readonly provider: OperatorsIdentityProvider,
    private readonly sessions: ManagementSessions,
    private readonly signIns: OperatorSignInRepository,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.connection = settings.consoleOidc && {
      ...settings.consoleOidc,
      id: OPERATORS,
      appId: OPERATORS,
      provider: 'openid',
      teamId: null,
      keyId: null,
      privateKey: null,
      sendsPkce: true,
      callbackPath: OPERATOR_CALLBACK_PATH,
    };
  }

  get issuer(): string | null {
    return this.settings.consoleOidc?.issuer ?? null;
  }

  /** `kept` is the text for the browser's cookie. With `isProof` the provider asks for a new proof unless the last one is recent. */
  async begin(returnTo: string, isProof = false): Promise<{ url: string; state: string; kept: string }> {
    const { consoleOidc } = this.settings;
    if (!this.connection || !consoleOidc) throw new OperatorSignInNotConfigured();
    const state = this.tokens.mint();
    const nonce = this.tokens.mint();
    const { url, codeVerifier } = await this.provider.begin(this.connection, {
      state,
      nonce,
      parameters: proofParameters(consoleOidc, isProof),
    });
    const begun: Begun = {
      state,
      nonce,
      codeVerifier,
      returnTo: pageOfConsole(returnTo),
      until: this.clock.now().getTime() + MOST_MS,
    };
    const text = Buffer.from(JSON.stringify(begun)).toString('base64url');
    return { url, state, kept: `${text}.${this.macOf(text)}` };
  }

  async complete(
    { state, kept = '' }: { readonly state: string; readonly kept: string | undefined },
    response: AuthorizationResponse,
    from: Omit<Requester, 'actor'>,
  ): Promise<{ token: string; returnTo: string }> {
    if (!this.connection || !this.settings.consoleOidc) throw new OperatorSignInNotConfigured();
    const begun = this.read(kept);
    if (begun.state !== state) throw new InvalidOauthState();
    if (begun.until < this.clock.now().getTime() || this.spent.get(state)) throw new OauthStateExpired();
    // This keeps one sign-in from calling the provider again and again.
    this.spent.set(state, true);
    const login = await this.provider.complete(this.connection, response, begun);
    const { roles, registration } = this.settings.consoleOidc;
    const name = nameOf(login);
    const role = highestRole(provenClaims(login), roles);
    if (!role) {
      const missing = roles.map(({ claim }) => claim).filter((claim) => claimAt(login.claims, claim) === undefined);
      this.log.warn(
        { operator: name, error_type: OperatorHasNoRole.code, missing_claims: missing },
        'operator sign-in',
      );
      throw new OperatorHasNoRole();
    }
    const provedAt = authenticatedAt(login.claims, this.clock.now());
    this.requireProof(login.claims, provedAt);
    const operator = { registration, name, role, provedAt };
    // Only a completed sign-in is stored: anonymous callers fill no table.
    return this.transactions.run(async () => {
      if (!(await this.signIns.spend(this.tokens.hash('operator_sign_in_state', state)))) throw new OauthStateExpired();
      const { token } = await this.sessions.begin({ ...from, actor: actorOf(operator) }, operator);
      return { token, returnTo: begun.returnTo };
    });
  }

  private requireProof({ acr }: ProviderLogin['claims'], provedAt: Date | null): void {
    const { maxAgeSeconds, acrValues } = this.settings.consoleOidc!;
    const age = provedAt ? this.clock.now().getTime() - provedAt.getTime() : Infinity;
    const isRecent = maxAgeSeconds === null || age <= (maxAgeSeconds + SKEW_SECONDS) * 1_000;
    const isOfKind = acrValues.length === 0 || (typeof acr === 'string' && acrValues.includes(acr));
    if (!isRecent || !isOfKind) throw new OperatorProofTooWeak();
  }

  private read(kept: string): Begun {
    const [text = '', mac = ''] = kept.split('.');
    if (mac !== this.macOf(text)) throw new InvalidOauthState();
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Begun;
  }

  private macOf(text: string): string {
    return this.tokens.hash('operator_sign_in', text).toString('base64url');
  }
}

function proofParameters(
  { maxAgeSeconds, acrValues }: OperatorsProvider,
  isProof: boolean,
): Readonly<Record<string, string>> {
  const maxAge = Math.min(maxAgeSeconds ?? Infinity, isProof ? PROOF_SECONDS : Infinity);
  return {
    ...(maxAge !== Infinity && { max_age: String(maxAge) }),
    ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
  };
}

/** The provider states a number or text. The result is never later than now. */
function authenticatedAt({ auth_time: stated }: ProviderLogin['claims'], now: Date): Date | null {
  const seconds = typeof stated === 'string' && /^\d{1,12}$/.test(stated) ? Number(stated) : stated;
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds) || seconds <= 0) return null;
  return new Date(Math.min(seconds * 1_000, now.getTime()));
}

/** Falls back to the console itself, also for a path that does not fit into the cookie. */
function pageOfConsole(path: string): string {
  const base = 'http://localhost';
  if (path.length > 512 || !URL.canParse(path, base)) return '/console';
  const { origin, pathname, search } = new URL(path, base);
  return origin === base && /^\/console(\/|$)/.test(pathname) ? pathname + search : '/console';
}

/** The operator may choose an address that the provider has not verified, so it proves no name. */
const provenAddress = ({ email }: ProviderLogin): string | undefined =>
  email?.isVerified && /^[\x21-\x7e]{3,254}$/.test(email.address) ? email.address : undefined;

const nameOf = (login: ProviderLogin): string => provenAddress(login) ?? `sub:${login.subject}`;

/** Without a proven address a person could take the role of another one by its address. */
const provenClaims = (login: ProviderLogin): ProviderLogin['claims'] => ({
  ...login.claims,
  email: provenAddress(login),
});

export function highestRole(
  claims: ProviderLogin['claims'],
  rules: OperatorsProvider['roles'],
): ManagementRole | undefined {
  const given = rules.filter(({ claim, value }) => [claimAt(claims, claim)].flat().includes(value));
  return MANAGEMENT_ROLES.find((role) => given.some((rule) => rule.role === role));
}

/** A claim by its name, or by a path such as `realm_access.roles`. */
function claimAt(claims: ProviderLogin['claims'], name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (at, part) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, part)
          ? (at as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
}
