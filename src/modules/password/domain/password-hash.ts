import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';

export const ALGORITHMS = [
  'bcrypt',
  'argon2id',
  'argon2i',
  'scrypt',
  'pbkdf2-sha1',
  'pbkdf2-sha256',
  'pbkdf2-sha512',
  'phpass',
  'scrypt-firebase',
  'ssha1',
  'ssha256',
  'ssha512',
] as const;

/** It is kept in the form of the import, so that an export has it unchanged. */
export interface StatedHash {
  readonly algorithm: (typeof ALGORITHMS)[number];
  readonly hash: string;
  readonly salt?: string | undefined;
  readonly salt_separator?: string | undefined;
  readonly signer_key?: string | undefined;
  readonly rounds?: number | undefined;
  readonly mem_cost?: number | undefined;
}

/** Bytes are base64. */
export interface PasswordHash {
  readonly kind: 'bcrypt' | 'argon2' | 'scrypt' | 'firebase' | 'pbkdf2' | 'phpass' | 'salted';
  readonly hash: string;
  readonly [parameter: string]: string | number;
}

/** Beyond these costs a login takes more than about half a second, or gigabytes, or the algorithm refuses to compute. */
const BOUNDS = {
  'bcrypt cost': [4, 13],
  'argon2 memory in KiB': [8, 131_072],
  'argon2 passes': [1, 10],
  'argon2 parallelism': [1, 8],
  'argon2 KiB of memory by parallelism': [8, 131_072],
  'argon2 memory in KiB times passes': [8, 262_144],
  'argon2 bytes of salt': [8, 128],
  'scrypt log2 of N': [1, 17],
  'scrypt r': [1, 16],
  'scrypt p': [1, 4],
  'scrypt memory in KiB': [0, 131_072],
  'scrypt N times r times p': [2, 2 ** 20],
  // RFC 7914: N is less than 2 ^ (128 * r / 8).
  'scrypt 16 times r less log2 of N': [1, 255],
  'pbkdf2-sha1 iterations': [1, 1_500_000],
  'pbkdf2-sha256 iterations': [1, 1_200_000],
  'pbkdf2-sha512 iterations': [1, 600_000],
  'phpass log2 of iterations': [7, 16],
  rounds: [1, 16],
  mem_cost: [1, 14],
  'bytes of salt': [0, 128],
  'bytes of hash': [16, 128],
} as const satisfies Record<string, readonly [number, number]>;

const FORMS = {
  bcrypt: /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/,
  argon2: /^\$argon2(id|i)\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([\w+/.-]{1,200})\$([\w+/.-]{1,200})={0,2}$/,
  scrypt: /^\$scrypt\$ln=(\d{1,3}),r=(\d{1,9}),p=(\d{1,9})\$([\w+/.-]{0,200})={0,2}\$([\w+/.-]{1,200})={0,2}$/,
  pbkdf2:
    /^\$pbkdf2(?:-sha(1|256|512))?\$(?:i=)?(\d{1,9})(?:,l=\d{1,9})?\$([\w+/.-]{0,200})={0,2}\$([\w+/.-]{1,200})={0,2}$/,
  phpass: /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/,
  salted: /^(?:\{\w{4,9}\})?([\w+/-]{1,600})={0,2}$/,
} as const;

const ITOA64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGEST_BYTES = { '1': 20, '256': 32, '512': 64 } as const;

