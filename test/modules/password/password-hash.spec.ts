import { createHash, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { argon2i, argon2id, bcrypt } from 'hash-wasm';
import { DatabaseUnavailable, InvalidRequest, TooManyRequests } from '../../../src/kernel/errors.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { passwordHashOf, type StatedHash } from '../../../src/modules/password/domain/password-hash.js';
import { ThreadedHashChecker } from '../../../src/modules/password/infrastructure/threaded-hash-checker.js';
import { eventually } from '../../support/eventually.js';

// The hashes of former vendors.

const checker = new ThreadedHashChecker();
afterAll(() => checker.onApplicationShutdown());

const APP = 'app_one' as AppId;
const PASSWORD = 'Pässwörd of Grace';
const salt = randomBytes(16);
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
const ARGON = { password: PASSWORD, salt, parallelism: 1, iterations: 2, memorySize: 64, hashLength: 32 } as const;

const pbkdf2 = (digest: string, bytes: number): string =>
  `${base64(salt)}$${base64(pbkdf2Sync(PASSWORD, salt, 1_000, bytes, digest))}`;
const salted = (digest: string): string =>
  Buffer.concat([createHash(digest).update(PASSWORD).update(salt).digest(), salt]).toString('base64');

// The key, salt and hash of https://github.com/firebase/scrypt, whose password is user1password.
const FIREBASE: StatedHash = {
  algorithm: 'scrypt-firebase',
  hash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  salt: '42xEC+ixf3L2lw==',
  salt_separator: 'Bw==',
  signer_key: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  rounds: 8,
  mem_cost: 14,
};

describe('a password', () => {
  it.each<[string, () => Promise<StatedHash> | StatedHash, string?]>([
    [
      'bcrypt',
      async () => ({
        algorithm: 'bcrypt',
        hash: await bcrypt({ password: PASSWORD, salt, costFactor: 5, outputType: 'encoded' }),
      }),
    ],
    [
      'bcrypt of PHP',
      async () => {
        const hash = await bcrypt({ password: PASSWORD, salt, costFactor: 5, outputType: 'encoded' });
        return { algorithm: 'bcrypt', hash: hash.replace('$2a$', '$2y$') };
      },
    ],
    ['argon2id', async () => ({ algorithm: 'argon2id', hash: await argon2id({ ...ARGON, outputType: 'encoded' }) })],
    ['argon2i', async () => ({ algorithm: 'argon2i', hash: await argon2i({ ...ARGON, outputType: 'encoded' }) })],
    [
      'scrypt',
      () => ({
        algorithm: 'scrypt',
        hash: `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(scryptSync(PASSWORD, salt, 32, { N: 1_024, r: 8, p: 1 }))}`,
      }),
    ],
    ['pbkdf2-sha1', () => ({ algorithm: 'pbkdf2-sha1', hash: `$pbkdf2$1000$${pbkdf2('sha1', 20)}` })],
    [
      'pbkdf2-sha256',
      () => ({ algorithm: 'pbkdf2-sha256', hash: `$pbkdf2-sha256$i=1000,l=32$${pbkdf2('sha256', 32)}` }),
    ],
    ['pbkdf2-sha512', () => ({ algorithm: 'pbkdf2-sha512', hash: `$pbkdf2-sha512$1000$${pbkdf2('sha512', 64)}` })],
    [
      'pbkdf2-sha1 of several blocks, of which the first is compared',
      () => ({ algorithm: 'pbkdf2-sha1', hash: `$pbkdf2$1000$${pbkdf2('sha1', 64)}` }),
    ],
    // The test vector of https://www.openwall.com/phpass/.
    ['phpass', () => ({ algorithm: 'phpass', hash: '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0' }), 'test12345'],
    ['scrypt of Firebase', () => FIREBASE, 'user1password'],
    ['salted SHA-1', () => ({ algorithm: 'ssha1', hash: `{SSHA}${salted('sha1')}` })],
    ['salted SHA-256', () => ({ algorithm: 'ssha256', hash: salted('sha256') })],
    ['salted SHA-512', () => ({ algorithm: 'ssha512', hash: salted('sha512') })],
  ])('matches its hash by %s, and no other password does', async (_, make, password = PASSWORD) => {
    const hash = passwordHashOf(await make());
    expect(await checker.matches(APP, password, hash)).toBe(true);
    expect(await checker.matches(APP, `${password}x`, hash)).toBe(false);
  });

  it('longer than 72 bytes matches by bcrypt, which reads no more', async () => {
    const long = 'x'.repeat(100);
    const hash = await bcrypt({ password: long.slice(0, 72), salt, costFactor: 4, outputType: 'encoded' });
    expect(await checker.matches(APP, long, passwordHashOf({ algorithm: 'bcrypt', hash }))).toBe(true);
  });

  it('is compared away from the event loop', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const hash = passwordHashOf(FIREBASE);
    await Promise.all([1, 2, 3].map(() => checker.matches(APP, 'wrong', hash)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('many comparisons', () => {
  const FAST = { kind: 'salted', digest: 'sha256', salt: '', hash: '' } as const;

  it('at the same time are refused beyond a quarter of the room, which leaves that of other apps', async () => {
    checker.requireRoom(APP);
    const waiting = Array.from({ length: 200 }, () => checker.matches(APP, PASSWORD, FAST));
    const other = checker.matches('app_two' as AppId, PASSWORD, FAST);
    expect(() => checker.requireRoom(APP)).toThrow(TooManyRequests);
    const refused = (await Promise.allSettled(waiting)).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(200 - 32 - 4);
    expect(refused.length).toBeLessThan(200 - 31);
    for (const each of refused) expect((each as PromiseRejectedResult).reason).toBeInstanceOf(TooManyRequests);
    expect(await other).toBe(false);
    checker.requireRoom(APP);
  });

  it('of one app do not delay those of another, and leave it room', async () => {
    const apps = ['one', 'two', 'three', 'four', 'five'].map((name) => `app_${name}` as AppId);
    const ended: AppId[] = [];
    const check = (appId: AppId) => checker.matches(appId, PASSWORD, FAST).then(() => ended.push(appId));
    const waiting = Promise.allSettled(
      apps.slice(0, 4).flatMap((appId) => Array.from({ length: 40 }, () => check(appId))),
    );
    checker.requireRoom(apps[4]!);
    await check(apps[4]!);
    // At most one of each other app is before it, besides those that were running.
    expect(ended.length).toBeLessThanOrEqual(4 + 4 + 1);
    await waiting;
  });

  it('go on after those that take too long or cannot be computed', async () => {
    class Impatient extends ThreadedHashChecker {
      protected override readonly timeLimitMs = 300;
    }
    const impatient = new Impatient();
    try {
      const slow = passwordHashOf({ algorithm: 'bcrypt', hash: `$2b$13$${'a'.repeat(53)}` });
      const answers = Array.from({ length: 6 }, () => impatient.matches(APP, PASSWORD, slow));
      for (const { reason } of (await Promise.allSettled(answers)) as PromiseRejectedResult[])
        expect(reason).toBeInstanceOf(DatabaseUnavailable);
      await eventually(async () => expect(await impatient.matches(APP, PASSWORD, FAST)).toBe(false));
      await expect(
        impatient.matches(APP, PASSWORD, { kind: 'scrypt', n: 3, r: 1, p: 1, salt: '', hash: '' }),
      ).rejects.toThrow('could not be computed');
    } finally {
      await impatient.onApplicationShutdown();
    }
  });
});

describe('a hash', () => {
  const B = 'A'.repeat(43);
  it.each<[StatedHash['algorithm'], string]>([
    // Keycloak, which also uses 27,500 rounds of earlier releases.
    ['pbkdf2-sha1', `$pbkdf2$1300000$${B}$${B}`],
    ['pbkdf2-sha256', `$pbkdf2-sha256$600000$${B}$${B}`],
    ['pbkdf2-sha512', `$pbkdf2-sha512$210000$${B}$${B}`],
    ['argon2id', `$argon2id$v=19$m=7168,t=5,p=1$${B}$${B}`],
    // Django
    ['pbkdf2-sha256', `$pbkdf2-sha256$1200000$${B}$${B}`],
    // OWASP
    ['argon2id', `$argon2id$v=19$m=47104,t=1,p=1$${B}$${B}`],
    ['argon2id', `$argon2id$v=19$m=19456,t=2,p=1$${B}$${B}`],
    ['scrypt', `$scrypt$ln=17,r=8,p=1$${B}$${B}`],
    // RFC 9106
    ['argon2id', `$argon2id$v=19$m=65536,t=3,p=4$${B}$${B}`],
    ['bcrypt', `$2b$12$${'a'.repeat(53)}`],
  ])('of costs that are in use is accepted (%s %s)', (algorithm, hash) => {
    expect(passwordHashOf({ algorithm, hash }).kind).toBeDefined();
  });

  it.each<[string, Partial<StatedHash>, string]>([
    ['of another form', { algorithm: 'bcrypt', hash: 'secret' }, 'hash format'],
    ['of another algorithm', { algorithm: 'argon2i', hash: `$argon2id$v=19$m=64,t=2,p=1$${B}$${B}` }, 'hash format'],
    ['by bcrypt that takes seconds', { algorithm: 'bcrypt', hash: `$2b$14$${'a'.repeat(53)}` }, 'hash cost'],
    [
      'by argon2 that takes memory',
      { algorithm: 'argon2id', hash: `$argon2id$v=19$m=999999,t=2,p=1$${B}$${B}` },
      'hash cost',
    ],
    [
      'by argon2 of many passes',
      { algorithm: 'argon2id', hash: `$argon2id$v=19$m=64,t=11,p=1$${B}$${B}` },
      'hash cost',
    ],
    [
      'by argon2 of too little memory',
      { algorithm: 'argon2id', hash: `$argon2id$v=19$m=8,t=2,p=2$${B}$${B}` },
      'hash cost',
    ],
    [
      'by argon2 that takes seconds',
      { algorithm: 'argon2id', hash: `$argon2id$v=19$m=131072,t=10,p=1$${B}$${B}` },
      'hash cost',
    ],
    [
      'by argon2 of a short salt',
      { algorithm: 'argon2id', hash: `$argon2id$v=19$m=64,t=2,p=1$AAAA$${B}` },
      'hash cost',
    ],
    ['by scrypt that takes seconds', { algorithm: 'scrypt', hash: `$scrypt$ln=16,r=16,p=4$${B}$${B}` }, 'hash cost'],
    ['by scrypt of an N beyond r', { algorithm: 'scrypt', hash: `$scrypt$ln=16,r=1,p=1$${B}$${B}` }, 'hash cost'],
    ['by scrypt of many rounds', { algorithm: 'scrypt', hash: `$scrypt$ln=18,r=8,p=1$${B}$${B}` }, 'hash cost'],
    ['by scrypt that takes memory', { algorithm: 'scrypt', hash: `$scrypt$ln=17,r=16,p=1$${B}$${B}` }, 'hash cost'],
    ['by PBKDF2 of many rounds', { algorithm: 'pbkdf2-sha256', hash: `$pbkdf2-sha256$9000000$${B}$${B}` }, 'hash cost'],
    ['by phpass of many rounds', { algorithm: 'phpass', hash: `$P$zIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0` }, 'hash cost'],
    ['by SHA without a salt', { algorithm: 'ssha256', hash: randomBytes(32).toString('base64') }, 'hash format'],
    ['of Firebase without its key', { ...FIREBASE, signer_key: undefined }, 'signer_key required'],
    ['of Firebase that takes memory', { ...FIREBASE, mem_cost: 20 }, 'mem_cost cost'],
  ])('%s is refused', (_, stated, fault) => {
    const faults = (): readonly string[] => {
      try {
        passwordHashOf(stated as StatedHash);
        return [];
      } catch (error) {
        if (!(error instanceof InvalidRequest)) throw error;
        return error.fields!.map(({ field, rule }) => `${field} ${rule}`);
      }
    };
    expect(faults()).toEqual([`password.${fault}`]);
  });
});
