import { hash, randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyObject } from 'node:crypto';
import type { KeyOwner } from '../../../kernel/app-keys.js';
import { SealBroken } from '../../../kernel/vault.js';
import { decrypt, encrypt, secretBuffer } from '../aes-gcm.js';
import type { KeyPlace } from '../key-provider.js';
import { EscrowRefused, openKey, type Recipient, type SealedShare, shareKey } from './shares.js';

const FORMAT = 'key-escrow';
const VERSION = 1;
const KEY_BYTES = 32;

export interface EscrowedKey extends KeyPlace {
  /** A part of the key's id in seals, by which a lost row can be stored again. */
  readonly provider: string;
  readonly key: Buffer;
}

export interface Recipients {
  readonly threshold: number;
  readonly recipients: readonly Recipient[];
}

interface Header {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly created_at: string;
  readonly threshold: number;
  readonly recipients: readonly SealedShare[];
}

/**
 * The lines of the file, which gets its name when it is complete and on disk:
 *
 *     header, JSON: format, version, date, threshold, the recipients with their shares of the file's key
 *     batch, base64: nonce (12) | ciphertext | tag (16), AES-256-GCM; the last one is empty
 *
 * Each batch is bound to the header, its number and whether it is the last. A key is
 * `length of the owner (1) | owner | length of the provider (1) | provider | generation (4) | key (32)`.
 */
export async function writeEscrow(
  path: string,
  createdAt: Date,
  { threshold, recipients }: Recipients,
  batches: AsyncIterable<readonly EscrowedKey[]>,
): Promise<void> {
  const fileKey = secretBuffer(KEY_BYTES);
  randomBytes(KEY_BYTES).copy(fileKey);
  const draft = `${path}.${process.pid}.draft`;
  const file = await open(draft, 'wx', 0o600);
  try {
    const header: Header = {
      format: FORMAT,
      version: VERSION,
      created_at: createdAt.toISOString(),
      threshold,
      recipients: await shareKey(fileKey, threshold, recipients),
    };
    const head = JSON.stringify(header);
    const sealed = (keys: readonly EscrowedKey[], number: number, isLast: boolean): string => {
      const bytes = encoded(keys);
      const line = encrypt(fileKey, bytes, boundTo(head, number, isLast)).toString('base64');
      bytes.fill(0);
      return `${line}\n`;
    };
    await file.write(`${head}\n`);
    let number = 0;
    for await (const keys of batches) await file.write(sealed(keys, number++, false));
    await file.write(sealed([], number, true));
    await file.sync();
    await linkNew(draft, path);
  } finally {
    fileKey.fill(0);
    await file.close();
    await rm(draft);
  }
  await syncFolder(dirname(path));
}

export class EscrowFile {
  private constructor(
    readonly createdAt: Date,
    private readonly head: string,
    private readonly key: Buffer,
    private readonly lines: AsyncIterator<string>,
    private readonly file: FileHandle,
  ) {}

  static async open(path: string, privateKeys: readonly KeyObject[]): Promise<EscrowFile> {
    const file = await open(path);
    try {
      const lines = file.readLines()[Symbol.asyncIterator]();
      const head = String((await lines.next()).value);
      const { created_at, threshold, recipients } = headerIn(head);
      const key = await openKey(threshold, recipients, privateKeys);
      return new EscrowFile(new Date(created_at), head, key, lines, file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The caller must wipe the keys. */
  async *batches(): AsyncGenerator<readonly EscrowedKey[]> {
    for (let number = 0; ; number++) {
      const line = (await this.lines.next()).value as string | undefined;
      if (line === undefined) throw new EscrowRefused('The file is incomplete.');
      const sealed = Buffer.from(line, 'base64');
      const batch = this.opened(sealed, number, false);
      if (!batch) break;
      const keys = keysIn(batch);
      batch.fill(0);
      yield keys;
    }
  }

  async close(): Promise<void> {
    this.key.fill(0);
    await this.file.close();
  }

  private opened(sealed: Buffer, number: number, isLast: boolean): Buffer | null {
    try {
      const bytes = decrypt(this.key, sealed, boundTo(this.head, number, isLast));
      return isLast ? null : bytes;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      if (!isLast) return this.opened(sealed, number, true);
      throw new EscrowRefused('The file was altered.', { cause: error });
    }
  }
}

function headerIn(line: string): Header {
  let header: Partial<Header> = {};
  try {
    header = JSON.parse(line) as Header;
  } catch {
    // Refused below.
  }
  if (header.format !== FORMAT || header.version !== VERSION || !Array.isArray(header.recipients))
    throw new EscrowRefused('The file is no key escrow of this version.');
  return header as Header;
}

function boundTo(head: string, number: number, isLast: boolean): Buffer {
  const end = Buffer.alloc(5);
  end.writeUInt32BE(number);
  end[4] = Number(isLast);
  return Buffer.concat([hash('sha256', head, 'buffer'), end]);
}

function encoded(keys: readonly EscrowedKey[]): Buffer {
  const lengthOf = ({ owner, provider }: EscrowedKey): number => 1 + owner.length + 1 + provider.length + 4 + KEY_BYTES;
  const bytes = secretBuffer(keys.reduce((sum, key) => sum + lengthOf(key), 0));
  let at = 0;
  for (const { owner, provider, generation, key } of keys) {
    for (const text of [owner, provider]) {
      at = bytes.writeUInt8(text.length, at);
      at += bytes.write(text, at, 'latin1');
    }
    at = bytes.writeUInt32BE(generation, at);
    at += key.copy(bytes, at);
  }
  return bytes;
}

function keysIn(bytes: Buffer): EscrowedKey[] {
  const keys: EscrowedKey[] = [];
  for (let at = 0; at < bytes.length;) {
    const ownerEnd = at + 1 + bytes[at]!;
    const owner = bytes.toString('latin1', at + 1, ownerEnd) as KeyOwner;
    const providerEnd = ownerEnd + 1 + bytes[ownerEnd]!;
    const provider = bytes.toString('latin1', ownerEnd + 1, providerEnd);
    const key = secretBuffer(KEY_BYTES);
    bytes.copy(key, 0, providerEnd + 4);
    keys.push({ owner, provider, generation: bytes.readUInt32BE(providerEnd), key });
    at = providerEnd + 4 + KEY_BYTES;
  }
  return keys;
}

/** A name that exists is refused: its file may be the only copy of a key that was lost since. */
async function linkNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new EscrowRefused(`${path} exists, and an escrow replaces no file. Name a new one, for example by its date.`);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
