// For pages: what a browser does in a sign-in. The keys of the app stay in its backend, which makes the calls between these steps.
import { decodeBase64 } from './bytes.js';

/** JSON with binary values in base64url, as the service sends and takes it. */
type Json = Readonly<Record<string, unknown>>;

const text = (buffer: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const bytes = (value: string): Uint8Array<ArrayBuffer> => {
  const decoded = decodeBase64(value, 'base64url');
  if (!decoded) throw new TypeError('The options have a binary value that is not in base64url.');
  return decoded;
};
const known = (list: unknown) =>
  ((list ?? []) as { readonly id: string }[]).map((each) => ({ ...each, id: bytes(each.id) }));

/** Makes a passkey with the options of `webauthn.registrations.begin`. Send what it returns to `webauthn.registrations.create`. */
export async function createPasskey(options: Json): Promise<Json> {
  const user = options['user'] as { readonly id: string };
  const publicKey = {
    ...options,
    challenge: bytes(options['challenge'] as string),
    user: { ...user, id: bytes(user.id) },
    excludeCredentials: known(options['excludeCredentials']),
  } as unknown as PublicKeyCredentialCreationOptions;
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  return answer(made, {
    attestationObject: text(response.attestationObject),
    transports: response.getTransports(),
  });
}

/**
 * Lets a passkey sign the options of `webauthn.authentication.begin` or `approvals.begin`. Send what it returns to `webauthn.verify`,
 * `approvals.approve` or `approvals.reject`.
 */
export async function usePasskey(options: Json): Promise<Json> {
  const publicKey = {
    ...options,
    challenge: bytes(options['challenge'] as string),
    allowCredentials: known(options['allowCredentials']),
  } as unknown as PublicKeyCredentialRequestOptions;
  const used = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const response = used.response as AuthenticatorAssertionResponse;
  return answer(used, {
    authenticatorData: text(response.authenticatorData),
    signature: text(response.signature),
    ...(response.userHandle && { userHandle: text(response.userHandle) }),
  });
}

function answer(credential: PublicKeyCredential, response: Json): Json {
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: { clientDataJSON: text(credential.response.clientDataJSON), ...response },
  };
}

export interface OauthButton {
  /** The service, for instance `https://auth.example.com`. */
  readonly baseUrl: string;
  /** The name of the connection, such as `google`. */
  readonly provider: string;
  readonly publicToken: string;
  /** A registered URL, to which the browser returns; by default the app's default one. */
  readonly redirectUrl?: string;
}

const VERIFIER = 'oauth_code_verifier';

/** Lets a button begin a login through a provider, which is bound to this browser. */
export function oauthButton(button: HTMLElement, login: OauthButton): void {
  button.addEventListener('click', () => void beginOauth(login));
}

async function beginOauth({ baseUrl, provider, publicToken, redirectUrl }: OauthButton): Promise<void> {
  const verifier = text(crypto.getRandomValues(new Uint8Array(32)).buffer);
  sessionStorage.setItem(VERIFIER, verifier);
  const query = new URLSearchParams({
    public_token: publicToken,
    redirect: 'true',
    code_challenge: text(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))),
    ...(redirectUrl && { login_redirect_url: redirectUrl, registration_redirect_url: redirectUrl }),
  });
  location.assign(`${baseUrl}/v1/auth/oauth/${encodeURIComponent(provider)}/begin?${query.toString()}`);
}

/**
 * On the page at the redirect URL: the fields for `oauth.verify`, or null if the page was not opened by a login. Takes them out of the
 * address. Throws an Error with the text for people if the login has failed.
 */
export function oauthResult(): { readonly token: string; readonly code_verifier?: string } | null {
  const url = new URL(location.href);
  const [token, error, description] = ['token', 'error', 'error_description'].map((name) => url.searchParams.get(name));
  if (!token && !error) return null;
  for (const name of ['token', 'error', 'error_description']) url.searchParams.delete(name);
  history.replaceState(null, '', url);
  const verifier = sessionStorage.getItem(VERIFIER);
  sessionStorage.removeItem(VERIFIER);
  if (!token) throw new Error(description ?? error!);
  return { token, ...(verifier && { code_verifier: verifier }) };
}

/** A wallet of the browser (EIP-1193), such as `window.ethereum`. */
export interface EthereumWallet {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** The response of `wallets.registrations.nonce`. */
interface WalletNonce {
  readonly id: string;
  readonly nonce: string;
  readonly public_address: string;
}

/**
 * Lets a wallet sign a text of EIP-4361 for this page. `begin` asks the backend for `wallets.registrations.nonce` of an address. Returns
 * the fields for `wallets.siwe.verify`.
 */
export async function signInWithEthereum(wallet: EthereumWallet, begin: (address: string) => Promise<WalletNonce>) {
  const [account] = (await wallet.request({ method: 'eth_requestAccounts' })) as string[];
  const chainId = Number(await wallet.request({ method: 'eth_chainId' }));
  // The text needs the address in the form with checksums, which not every wallet returns.
  const { id, nonce, public_address: address } = await begin(account!.toLowerCase());
  const siwe_challenge = `${location.host} wants you to sign in with your Ethereum account:
${address}


URI: ${location.origin}
Version: 1
Chain ID: ${chainId}
Nonce: ${nonce}
Issued At: ${new Date().toISOString()}`;
  const message = `0x${Array.from(new TextEncoder().encode(siwe_challenge), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const signature = (await wallet.request({ method: 'personal_sign', params: [message, account] })) as string;
  return { id, siwe_challenge, signature };
}
