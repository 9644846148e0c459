import type { TokenHash } from '../../../kernel/secret-tokens.js';

export abstract class OperatorSignInRepository {
  /** Spends the state on all replicas. False if it was spent before. */
  abstract spend(stateHash: TokenHash): Promise<boolean>;
}
