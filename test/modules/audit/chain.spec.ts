import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import { BrokenLink, ChainCheck, type Trust } from '../../../src/modules/audit/domain/chain-check.js';
import {
  type ChainLink,
  hashOfLink,
  macOfLink,
  NO_LINK,
  commitmentTo,
  personalDataOf,
} from '../../../src/modules/audit/domain/chain-link.js';
import {
  type ChainState,
  type Checkpoint,
  isSignedBy,
  messageOfCheckpoint,
  signatureOf,
  type Cut,
  messageOfCut,
} from '../../../src/modules/audit/domain/checkpoint.js';
import { encode, sha256 } from '../../../src/modules/audit/domain/encoding.js';
import { readLine, writeLine } from '../../../src/modules/audit/domain/export-line.js';
import { hashOfHead, headInLine, headOf, lineOfHead } from '../../../src/modules/audit/domain/service-head.js';
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
  head: null,
  previous: null,
} as const;
const BEFORE = Buffer.alloc(32, 1);
/** As the release before keyed links signs. */
const sign = (appId: string, state: ChainState) => signatureOf(messageOfCheckpoint(appId, state), privateKey);
const isSigned: Trust['isSigned'] = (message, by) => isSignedBy(message, by, publicKey);
const TRUST: Trust = { isSigned, isKeyed: null, head: null };

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

  it('gives a checkpoint of the release before keyed links its published signature', () => {
    expect(sign('app_1', STATE).toString('hex')).toBe(SIGNATURE);
    const checkpoint = { ...STATE, keyId: 'k', signature: Buffer.from(SIGNATURE, 'hex') };
    expect(isSigned(messageOfCheckpoint('app_1', checkpoint), checkpoint)).toBe(true);
    expect(isSigned(messageOfCheckpoint('app_2', checkpoint), checkpoint)).toBe(false);
    expect(isSigned(messageOfCheckpoint('app_1', { ...checkpoint, kind: 'day' }), checkpoint)).toBe(false);
  });

  it('gives MACs, checkpoints, cuts and heads their published values', () => {
    const [first, key] = [Buffer.from(FIRST_HASH, 'hex'), createSecretKey(Buffer.alloc(32, 7))];
    expect(macOfLink(key, first).toString('hex')).toBe(
      '019c8249e91f9572fc2d1c0eeb8fd7db46f431019121c403caef82aef63fa323',
    );
    const checkpoint = { ...STATE, kind: null, head: 9, previous: BEFORE };
    expect(sha256(messageOfCheckpoint('app_1', checkpoint)).toString('hex')).toBe(
      'a6b2b0771a8ce135fb49ed9042734a2164cb694c47d1e27ae535392e87b023e9',
    );
    const cut = { first: 2, last: 7, hash: BEFORE, at: STATE.at };
    expect(sha256(messageOfCut('app_1', first, cut)).toString('hex')).toBe(
      '2e3a88a4c0cbf08800b6b05994148bbc5c62b97a35d783a70617ce5cb891a90d',
    );
    const ends = new Map([
      ['app_1', { seq: 3, number: 7, hash: BEFORE, checkpoint: first }],
      ['', { seq: 1, number: 2, hash: first, checkpoint: BEFORE }],
    ]);
    const head = headOf(ends, 5, BEFORE, STATE.at);
    expect(head).toMatchObject({ chains: 2, entries: 9 });
    expect(hashOfHead(head).toString('hex')).toBe('062d500942708ea4a427f031ebc77f333b63c553b75592ce382835a245201c50');
    const signed = { ...head, keyId: 'k', signature: Buffer.from(SIGNATURE, 'hex') };
    for (const line of [lineOfHead(signed), { level: 30, audit_head: lineOfHead(signed) }])
      expect(headInLine(JSON.stringify(line))).toEqual(signed);
    for (const line of ['{', '{}', '{"audit_head":{"seq":"x"}}']) expect(() => headInLine(line)).toThrow();
  });
});

