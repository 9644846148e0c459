import crypto, { createPrivateKey, createPublicKey, generatePrime, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Jest's setup of end-to-end tests: RSA keys that the service makes use few primes, and each pair of primes is used for one key. To
 * find the primes of a key takes 0.2 s of processor time, and each app has two keys. The tests of a built process use real ones.
 */
const BITS = 2048;
const EXPONENT = 65_537n;

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

class FewPrimes {
  private readonly primes: bigint[] = [];
  private unused: (readonly [bigint, bigint])[] = [];
  private last: Promise<unknown> = Promise.resolve();

  /** Keys are made one after another, so that no two get the same primes. */
  next(): Promise<KeyPair> {
    const key = this.last.then(() => this.make());
    this.last = key;
    return key;
  }

  private async make(): Promise<KeyPair> {
    while (this.unused.length === 0) await this.addPrime();
    return keyOf(...this.unused.pop()!);
  }

  private async addPrime(): Promise<void> {
    const prime = await promisify(generatePrime as (bits: number, options: { bigint: true }, done: Found) => void)(
      BITS / 2,
      { bigint: true },
    );
    if (prime % EXPONENT === 1n || this.primes.includes(prime)) return;
    this.unused = this.primes.map((other) => [prime, other] as const);
    this.primes.push(prime);
  }
}
type Found = (error: Error | null, prime: bigint) => void;

function keyOf(p: bigint, q: bigint): KeyPair {
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const parts = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const jwk = Object.fromEntries(Object.entries(parts).map(([name, number]) => [name, base64url(number)]));
  const privateKey = createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** The inverse of `value` modulo `modulus`, by the extended Euclidean algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next, factor, nextFactor] = [modulus, value % modulus, 0n, 1n];
  while (next > 0n) {
    const quotient = rest / next;
    [rest, next, factor, nextFactor] = [next, rest - quotient * next, nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

function base64url(number: bigint): string {
  const hex = number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}

/** The modules of Node.js are the same objects in all test files of a worker, so this may be done already. */
const { generateKeyPair } = crypto;
if (!('isQuick' in generateKeyPair)) {
  const few = new FewPrimes();
  const generate = promisify(generateKeyPair) as (type: string, options: object) => Promise<KeyPair>;
  const quick = (type: string, options: { readonly modulusLength?: number }): Promise<KeyPair> =>
    type === 'rsa' && options.modulusLength === BITS ? few.next() : generate(type, options);
  Object.assign(crypto, {
    generateKeyPair: Object.assign(
      (type: string, options: object, done: (error: unknown, ...keys: KeyObject[]) => void) => {
        quick(type, options).then(
          ({ publicKey, privateKey }) => done(null, publicKey, privateKey),
          (error: unknown) => done(error),
        );
      },
      { isQuick: true, [promisify.custom]: quick },
    ),
  });
}
