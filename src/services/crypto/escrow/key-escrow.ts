import { hash, type KeyObject } from 'node:crypto';
import { portionsOf } from '../../../kernel/collections.js';
import { SealBroken } from '../../../kernel/vault.js';
import { isEqual } from '../key-check.js';
import { KeyRefused, ProviderFailed, type Wrapped } from '../key-provider.js';
import type { KeyProviders } from '../providers/key-providers.js';
import { checkValueOf } from '../provider-key-wrapper.js';
import { idOf } from '../wrapping-key-table.js';
import { EscrowFile, type EscrowedKey, type Recipients, writeEscrow } from './escrow-file.js';
import type { EscrowTable, PagedKey, Position } from './escrow-table.js';
import { EscrowRefused, isPublicKey } from './shares.js';

/** Shamir's scheme has no more shares. */
const MOST_RECIPIENTS = 255;
/** Calls to the provider at a time, so that no call expires in a queue. */
const AT_ONCE = 8;
const MOST_NAMED = 100;

class Written {
  keys = 0;
  /** Retired keys that do not open; they seal nothing. */
  skipped = 0;
  unopened = 0;
  readonly named = new Set<string>();
}

export class Proof {
  matching = 0;
  /** Keys of the database that are older than the file and not in it. */
  missing = 0;
  newer = 0;
  gone = 0;
  /** Retired keys that are not in the file, or that could not be wrapped. */
  skipped = 0;
  wrapped = 0;
  restored = 0;
  failed = 0;
  readonly named = new Set<string>();

  constructor(readonly createdAt: Date) {}
}

type PlacedKey = EscrowedKey & Position;

/** Writes all wrapping keys to a file that m of n recipients open together, and compares it. One batch at a time is in memory. */
export class KeyEscrow {
  constructor(
    private readonly providers: Pick<KeyProviders, 'all'>,
    private readonly table: EscrowTable,
  ) {}

  /** The escrow is recorded only if each key that is not retired is in it. */
  async write(
    path: string,
    provider: string,
    recipients: Recipients,
    progress: (keys: number) => void,
  ): Promise<Written> {
    const createdAt = await this.table.now();
    const written = new Written();
    await writeEscrow(path, createdAt, recipients, this.batches(written, progress));
    const { keys, unopened } = written;
    const count = { threshold: recipients.threshold, recipients: recipients.recipients.length };
    if (unopened === 0) await this.table.record({ createdAt, keys, ...count }, provider, hashOf(recipients));
    return written;
  }

  private async *batches(written: Written, progress: (keys: number) => void): AsyncGenerator<readonly EscrowedKey[]> {
    for await (const page of this.table.pages())
      for (const rows of portionsOf(page, AT_ONCE)) {
        const keys = await Promise.all(rows.map((stored) => this.opened(stored)));
        const batch = rows.flatMap((stored, index) => {
          const key = keys[index];
          if (!key) this.countUnopened(written, stored);
          return key ? [{ ...stored, key }] : [];
        });
        if (batch.length > 0) yield batch;
        for (const { key } of batch) key.fill(0);
        progress((written.keys += batch.length));
      }
  }

  /** With `restores`, the providers wrap the keys that they do not open and those whose rows are missing. */
  async prove(path: string, privateKeys: readonly KeyObject[], restores: boolean): Promise<Proof> {
    const file = await EscrowFile.open(path, privateKeys);
    const proof = new Proof(file.createdAt);
    try {
      let last: Position | null = null;
      for await (const batch of file.batches()) {
        const keys = batch.map((escrowed) => ({ ...escrowed, checkValue: checkValueOf(escrowed.key, escrowed) }));
        await this.compare(proof, keys, last, keys.at(-1)!, restores);
        last = keys.at(-1)!;
        for (const { key } of batch) key.fill(0);
      }
      await this.compare(proof, [], last, null, restores);
      return proof;
    } finally {
      await file.close();
    }
  }

  private async compare(
    proof: Proof,
    batch: readonly PlacedKey[],
    first: Position | null,
    last: Position | null,
    restores: boolean,
  ): Promise<void> {
    const left = new Map(batch.map((escrowed) => [placeOf(escrowed), escrowed]));
    for await (const page of this.table.pages(first, last))
      for (const stored of page) {
        const escrowed = left.get(placeOf(stored));
        if (escrowed) {
          proof.matching++;
          left.delete(placeOf(stored));
          if (restores) await this.repair(proof, escrowed.key, stored);
        } else if (stored.createdAt <= proof.createdAt && stored.isRetired) proof.skipped++;
        else {
          proof[stored.createdAt > proof.createdAt ? 'newer' : 'missing']++;
          name(proof, stored);
        }
      }
    for (const escrowed of left.values()) {
      proof.gone++;
      name(proof, escrowed);
      if (restores) await this.storeAgain(proof, escrowed);
    }
  }

