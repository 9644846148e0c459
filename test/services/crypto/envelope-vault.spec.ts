import { randomBytes } from 'node:crypto';
import { SealBroken, type SealContext } from '../../../src/kernel/vault.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const vaultOf = (...entries: string[]) => new EnvelopeVault(new KeyringKeyWrapper(Keyring.parse(entries.join(','))));

const k1 = entry('k1');
const k2 = entry('k2');
const vault = vaultOf(k1);
const context: SealContext = ['wallet-key', '1', 'app_a', 'wallet_a', 'ethereum', '0xabc'];
const secret = randomBytes(32);

describe('sealing a value', () => {
  it.each([0, 1, 32, 100_000])('gives %i bytes back as they were', (length) => {
    const value = randomBytes(length);
    expect(vault.open(vault.seal(value, context), context)).toEqual(value);
  });

  it('never gives the same seal twice', () => {
    expect(vault.seal(secret, context).equals(vault.seal(secret, context))).toBe(false);
  });

  it('leaves no trace of the value in the seal and does not touch the value', () => {
    const value = Buffer.from('a secret that is easy to find again');
    const copy = Buffer.from(value);
    expect(vault.seal(value, context).includes(value)).toBe(false);
    expect(value).toEqual(copy);
  });

  it('names the master key where SQL can read it', () => {
    const sealed = vault.seal(secret, context);
    expect(sealed.toString('utf8', 2, 2 + sealed[1]!)).toBe('k1');
  });
});

describe('opening a seal', () => {
  const sealed = vault.seal(secret, context);

  it('refuses a flip of any one bit', () => {
    for (let position = 0; position < sealed.length * 8; position++) {
      const altered = Buffer.from(sealed);
      altered[position >> 3]! ^= 1 << (position & 7);
      expect(() => vault.open(altered, context)).toThrow(SealBroken);
    }
  });

  it('refuses every truncation, also of the tag', () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(() => vault.open(sealed.subarray(0, length), context)).toThrow(SealBroken);
    }
  });

  it('refuses anything appended', () => {
    expect(() => vault.open(Buffer.concat([sealed, Buffer.alloc(1)]), context)).toThrow(SealBroken);
  });

  it.each([
    ['another wallet', ['wallet-key', '1', 'app_a', 'wallet_b', 'ethereum', '0xabc']],
    ['another app', ['wallet-key', '1', 'app_b', 'wallet_a', 'ethereum', '0xabc']],
    ['another kind of value', ['totp-secret', '1', 'app_a', 'wallet_a', 'ethereum', '0xabc']],
    ['the same parts in another order', ['wallet-key', '1', 'wallet_a', 'app_a', 'ethereum', '0xabc']],
    ['the same text cut elsewhere', ['wallet-key', '1', 'app_awallet_a', '', 'ethereum', '0xabc']],
    ['a part less', ['wallet-key', '1', 'app_a', 'wallet_a', 'ethereum']],
    ['an empty part more', ['wallet-key', '1', 'app_a', 'wallet_a', 'ethereum', '0xabc', '']],
  ] as [string, SealContext][])('refuses the context of %s', (_, other) => {
    expect(() => vault.open(sealed, other)).toThrow(SealBroken);
  });

  it('refuses another key under the same id', () => {
    expect(() => vaultOf(entry('k1')).open(sealed, context)).toThrow(SealBroken);
  });

  it('names the master key it lacks', () => {
    expect(() => vaultOf(k2).open(sealed, context)).toThrow(/"k1", which is not in the keyring/);
  });

  it('refuses the combined halves of two seals', () => {
    const other = vault.seal(randomBytes(32), context);
    const cut = sealed.length - (12 + 32 + 16);
    expect(() => vault.open(Buffer.concat([sealed.subarray(0, cut), other.subarray(cut)]), context)).toThrow(
      SealBroken,
    );
  });

  it('does not repeat altered bytes in its message', () => {
    const altered = Buffer.from(sealed);
    altered.write('\n\x1b', 2);
    expect(() => vault.open(altered, context)).toThrow('The seal names no master key.');
  });
});

