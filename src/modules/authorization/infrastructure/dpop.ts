import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import type { Proof } from '../../../edge/auth/call-tokens.js';

/** `oidc-provider` accepts the same ones by default. */
export const PROOF_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA'];

const WINDOW_SECONDS = 300;

/** The thumbprint (RFC 9449, section 4.3); null for a proof of another call or token. The caller refuses a used `jti`. */
export async function keyProvenBy(
  { jwt, method, url }: Proof & { readonly url: string },
  token: string,
  now: number,
): Promise<{ readonly thumbprint: string; readonly jti: string } | null> {
  try {
    const { payload, protectedHeader } = await jwtVerify(jwt, EmbeddedJWK, {
      algorithms: PROOF_ALGORITHMS,
      typ: 'dpop+jwt',
      clockTolerance: WINDOW_SECONDS,
    });
    const { htm, htu, ath, iat, jti } = payload;
    const isNew = typeof iat === 'number' && Math.abs(now - iat) <= WINDOW_SECONDS;
    const isForCall = htm === method && withoutQuery(htu) === withoutQuery(url);
    if (!isNew || !isForCall || ath !== hash('sha256', token, 'base64url')) return null;
    if (typeof jti !== 'string' || jti === '') return null;
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk!), jti };
  } catch {
    // The library throws for every text that is no proof.
    return null;
  }
}

function withoutQuery(text: unknown): string | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const url = new URL(text);
  return `${url.origin}${url.pathname}`;
}
