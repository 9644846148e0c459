import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const TOKEN = 'hvs.test';
const ROLE = { role_id: 'role-of-the-service', secret_id: 'secret-of-the-service' };
const NAMESPACE = 'team/wallets';
const MOUNT = 'keys/transit';
const KEY = 'service';

export type VaultFault = 403 | 429 | 500 | 503 | 'hang';

export interface VaultServer {
  readonly url: string;
  /** The environment of a service that uses it, by token and by AppRole. */
  readonly env: Record<string, string>;
  readonly envOfRole: Record<string, string>;
  /** Successful calls by operation, since the last `forgetCalls`. */
  readonly calls: Record<string, number>;
  forgetCalls(): void;
  /** All calls to the transit engine fail until it is null again. */
  fault: VaultFault | null;
  /** How long each `encrypt` takes. */
  encryptMs: number;
  /** Adds a version of the key, which encrypts from now on. */
  rotate(): void;
  /** Versions below this one are refused. */
  minDecryptionVersion: number;
  /** Tokens of logins are refused from now on; a login gives a new one. */
  revokeTokens(): void;
  readonly leaseSeconds: number;
  stop(): Promise<void>;
}

interface Request {
  readonly plaintext?: string;
  readonly ciphertext?: string;
  readonly context?: string;
  readonly associated_data?: string;
  readonly role_id?: string;
  readonly secret_id?: string;
}

/**
 * The transit engine of Vault as far as the service uses it, with a derived key. It is strict: a call with a wrong token, namespace,
 * path, method or member is refused as Vault refuses it. Like Vault's, `rewrap` takes no associated data.
 */
export async function startVault({ leaseSeconds = 3_600 } = {}): Promise<VaultServer> {
  const versions = [randomBytes(32)];
  let tokens = new Set([TOKEN]);
  const hanging = new Set<ServerResponse>();
  const stub = {
    calls: {} as Record<string, number>,
    fault: null as VaultFault | null,
    encryptMs: 0,
    minDecryptionVersion: 1,
    leaseSeconds,
  };

  const keyOf = (version: number, context: string): Buffer =>
    createHmac('sha256', versions[version - 1]!)
      .update(Buffer.from(context, 'base64'))
      .digest();

  const encrypt = ({ plaintext, context, associated_data = '' }: Request): string => {
    if (plaintext === undefined || !isBase64(plaintext)) throw new Refused(400, 'failed to base64-decode plaintext');
    if (!context || !isBase64(context)) throw new Refused(400, "missing 'context' for key derivation");
    if (!isBase64(associated_data)) throw new Refused(400, 'failed to base64-decode associated_data');
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keyOf(versions.length, context), nonce);
    cipher.setAAD(Buffer.from(associated_data, 'base64'));
    const sealed = Buffer.concat([
      nonce,
      cipher.update(Buffer.from(plaintext, 'base64')),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `vault:v${versions.length}:${sealed.toString('base64')}`;
  };
  const decrypt = ({ ciphertext = '', context, associated_data = '' }: Request): string => {
    const [, version, encoded] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
    if (version === undefined || !isBase64(encoded!)) throw new Refused(400, 'invalid ciphertext: no prefix');
    if (!context || !isBase64(context)) throw new Refused(400, "missing 'context' for key derivation");
    if (Number(version) > versions.length) throw new Refused(400, 'invalid ciphertext: version is too new');
    if (Number(version) < stub.minDecryptionVersion)
      throw new Refused(400, 'ciphertext or signature version is disallowed by policy (too old)');
    const sealed = Buffer.from(encoded!, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', keyOf(Number(version), context), sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from(associated_data, 'base64'));
    decipher.setAuthTag(sealed.subarray(-16));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('base64');
    } catch {
      throw new Refused(400, 'cipher: message authentication failed');
    }
  };

  const auth = (token: string) => ({
    auth: { client_token: token, lease_duration: stub.leaseSeconds, renewable: true, policies: ['service'] },
  });
  const operations: Record<string, (body: Request, token: string | undefined) => object> = {
    'auth/approle/login': ({ role_id, secret_id }) => {
      if (role_id !== ROLE.role_id || secret_id !== ROLE.secret_id) throw new Refused(400, 'invalid role or secret ID');
      const token = `hvs.${randomBytes(12).toString('hex')}`;
      tokens.add(token);
      return auth(token);
    },
    'auth/token/renew-self': (_, token) => auth(token!),
    [`${MOUNT}/encrypt/${KEY}`]: (body) => ({ data: { ciphertext: encrypt(body), key_version: versions.length } }),
    [`${MOUNT}/decrypt/${KEY}`]: (body) => ({ data: { plaintext: decrypt(body) } }),
    // It takes no associated data, as in Vault.
    [`${MOUNT}/rewrap/${KEY}`]: ({ ciphertext, context }) => {
      const plaintext = decrypt({ ciphertext, context } as Request);
      return { data: { ciphertext: encrypt({ plaintext, context } as Request) } };
    },
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.replace(/^\/v1\//, '');
    const body = await bodyOf(request);
    if (path.startsWith(MOUNT) && stub.fault !== null) {
      if (stub.fault === 'hang') return void hanging.add(response);
      throw new Refused(stub.fault, stub.fault === 403 ? 'permission denied' : 'internal error');
    }
    const operation = operations[path];
    if (request.headers['x-vault-namespace'] !== NAMESPACE) throw new Refused(404, 'no handler for route');
    const token = request.headers['x-vault-token'] as string | undefined;
    if (path !== 'auth/approle/login' && !tokens.has(token ?? '')) throw new Refused(403, 'permission denied');
    if (!operation || request.method !== 'POST') throw new Refused(404, 'no handler for route');
    if (stub.encryptMs > 0 && path.endsWith(`/encrypt/${KEY}`)) await pause(stub.encryptMs);
    const result = operation(body, token);
    const name = path.startsWith(MOUNT) ? path.split('/').at(-2)! : path.split('/').at(-1)!;
    stub.calls[name] = (stub.calls[name] ?? 0) + 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ request_id: randomBytes(8).toString('hex'), lease_id: '', ...result }));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const { status, message } = error instanceof Refused ? error : new Refused(500, String(error));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: [message] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A test file that shares it ends without stopping it.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = { VAULT_ADDR: url, VAULT_TRANSIT_KEY: `${MOUNT}/${KEY}`, VAULT_NAMESPACE: NAMESPACE };
  return Object.assign(stub, {
    url,
    env: { KEY_PROVIDER: 'vault', ...place, VAULT_TOKEN: TOKEN },
    envOfRole: { KEY_PROVIDER: 'vault', ...place, VAULT_ROLE_ID: ROLE.role_id, VAULT_SECRET_ID: ROLE.secret_id },
    forgetCalls: () => void (stub.calls = {}),
    rotate: () => void versions.push(randomBytes(32)),
    revokeTokens: () => void (tokens = new Set([TOKEN])),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

async function bodyOf(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Request;
  } catch {
    throw new Refused(400, 'failed to parse JSON input');
  }
}
