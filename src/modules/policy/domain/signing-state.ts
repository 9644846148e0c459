import type { AppId } from '../../../kernel/ids.js';
import type { Policy } from './policy.js';

/** Everything that decides which uses of the keys of an app's wallets are allowed, besides the app's settings. */
export interface SigningState {
  /** It identifies the state. Empty: the app never had a policy. */
  readonly revision: string;
  /** Whether they sign nothing. */
  readonly isFrozen: boolean;
  /** The active versions, sorted by name. */
  readonly policies: readonly Policy[];
}

export abstract class SigningStateRepository {
  /** The state as it is stored now. Throws nothing for an unknown app: it has no policies. */
  abstract load(appId: AppId): Promise<SigningState>;
}
