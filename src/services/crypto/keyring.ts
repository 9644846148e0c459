import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY_BYTES, masterKeysIn } from '../config/master-keys.js';

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
    const { faults, keys } = masterKeysIn(text);
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
