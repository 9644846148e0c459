import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { PasskeyDescriptor } from './passkey.js';
import type { PasskeySettings } from './passkey-settings.js';

export interface ListShape {
  readonly weight: number;
  /** The oldest passkey is the first. `length` is the number of bytes of the id. */
  readonly passkeys: readonly (readonly [length: number, transports: readonly string[]])[];
}

/** The shapes of widespread authenticators, for an app without passkeys. */
const USUAL: readonly ListShape[] = [
  { weight: 4, passkeys: [[32, ['hybrid', 'internal']]] },
  { weight: 3, passkeys: [[16, ['hybrid', 'internal']]] },
  { weight: 1, passkeys: [[20, ['hybrid', 'internal']]] },
];

/** A shorter id would too easily equal a decoy by chance, see `isDecoy`. WebAuthn permits 1,023 bytes. */
export const DECOY_BYTES = { min: 16, max: 1_023 };

type DecoySettings = Pick<PasskeySettings, 'rpId' | 'decoyKey'>;

/** Without decoys the response would show who has no passkey. They change only with the domain or the shapes, as a real list does. */
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

/** A decoy must not be registered: the response would show that it is no passkey. */
export function isDecoy(decoyKey: string, appId: AppId, credentialId: Buffer): boolean {
  if (credentialId.length < DECOY_BYTES.min) return false;
  const tailLength = tailLengthOf(credentialId.length);
  const head = credentialId.subarray(0, -tailLength);
  return timingSafeEqual(credentialId.subarray(-tailLength), tailOf(decoyKey, appId, head, tailLength));
}

/** Every shape has a mark for the user and the best one wins, so a change of the weights changes as few users' draws as possible. */
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

/** No user can aim at the start, and it stays, so that the decoys stay too. */
export function startOfSample(decoyKey: string, appId: AppId): Buffer {
  return keyed(decoyKey, `sample\0${appId}`).subarray(0, 16);
}

export abstract class DecoyShapesRepository {
  /** Empty when the domain had no passkey yet. `sampled` is the number of sampled passkeys. */
  abstract find(
    appId: AppId,
    rpId: string,
  ): Promise<{ readonly shapes: readonly ListShape[]; readonly sampled: number }>;

  /** Samples the app's passkeys in the order of their ids from `start` on. */
  abstract sample(appId: AppId, rpId: string, start: Buffer): Promise<void>;
}
