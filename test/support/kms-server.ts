import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const REGION = 'eu-central-1';
const KEY_ID = '1234abcd-12ab-34cd-56ef-1234567890ab';
/** A second key of the account; `alias/service` leads to the first key. */
export const OTHER_KEY_ID = '9999abcd-12ab-34cd-56ef-1234567890ab';
const arnOf = (id: string): string => `arn:aws:kms:${REGION}:111122223333:key/${id}`;
const ROLE = 'service-role';
const CONTAINER_TOKEN = 'container-token';
const METADATA_TOKEN = 'metadata-token';
export const WEB_IDENTITY_TOKEN = 'web.identity.token';

export type KmsFault =
  | 'AccessDeniedException'
  | 'ThrottlingException'
  | 'KMSInternalException'
  | 'DisabledException'
  | 'hang'
  | 'compress'
  | 'pour credentials'
  | 429;

export interface KmsServer {
  readonly url: string;
  /** The environment of a service, by the source of its credentials. */
  readonly env: Record<'fixed' | 'webIdentity' | 'instance' | 'container', Record<string, string>>;
  /** Successful calls by operation. */
  readonly calls: Record<string, number>;
  fault: KmsFault | null;
  /** Each call for this key is refused as one for a key that is disabled. */
  disabledKey: string | null;
  /** The credentials of roles are refused as expired from now on. */
  expireCredentials(): void;
  stop(): Promise<void>;
}

