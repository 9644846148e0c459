import { outcomeOfProof } from '../../../src/modules/identity/domain/proof.js';

const facts = { isVerified: false, proverIsSignedIn: false, holderHasVerifiedSignInMethod: false };

describe('a proof of an address', () => {
  it('finds the user it was verified for, whoever is signed in', () => {
    for (const proverIsSignedIn of [true, false]) {
      expect(outcomeOfProof({ isVerified: true, proverIsSignedIn, holderHasVerifiedSignInMethod: true })).toBe('known');
    }
  });

  it('confirms it for a holder who is signed in, proved before or not', () => {
    for (const holderHasVerifiedSignInMethod of [true, false]) {
      expect(outcomeOfProof({ ...facts, proverIsSignedIn: true, holderHasVerifiedSignInMethod })).toBe('confirmed');
    }
  });

  it('takes over an account nobody ever proved to be theirs', () => {
    expect(outcomeOfProof(facts)).toBe('taken_over');
  });

  it('parts from an account somebody else proved to be theirs', () => {
    expect(outcomeOfProof({ ...facts, holderHasVerifiedSignInMethod: true })).toBe('parted');
  });
});
