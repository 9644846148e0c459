import { hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { KeyProviders } from '../providers/key-providers.js';
import { checkValueOf } from '../provider-key-wrapper.js';
import { EscrowFile, type EscrowedKey, type Recipients, writeEscrow } from './escrow-file.js';
import type { EscrowTable, PagedKey, Position } from './escrow-table.js';
import { EscrowRefused, isPublicKey } from './shares.js';

/** Shamir's scheme has no more shares. */
const MOST_RECIPIENTS = 255;
/** Calls to the provider at a time, so that no call expires in a queue. */
const AT_ONCE = 8;
/** How many apps are named. */
const MOST_NAMED = 100;

/** The comparison of an escrow with the keys of the database. */
export interface Proof {
  readonly createdAt: Date;
  /** Keys that are the ones that the database knows. */
  matching: number;
  /** Keys of the database that are older than the file, and not in it. */
  missing: number;
  /** Keys of the database that were made after the file. */
  newer: number;
  /** Keys that the database does not know. */
  gone: number;
  /** Keys that were wrapped by the present provider. */
  wrapped: number;
  /** The owners of keys that are missing or newer. */
  readonly named: Set<string>;
}

/** Writes the wrapping keys of all apps to a file that m of n recipients open together, and compares such a file with the database. A batch at a time is in memory. */
export class KeyEscrow {
  constructor(
    private readonly providers: Pick<KeyProviders, 'all'>,
    private readonly table: EscrowTable,
  ) {}

  /** Returns the number of keys. A key that does not open fails the whole, and leaves no file. */
  async write(
    path: string,
    provider: string,
    recipients: Recipients,
    progress: (keys: number) => void,
  ): Promise<number> {
    const createdAt = await this.table.now();
    let keys = 0;
    const { table } = this;
    const opened = (stored: PagedKey): Promise<EscrowedKey> => this.opened(stored);
    await writeEscrow(
      path,
      createdAt,
      recipients,
      (async function* () {
        for await (const page of table.pages())
          for (let at = 0; at < page.length; at += AT_ONCE) {
            const batch = await Promise.all(page.slice(at, at + AT_ONCE).map(opened));
            yield batch;
            for (const { key } of batch) key.fill(0);
            progress((keys += batch.length));
          }
      })(),
    );
    const count = { threshold: recipients.threshold, recipients: recipients.recipients.length };
    await this.table.record({ createdAt, keys, ...count }, provider, hashOf(recipients));
    return keys;
  }

  /** Opens the file and compares each key with the database. With `restores`, the present provider wraps the keys that match. */
  async prove(path: string, privateKeys: readonly KeyObject[], restores: boolean): Promise<Proof> {
    const file = await EscrowFile.open(path, privateKeys);
    const { createdAt } = file;
    const proof: Proof = {
      createdAt,
      matching: 0,
      missing: 0,
      newer: 0,
      gone: 0,
      wrapped: 0,
      named: new Set(),
    };
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
    batch: readonly (EscrowedKey & Position)[],
    first: Position | null,
    last: Position | null,
    restores: boolean,
  ): Promise<void> {
    const keys = new Map(batch.map((escrowed) => [idOf(escrowed), escrowed.key]));
    for await (const page of this.table.pages(first, last))
      for (const stored of page) {
        const key = keys.get(idOf(stored));
        if (!key) {
          proof[stored.createdAt > proof.createdAt ? 'newer' : 'missing']++;
          if (proof.named.size < MOST_NAMED) proof.named.add(stored.owner);
          continue;
        }
        proof.matching++;
        if (restores && (await this.restore(key, stored))) proof.wrapped++;
        keys.delete(idOf(stored));
      }
    proof.gone += keys.size;
  }

  private async restore(key: Buffer, stored: PagedKey): Promise<boolean> {
    const provider = this.providers.all.get(stored.provider);
    if (!provider) throw new EscrowRefused(`The settings of ${stored.provider} are missing.`);
    const wrapped = await provider.wrap(key, stored);
    const again = await provider.unwrap(wrapped, stored);
    const isSame = again.equals(key);
    again.fill(0);
    if (isSame) await this.table.replace(stored, wrapped);
    return isSame;
  }

  private async opened(stored: PagedKey): Promise<EscrowedKey> {
    const { owner, generation } = stored;
    const provider = this.providers.all.get(stored.provider);
    if (!provider) throw new EscrowRefused(`The settings of ${stored.provider} are missing.`);
    const key = await provider.unwrap(stored, stored);
    if (timingSafeEqual(checkValueOf(key, stored), stored.checkValue)) return { owner, generation, key };
    key.fill(0);
    throw new EscrowRefused(`The provider opened the key of ${owner} as another key.`);
  }
}

/** Reads `{threshold, recipients: [{name, public_key}]}`. */
export async function recipientsIn(text: string): Promise<Recipients> {
  let given: Partial<Recipients> | null = null;
  try {
    given = JSON.parse(text) as Recipients;
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

/** The check value identifies the key itself. */
function idOf({ owner, generation, checkValue }: Position): string {
  return `${owner}:${generation}:${checkValue.toString('hex')}`;
}
