import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const src = join(__dirname, '../../src');

/** The calls that open the key of a wallet. */
const OPENS_KEY =
  /\b(?:signer|messageSigner|keys|walletKeys)\.(?:signMessage|signTypedData|signTransaction|signPayment|reveal)\(/g;

/**
 * The only files that may call them, each with the text that shows that the gate has judged the use before: `SigningWallets.use` calls `act`
 * after it, and `holdPaying` takes the `Pass` that `Gate.open` returns.
 */
const JUDGED: Readonly<Record<string, RegExp>> = {
  'modules/wallet/signing/application/sign.ts': /act: (?:\(\) =>|async \(\) => \{[^}]*return) this\.signer\.sign/g,
  'modules/wallet/keys/application/export-wallet.ts': /act: \(\) => this\.seal\(/g,
  'modules/wallet/wallets/application/wallets.facade.ts': /async holdPaying\([^)]*\}: Pass\)/g,
  // The signers of payments that `holdPaying` has given out.
  'modules/chain/infrastructure/solana/solana-transaction.ts': /signer\.signTransaction\(/g,
  'modules/chain/infrastructure/ethereum/ethereum-transaction.ts': /signer\.signTransaction\(/g,
};

/** A file that signs payments judges them itself, in the transaction in which it holds the wallet. */
const HOLDS = /\.holdPaying\(/g;
const OPENS_GATE = /const pass(?:es)? = (?:isBatch\s+\? )?await this\.gate\.open(?:Batch)?\(/g;

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

/** The files that use a key without the gate. */
function offences(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, text]) => {
    const opens = count(text, OPENS_KEY);
    const holds = count(text, HOLDS);
    const isJudged = opens === 0 || (JUDGED[file] !== undefined && count(text, JUDGED[file]) >= opens);
    return isJudged && holds <= count(text, OPENS_GATE) ? [] : [file];
  });
}

const files = new Map(
  (readdirSync(join(src, 'modules'), { recursive: true }) as string[])
    .map((file) => `modules/${file}`)
    .filter((file) => file.endsWith('.ts') && !/^modules\/wallet\/([^/]+\/)?infrastructure\//.test(file))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')]),
);

describe('the gate', () => {
  it('judges every use of a key of a wallet', () => {
    expect(offences(files)).toEqual([]);
  });

  it('would be missed where a key is opened without it', () => {
    const sign = 'modules/wallet/signing/application/sign.ts';
    for (const [file, text] of [
      ['modules/wallet/signing/application/other.ts', 'return this.signer.signMessage(key, message);'],
      ['modules/transfer/orders/application/other.ts', 'await this.wallets.holdPaying(appId, id, userId, pass);'],
      [sign, `${files.get(sign)!}\nconst signed = this.signer.signMessage(key, message);`],
    ] as const)
      expect(offences(new Map([[file, text]]))).toEqual([file]);
  });

  it('is asked by all callers that are known', () => {
    const callers = [...files].filter(([, text]) => count(text, HOLDS) > 0).map(([file]) => file);
    expect(callers.toSorted()).toEqual([
      'modules/transfer/paying/application/close-nonce-gap.ts',
      'modules/transfer/paying/application/replace-payment.ts',
      'modules/transfer/paying/application/sign-payment.ts',
    ]);
  });
});
