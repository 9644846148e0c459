import type { App } from '../../../../../openapi/client/src/index.js';
import { fill } from '../../../../console/text.js';
import texts from './texts.json';

const t = texts.approval;

/** Null if the browser may offer a passkey. */
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

export async function assertionFor(options: object): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (!credential) throw new Error(t.notSigned);
  return (credential as PublicKeyCredential).toJSON() as object;
}
