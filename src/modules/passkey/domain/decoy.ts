import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { PasskeyDescriptor } from './passkey.js';
import type { PasskeySettings } from './passkey-settings.js';

/** How the list of a user with passkeys looks, and how many users have such a list. */
export interface ListShape {
  readonly weight: number;
  /** The passkeys, oldest first: the length of the id in bytes, and the transports. */
  readonly passkeys: readonly (readonly [length: number, transports: readonly string[]])[];
}

/** The shapes in an app without passkeys: those of widespread authenticators. */
const USUAL: readonly ListShape[] = [
  { weight: 4, passkeys: [[32, ['hybrid', 'internal']]] },
  { weight: 3, passkeys: [[16, ['hybrid', 'internal']]] },
  { weight: 1, passkeys: [[20, ['hybrid', 'internal']]] },
];

/** A shorter id would be too easily equal to a decoy by chance, see `isDecoy`. The longest that WebAuthn permits has 1,023 bytes. */
export const DECOY_BYTES = { min: 16, max: 1_023 };

type DecoySettings = Pick<PasskeySettings, 'rpId' | 'decoyKey'>;

/**
 * Passkeys that no authenticator has, for a user without passkeys: without them the response would show who has none, or does not
 * exist. They stay the same until the domain or the shapes change, because a real list stays too.
 */
export function decoysOf(
  { rpId, decoyKey }: DecoySettings,
  appId: AppId,
  userId: UserId,
  shapes: readonly ListShape[],
): readonly PasskeyDescriptor[] {
  const derive = (what: string) => keyed(decoyKey, `${what}\0${appId}\0${rpId}\0${userId}`);
  return drawn(shapes.length > 0 ? shapes : USUAL, derive).passkeys.map(([length, transports], index) => {
    const tailLength = tailLengthOf(length);
    const head = lengthened(derive(`credential ${index}`), length - tailLength);
    return {
      credentialId: Buffer.concat([head, tailOf(decoyKey, appId, head, tailLength)]).toString('base64url'),
      transports,
    };
  });
}

/** Whether the id is a decoy of the app. If it could be registered, the response would show that it is no passkey. */
export function isDecoy(decoyKey: string, appId: AppId, credentialId: Buffer): boolean {
  if (credentialId.length < DECOY_BYTES.min) return false;
  const tailLength = tailLengthOf(credentialId.length);
  const head = credentialId.subarray(0, -tailLength);
  return timingSafeEqual(credentialId.subarray(-tailLength), tailOf(decoyKey, appId, head, tailLength));
}

/**
 * One of the shapes, each as probable as its weight. Every shape has a mark for the user, and the best mark wins, so a change of
 * the weights changes the draws of only as many users as it must.
 */
function drawn(shapes: readonly ListShape[], derive: (what: string) => Buffer): ListShape {
  const marks = shapes.map(({ weight, passkeys }) => {
    const chance = (derive(`shape ${JSON.stringify(passkeys)}`).readUIntBE(0, 6) + 1) / 2 ** 48;
    return -Math.log(chance) / weight;
  });
  return shapes[marks.indexOf(Math.min(...marks))]!;
}

/** The end of a decoy follows from its beginning, so decoys are recognised without their user. */
function tailOf(decoyKey: string, appId: AppId, head: Buffer, length: number): Buffer {
  return keyed(decoyKey, `tail\0${appId}\0${head.toString('base64url')}`).subarray(0, length);
}

const tailLengthOf = (length: number): number => Math.min(16, Math.floor(length / 2));

function lengthened(seed: Buffer, length: number): Buffer {
  const blocks = [seed];
  while (blocks.length * seed.length < length) blocks.push(keyed(seed, String(blocks.length)));
  return Buffer.concat(blocks).subarray(0, length);
}

function keyed(key: string | Buffer, text: string): Buffer {
  return createHmac('sha512', key).update(text).digest();
}

/** Where a sample of the app's passkeys begins. No user can aim at it, and it stays, so that the decoys stay too. */
export function startOfSample(decoyKey: string, appId: AppId): Buffer {
  return keyed(decoyKey, `sample\0${appId}`).subarray(0, 16);
}

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
