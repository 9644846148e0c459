import { hash } from 'node:crypto';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../kernel/management-role.js';
import { type EnvironmentReader, listed } from './environment-reader.js';

export interface ConsoleOidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly isPrivate: boolean;
  readonly maxAgeSeconds: number | null;
  readonly acrValues: readonly string[];
  /** Sessions end when this hash changes: of the issuer, the client, the roles and the required proof. */
  readonly registration: string;
  readonly roles: readonly { readonly claim: string; readonly value: string; readonly role: ManagementRole }[];
}

export function consoleOidcIn(read: EnvironmentReader): ConsoleOidcSettings | undefined {
  const names = ['CONSOLE_OIDC_ISSUER', 'CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_CLIENT_SECRET', 'CONSOLE_OIDC_ROLES'];
  const [, clientId, clientSecret, rules] = read.texts(...names);
  const issuer = read.baseUrl('CONSOLE_OIDC_ISSUER');
  const scopes = (read.text('CONSOLE_OIDC_SCOPES') ?? 'openid email profile').split(/\s+/);
  const isPrivate = read.flag('CONSOLE_OIDC_PRIVATE_ISSUER', false);
  if (!scopes.includes('openid'))
    read.faults.push('CONSOLE_OIDC_SCOPES must name openid, and other scopes behind spaces.');
  // A value may have commas: names of LDAP groups do.
  const roles = (rules?.split(/(?<=:(?:owner|operator|support|auditor)\s*),/) ?? []).map((rule) => {
    const [, claim, value, role] = /^\s*([^=\s]+)=(.+):([a-z]+)\s*$/.exec(rule) ?? [];
    return { claim: claim ?? '', value: value ?? '', role: MANAGEMENT_ROLES.find((each) => each === role) };
  });
  const known = roles.flatMap(({ claim, value, role }) => (role ? [{ claim, value, role }] : []));
  if (known.length < roles.length)
    read.faults.push(
      `CONSOLE_OIDC_ROLES must be claim=value:role, separated by commas, with the roles ${MANAGEMENT_ROLES.join(', ')}.`,
    );
  const maxAge = 'CONSOLE_OIDC_MAX_AGE';
  const maxAgeSeconds = read.text(maxAge) === undefined ? null : read.integer(maxAge, 0, 60, 86_400);
  const acrValues = read.text('CONSOLE_OIDC_ACR')?.split(/\s+/) ?? [];
  if (issuer && clientId && clientSecret && rules) {
    const proof = maxAgeSeconds === null && acrValues.length === 0 ? [] : [maxAgeSeconds, acrValues];
    const registration = hash('sha256', JSON.stringify([issuer, clientId, known, ...proof]));
    const client = { issuer, clientId, clientSecret, scopes, isPrivate };
    return { ...client, maxAgeSeconds, acrValues, roles: known, registration };
  }
  if (read.texts(...names).some((text) => text !== undefined))
    read.faults.push(`${listed(names)} must be set together.`);
  return undefined;
}
