import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Names every fault by key id; the message contains no key. */
export class KeyringRefused extends Error {
  override readonly name = 'KeyringRefused';
  constructor(readonly faults: readonly string[]) {
    super(`The master keys are refused:\n  - ${faults.join('\n  - ')}`);
  }
}

export interface KeyringSource {
  readonly masterKeys: string | undefined;
  readonly dataDir: string;
  readonly isProduction: boolean;
  /** If true, master keys only open values that were sealed before. */
  readonly hasKeyProvider?: boolean;
}

/** All open, the current one seals. A key only keys an HMAC whose label names the purpose, so it serves several purposes safely. */
export class Keyring {
  private constructor(
    readonly currentId: string,
    private readonly keys: ReadonlyMap<string, KeyObject>,
  ) {}

  /** Outside production, keys that the configuration lacks come from `dataDir`; the first start makes them. */
  static async load(source: KeyringSource): Promise<Keyring> {
    if (source.masterKeys !== undefined) return Keyring.parse(source.masterKeys);
    if (source.hasKeyProvider) {
      const kept = source.isProduction ? null : await readKept(keptIn(source.dataDir));
      return kept === null ? new Keyring('', new Map()) : Keyring.parse(kept);
    }
    if (source.isProduction) throw new KeyringRefused(['MASTER_KEYS is required in production.']);
    return Keyring.parse(await readOrMake(source.dataDir));
  }

  static parse(text: string): Keyring {
    const faults: string[] = [];
    const keys = new Map<string, KeyObject>();
    for (const [index, entry] of text.trim().split(',').entries()) {
      const colon = entry.indexOf(':');
      const id = entry.slice(0, Math.max(colon, 0)).trim();
      const encoded = entry.slice(colon + 1).trim();
      // Text that is no id may be a key without its id, so the message names its position instead.
      if (!KEY_ID.test(id)) {
        faults.push(`Entry ${index + 1} is not id:base64 (an id has up to 32 letters, digits, dots, dashes).`);
        continue;
      }
      const bytes = Buffer.from(encoded, 'base64');
      const fault = faultOf(encoded, bytes);
      const key = fault ? null : createSecretKey(bytes);
      bytes.fill(0);
      if (keys.has(id)) faults.push(`Master key "${id}" is given twice.`);
      else if (fault) faults.push(`Master key "${id}" ${fault}`);
      else if ([...keys.values()].some((other) => other.equals(key!))) {
        faults.push(`Master key "${id}" is the same key as another under a different id.`);
      } else keys.set(id, key!);
    }
    const [currentId] = keys.keys();
    if (faults.length > 0 || currentId === undefined) throw new KeyringRefused(faults);
    return new Keyring(currentId, keys);
  }

  get ids(): readonly string[] {
    return [...this.keys.keys()];
  }

  has(id: string): boolean {
    return this.keys.has(id);
  }

  derive(id: string, label: string, input: Uint8Array): Buffer {
    const key = this.keys.get(id);
    if (!key) throw new RangeError(`Master key "${id}" is not in the keyring.`);
    return createHmac('sha256', key).update(label).update('\0').update(input).digest();
  }
}

/** Thirty-two random bytes show each of these faults with a probability below 2^-40. */
function faultOf(encoded: string, bytes: Buffer): string | undefined {
  if (encoded === '' || !BASE64.test(encoded) || bytes.toString('base64') !== encoded) return 'is not base64.';
  if (bytes.length !== KEY_BYTES) return `has ${bytes.length} bytes; it must have ${KEY_BYTES}.`;
  const weak = 'is not random; make one with: openssl rand -base64 32';
  if (new Set(bytes).size < 16) return weak;
  if (bytes.subarray(0, 16).equals(bytes.subarray(16))) return weak;
  // Typed instead of random: words, hexadecimal digits, the examples of guides.
  if (bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)) return weak;
  const step = (bytes[1]! - bytes[0]!) & 0xff;
  if (bytes.every((byte, i) => i === 0 || ((byte - bytes[i - 1]!) & 0xff) === step)) return weak;
  return undefined;
}

function keptIn(dataDir: string): string {
  return join(dataDir, 'master-keys');
}

async function readOrMake(dataDir: string): Promise<string> {
  const path = keptIn(dataDir);
  const kept = await readKept(path);
  if (kept !== null) return kept;
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`dev-${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await file.sync();
    // link() names the complete file in one step, and fails for every process but the first.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await unlink(draft);
  }
  return (await readKept(path))!;
}

async function readKept(path: string): Promise<string | null> {
  try {
    // Windows has no such permissions.
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) {
      throw new KeyringRefused([`${path} can be read by other users. Run: chmod 600 ${path}`]);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