describe('personal data', () => {
  it('have a new salt each time, so equal addresses have different commitments', () => {
    const [one, other] = [personalDataOf('192.0.2.7'), personalDataOf('192.0.2.7')];
    expect(commitmentTo(one)).not.toEqual(commitmentTo(other));
  });
});

const FORMER = { kind: 'hour', head: null, previous: null } as const;

/** A chain of `count` links with a checkpoint after each one in `covered`. */
function chainOf(count: number, covered: readonly number[] = []) {
  const links: ChainLink[] = [];
  const checkpoints: Checkpoint[] = [];
  let previous: Uint8Array = NO_LINK;
  for (let number = 1, hash: Uint8Array = NO_LINK; number <= count; number++) {
    const personalData = personalDataOf(`192.0.2.${number}`);
    const content = { ...FIRST, number, id: `audit_${number}`, commitment: commitmentTo(personalData) };
    hash = hashOfLink(hash, 'app_1', content);
    links.push({ ...content, hash, mac: null, personalData });
    if (!covered.includes(number)) continue;
    const seq = checkpoints.length + 1;
    // The first one is of the release before keyed links.
    const state = {
      seq,
      number,
      hash,
      at: new Date(number),
      ...(seq === 1 ? FORMER : { kind: null, head: 1, previous }),
    };
    previous = sha256(messageOfCheckpoint('app_1', state));
    checkpoints.push({ ...state, keyId: 'k', signature: sign('app_1', state) });
  }
  return { links, checkpoints };
}

const newCheck = () => new ChainCheck('app_1', TRUST);
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

  it('finds a checkpoint that names another predecessor', () => {
    const [{ links, checkpoints }, other] = [chainOf(2, [1, 2]), chainOf(2, [1, 2])];
    const state = { ...checkpoints[1]!, previous: sha256(messageOfCheckpoint('app_1', other.checkpoints[0]!)) };
    const check = newCheck();
    const fault = faultOf(() => {
      check.link(links[0]!);
      check.checkpoint(checkpoints[0]!);
      check.link(links[1]!);
      check.checkpoint({ ...state, signature: sign('app_1', state) });
    });
    expect(fault).toEqual([2, 'Checkpoint 2 names another predecessor.']);
  });

  it('finds a link of another app', () => {
    const { links } = chainOf(1);
    const check = new ChainCheck('app_2', { ...TRUST, isSigned: () => true });
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
    const second = { ...SECOND, hash: Buffer.from(SECOND_HASH, 'hex'), mac: null, personalData: null };
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

  it('with a cut is verified across it, and a cut fits its own place only', async () => {
    const chain = chainOf(5, [2, 3, 5]);
    const lines = linesOf(chain);
    const cutOf = (first: number, last: number): Cut => {
      const range = { first, last, hash: chain.links[last - 1]!.hash, at: STATE.at };
      const signature = signatureOf(messageOfCut('app_1', chain.links[first - 2]!.hash, range), privateKey);
      return { ...range, keyId: 'k', signature };
    };
    const across = (cut: Cut) =>
      verify([START, lines[0]!, writeLine({ type: 'cut', cut }), lines[2]!, lines[4]!, ...lines.slice(5)]);
    expect(writeLine(readLine(writeLine({ type: 'cut', cut: cutOf(2, 3) })))).toBe(
      writeLine({ type: 'cut', cut: cutOf(2, 3) }),
    );
    expect(await across(cutOf(2, 3))).toMatchObject({ broken: 0, entries: 3, cut: 2, checkpoints: 3, unsigned: 0 });
    const elsewhere = { ...cutOf(3, 4), first: 2, last: 3 };
    for (const cut of [elsewhere, { ...cutOf(2, 3), hash: NO_LINK }, { ...cutOf(2, 3), last: 4 }])
      expect((await across(cut)).faults).toEqual([
        { appId: 'app_1', number: 2, difference: expect.stringContaining('changed') },
      ]);
  });

  it('counts the entries after the last checkpoint as unsigned', async () => {
    expect(await verify([START, ...linesOf(chainOf(5, [2]))])).toMatchObject({ broken: 0, entries: 5, unsigned: 3 });
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
