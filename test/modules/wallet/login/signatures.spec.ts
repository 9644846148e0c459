import { encodeBase58, Signature, Wallet } from 'ethers';
import { generateKeyPairSync, sign } from 'node:crypto';
import { newId } from '../../../../src/kernel/ids.js';
import { SECP256K1_BACKENDS } from '../../../../src/modules/wallet/infrastructure/signing/secp256k1-signature.js';
import { WalletSignatureVerifier } from '../../../../src/modules/wallet/infrastructure/login/wallet-signature-verifier.js';

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

  it('are not taken for an address, nor an address for another spelling of it', () => {
    expect(verifier.address('solana', address)).toBe(address);
    for (const text of [encodeBase58(signature), ` ${address}`, `${address}\n`, `1${address}`])
      expect(verifier.address('solana', text)).toBeNull();
  });
});
