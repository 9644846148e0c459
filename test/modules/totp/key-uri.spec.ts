import { randomBytes } from 'node:crypto';
import { base32 } from '../../../src/kernel/base32.js';
import { keyUri } from '../../../src/modules/totp/domain/key-uri.js';

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('base32', () => {
  it.each([
    ['12345678901234567890', secret],
    ['\0\0\0\0\0', 'AAAAAAAA'],
    ['\xff\xff\xff\xff\xff', '77777777'],
  ])('base32 of %j is %s', (bytes, text) => {
    expect(base32(Buffer.from(bytes, 'latin1'))).toBe(text);
  });

  it('base32 of a secret has 32 characters and no padding', () => {
    expect(base32(randomBytes(20))).toMatch(/^[A-Z2-7]{32}$/);
  });
});

describe('a key URI', () => {
  it('a key URI contains issuer, account and the parameters of the codes', () => {
    expect(keyUri({ issuer: 'Acme', account: 'ann@example.com', secret })).toBe(
      `otpauth://totp/Acme:ann%40example.com?secret=${secret}&issuer=Acme&algorithm=SHA1&digits=6&period=30`,
    );
  });

  it.each([
    ['Müller & Söhne', 'M%C3%BCller%20%26%20S%C3%B6hne'],
    ['50% off?', '50%25%20off%3F'],
    ['a/b#c', 'a%2Fb%23c'],
    ['Acme: Pay', 'Acme%20Pay'],
    ['🦊', '%F0%9F%A6%8A'],
    ['+1', '%2B1'],
  ])('a key URI contains the name %j percent-encoded and without a colon', (name, encoded) => {
    const uri = keyUri({ issuer: name, account: name, secret });
    expect(uri).toContain(`otpauth://totp/${encoded}:${encoded}?`);
    const { searchParams } = new URL(uri);
    expect([...searchParams.keys()]).toEqual(['secret', 'issuer', 'algorithm', 'digits', 'period']);
    expect(searchParams.get('issuer')).toBe(decodeURIComponent(encoded));
  });

  it('a key URI truncates a long name between two characters', () => {
    const uri = keyUri({ issuer: '🦊'.repeat(256), account: 'x'.repeat(300), secret });
    expect(uri).toContain(`otpauth://totp/${'%F0%9F%A6%8A'.repeat(10)}:${'x'.repeat(240)}?`);
  });
});