/** Throws `InvalidRequest` for another form or a cost beyond the bounds. */
export function passwordHashOf(stated: StatedHash, place = 'password'): PasswordHash {
  const refused = (member: string, rule: string, message: string): InvalidRequest =>
    new InvalidRequest([{ field: `${place}.${member}`, rule, message }]);
  const within = (what: keyof typeof BOUNDS, value: number | string, member = 'hash'): number => {
    const [min, max] = BOUNDS[what];
    if (!(Number(value) >= min && Number(value) <= max))
      throw refused(member, 'cost', `must have ${what} from ${min} to ${max}`);
    return Number(value);
  };
  const parts = (form: keyof typeof FORMS): readonly string[] => {
    const found = FORMS[form].exec(stated.hash);
    if (!found) throw refused('hash', 'format', `must be a hash of ${stated.algorithm} in PHC or crypt form`);
    return found.map((part) => part ?? '');
  };
  const bytes = (text: string, what: keyof typeof BOUNDS & `${string}bytes of ${string}`, member = 'hash'): string => {
    const read = Buffer.from(text.replaceAll('.', '+'), 'base64');
    within(what, read.length, member);
    return read.toString('base64');
  };
  const given = (member: 'salt' | 'salt_separator' | 'signer_key'): string => {
    if (stated[member] === undefined) throw refused(member, 'required', 'is required with scrypt-firebase');
    return stated[member];
  };
  switch (stated.algorithm) {
    case 'bcrypt': {
      within('bcrypt cost', parts('bcrypt')[1]!);
      return { kind: 'bcrypt', hash: stated.hash };
    }
    case 'argon2id':
    case 'argon2i': {
      const [, variant, memory, passes, parallelism, salt, hash] = parts('argon2');
      if (`argon2${variant}` !== stated.algorithm)
        throw refused('hash', 'format', `must be a hash of ${stated.algorithm}`);
      const costs = {
        memory: within('argon2 memory in KiB', memory!),
        passes: within('argon2 passes', passes!),
        parallelism: within('argon2 parallelism', parallelism!),
      };
      within('argon2 KiB of memory by parallelism', costs.memory / costs.parallelism);
      within('argon2 memory in KiB times passes', costs.memory * costs.passes);
      return {
        kind: 'argon2',
        variant: variant!,
        ...costs,
        salt: bytes(salt!, 'argon2 bytes of salt'),
        hash: bytes(hash!, 'bytes of hash'),
      };
    }
    case 'scrypt': {
      const [, log2, r, p, salt, hash] = parts('scrypt');
      const costs = {
        n: 2 ** within('scrypt log2 of N', log2!),
        r: within('scrypt r', r!),
        p: within('scrypt p', p!),
      };
      within('scrypt memory in KiB', (costs.n * costs.r) / 8);
      within('scrypt N times r times p', costs.n * costs.r * costs.p);
      within('scrypt 16 times r less log2 of N', 16 * costs.r - Math.log2(costs.n));
      return { kind: 'scrypt', ...costs, salt: bytes(salt!, 'bytes of salt'), hash: bytes(hash!, 'bytes of hash') };
    }
    case 'scrypt-firebase': {
      const salt = Buffer.concat([given('salt'), given('salt_separator')].map((text) => Buffer.from(text, 'base64')));
      return {
        kind: 'firebase',
        n: 2 ** within('mem_cost', stated.mem_cost ?? 0, 'mem_cost'),
        r: within('rounds', stated.rounds ?? 0, 'rounds'),
        salt: bytes(salt.toString('base64'), 'bytes of salt', 'salt'),
        key: bytes(given('signer_key'), 'bytes of hash', 'signer_key'),
        hash: bytes(stated.hash, 'bytes of hash'),
      };
    }
    case 'pbkdf2-sha1':
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512': {
      const [, digest, iterations, salt, hash] = parts('pbkdf2');
      if (stated.algorithm !== `pbkdf2-sha${digest || 1}`)
        throw refused('hash', 'format', `must be a hash of ${stated.algorithm}`);
      // Each block of the hash costs all iterations and shows by itself whether the password is right: the first is enough.
      const whole = Buffer.from(bytes(hash!, 'bytes of hash'), 'base64');
      const block = whole.subarray(0, DIGEST_BYTES[(digest || '1') as keyof typeof DIGEST_BYTES]);
      return {
        kind: 'pbkdf2',
        digest: `sha${digest || 1}`,
        iterations: within(`${stated.algorithm} iterations`, iterations!),
        salt: bytes(salt!, 'bytes of salt'),
        hash: block.toString('base64'),
      };
    }
    case 'phpass': {
      const [, cost, salt, hash] = parts('phpass');
      // The characters are the digits of one little-endian number in base 64.
      const number = [...hash!].reduceRight((high, digit) => (high << 6n) | BigInt(ITOA64.indexOf(digit)), 0n);
      const digest = Buffer.from(number.toString(16).padStart(34, '0'), 'hex').reverse().subarray(0, 16);
      const iterations = 2 ** within('phpass log2 of iterations', ITOA64.indexOf(cost!));
      return { kind: 'phpass', iterations, salt: salt!, hash: digest.toString('base64') };
    }
    case 'ssha1':
    case 'ssha256':
    case 'ssha512': {
      const digest = stated.algorithm.slice(4) as keyof typeof DIGEST_BYTES;
      const read = Buffer.from(parts('salted')[1]!, 'base64');
      const salt = read.subarray(DIGEST_BYTES[digest]);
      // Without a salt one table of common passwords would open all of them.
      if (salt.length < 4)
        throw refused('hash', 'format', 'must be the digest and a salt of at least 4 bytes, in base64');
      const hash = read.subarray(0, DIGEST_BYTES[digest]).toString('base64');
      return { kind: 'salted', digest: `sha${digest}`, salt: bytes(salt.toString('base64'), 'bytes of salt'), hash };
    }
  }
}

/** Compared in place of another user's hash that cannot be. */
export const HASH_OF_NO_USER: PasswordHash = {
  kind: 'bcrypt',
  hash: '$2a$10$.OC/.OC/.OC/.OC/.OC/.OFR.Zc.ux/vEp1t0Nr1Yfz.8fCvvtvu.',
};

/** Compares away from the event loop. */
export abstract class HashChecker {
  /** Throws `TooManyRequests` while too many comparisons wait. Call it before a try is counted. */
  abstract requireRoom(appId: AppId): void;

  /** Throws `TooManyRequests`, and `DatabaseUnavailable` if it takes too long. */
  abstract matches(appId: AppId, password: string, hash: PasswordHash): Promise<boolean>;
}
