import { encodeBase58, Signature, Wallet } from 'ethers';
import { generateKeyPairSync, sign } from 'node:crypto';
import { leastUnitsOf } from '../../../support/processor-time.js';
import { newId } from '../../../../src/kernel/ids.js';
import { SECP256K1_BACKENDS } from '../../../../src/modules/wallet/signing/infrastructure/secp256k1-signature.js';
import { EthereumNodeUnavailable } from '../../../../src/modules/wallet/login/domain/registration.js';
import { WalletSignatureVerifier } from '../../../../src/modules/wallet/login/infrastructure/wallet-signature-verifier.js';

const app = newId('app');
const ethereum = { appId: app, walletType: 'ethereum', networks: () => Promise.resolve(['ethereum']) } as const;

describe.each(SECP256K1_BACKENDS)('signatures made elsewhere, with the $name backend', ({ name, load }) => {
  let verifier: WalletSignatureVerifier;
  beforeAll(async () => {
    verifier = new WalletSignatureVerifier({ name, ...(await load()) }, null);
  });
  const wallet = new Wallet(`0x${'17'.repeat(32)}`);
  const texts = ['one', 'two', 'three'];
  const signed = async (signature: string) =>
    (await verifier.signed({ ...ethereum, address: wallet.address }, texts, signature))?.index ?? null;

  it('are found to be on the text that was signed', async () => {
    expect(await Promise.all(texts.map(async (text) => signed(await wallet.signMessage(text))))).toEqual([0, 1, 2]);
    expect(await signed(await wallet.signMessage('four'))).toBeNull();
  });

  it('may count their recovery from 0, as hardware wallets do', async () => {
    for (const text of texts) {
      const { r, s, yParity } = Signature.from(await wallet.signMessage(text));
      expect(await signed(`${r}${s.slice(2)}0${yParity}`)).toBe(texts.indexOf(text));
    }
  });

  it('are nothing in any other form', async () => {
    const { r, s, compactSerialized } = Signature.from(await wallet.signMessage('one'));
    const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
    const forms = [
      compactSerialized,
      ...['02', '03', '1a', '1d', 'ff'].map((v) => `${r}${s.slice(2)}${v}`),
      `0x${'00'.repeat(64)}1b`,
      `${r}${'00'.repeat(32)}1b`,
      `${r}${order}1b`,
      `0x${order}${s.slice(2)}1b`,
      `${r}${s.slice(2)}1b00`,
      r.slice(2),
      '0x',
      '',
    ];
    for (const form of forms) expect(await signed(form)).toBeNull();
  });
});

describe('the signature of a contract', () => {
  it('is found on the last of many open texts, of which a few are asked about at a time', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
    let [running, most] = [0, 0];
    const contracts = {
      canBeAsked: () => true,
      isValid: async (_app: unknown, _network: unknown, { message }: { message: string }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return message === texts.at(-1);
      },
    };
    const verifier = new WalletSignatureVerifier({} as never, contracts as never);
    const signed = await verifier.signed({ ...ethereum, address: `0x${'11'.repeat(20)}` }, texts, '0x');
    expect([signed, most]).toEqual([{ index: 19, network: 'ethereum' }, 8]);
  });

  it('is looked for on many texts for seconds at most', async () => {
    let [now, calls] = [0, 0];
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const isValid = () => {
      now += 400;
      calls++;
      return Promise.resolve(false);
    };
    try {
      const verifier = new WalletSignatureVerifier({} as never, { canBeAsked: () => true, isValid } as never);
      const texts = Array.from({ length: 192 }, (_, i) => String(i));
      const signed = verifier.signed({ ...ethereum, address: `0x${'11'.repeat(20)}` }, texts, '0x');
      await expect(signed).rejects.toThrow(EthereumNodeUnavailable);
      expect(calls).toBe(16);
    } finally {
      clock.mockRestore();
    }
  });
});

describe('signatures of Ed25519', () => {
  const verifier = new WalletSignatureVerifier({} as never, null);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const address = encodeBase58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  const signature = sign(null, Buffer.from('two'), privateKey);
  const signed = async (text: string) =>
    (
      await verifier.signed(
        { appId: app, walletType: 'solana', address, networks: () => Promise.resolve([]) },
        ['one', 'two'],
        text,
      )
    )?.index ?? null;

  it('are found to be on the text that was signed, in base58 only', async () => {
    expect(await signed(encodeBase58(signature))).toBe(1);
    const forms = [
      signature.toString('hex'),
      signature.toString('base64'),
      `1${encodeBase58(signature)}`,
      '1'.repeat(64),
    ];
    for (const form of forms) expect(await signed(form)).toBeNull();
  });

  describe('on an off-chain message, as hardware wallets sign', () => {
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const text = 'acme.example wants you to sign in\n\nNonce: 12345678';
    const domain = Buffer.from('\xffsolana offchain', 'latin1');
    const length = (of: string) => Buffer.from([Buffer.byteLength(of) & 255, Buffer.byteLength(of) >> 8]);
    const legacy = (format: number, of = text) =>
      Buffer.concat([domain, Buffer.from([0, format]), length(of), Buffer.from(of)]);
    const specified = (format: number, signer = raw, application = Buffer.alloc(32)) =>
      Buffer.concat([
        domain,
        Buffer.from([0]),
        application,
        Buffer.from([format, 1]),
        signer,
        length(text),
        Buffer.from(text),
      ]);
    const versionOne = Buffer.concat([domain, Buffer.from([1, 1]), raw, Buffer.from(text)]);
    const found = async (bytes: Buffer, messages = ['one', text]) =>
      (
        await verifier.signed(
          { appId: app, walletType: 'solana', address, networks: () => Promise.resolve([]) },
          messages,
          encodeBase58(sign(null, bytes, privateKey)),
        )
      )?.index ?? null;

    it.each<[string, Buffer]>([
      ['of the command line', legacy(1)],
      ['of the command line, as plain text', legacy(0)],
      ['of the specification', specified(1)],
      ['of the specification, as plain text', specified(0)],
      ['of version 1', versionOne],
    ])('%s are found', async (_, bytes) => expect(await found(bytes)).toBe(1));

    it.each<[string, Buffer]>([
      ['of another text', legacy(0, `${text} `)],
      ['of another signer', specified(0, Buffer.alloc(32, 1))],
      ['of a site that is not known', specified(0, raw, Buffer.alloc(32, 1))],
      ['of a version that does not exist', Buffer.concat([domain, Buffer.from([2, 1]), raw, Buffer.from(text)])],
      ['without its beginning', legacy(0).subarray(1)],
    ])('%s are not', async (_, bytes) => expect(await found(bytes)).toBeNull());

    it('are looked for within 50 units of work, however many challenges an address has', async () => {
      const many = Array.from({ length: 192 }, (_, i) => `challenge ${i} ${'x'.repeat(200)}`);
      expect(await leastUnitsOf(() => found(Buffer.from('none'), many))).toBeLessThan(50);
    });
  });

  it('are not taken for an address, nor an address for another spelling of it', () => {
    expect(verifier.address('solana', address)).toBe(address);
    for (const text of [encodeBase58(signature), ` ${address}`, `${address}\n`, `1${address}`])
      expect(verifier.address('solana', text)).toBeNull();
  });
});
