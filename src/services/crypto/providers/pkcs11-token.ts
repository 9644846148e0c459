import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Pkcs11Settings } from '../../config/pkcs11.js';
import type { ProviderFault } from '../key-provider.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
export const KEY_CHECK_BYTES = 8;
const CANARY_PLACE = Buffer.from('self-test');
const CHECK_PLACE = Buffer.from('check value of a wrapping key');

/** `pkcs11js` is optional, so its own types may be absent. */
interface Library {
  readonly PKCS11: new () => Module;
  readonly [constant: `CK${string}`]: number;
}
type Handle = Buffer;
interface Mechanism {
  readonly mechanism: number;
  readonly parameter: object;
}
interface Attribute {
  readonly type: number;
  readonly value?: Buffer | number | string | boolean;
}
interface Module {
  load(path: string): void;
  C_Initialize(options: { readonly flags: number }): void;
  C_Finalize(): void;
  C_GetSlotList(hasToken: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string; readonly flags: number };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_Login(session: Handle, user: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void;
  C_FindObjects(session: Handle, count: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, wanted: readonly Attribute[]): readonly { value: Buffer }[];
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Encrypt(session: Handle, input: Buffer, output: Buffer): Buffer;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Decrypt(session: Handle, input: Buffer, output: Buffer): Buffer;
}

/** After `pin` an operator must act before the next login: tokens lock themselves after a few wrong PINs. */
export class TokenFailed extends Error {
  constructor(
    readonly fault: ProviderFault | 'pin',
    message: string,
  ) {
    super(message);
  }
}

export class TokenRefusedBytes extends Error {}

interface TokenKey {
  readonly handle: Handle;
  readonly check: Buffer;
}

interface Session {
  readonly handle: Handle;
  /** The keys by the labels of the settings; the first wraps. */
  readonly keys: readonly TokenKey[];
}

/** Every call waits for the module. */
export class Pkcs11Token {
  private readonly library: Library;
  private readonly module: Module;
  private session: Session | undefined;
  /** Calls that wait in the queue of the process must not send the refused PIN again. */
  private pinFault: TokenFailed | undefined;
  private readonly proven = new Set<string>();

  constructor(private readonly settings: Pkcs11Settings) {
    this.library = createRequire(import.meta.url)('pkcs11js') as Library;
    this.module = new this.library.PKCS11();
    this.module.load(settings.module);
  }

  /** `check of the key (8) | IV (12) | ciphertext | tag (16)`, bound to the check and the place. */
  wrap(key: Buffer, place: Buffer): Buffer {
    return this.attempt((session) => {
      const current = session.keys[0]!;
      const boundTo = Buffer.concat([current.check, place]);
      return Buffer.concat([current.check, this.encrypt(session, current, randomBytes(IV_BYTES), key, boundTo)]);
    });
  }

  unwrap(wrapped: Buffer, place: Buffer): Buffer {
    const check = wrapped.subarray(0, KEY_CHECK_BYTES);
    return this.attempt((session) => {
      // Some modules open the bytes of nothing as nothing.
      if (wrapped.length <= KEY_CHECK_BYTES + IV_BYTES + TAG_BYTES) throw new Error('The bytes are too short.');
      // A module that makes the IVs itself gives its keys other checks at each start. Then each key is tried.
      const known = session.keys.filter((key) => key.check.equals(check));
      return this.openBy(known.length > 0 ? known : session.keys, session, wrapped, place);
    }, check);
  }

  private openBy(keys: readonly TokenKey[], session: Session, wrapped: Buffer, place: Buffer): Buffer {
    const boundTo = Buffer.concat([wrapped.subarray(0, KEY_CHECK_BYTES), place]);
    let fault: unknown;
    for (const key of keys)
      try {
        const opened = this.decrypt(session, key, wrapped.subarray(KEY_CHECK_BYTES), boundTo);
        this.proven.add(key.check.toString('hex'));
        return opened;
      } catch (error) {
        fault = error;
      }
    throw fault;
  }

  rewrap(wrapped: Buffer, place: Buffer): Buffer {
    const key = this.unwrap(wrapped, place);
    try {
      return this.wrap(key, place);
    } finally {
      key.fill(0);
    }
  }

  health(): void {
    this.attempt((session) => this.test(session));
  }

  /** An error is an outage unless the bytes fail twice and the self-test passes in one session. Restarts the module once. */
  private attempt<T>(work: (session: Session) => T, check?: Buffer): T {
    for (let isLast = false; ; isLast = true) {
      try {
        return work((this.session ??= this.open()));
      } catch (error) {
        if (error instanceof TokenFailed) {
          if (error.fault === 'pin') this.pinFault = error;
          throw error;
        }
        const isWorking = this.session !== undefined && this.isWorking(this.session);
        if (isLast && isWorking && check) throw this.verdictOn(check, this.session!.keys);
        if (!isWorking) this.session = undefined;
        if (isLast) throw error;
      }
    }
  }

  /** A token with another key counts as an outage, not as altered bytes. */
  private verdictOn(check: Buffer, keys: readonly TokenKey[]): Error {
    const isKnown = keys.some((key) => key.check.equals(check) || this.proven.has(key.check.toString('hex')));
    return isKnown
      ? new TokenRefusedBytes()
      : new TokenFailed('failed', 'The key in the token is not the one that wrapped the stored keys.');
  }

