import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** What a test changes of an honest answer. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly id?: string;
  readonly rawId?: string;
  /** The id that is signed at the creation, and sent. */
  readonly credentialId?: Buffer;
  readonly userHandle?: string | null;
  readonly signCount?: number;
  readonly isUserVerified?: boolean;
  readonly isBackupEligible?: boolean;
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** Entries of the COSE key that replace its own. */
  readonly key?: readonly (readonly [number, unknown])[];
  /** Signed by the passkey itself, with a certificate, or in a format that no library knows. */
  readonly attestation?: 'none' | 'self' | 'certificate' | 'unknown';
}

interface CreationOptions {
  readonly rp: { readonly id: string };
  readonly challenge: string;
}

interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** One passkey and the browser in front of it, on a page of `origin`: real keys, CBOR and signatures. */
export class VirtualAuthenticator {
  readonly credentialId = randomBytes(32);
  private readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  private signCount: number;
  private userHandle = '';

  constructor(
    private readonly origin: string,
    private readonly algorithm: Algorithm = 'ES256',
    { counts = false }: { readonly counts?: boolean } = {},
  ) {
    this.keys = newKeys(algorithm);
    this.signCount = counts ? 1 : 0;
  }

  /** `navigator.credentials.create`, as JSON. */
  create(options: CreationOptions & { readonly user: { readonly id: string } }, deviation: Deviation = {}) {
    this.userHandle = options.user.id;
    const { credentialId = this.credentialId } = deviation;
    const clientData = this.clientData('webauthn.create', options.challenge, deviation);
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, credentialId.length]),
      credentialId,
      cbor(new Map([...this.cosePublicKey(), ...(deviation.key ?? [])])),
    ]);
    const authData = this.authenticatorData(options.rp.id, deviation, credential);
    const attestation = this.attestation(authData, clientData, deviation.attestation ?? 'none');
    return this.credential(deviation, {
      clientDataJSON: base64url(clientData),
      attestationObject: base64url(cbor(new Map<unknown, unknown>([...attestation, ['authData', authData]]))),
      transports: ['internal', 'hybrid'],
    });
  }

  /** `navigator.credentials.get`, as JSON. */
  get(options: RequestOptions, deviation: Deviation = {}) {
    if (this.signCount > 0) this.signCount += 1;
    const clientData = this.clientData('webauthn.get', options.challenge, deviation);
    const authData = this.authenticatorData(options.rpId, deviation);
    const { userHandle = this.userHandle } = deviation;
    return this.credential(deviation, {
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(this.sign(authData, clientData)),
      ...(userHandle !== null && { userHandle }),
    });
  }

  private credential<R extends object>({ id, rawId, credentialId = this.credentialId }: Deviation, response: R) {
    const own = base64url(credentialId);
    return {
      id: id ?? own,
      rawId: rawId ?? own,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response,
    };
  }

  private clientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = this.origin, clientData } = deviation;
    const data = { type: deviation.type ?? type, challenge: deviation.challenge ?? challenge, origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false, ...clientData }));
  }

  private authenticatorData(rpId: string, deviation: Deviation, credential?: Buffer): Buffer {
    const { isUserVerified = true, isBackupEligible = true, signCount = this.signCount } = deviation;
    const flags = 1 | (isUserVerified ? 4 : 0) | (isBackupEligible ? 8 | 16 : 0) | (credential ? 64 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(signCount);
    return Buffer.concat([sha256(deviation.rpId ?? rpId), Buffer.from([flags]), count, credential ?? Buffer.alloc(0)]);
  }

  private attestation(
    authData: Buffer,
    clientData: Buffer,
    kind: NonNullable<Deviation['attestation']>,
  ): [string, unknown][] {
    if (kind === 'none') {
      return [
        ['fmt', 'none'],
        ['attStmt', new Map()],
      ];
    }
    const statement = new Map<string, unknown>([
      ['alg', COSE[this.algorithm]],
      ['sig', this.sign(authData, clientData)],
    ]);
    if (kind !== 'self') statement.set('x5c', [randomBytes(64)]);
    return [
      ['fmt', kind === 'unknown' ? 'vendor' : 'packed'],
      ['attStmt', statement],
    ];
  }

  private sign(authData: Buffer, clientData: Buffer): Buffer {
    const data = Buffer.concat([authData, sha256(clientData)]);
    return sign(this.algorithm === 'EdDSA' ? null : 'sha256', data, this.keys.privateKey);
  }

  private cosePublicKey(): Map<number, unknown> {
    const jwk = this.keys.publicKey.export({ format: 'jwk' });
    const part = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name]!, 'base64url');
    const alg: [number, unknown] = [3, COSE[this.algorithm]];
    switch (this.algorithm) {
      case 'ES256':
        return new Map([[1, 2], alg, [-1, 1], [-2, part('x')], [-3, part('y')]]);
      case 'EdDSA':
        return new Map([[1, 1], alg, [-1, 6], [-2, part('x')]]);
      case 'RS256':
        return new Map([[1, 3], alg, [-1, part('n')], [-2, part('e')]]);
    }
  }
}

const COSE = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

function newKeys(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** CBOR (RFC 8949) of what authenticators send: integers, bytes, texts, lists and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
