import { hasFormOf, keyText } from '../../../src/modules/apps/domain/api-key.js';
import { testTokens } from '../../support/secret-tokens.js';

const tokens = testTokens();

describe('the text of a key', () => {
  it('says kind and mode before 48 base62 characters', () => {
    expect(keyText('secret', 'test', tokens.mint())).toMatch(/^sk_test_[0-9A-Za-z]{48}$/);
    expect(keyText('secret', 'live', tokens.mint())).toMatch(/^sk_live_[0-9A-Za-z]{48}$/);
    expect(keyText('public', 'test', tokens.mint())).toMatch(/^pk_test_[0-9A-Za-z]{48}$/);
  });

  it('has the form of its own kind and of no other', () => {
    const keys = {
      secret: keyText('secret', 'live', tokens.mint()),
      public: keyText('public', 'test', tokens.mint()),
      management: `mk_${tokens.mint()}`,
    };
    const kinds = Object.keys(keys) as (keyof typeof keys)[];
    for (const kind of kinds) {
      for (const other of kinds)
        expect([kind, other, hasFormOf(kind, keys[other])]).toEqual([kind, other, kind === other]);
      for (const text of ['', 'sk_test_', `sk_prod_${'A'.repeat(48)}`, `sk_test_${'A'.repeat(47)}_`, 'mk_short']) {
        expect(hasFormOf(kind, text)).toBe(false);
      }
    }
  });
});