  private isWorking(session: Session): boolean {
    try {
      this.test(session);
      return true;
    } catch {
      return false;
    }
  }

  private test(session: Session): void {
    const [current] = session.keys;
    const canary = randomBytes(KEY_BYTES);
    const wrapped = this.encrypt(session, current!, randomBytes(IV_BYTES), canary, CANARY_PLACE);
    if (!timingSafeEqual(this.decrypt(session, current!, wrapped, CANARY_PLACE), canary))
      throw new TokenFailed('failed', 'The token opened the bytes of the self-test as other bytes.');
  }

  private open(): Session {
    if (this.pinFault) throw this.pinFault;
    const { module, library } = this;
    try {
      module.C_Finalize();
    } catch {
      // It was not initialized, or it has lost its token.
    }
    module.C_Initialize({ flags: library.CKF_OS_LOCKING_OK! });
    const slot = module.C_GetSlotList(true).find((each) => this.infoOf(each)?.label.trim() === this.settings.token);
    if (!slot) throw new TokenFailed('unreachable', 'The module has no token with the label PKCS11_TOKEN.');
    const handle = module.C_OpenSession(slot, library.CKF_SERIAL_SESSION!);
    this.logIn(handle, this.infoOf(slot)?.flags ?? 0);
    return { handle, keys: this.settings.keys.map((label) => this.keyNamed(handle, label)) };
  }

  private infoOf(slot: Handle): { readonly label: string; readonly flags: number } | undefined {
    try {
      return this.module.C_GetTokenInfo(slot);
    } catch {
      return undefined;
    }
  }

  private logIn(handle: Handle, flags: number): void {
    const { CKF_USER_PIN_LOCKED: locked, CKF_USER_PIN_FINAL_TRY: finalTry, CKU_USER } = this.library;
    if (flags & (locked! | finalTry!))
      throw new TokenFailed('pin', 'The PIN of the token is locked, or the next wrong PIN locks it.');
    try {
      this.module.C_Login(handle, CKU_USER!, this.settings.pin);
    } catch (error) {
      if ((error as Error).message.startsWith('CKR_PIN_'))
        throw new TokenFailed('pin', 'The token refuses PKCS11_PIN.');
      throw error;
    }
  }

  private keyNamed(session: Handle, label: string): TokenKey {
    const { module, library } = this;
    module.C_FindObjectsInit(session, [
      { type: library.CKA_CLASS!, value: library.CKO_SECRET_KEY! },
      { type: library.CKA_KEY_TYPE!, value: library.CKK_AES! },
      { type: library.CKA_LABEL!, value: label },
    ]);
    const [found, second] = module.C_FindObjects(session, 2);
    module.C_FindObjectsFinal(session);
    if (!found || second)
      throw new TokenFailed(
        'denied',
        `The token must have one AES key with the label ${label}, and has ${found ? 'several' : 'none'}.`,
      );
    const [extractable, length] = module.C_GetAttributeValue(session, found, [
      { type: library.CKA_EXTRACTABLE! },
      { type: library.CKA_VALUE_LEN! },
    ]);
    if (extractable!.value[0] !== 0)
      throw new TokenFailed('denied', `The key ${label} can be extracted from the token.`);
    if (length!.value[0] !== KEY_BYTES) throw new TokenFailed('denied', `The key ${label} must be of AES-256.`);
    return { handle: found, check: this.checkOf(session, found) };
  }

  /** The tag of no plaintext under an IV of zeros. No other message has this IV, so the tag reveals nothing about the key. */
  private checkOf(session: Handle, handle: Handle): Buffer {
    const iv = Buffer.alloc(IV_BYTES);
    const sealed = this.encrypt({ handle: session }, { handle }, iv, Buffer.alloc(KEY_BYTES), CHECK_PLACE);
    return hash('sha256', sealed, 'buffer').subarray(0, KEY_CHECK_BYTES);
  }

  private encrypt(
    { handle }: Pick<Session, 'handle'>,
    key: Pick<TokenKey, 'handle'>,
    iv: Buffer,
    plaintext: Buffer,
    place: Buffer,
  ): Buffer {
    this.module.C_EncryptInit(handle, this.gcm(iv, place), key.handle);
    const sealed = this.module.C_Encrypt(handle, plaintext, Buffer.alloc(plaintext.length + TAG_BYTES));
    // A module that makes the IV itself has written it into the buffer.
    return Buffer.concat([iv, sealed]);
  }

  private decrypt({ handle }: Session, key: TokenKey, sealed: Buffer, place: Buffer): Buffer {
    this.module.C_DecryptInit(handle, this.gcm(sealed.subarray(0, IV_BYTES), place), key.handle);
    return this.module.C_Decrypt(handle, sealed.subarray(IV_BYTES), Buffer.alloc(sealed.length));
  }

  private gcm(iv: Buffer, aad: Buffer): Mechanism {
    const { CKM_AES_GCM, CK_PARAMS_AES_GCM_v240: type } = this.library;
    return {
      mechanism: CKM_AES_GCM!,
      parameter: { type, iv, ivBits: IV_BYTES * 8, aad, tagBits: TAG_BYTES * 8 },
    };
  }
}
