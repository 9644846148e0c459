// The code of a worker thread: compares one password at a time with a hash. Plain JavaScript, because a thread is started from its file,
// in the build as well as in tests.
// oxlint-disable unicorn/require-post-message-target-origin -- threads have no origin
import { createCipheriv, createHash, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { argon2i, argon2id, bcryptVerify } from 'hash-wasm';

const bytesOf = (text) => Buffer.from(text, 'base64');
const SCRYPT_MEMORY = 256 * 1024 * 1024;
/** bcrypt reads no more of a password. */
const BCRYPT_BYTES = 72;

const DERIVE = {
  argon2: (password, { variant, memory, passes, parallelism, salt, hash }) =>
    (variant === 'id' ? argon2id : argon2i)({
      password,
      salt: bytesOf(salt),
      memorySize: memory,
      iterations: passes,
      parallelism,
      hashLength: bytesOf(hash).length,
      outputType: 'binary',
    }),
  scrypt: (password, { n, r, p, salt, hash }) =>
    scryptSync(password, bytesOf(salt), bytesOf(hash).length, { N: n, r, p, maxmem: SCRYPT_MEMORY }),
  // The project's key, encrypted with a key made of the password.
  firebase: (password, { n, r, salt, key }) => {
    const derived = scryptSync(password, bytesOf(salt), 32, { N: n, r, p: 1, maxmem: SCRYPT_MEMORY });
    return createCipheriv('aes-256-ctr', derived, Buffer.alloc(16)).update(bytesOf(key));
  },
  pbkdf2: (password, { digest, iterations, salt, hash }) =>
    pbkdf2Sync(password, bytesOf(salt), iterations, bytesOf(hash).length, digest),
  phpass: (password, { iterations, salt }) => {
    const md5 = (...parts) => parts.reduce((digest, part) => digest.update(part), createHash('md5')).digest();
    let digest = md5(salt, password);
    for (let count = 0; count < iterations; count += 1) digest = md5(digest, password);
    return digest;
  },
  salted: (password, { digest, salt }) => createHash(digest).update(password).update(bytesOf(salt)).digest(),
};

async function matches(text, hash) {
  const password = Buffer.from(text);
  if (hash.kind === 'bcrypt') return bcryptVerify({ password: password.subarray(0, BCRYPT_BYTES), hash: hash.hash });
  const derived = Buffer.from(await DERIVE[hash.kind](password, hash));
  const expected = bytesOf(hash.hash);
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

parentPort.on('message', ({ password, hash }) => {
  matches(password, hash).then(
    (isMatch) => parentPort.postMessage({ isMatch }),
    (error) => parentPort.postMessage({ fault: String(error) }),
  );
});
