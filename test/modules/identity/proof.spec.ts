import { outcomeOfProof } from '../../../src/modules/identity/application/prove-address.js';

const facts = { isVerified: false, proverIsSignedIn: false, holderHasVerifiedSignInMethod: false };

describe('a proof of an address', () => {
  it('finds the user for whom it was verified, whichever user is logged in', () => {
    for (const proverIsSignedIn of [true, false]) {
      expect(outcomeOfProof({ isVerified: true, proverIsSignedIn, holderHasVerifiedSignInMethod: true })).toBe('known');
    }
  });

  it('confirms it for a holder who is signed in, proved before or not', () => {
    for (const holderHasVerifiedSignInMethod of [true, false]) {
      expect(outcomeOfProof({ ...facts, proverIsSignedIn: true, holderHasVerifiedSignInMethod })).toBe('confirmed');
    }
  });

  it('takes over an account whose address was never proven', () => {
    expect(outcomeOfProof(facts)).toBe('taken_over');
  });

  it('does not take over an account that another person proved', () => {
    expect(outcomeOfProof({ ...facts, holderHasVerifiedSignInMethod: true })).toBe('parted');
  });
});
