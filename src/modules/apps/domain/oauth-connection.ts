import { createPrivateKey } from 'node:crypto';
import type { FieldError } from '../../../kernel/domain-error.js';
import { emailDomain } from '../../../kernel/email-domain.js';
import { type DataOf, evolve } from '../../../kernel/entity.js';
import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import { snakeCase } from '../../../kernel/snake-case.js';
import type { Sealed } from '../../../kernel/vault.js';
import { InvalidOauthConnection } from './apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

interface ProviderRules {
  readonly required: readonly ('clientSecret' | 'issuer' | 'teamId' | 'keyId' | 'privateKey')[];
  /** Whether an issuer of the operator's own (a tenant, say) may stand in for the provider's public one. */
  readonly takesIssuer: boolean;
  readonly trustsEmail: boolean;
  readonly refusesPkce?: true;
}

const BUILT_IN: Readonly<Record<string, ProviderRules>> = {
  google: { required: ['clientSecret'], takesIssuer: true, trustsEmail: true },
  // Any tenant's administrator can put any address into Microsoft's email claim.
  microsoft: { required: ['clientSecret'], takesIssuer: true, trustsEmail: false },
  apple: { required: ['teamId', 'keyId', 'privateKey'], takesIssuer: true, trustsEmail: true },
  github: { required: ['clientSecret'], takesIssuer: false, trustsEmail: true },
  discord: { required: ['clientSecret'], takesIssuer: false, trustsEmail: true },
  slack: { required: ['clientSecret'], takesIssuer: true, trustsEmail: true },
  // Facebook does not say whether an address is verified.
  facebook: { required: ['clientSecret'], takesIssuer: false, trustsEmail: false },
  okta: { required: ['issuer', 'clientSecret'], takesIssuer: true, trustsEmail: true },
  // LinkedIn answers `invalid_client` to a code_verifier.
  linkedin: { required: ['clientSecret'], takesIssuer: false, trustsEmail: true, refusesPkce: true },
  gitlab: { required: ['clientSecret'], takesIssuer: true, trustsEmail: true },
  twitch: { required: ['clientSecret'], takesIssuer: false, trustsEmail: true },
};
const ANY_OIDC_PROVIDER: ProviderRules = { required: ['issuer', 'clientSecret'], takesIssuer: true, trustsEmail: true };

/** Whether a new user needs the answer of the userinfo endpoint, if the id_token has no email. */
export const USERINFO_NEEDS = ['required', 'optional'] as const;
export type UserinfoNeed = (typeof USERINFO_NEEDS)[number];

/** The form of a provider's name, which stands in URLs. */
export const PROVIDER_NAME = /^[a-z0-9_-]{1,64}$/;

function rulesOf(provider: string): ProviderRules {
  return (Object.hasOwn(BUILT_IN, provider) && BUILT_IN[provider]) || ANY_OIDC_PROVIDER;
}

export interface ConnectionDetails {
  readonly clientId?: string;
  readonly issuer?: string | null;
  readonly teamId?: string | null;
  readonly keyId?: string | null;
  readonly trustsEmail?: boolean;
  readonly emailDomains?: readonly string[] | null;
  readonly pkce?: boolean;
  readonly userinfo?: UserinfoNeed;
}

export interface SealedSecrets {
  readonly clientSecret?: Sealed;
  readonly privateKey?: Sealed;
}

export class OauthConnection {
  declare readonly appId: AppId;
  declare readonly id: OauthConnectionId;
  declare readonly provider: string;
  declare readonly clientId: string;
  declare readonly clientSecret: Sealed | null;
  declare readonly issuer: string | null;
  /** `teamId` is Apple's developer team, `keyId` the id of its signing key. */
  declare readonly teamId: string | null;
  declare readonly keyId: string | null;
  declare readonly privateKey: Sealed | null;
  /** Whether an email the provider calls verified counts as proof of that email. */
  declare readonly trustsEmail: boolean;
  /** The domains in canonical form. If the list is not empty, `trustsEmail` is about addresses of these domains only. */
  declare readonly emailDomains: readonly string[];
  /** The operator's setting; a login follows `sendsPkce`. */
  declare readonly pkce: boolean;
  declare readonly userinfo: UserinfoNeed;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(data: DataOf<OauthConnection>) {
    Object.assign(this, data);
  }

  static create(
    { appId, id, provider, clientId }: { appId: AppId; id: OauthConnectionId; provider: string; clientId: string },
    details: ConnectionDetails,
    secrets: SealedSecrets,
    now: Date,
  ): OauthConnection {
    const blank = new OauthConnection({
      appId,
      id,
      provider,
      clientId,
      clientSecret: null,
      issuer: null,
      teamId: null,
      keyId: null,
      privateKey: null,
      trustsEmail: rulesOf(provider).trustsEmail,
      emailDomains: [],
      pkce: true,
      userinfo: 'required',
      createdAt: now,
      updatedAt: now,
    });
    return blank.with(details, secrets, now);
  }

