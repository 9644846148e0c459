import type { AppId } from '../../../kernel/ids.js';
import type { ListShape } from './decoy.js';

/** The shapes of the lists of an app's users, from a sample that is taken again as the passkeys become more. */
export abstract class DecoyShapesRepository {
  /** Empty when the domain had no passkey yet. `sampled` is the number of passkeys that they are from. */
  abstract find(
    appId: AppId,
    rpId: string,
  ): Promise<{ readonly shapes: readonly ListShape[]; readonly sampled: number }>;

  /** Takes a sample of the app's passkeys, in the order of their ids from `start` on, and stores the shapes of the lists of their users. */
  abstract sample(appId: AppId, rpId: string, start: Buffer): Promise<void>;
}
