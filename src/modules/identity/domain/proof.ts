/**
 * What a proof of an address means for the account with the address. `known`: the address was verified there before.
 * `confirmed`: the prover is logged in to the account, so the address becomes verified. `taken_over`: the account was
 * never proven, so the prover gets it, and its earlier sessions and pending tokens end. `parted`: another person has
 * proven the account, so the address leaves it, and the prover gets a separate account.
 */
export type ProofOutcome = 'known' | 'confirmed' | 'taken_over' | 'parted';

/** Decides the outcome of a proof. Call it with the holder locked. */
export function outcomeOfProof(facts: {
  isVerified: boolean;
  proverIsSignedIn: boolean;
  holderHasVerifiedSignInMethod: boolean;
}): ProofOutcome {
  if (facts.isVerified) return 'known';
  if (facts.proverIsSignedIn) return 'confirmed';
  return facts.holderHasVerifiedSignInMethod ? 'parted' : 'taken_over';
}