  /** The issuer is fixed: users are identified by connection and subject, and a subject at another issuer is another person. */
  change(details: ConnectionDetails, secrets: SealedSecrets, now: Date): OauthConnection {
    const next = this.with(details, secrets, now);
    if (next.issuer === this.issuer) return next;
    throw new InvalidOauthConnection([
      fault('issuer', 'fixed', 'cannot change; delete the connection and create another'),
    ]);
  }

  /** A provider that refuses PKCE (RFC 7636) gets none, also from a connection that was stored before that was known. */
  sendsPkce(): boolean {
    return this.pkce && rulesOf(this.provider).refusesPkce !== true;
  }

  private with(details: ConnectionDetails, secrets: SealedSecrets, now: Date): OauthConnection {
    const next = evolve<OauthConnection>(this, {
      clientId: details.clientId ?? this.clientId,
      clientSecret: secrets.clientSecret ?? this.clientSecret,
      issuer: details.issuer === undefined ? this.issuer : details.issuer,
      teamId: details.teamId === undefined ? this.teamId : details.teamId,
      keyId: details.keyId === undefined ? this.keyId : details.keyId,
      privateKey: secrets.privateKey ?? this.privateKey,
      trustsEmail: details.trustsEmail ?? this.trustsEmail,
      emailDomains: details.emailDomains === undefined ? this.emailDomains : canonical(details.emailDomains ?? []),
      pkce: details.pkce ?? this.pkce,
      userinfo: details.userinfo ?? this.userinfo,
      updatedAt: now,
    });
    if (details.pkce === true && !next.sendsPkce())
      throw new InvalidOauthConnection([fault('pkce', 'unexpected', `is refused by ${this.provider}`)]);
    next.assertComplete();
    return next;
  }

  private assertComplete(): void {
    const { required, takesIssuer } = rulesOf(this.provider);
    const faults: FieldError[] = required
      .filter((field) => this[field] === null)
      .map((field) => fault(field, 'required', `is required for ${this.provider}`));
    if (this.issuer !== null && !takesIssuer) faults.push(fault('issuer', 'unexpected', `is not for ${this.provider}`));
    if (this.issuer !== null && !isIssuer(this.issuer))
      faults.push(fault('issuer', 'issuer', 'must be a URL without query and fragment'));
    if (faults.length > 0) throw new InvalidOauthConnection(faults);
  }
}

/** Apple's keys are P-256 private keys in PKCS #8 and PEM. */
export function assertSigningKey(pem: string): void {
  try {
    if (!pem.includes('-----BEGIN PRIVATE KEY-----')) throw new Error('not PKCS #8');
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    if (asymmetricKeyType !== 'ec' || asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not P-256');
  } catch {
    // The parser's own message may quote the key.
    throw new InvalidOauthConnection([
      fault('privateKey', 'private_key', 'must be a P-256 private key in PKCS #8 (PEM)'),
    ]);
  }
}

function canonical(domains: readonly string[]): readonly string[] {
  const found = domains.map(emailDomain);
  const faults = found.flatMap((domain, index): FieldError[] =>
    domain === null
      ? [{ field: `email_domains[${index}]`, rule: 'domain', message: 'must be a domain such as example.com' }]
      : [],
  );
  if (faults.length > 0) throw new InvalidOauthConnection(faults);
  return [...new Set(found as string[])];
}

/** An issuer is compared as text with the issuer in the provider's tokens, so it is kept exactly as it was given. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

function fault(field: keyof OauthConnection, rule: string, message: string): FieldError {
  return { field: snakeCase(field), rule, message };
}

export abstract class OauthConnectionRepository {
  abstract insert(connection: OauthConnection): Promise<void>;

  abstract get(appId: AppId, id: OauthConnectionId): Promise<OauthConnection>;

  /** Locks the row until the transaction ends. The app must be held. */
  abstract lock(appId: AppId, id: OauthConnectionId): Promise<OauthConnection>;

  abstract update(connection: OauthConnection): Promise<void>;

  /** The app must be held. */
  abstract delete(appId: AppId, id: OauthConnectionId): Promise<boolean>;

  abstract list(appId: AppId, page: PageRequest): Promise<Page<OauthConnection>>;

  abstract ofProvider(appId: AppId, provider: string): Promise<OauthConnection | null>;

  /** The app of a connection never changes, so it is remembered, also after the connection was deleted. */
  abstract appOf(id: OauthConnectionId): Promise<AppId | null>;

  abstract ofAnyApp(id: OauthConnectionId): Promise<OauthConnection | null>;
}
