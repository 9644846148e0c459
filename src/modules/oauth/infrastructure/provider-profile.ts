import type { ProviderLogin } from '../domain/identity-provider.js';
import { ProviderRejected } from '../domain/oauth.errors.js';
import { type Json, jsonObject } from './provider-http.js';
import type { ProfileFields } from './providers.js';

const MAX_NAME = 256;

/** All statements about a user, each undefined if the provider makes none. The first post came through the browser; the rest came from the provider itself. */
interface UserStatements {
  readonly fields: ProfileFields;
  readonly profile: unknown;
  readonly emails: unknown;
  /** Verified. */
  readonly idToken: Json | undefined;
  readonly firstPost: string | undefined;
}

/** The user who signed in. Throws `ProviderRejected` when the statements name no usable subject. */
export function loginFrom(said: UserStatements): Omit<ProviderLogin, 'accessToken' | 'refreshToken'> {
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