describe('re-wrapping', () => {
  const sealed = vault.seal(secret, context);
  const rotated = vaultOf(k2, k1);

  it('moves a value to the current master key, which then suffices to open it', () => {
    const rewrapped = rotated.rewrap(sealed, context)!;
    expect(vaultOf(k2).open(rewrapped, context)).toEqual(secret);
    expect(() => vault.open(rewrapped, context)).toThrow(SealBroken);
  });

  it('does not touch the encrypted value', () => {
    const body = 12 + 32 + 16;
    expect(rotated.rewrap(sealed, context)!.subarray(-body)).toEqual(sealed.subarray(-body));
  });

  it('has nothing to do for a value under the current key', () => {
    expect(rotated.rewrap(rotated.seal(secret, context), context)).toBeNull();
  });

  it('refuses a seal that belongs elsewhere', () => {
    expect(() => rotated.rewrap(sealed, ['wallet-key', '1', 'app_b'])).toThrow(SealBroken);
  });
});

describe('a context that was extended', () => {
  const former: SealContext = ['wallet-key', '1', 'app_a', 'wallet_a'];
  const binding = { current: ['wallet-key', '2', 'app_a', 'wallet_a', 'user_a'], former } as const;
  const moved = { ...binding, current: ['wallet-key', '2', 'app_a', 'wallet_a', 'user_b'] } as const;

  it('opens earlier seals in the former context', () => {
    expect(vault.open(vault.seal(secret, former), binding)).toEqual(secret);
  });

  it('binds new seals to all of its parts', () => {
    const sealed = vault.seal(secret, binding);
    expect(vault.open(sealed, binding)).toEqual(secret);
    for (const other of [moved, former, binding.current]) expect(() => vault.open(sealed, other)).toThrow(SealBroken);
  });

  it('keeps seals of the former and the current context apart', () => {
    for (const sealed of [vault.seal(secret, former), vault.seal(secret, binding)]) {
      sealed[0]! ^= 3;
      expect(() => vault.open(sealed, binding)).toThrow(SealBroken);
    }
  });

  it('is applied by re-wrapping, also to values under the current master key', () => {
    const resealed = vault.rewrap(vault.seal(secret, former), binding)!;
    expect(vault.open(resealed, binding)).toEqual(secret);
    expect(() => vault.open(resealed, moved)).toThrow(SealBroken);
    expect(vault.rewrap(resealed, binding)).toBeNull();
  });

  it('is not written yet by the release that extends it, so that its predecessor opens every seal', () => {
    const introduced = { ...binding, seals: 'former' } as const;
    const sealed = vault.seal(secret, introduced);
    expect(vault.open(sealed, former)).toEqual(secret);
    expect(vault.rewrap(sealed, introduced)).toBeNull();
    // The next release moves it.
    expect(vault.open(vault.rewrap(sealed, binding)!, introduced)).toEqual(secret);
  });
});

describe('a seal that does not open', () => {
  it('raises one alarm that names its context, and none when it opens', () => {
    const raised: SealContext[] = [];
    const watched = new EnvelopeVault(new KeyringKeyWrapper(Keyring.parse(k1)), (where) => raised.push(where));
    const sealed = watched.seal(secret, context);
    watched.open(sealed, context);
    expect(raised).toEqual([]);
    const elsewhere: SealContext = ['totp-secret', 'app_a'];
    expect(() => watched.open(sealed, elsewhere)).toThrow(SealBroken);
    expect(() => vaultOf(k2).rewrap(sealed, context)).toThrow(SealBroken);
    expect(raised).toEqual([elsewhere]);
    const former = watched.seal(secret, ['wallet-key', '0']);
    expect(() => watched.rewrap(former, { current: context, former: elsewhere })).toThrow(SealBroken);
    expect(raised).toEqual([elsewhere, context]);
  });
});
