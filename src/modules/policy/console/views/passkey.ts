import type { App } from '../../../../../openapi/client/src/index.js';
import { fill } from '../../../../console/text.js';
import texts from './texts.json';

const t = texts.approval;

/** Why no passkey of the app signs on this page; null if the browser may offer one. */
export function refusalOfPasskeys({ webauthn }: Pick<App, 'webauthn'>, approvalId: string): string | null {
  if (webauthn === null) return t.noDomain;
  const { origin, hostname } = location;
  const { rp_id: domain, origins } = webauthn;
  const isOfDomain = hostname === domain || hostname.endsWith(`.${domain}`);
  if (!isOfDomain || !origins.includes(origin)) return fill(t.otherOrigin, { domain, origin, id: approvalId });
  // A page without https has no passkeys, and the types do not say so.
  const passkeys = globalThis.PublicKeyCredential as typeof PublicKeyCredential | undefined;
  return passkeys && 'parseRequestOptionsFromJSON' in passkeys ? null : t.noPasskeys;
}

/** The assertion by which a passkey on this device signs the challenge of the options. */
export async function assertionFor(options: object): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (!credential) throw new Error(t.notSigned);
  return (credential as PublicKeyCredential).toJSON() as object;
}
