import { createPrivateKey, createPublicKey } from 'node:crypto';
import { BrokenLink, ChainCheck } from '../../../src/modules/audit/domain/chain-check.js';
import { type ChainLink, hashOfLink, NO_LINK } from '../../../src/modules/audit/domain/chain-link.js';
import { type Checkpoint, isSignedBy, signatureOf } from '../../../src/modules/audit/domain/checkpoint.js';
import { encode } from '../../../src/modules/audit/domain/encoding.js';
import { readLine, writeLine } from '../../../src/modules/audit/domain/export-line.js';
import { commitmentTo, personalDataOf } from '../../../src/modules/audit/domain/personal-data.js';
import { verifyExport } from '../../../src/modules/audit/index.js';

// The vectors were computed by another program (Python's hashlib and struct), from the README of the module.
const SALT = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
const COMMITMENT = '17890ae62a9f3407bd6b7e7ff01d05797bde0a2f94742c96bbca3c461085d268';
const FIRST_HASH = '71b8bcb17ef270d66cf985817c3f8b966c8960ee6cab97dad895259c20fce066';
const SECOND_HASH = 'ba72debdad5e8b89ebd7174a4ea29a7dbb55f812e2b7397ebfba28fd2b745d8e';
const SIGNATURE =
  '0d076dad98249d9fa6c80c4859fd040ccdb6a99b0f840f4c65d5cb8335135b4d' +
  '28399a40ccec44e23033ee29360207c042c2ed0d84e0ac62626a02a4fb83990d';

/** Of RFC 8032, with 32 bytes of value 7 as its seed. */
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = createPublicKey(privateKey);

const FIRST = {
  number: 1,
  chainedAt: '1700000000123456',
  id: 'audit_1',
  at: '1700000000000000',
  actor: 'key_1',
  action: 'app.updated',
  target: 'app_1',
  fields: ['name', 'limits'],
  outcome: 'ok',
  errorType: null,
  calls: 1,
  requestId: 'req-1',
  commitment: Buffer.from(COMMITMENT, 'hex'),
};
const SECOND = {
  number: 2,
  chainedAt: '1700000000223456',
  id: 'audit_2',
  at: '1700000000100000',
  actor: 'unknown',
  action: 'call.refused',
  target: 'GET /é',
  fields: [],
  outcome: 'refused',
  errorType: 'wrong_key_kind',
  calls: 900,
  requestId: null,
  commitment: null,
};
const STATE = {
  seq: 3,
  kind: 'hour',
  number: 7,
  hash: Buffer.from(FIRST_HASH, 'hex'),
  at: new Date(1_700_000_000_000),
} as const;

describe('the encoding', () => {
  it('has a length before each part, and one of its own for an absent part', () => {
    expect(encode(['a', null, '', Buffer.from([1, 2])]).toString('hex')).toBe('0000000161ffffffff00000000000000020102');
  });

  it('differs when a character moves from one part to the next', () => {
    expect(encode(['ab', 'c'])).not.toEqual(encode(['a', 'bc']));
    expect(encode(['a', ''])).not.toEqual(encode(['a', null]));
    expect(encode(['a'])).not.toEqual(encode(['a', null]));
  });

  it('gives links their published hashes', () => {
    expect(hashOfLink(NO_LINK, 'app_1', FIRST).toString('hex')).toBe(FIRST_HASH);
    expect(hashOfLink(Buffer.from(FIRST_HASH, 'hex'), '', SECOND).toString('hex')).toBe(SECOND_HASH);
  });

  it('gives personal data their published commitment', () => {
    expect(commitmentTo({ salt: SALT, ip: '192.0.2.7' }).toString('hex')).toBe(COMMITMENT);
  });

  it('gives a checkpoint its published signature', () => {
    expect(signatureOf('app_1', STATE, privateKey).toString('hex')).toBe(SIGNATURE);
    const checkpoint = { ...STATE, keyId: 'k', signature: Buffer.from(SIGNATURE, 'hex') };
    expect(isSignedBy('app_1', checkpoint, publicKey)).toBe(true);
    expect(isSignedBy('app_2', checkpoint, publicKey)).toBe(false);
    expect(isSignedBy('app_1', { ...checkpoint, kind: 'day' }, publicKey)).toBe(false);
  });
});

describe('personal data', () => {
  it('have a new salt each time, so equal addresses have different commitments', () => {
    const [one, other] = [personalDataOf('192.0.2.7'), personalDataOf('192.0.2.7')];
    expect(commitmentTo(one)).not.toEqual(commitmentTo(other));
  });
});

