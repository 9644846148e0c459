import { importPKCS8, SignJWT } from 'jose';
import type { ProviderConnection } from '../domain/identity-provider.js';
import { ProviderRejected } from '../domain/oauth.errors.js';

const SIGNED_SECRET_LIVES_MS = 300_000;

/** Apple's client secret: a JWT signed with the team's key. */
export async function signedSecret(
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

/**
 * The header of `client_secret_basic` (RFC 6749, section 2.3.1). It leaves `-`, `.` and `_` unencoded, because providers that do not decode
 * it would see another client id.
 */
export function basicHeader(clientId: string, secret: string): string {
  return `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
