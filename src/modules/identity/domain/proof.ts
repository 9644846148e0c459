/**
 * What a proof of an address means for the account that holds it:
 * - `known`: the address was verified there before; the prover is that user.
 * - `confirmed`: the prover is signed in to that account, so the address becomes verified on it.
 * - `taken_over`: nobody ever proved to be that account, so it was kept for whoever proves the address. The prover gets
 *   it, and whoever used it before loses every session and pending token.
 * - `parted`: others have proved to be that account. The address leaves it, and the prover gets an account of their own.
 */
export type ProofOutcome = 'known' | 'confirmed' | 'taken_over' | 'parted';

/** Decides a proof by what is known under the holder's lock. */
export function outcomeOfProof(facts: {
  isVerified: boolean;
  proverIsSignedIn: boolean;
  holderHasVerifiedSignInMethod: boolean;
}): ProofOutcome {
  if (facts.isVerified) return 'known';
  if (facts.proverIsSignedIn) return 'confirmed';
  return facts.holderHasVerifiedSignInMethod ? 'parted' : 'taken_over';
}
