import { randomBytes } from 'node:crypto';
import { getPublicSuffix } from 'tldts';
import type { FieldError } from '../../../kernel/domain-error.js';
import { InvalidRequest } from '../../../kernel/errors.js';

/** The name in the API and in storage. */
export const PASSKEY_SETTINGS = 'webauthn';

export interface PasskeySettings {
  /** Passkeys of another domain do not sign in. */
  readonly rpId: string;
  /** Null stands for the name of the app. */
  readonly rpName: string | null;
  readonly origins: readonly string[];
  /** See `decoy.ts`. Never shown. */
  readonly decoyKey: string;
}

export type PasskeySettingsChanges = Partial<Omit<PasskeySettings, 'decoyKey'>>;

export function changeSettings(current: PasskeySettings | null, changes: PasskeySettingsChanges): PasskeySettings {
  const { rpId, rpName = null, origins } = { ...current, ...changes };
  if (rpId === undefined) throw refusal('rp_id', 'required', 'is required');
  if (origins === undefined) throw refusal('origins', 'required', 'is required');
  if (!isDomain(rpId)) throw refusal('rp_id', 'domain', 'must be a domain such as example.com, or localhost');
  if (rpId !== current?.rpId && isPublicSuffix(rpId))
    throw refusal('rp_id', 'public_suffix', 'must not be a public suffix, below which domains of other operators are');
  const faults = origins.flatMap((origin, index): FieldError[] => {
    if (isAndroidApp(origin) || isPage(origin)) return [];
    const message = `must be an origin such as https://example.com (http only on localhost), or ${ANDROID_APP}: and the 43 characters of a certificate's SHA-256 in base64url`;
    return [{ field: `webauthn.origins[${index}]`, rule: 'origin', message }];
  });
  if (faults.length > 0) throw new InvalidRequest(faults);
  return {
    rpId,
    rpName,
    origins: [...new Set(origins)],
    decoyKey: current?.decoyKey ?? randomBytes(32).toString('base64url'),
  };
}

function refusal(field: string, rule: string, message: string): InvalidRequest {
  return new InvalidRequest([{ field: `webauthn.${field}`, rule, message }]);
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`);

/** A suffix such as `com` belongs to no operator, so a domain has at least two labels. */
function isDomain(text: string): boolean {
  return text === 'localhost' || (text.length <= 253 && DOMAIN.test(text));
}

/** By the list at publicsuffix.org with its private part, as browsers apply it. */
function isPublicSuffix(domain: string): boolean {
  return domain !== 'localhost' && getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

const ANDROID_APP = 'android:apk-key-hash';

/** The SHA-256 of the certificate that signs the app. */
function isAndroidApp(origin: string): boolean {
  const [, hash] = /^android:apk-key-hash:([\w-]{43})$/.exec(origin) ?? [];
  return hash !== undefined && Buffer.from(hash, 'base64url').toString('base64url') === hash;
}

/** Browsers send an origin in this form. An origin of another domain is a related origin, which browsers check at `rp_id`. */
function isPage(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url.hostname));
  return url.origin === origin && isSafe && isDomain(url.hostname);
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
