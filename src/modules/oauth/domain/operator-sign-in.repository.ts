import type { TokenHash } from '../../../kernel/secret-tokens.js';

/** The sign-ins of operators that were completed, for as long as their states could return. */
export abstract class OperatorSignInRepository {
  /** Spends the state on all replicas. Returns false if it was spent before. */
  abstract spend(stateHash: TokenHash): Promise<boolean>;
}