  private async repair(proof: Proof, key: Buffer, stored: PagedKey): Promise<void> {
    const opened = await this.opened(stored);
    opened?.fill(0);
    if (opened) return;
    const wrapped = await this.wrapped({ ...stored, key });
    if (wrapped) {
      await this.table.replace(stored, wrapped);
      proof.wrapped++;
    } else if (stored.isRetired) proof.skipped++;
    else {
      proof.failed++;
      name(proof, stored);
    }
  }

  private async storeAgain(proof: Proof, escrowed: PlacedKey): Promise<void> {
    const wrapped = await this.wrapped(escrowed);
    if (wrapped) await this.table.restore({ ...escrowed, ...wrapped }, proof.createdAt);
    proof[wrapped ? 'restored' : 'failed']++;
  }

  /** Null if no provider has this name, or if it does not return the same key. */
  private async wrapped(escrowed: EscrowedKey): Promise<Wrapped | null> {
    const provider = this.providers.all.get(escrowed.provider);
    if (!provider) return null;
    const wrapped = await provider.wrap(escrowed.key, escrowed);
    const again = await provider.unwrap(wrapped, escrowed);
    const isSame = again.equals(escrowed.key);
    again.fill(0);
    return isSame ? wrapped : null;
  }

  /** Null if the provider is not configured, or works and does not open this row. */
  private async opened(stored: PagedKey): Promise<Buffer | null> {
    const provider = this.providers.all.get(stored.provider);
    if (!provider) return null;
    try {
      const key = await provider.unwrap(stored, stored);
      if (isEqual(checkValueOf(key, stored), stored.checkValue)) return key;
      key.fill(0);
      return null;
    } catch (error) {
      if (error instanceof SealBroken) return null;
      const mayBeOfRow = error instanceof KeyRefused || (error instanceof ProviderFailed && error.fault === 'failed');
      if (!mayBeOfRow) throw error;
      // An outage says nothing about the row.
      await provider.health();
      return null;
    }
  }

  private countUnopened(written: Written, stored: PagedKey): void {
    written[stored.isRetired ? 'skipped' : 'unopened']++;
    if (!stored.isRetired || this.providers.all.has(stored.provider)) name(written, stored);
  }
}

export async function recipientsIn(text: string): Promise<Recipients> {
  let given: Partial<Recipients> | null = null;
  try {
    given = JSON.parse(text.trim()) as Recipients;
  } catch {
    // Refused below.
  }
  const { threshold, recipients } = given ?? {};
  if (!Array.isArray(recipients) || recipients.length > MOST_RECIPIENTS)
    throw new EscrowRefused(
      'The recipients must be {"threshold": 2, "recipients": [{"name": "…", "public_key": "…"}]}.',
    );
  if (!Number.isInteger(threshold) || threshold! < 2 || threshold! > recipients.length)
    throw new EscrowRefused('The threshold must be from 2 to the number of recipients.');
  const known = (recipients as Recipients['recipients']).map(({ name, public_key }) => ({ name, public_key }));
  for (const { name, public_key } of known)
    if (typeof name !== 'string' || name === '' || !(await isPublicKey(public_key)))
      throw new EscrowRefused('Each recipient must have a name and a public_key: 32 bytes of X25519 in base64.');
  for (const part of ['name', 'public_key'] as const)
    if (new Set(known.map((each) => each[part])).size < known.length)
      throw new EscrowRefused('No two recipients may have the same name or the same public_key.');
  return { threshold: threshold!, recipients: known };
}

function hashOf({ threshold, recipients }: Recipients): Buffer {
  return hash(
    'sha256',
    JSON.stringify([threshold, recipients.map(({ name, public_key }) => [name, public_key])]),
    'buffer',
  );
}

function name({ named }: Pick<Proof, 'named'>, key: Position & Pick<EscrowedKey, 'provider'>): void {
  if (named.size < MOST_NAMED) named.add(`${key.owner}/${idOf(key)}`);
}

function placeOf({ owner, generation, checkValue }: Position): string {
  return `${owner}:${generation}:${checkValue.toString('hex')}`;
}