/** A chain of `count` links with a checkpoint after each one in `covered`. */
function chainOf(count: number, covered: readonly number[] = []) {
  const links: ChainLink[] = [];
  const checkpoints: Checkpoint[] = [];
  for (let number = 1, hash: Uint8Array = NO_LINK; number <= count; number++) {
    const personalData = personalDataOf(`192.0.2.${number}`);
    const content = { ...FIRST, number, id: `audit_${number}`, commitment: commitmentTo(personalData) };
    hash = hashOfLink(hash, 'app_1', content);
    links.push({ ...content, hash, personalData });
    if (!covered.includes(number)) continue;
    const state = { seq: checkpoints.length + 1, kind: 'hour', number, hash, at: new Date(number) } as const;
    checkpoints.push({ ...state, keyId: 'k', signature: signatureOf('app_1', state, privateKey) });
  }
  return { links, checkpoints };
}

const newCheck = () => new ChainCheck('app_1', (appId, checkpoint) => isSignedBy(appId, checkpoint, publicKey));
const faultOf = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof BrokenLink) return [error.number, error.difference];
    throw error;
  }
  return undefined;
};

describe('the check of a chain', () => {
  it('finds a middle checkpoint that is missing', () => {
    const { links, checkpoints } = chainOf(3, [1, 2, 3]);
    const check = newCheck();
    const fault = faultOf(() => {
      for (const link of links) {
        check.link(link);
        if (link.number !== 2) check.checkpoint(checkpoints[link.number - 1]!);
      }
    });
    expect(fault).toEqual([3, 'Checkpoint 2 is missing. The next one is 3.']);
  });

  it('finds a link of another app', () => {
    const { links } = chainOf(1);
    const check = new ChainCheck('app_2', () => true);
    expect(faultOf(() => check.link(links[0]!))).toEqual([1, expect.stringContaining('hash differs')]);
  });
});

describe('an export', () => {
  const START = writeLine({ type: 'chain', appId: 'app_1', after: 0, hash: NO_LINK });
  const linesOf = ({ links, checkpoints }: ReturnType<typeof chainOf>): string[] =>
    links.flatMap((link) => [
      writeLine({ type: 'entry', link }),
      ...checkpoints
        .filter(({ number }) => number === link.number)
        .map((checkpoint) => writeLine({ type: 'checkpoint', checkpoint })),
    ]);
  const verify = (lines: readonly string[]) =>
    verifyExport(
      (async function* () {
        yield* lines;
      })(),
      [publicKey],
      () => undefined,
    );

  it('is read as it was written', () => {
    for (const line of linesOf(chainOf(2, [2]))) expect(writeLine(readLine(line))).toBe(line);
    const second = { ...SECOND, hash: Buffer.from(SECOND_HASH, 'hex'), personalData: null };
    expect(readLine(writeLine({ type: 'entry', link: second }))).toEqual({ type: 'entry', link: second });
  });

  it('is verified without the service', async () => {
    expect(await verify([START, ...linesOf(chainOf(5, [2, 5])), ''])).toMatchObject({
      broken: 0,
      chains: 1,
      entries: 5,
      checkpoints: 2,
    });
  });

  it('of two parts that follow one another is verified, and a gap between them is found', async () => {
    const chain = chainOf(4, [1, 4]);
    const lines = linesOf(chain);
    const resume = (after: number): string =>
      writeLine({ type: 'chain', appId: 'app_1', after, hash: chain.links[after - 1]!.hash });
    // Two links, one checkpoint; then the rest.
    const whole = [START, ...lines.slice(0, 3), resume(2), ...lines.slice(3)];
    expect(await verify(whole)).toMatchObject({ broken: 0, entries: 4, checkpoints: 2 });
    expect(await verify([resume(2), ...lines.slice(3)])).toMatchObject({ broken: 0, entries: 2, checkpoints: 1 });
    expect(await verify([START, ...lines.slice(0, 3), resume(3), ...lines.slice(4)])).toMatchObject({
      faults: [{ appId: 'app_1', number: 3, difference: expect.stringContaining('goes on at another entry') }],
    });
  });

  it.each([
    ['no JSON', '{', /Line 2 is no line/],
    ['an unknown type', '{"type":"other"}', /Line 2 is no line/],
    ['an entry with a missing field', '{"type":"entry","number":1}', /Line 2 is no line/],
  ])('with %s is refused', async (_, line, difference) => {
    const { faults } = await verify([START, line]);
    expect(faults).toEqual([{ appId: 'app_1', number: 0, difference: expect.stringMatching(difference) }]);
  });
});
