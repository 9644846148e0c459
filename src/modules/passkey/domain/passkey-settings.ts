import { randomBytes } from 'node:crypto';
import { getPublicSuffix } from 'tldts';
import type { FieldError } from '../../../kernel/domain-error.js';
import { InvalidRequest } from '../../../kernel/errors.js';

/** The field of the settings, in the API and where they are stored with an app. */
export const PASSKEY_SETTINGS = 'webauthn';

/** The settings by which the pages of an app use passkeys. */
export interface PasskeySettings {
  /** The domain that passkeys are bound to. Passkeys of another domain do not sign in any more. */
  readonly rpId: string;
  /** The name that authenticators show; null stands for the name of the app. */
  readonly rpName: string | null;
  /** The origins of the pages and apps that may use them. */
  readonly origins: readonly string[];
  /** The key of the decoys, see `decoy.ts`. Never shown. */
  readonly decoyKey: string;
}

/** The changes of a request to the settings. A setting that they do not contain stays. */
export type PasskeySettingsChanges = Partial<Omit<PasskeySettings, 'decoyKey'>>;

/** The settings after a change. Throws `InvalidRequest`. */
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

/** A domain has at least two labels: a suffix such as `com` belongs to no operator. */
function isDomain(text: string): boolean {
  return text === 'localhost' || (text.length <= 253 && DOMAIN.test(text));
}

/** By the list at publicsuffix.org with its private part, as browsers apply it. */
function isPublicSuffix(domain: string): boolean {
  return domain !== 'localhost' && getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

const ANDROID_APP = 'android:apk-key-hash';

/** Whether it is the origin of an Android app: the SHA-256 of the certificate that signs it. */
function isAndroidApp(origin: string): boolean {
  const [, hash] = /^android:apk-key-hash:([\w-]{43})$/.exec(origin) ?? [];
  return hash !== undefined && Buffer.from(hash, 'base64url').toString('base64url') === hash;
}

/**
 * Whether it is an origin in the form in which browsers send it, whose pages cannot be altered on the way. That of another domain is a
 * related origin: browsers ask `rp_id` whether its pages may use the passkeys.
 */
function isPage(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url.hostname));
  return url.origin === origin && isSafe && isDomain(url.hostname);
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
