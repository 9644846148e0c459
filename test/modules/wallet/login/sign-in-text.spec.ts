import { faultOfTimes, readSignInText } from '../../../../src/modules/wallet/login/domain/sign-in-text.js';
import { unitsOf } from '../../../support/processor-time.js';

/** The example of EIP-4361, "message with optional fields", letter for letter. */
const EIP_4361 = `example.com wants you to sign in with your Ethereum account:
0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2

I accept the ExampleOrg Terms of Service: https://example.com/tos

URI: https://example.com/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2021-09-30T16:25:24Z
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/
- https://example.com/my-web2-claim.json`;

const WITHOUT_STATEMENT = EIP_4361.replace(/\n\nI accept.*\n\n/, '\n\n\n').replace(/\nResources[^]*/, '');

const SOLANA = `example.com wants you to sign in with your Solana account:
9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM

Sign in

URI: https://example.com
Version: 1
Chain ID: mainnet
Nonce: abcdefgh12345678
Issued At: 2026-01-01T00:00:00Z`;

describe('reading a sign-in text', () => {
  it('reads the examples', () => {
    expect(readSignInText(EIP_4361)).toEqual({
      walletType: 'ethereum',
      scheme: undefined,
      domain: 'example.com',
      address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
      chainId: '1',
      nonce: '32891756',
      issuedAt: new Date('2021-09-30T16:25:24Z'),
      expirationTime: undefined,
      notBefore: undefined,
    });
    expect(readSignInText(WITHOUT_STATEMENT)).toMatchObject({ nonce: '32891756' });
    expect(readSignInText(SOLANA)).toMatchObject({
      walletType: 'solana',
      nonce: 'abcdefgh12345678',
      chainId: 'mainnet',
    });
  });

  it('reads a scheme, a port, fractions, offsets and all optional lines', () => {
    const text =
      `https://${WITHOUT_STATEMENT.replace('example.com', 'example.com:3388').replace('24Z', '24.123456+02:00')}
Expiration Time: 2026-01-01t00:00:00z
Not Before: 2021-01-01T00:00:00Z
Request ID: a%20b/`.slice(0, -1);
    expect(readSignInText(text)).toMatchObject({
      scheme: 'https',
      domain: 'example.com:3388',
      issuedAt: new Date('2021-09-30T14:25:24.123Z'),
      expirationTime: new Date('2026-01-01T00:00:00Z'),
      notBefore: new Date('2021-01-01T00:00:00Z'),
    });
    expect(readSignInText(`${WITHOUT_STATEMENT}\nRequest ID: \nResources:`)).not.toBeNull();
  });

  it('reads an empty statement in both ways in which the reference library wrote it', () => {
    const [head, tail] = WITHOUT_STATEMENT.split('\n\n\n');
    // siwe 2 writes an empty statement like none, siwe 3 with a line of its own.
    for (const between of ['\n\n\n', '\n\n\n\n'])
      expect(readSignInText(`${head}${between}${tail}`)).toMatchObject({ nonce: '32891756' });
    for (const between of ['\n\n', '\n\n\n\n\n']) expect(readSignInText(`${head}${between}${tail}`)).toBeNull();
  });

  it('reads a Solana text of nothing but a nonce', () => {
    const [greeting, address] = SOLANA.split('\n');
    expect(readSignInText(`${greeting}\n${address}\n\nNonce: abcdefgh`)).toMatchObject({ nonce: 'abcdefgh' });
  });

  const broken: [string, (text: string) => string][] = [
    ['Windows line ends', (text) => text.replaceAll('\n', '\r\n')],
    ['a line at the end', (text) => `${text}\n`],
    ['a blank in front', (text) => ` ${text}`],
    ['a missing blank line', (text) => text.replace('\n\n', '\n')],
    ['a statement of two lines', (text) => text.replace('I accept', 'I\naccept')],
    ['a statement in other letters', (text) => text.replace('I accept', 'Ich bestätige')],
    ['version 2', (text) => text.replace('Version: 1', 'Version: 2')],
    ['a nonce too short', (text) => text.replace('32891756', '3289175')],
    ['a nonce with a dash', (text) => text.replace('32891756', '3289-1756')],
    ['two nonces', (text) => text.replace('Nonce: 32891756', 'Nonce: 32891756\nNonce: 32891757')],
    ['lines in another order', (text) => text.replace(/(Version: 1)\n(Chain ID: 1)/, '$2\n$1')],
    ['an address too short', (text) => text.replace('6Cc2\n', '6Cc\n')],
    ['an address in ICAP', (text) => text.replace(/0x\w+/, 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS')],
    ['no time of issue', (text) => text.replace(/Issued At.*\n/, '')],
    ['a day there is none of', (text) => text.replace('2021-09-30', '2021-02-30')],
    ['a month there is none of', (text) => text.replace('2021-09-30', '2021-13-30')],
    ['a time without an offset', (text) => text.replace('24Z', '24')],
    ['a date alone', (text) => text.replace('T16:25:24Z', '')],
    ['a URI that is none', (text) => text.replace('URI: https://', 'URI: ')],
    ['a blank in the domain', (text) => text.replace('example.com wants', 'evil.org example.com wants')],
    ['a path in the domain', (text) => text.replace('example.com wants', 'example.com/x wants')],
    ['a chain that is no number', (text) => text.replace('Chain ID: 1', 'Chain ID: mainnet')],
    ['a greeting for Solana', (text) => text.replace('Ethereum', 'Solana')],
  ];
  it.each(broken)('refuses %s', (_, breakIt) => {
    expect(breakIt(EIP_4361)).not.toBe(EIP_4361);
    expect(readSignInText(breakIt(EIP_4361))).toBeNull();
  });

  it('takes less than 200 units of work to refuse hostile texts', async () => {
    const hostile = [
      `${EIP_4361.slice(0, 90)}${'a '.repeat(4_000)}`,
      EIP_4361.replace('/login', '/%20'.repeat(2_000)).replace('Version', 'version'),
      `${EIP_4361}${'\n- a:b'.repeat(1_500)}!`,
      SOLANA.replace('Sign in', 'URI: a:'.repeat(1_000)),
      `a${'+'.repeat(8_000)}://`,
    ];
    expect(await unitsOf(() => hostile.forEach((text) => readSignInText(text)))).toBeLessThan(200);
  });
});

describe('the times of a sign-in text', () => {
  const noon = new Date('2026-06-01T12:00:00Z');
  const at = (minutes: number): Date => new Date(noon.getTime() + minutes * 60_000);
  const text = { domain: '', address: '', nonce: '' };
  const fault = (times: object) => faultOfTimes({ ...text, ...times }, { nonceMadeAt: at(-3), now: noon });

  it('are exact for its end and beginning', () => {
    expect(fault({ expirationTime: noon })).toMatch(/expired/);
    expect(fault({ expirationTime: new Date(noon.getTime() + 1) })).toBeNull();
    expect(fault({ notBefore: new Date(noon.getTime() + 1) })).toMatch(/not valid yet/);
    expect(fault({ notBefore: noon })).toBeNull();
  });

  it('lie between the nonce and now, but for five minutes of a clock that is off', () => {
    expect([fault({ issuedAt: at(4.9) }), fault({ issuedAt: at(-7.9) }), fault({})]).toEqual([null, null, null]);
    expect(fault({ issuedAt: at(5.1) })).toMatch(/future/);
    expect(fault({ issuedAt: at(-8.1) })).toMatch(/before its nonce/);
  });
});