/** A request as it is signed. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

/** The signature of AWS Signature Version 4, computed from its specification. */
export function signatureOf(
  { method, path, query, headers, body }: SignedRequest,
  { secretKey, scope, signedHeaders }: { secretKey: string; scope: string; signedHeaders: readonly string[] },
): string {
  const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const sha256 = (text: Uint8Array | string): string => createHash('sha256').update(text).digest('hex');
  const canonical = [
    method,
    path,
    query,
    ...signedHeaders.map((name) => `${name}:${headers[name]!.trim().replace(/\s+/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    sha256(body),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<Buffer | string>((each, part) => hmac(each, part), `AWS4${secretKey}`);
  return hmac(key as Buffer, text).toString('hex');
}

/** AWS KMS, STS and the metadata service of EC2 as far as the service uses them. Strict: every signature is computed again. */
export async function startKms(): Promise<KmsServer> {
  const keys = new Map([KEY_ID, OTHER_KEY_ID].map((id) => [arnOf(id), randomBytes(32)]));
  const secrets = new Map([
    ['AKIDFIXED', { secret: 'secret-of-the-environment', token: undefined as string | undefined, isExpired: false }],
  ]);
  const hanging: ServerResponse[] = [];
  const stub = {
    calls: {} as Record<string, number>,
    fault: null as KmsFault | null,
    disabledKey: null as string | null,
  };

  const issued = () => {
    const id = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    const made = {
      secret: randomBytes(16).toString('hex'),
      token: randomBytes(16).toString('base64'),
      isExpired: false,
    };
    secrets.set(id, made);
    return { id, ...made, expiration: new Date(Date.now() + 3_600_000).toISOString() };
  };

  const authenticate = (request: IncomingMessage, body: Buffer): void => {
    const headers = request.headers as Record<string, string>;
    const [, id, scope, signed, signature] =
      /^AWS4-HMAC-SHA256 Credential=(\w+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers['authorization'] ?? '',
      ) ?? [];
    if (!id) throw new KmsRefusal(400, 'MissingAuthenticationTokenException');
    const known = secrets.get(id);
    if (!known || known.token !== headers['x-amz-security-token'])
      throw new KmsRefusal(400, 'UnrecognizedClientException');
    if (known.isExpired) throw new KmsRefusal(400, 'ExpiredTokenException');
    const date = headers['x-amz-date']!;
    const at = Date.parse(date.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));
    if (!(Math.abs(Date.now() - at) < 5 * 60_000)) throw new KmsRefusal(400, 'InvalidSignatureException');
    if (scope !== `${date.slice(0, 8)}/${REGION}/kms/aws4_request`)
      throw new KmsRefusal(400, 'InvalidSignatureException');
    const signedHeaders = signed!.split(';');
    const mustBeSigned = ['host', 'x-amz-date', 'x-amz-target', ...(known.token ? ['x-amz-security-token'] : [])];
    const expected = signatureOf(
      { method: request.method!, path: '/', query: '', headers, body },
      { secretKey: known.secret, scope, signedHeaders },
    );
    if (!mustBeSigned.every((name) => signedHeaders.includes(name)) || signature !== expected)
      throw new KmsRefusal(400, 'InvalidSignatureException');
  };

  type Members = Record<string, string> & {
    EncryptionContext?: Record<string, string>;
    SourceEncryptionContext?: Record<string, string>;
    DestinationEncryptionContext?: Record<string, string>;
  };
  const aad = (context: Record<string, string> | undefined): Buffer => {
    if (!context || Object.keys(context).length !== 2) throw new KmsRefusal(400, 'ValidationException');
    return Buffer.from(JSON.stringify([context['app_id'], context['generation']]));
  };
  /** As that of KMS, a ciphertext names its key. */
  const encrypt = (arn: string, plaintext: Buffer, context: Record<string, string> | undefined): string => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keys.get(arn)!, nonce).setAAD(aad(context));
    const name = Buffer.from(arn.padEnd(100));
    const parts = [name, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString('base64');
  };
  const decrypt = (arn: string, text: string, context: Record<string, string> | undefined): Buffer => {
    const bytes = Buffer.from(text, 'base64');
    const madeBy = bytes.toString('latin1', 0, 100).trim();
    const key = keys.get(madeBy);
    if (!key) throw new KmsRefusal(400, 'InvalidCiphertextException');
    if (madeBy !== arn) throw new KmsRefusal(400, 'IncorrectKeyException');
    const sealed = bytes.subarray(100);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(aad(context));
      decipher.setAuthTag(sealed.subarray(-16));
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    } catch (error) {
      throw error instanceof KmsRefusal ? error : new KmsRefusal(400, 'InvalidCiphertextException');
    }
  };
  const keyNamed = (id: string | undefined): string => {
    const arn = id === 'alias/service' ? arnOf(KEY_ID) : id?.startsWith('arn:') ? id : arnOf(id ?? '');
    if (!keys.has(arn)) throw new KmsRefusal(400, id ? 'NotFoundException' : 'ValidationException');
    if (arn === arnOf(stub.disabledKey ?? '')) throw new KmsRefusal(400, 'DisabledException');
    return arn;
  };
  const operations: Record<string, (members: Members) => object> = {
    Encrypt: ({ KeyId, Plaintext, EncryptionContext }) => {
      const arn = keyNamed(KeyId);
      return { CiphertextBlob: encrypt(arn, Buffer.from(Plaintext!, 'base64'), EncryptionContext), KeyId: arn };
    },
    Decrypt: ({ KeyId, CiphertextBlob, EncryptionContext }) => {
      const arn = keyNamed(KeyId);
      return { KeyId: arn, Plaintext: decrypt(arn, CiphertextBlob!, EncryptionContext).toString('base64') };
    },
    ReEncrypt: (members) => {
      const [from, to] = [keyNamed(members['SourceKeyId']), keyNamed(members['DestinationKeyId'])];
      const plaintext = decrypt(from, members['CiphertextBlob']!, members.SourceEncryptionContext);
      return { CiphertextBlob: encrypt(to, plaintext, members.DestinationEncryptionContext), KeyId: to };
    },
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method, url, headers } = request;
    const count = (name: string): void => void (stub.calls[name] = (stub.calls[name] ?? 0) + 1);
    if (stub.fault === 'pour credentials') return void response.end(Buffer.alloc(5_000_000, ' '));
    if (url === '/sts/') {
      const query = new URLSearchParams(body.toString());
      if (query.get('WebIdentityToken') !== WEB_IDENTITY_TOKEN) throw new KmsRefusal(400, 'InvalidIdentityToken');
      const { id, secret, token, expiration } = issued();
      count('AssumeRoleWithWebIdentity');
      response.end(
        `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
      return;
    }
    if (url === '/container') {
      if (headers['authorization'] !== CONTAINER_TOKEN) throw new KmsRefusal(401, 'Unauthorized');
      const { id, secret, token, expiration } = issued();
      count('container');
      response.end(JSON.stringify({ AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: expiration }));
      return;
    }
    if (url === '/latest/api/token' && method === 'PUT') return void response.end(METADATA_TOKEN);
    if (url!.startsWith('/latest/')) {
      if (headers['x-aws-ec2-metadata-token'] !== METADATA_TOKEN) throw new KmsRefusal(401, 'Unauthorized');
      const place = '/latest/meta-data/iam/security-credentials/';
      if (url === place) return void response.end(ROLE);
      if (url !== place + ROLE) throw new KmsRefusal(404, 'NotFound');
      const { id, secret, token, expiration } = issued();
      count('metadata');
      response.end(
        JSON.stringify({
          Code: 'Success',
          AccessKeyId: id,
          SecretAccessKey: secret,
          Token: token,
          Expiration: expiration,
        }),
      );
      return;
    }
    if (stub.fault === 'hang') return void hanging.push(response);
    if (stub.fault === 429) throw new KmsRefusal(429, '');
    if (stub.fault && stub.fault !== 'compress')
      throw new KmsRefusal(stub.fault === 'KMSInternalException' ? 500 : 400, stub.fault);
    authenticate(request, body);
    const operation = operations[headers['x-amz-target']?.toString().replace(/^TrentService\./, '') ?? ''];
    if (!operation || method !== 'POST' || url !== '/' || headers['content-type'] !== 'application/x-amz-json-1.1')
      throw new KmsRefusal(400, 'UnknownOperationException');
    const result = operation(JSON.parse(body.toString()) as Members);
    count(headers['x-amz-target']!.toString().split('.')[1]!);
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    if (stub.fault !== 'compress') return void response.end(JSON.stringify(result));
    response.setHeader('content-encoding', 'gzip').end(gzipSync(JSON.stringify(result)));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const { status, message } = error instanceof KmsRefusal ? error : new KmsRefusal(500, 'KMSInternalException');
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(message && JSON.stringify({ __type: `com.amazonaws.kms#${message}`, message: '' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { KEY_PROVIDER: 'aws-kms', AWS_KMS_KEY_ID: KEY_ID, AWS_REGION: REGION, AWS_ENDPOINT_URL_KMS: url };
  return Object.assign(stub, {
    url,
    env: {
      fixed: { ...env, AWS_ACCESS_KEY_ID: 'AKIDFIXED', AWS_SECRET_ACCESS_KEY: 'secret-of-the-environment' },
      webIdentity: { ...env, AWS_ENDPOINT_URL_STS: `${url}/sts`, AWS_ROLE_ARN: 'arn:aws:iam::1:role/service' },
      container: {
        ...env,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN,
      },
      instance: { ...env, AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
    },
    expireCredentials: () => secrets.forEach((each) => (each.isExpired = each.token !== undefined)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

class KmsRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
