import { importPKCS8, SignJWT } from 'jose';
import { type ClientAuth, ClientSecretPost, None } from 'oauth4webapi';
import type { ProviderConnection } from '../domain/identity-provider.js';
import { ProviderRejected } from '../domain/oauth.errors.js';
import type { ClientAuthentication } from './providers.js';

const SIGNED_SECRET_LIVES_MS = 300_000;

/** Proves to the token endpoint which client asks (RFC 6749, section 2.3.1). Without a secret only PKCE does. */
export function authentication(method: ClientAuthentication, secret: string | null): ClientAuth {
  if (secret === null) return None();
  return method === 'client_secret_basic' ? basic(secret) : ClientSecretPost(secret);
}

// The library's own encodes `-`, `.` and `_` too, and providers that do not decode the header then see another client id.
function basic(secret: string): ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

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
