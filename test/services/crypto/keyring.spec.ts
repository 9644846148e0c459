import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Keyring, KeyringRefused } from '../../../src/services/crypto/keyring.js';

const key = () => randomBytes(32).toString('base64');
const none = Buffer.alloc(0);

/** What `Keyring.parse` says to refuse the text. */
function refusalOf(text: string): KeyringRefused {
  try {
    Keyring.parse(text);
  } catch (error) {
    if (error instanceof KeyringRefused) return error;
    throw error;
  }
  throw new Error('The keyring was accepted.');
}

describe('reading MASTER_KEYS', () => {
  it('makes the first key current and opens with the other keys', () => {
    const keyring = Keyring.parse(` new:${key()}, old.1:${key()} \n`);
    expect(keyring.currentId).toBe('new');
    expect(keyring.ids).toEqual(['new', 'old.1']);
  });

  it.each([
    ['a short key', randomBytes(31).toString('base64'), 'has 31 bytes'],
    ['a long key', randomBytes(33).toString('base64'), 'has 33 bytes'],
    ['no key', '', 'is not base64'],
    ['base64 without its padding', key().slice(0, -1), 'is not base64'],
    ['base64 with a stray character', `${key().slice(0, -2)}!=`, 'is not base64'],
    ['something after the key', `${key()}:x`, 'is not base64'],
    ['hexadecimal digits', randomBytes(32).toString('hex'), 'has 48 bytes'],
    ['all zeros', Buffer.alloc(32).toString('base64'), 'is not random'],
    ['one byte repeated', Buffer.alloc(32, 0xa7).toString('base64'), 'is not random'],
    ['a repeated pattern', Buffer.concat(Array(4).fill(randomBytes(8))).toString('base64'), 'is not random'],
    ['a repeated half', Buffer.concat(Array(2).fill(randomBytes(16))).toString('base64'), 'is not random'],
    ['a sequence', Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('base64'), 'is not random'],
    ['a sentence', Buffer.from('example-master-key-do-not-use-it').toString('base64'), 'is not random'],
  ])('refuses %s, naming the key id and never the value', (_, encoded, reason) => {
    const { message, faults } = refusalOf(`good:${key()},bad:${encoded}`);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^Master key "bad" /);
    expect(faults[0]).toContain(reason);
    expect(encoded === '' || !message.includes(encoded)).toBe(true);
  });

  it('refuses two keys of one id, and one key under two ids', () => {
    const same = key();
    expect(refusalOf(`k1:${key()},k1:${key()}`).faults).toEqual(['Master key "k1" is given twice.']);
    expect(refusalOf(`k1:${same},k2:${same}`).faults).toEqual([
      'Master key "k2" is the same key as another under a different id.',
    ]);
  });

  it('names an entry without an id by its position, because it may be a key', () => {
    const forgotten = key();
    const { message } = refusalOf(`k1:${key()},${forgotten}`);
    expect(message).toContain('Entry 2 is not id:base64');
    expect(message).not.toContain(forgotten);
  });

  it('names all faults together', () => {
    expect(refusalOf(`k1:AAAA,k2:!,k 3:${key()},`).faults).toHaveLength(4);
  });

  it('accepts every truly random key', () => {
    expect(() => Array.from({ length: 5_000 }, () => Keyring.parse(`k:${key()}`))).not.toThrow();
  });

  it('shows no key when it is printed', () => {
    const bytes = randomBytes(32);
    const printed = inspect(Keyring.parse(`k1:${bytes.toString('base64')}`), { depth: 10, showHidden: true });
    expect(printed).not.toContain(bytes.toString('base64'));
    expect(printed).not.toContain(bytes.toString('hex').slice(0, 8));
  });
});

describe('deriving from a master key', () => {
  const keyring = Keyring.parse(`k1:${key()},k2:${key()}`);

  it('differs by key, label and input', () => {
    const derived = [
      keyring.derive('k1', 'a', none),
      keyring.derive('k2', 'a', none),
      keyring.derive('k1', 'b', none),
      keyring.derive('k1', 'a', Buffer.from('x')),
    ].map((bytes) => bytes.toString('hex'));
    expect(new Set(derived).size).toBe(4);
  });
});

describe('the development key', () => {
  let dataDir: string;
  const load = () => Keyring.load({ masterKeys: undefined, dataDir: join(dataDir, 'data'), isProduction: false });
  const file = () => join(dataDir, 'data', 'master-keys');

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'keyring-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('is made once, also when processes start at the same time, and then kept', async () => {
    const keyrings = await Promise.all(Array.from({ length: 25 }, load));
    const again = await load();
    const fingerprints = [...keyrings, again].map((k) => k.derive(k.currentId, 'test', none).toString('hex'));
    expect(new Set(fingerprints).size).toBe(1);
    expect(await readdir(join(dataDir, 'data'))).toEqual(['master-keys']);
  });

  it('is readable only by its owner', async () => {
    await load();
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it.each([0o640, 0o604])('is refused when other users can read its file: %i', async (mode) => {
    await load();
    await chmod(file(), mode);
    await expect(load()).rejects.toThrow(/can be read by other users/);
  });

  it('is refused, not replaced, when its file is damaged', async () => {
    await load();
    await writeFile(file(), '');
    await expect(load()).rejects.toThrow(KeyringRefused);
    expect(await readFile(file(), 'utf8')).toBe('');
  });

  it('is never made in production', async () => {
    await expect(Keyring.load({ masterKeys: undefined, dataDir, isProduction: true })).rejects.toThrow(
      'MASTER_KEYS is required in production.',
    );
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is not used when keys are configured', async () => {
    const keyring = await Keyring.load({ masterKeys: `k1:${key()}`, dataDir, isProduction: false });
    expect(keyring.ids).toEqual(['k1']);
    expect(await readdir(dataDir)).toEqual([]);
  });
});
