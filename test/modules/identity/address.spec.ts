import { emailAddress, phoneAddress } from '../../../src/modules/identity/domain/address.js';
import { InvalidEmail, InvalidPhoneNumber } from '../../../src/modules/identity/domain/identity.errors.js';

const canonical = (text: string): string => emailAddress(text).canonical;

describe('the canonical form of an email', () => {
  it('is trimmed and lower case, and the address keeps the case of its local part', () => {
    expect(emailAddress('  Ann.Lee+News@Example.COM ')).toEqual({
      kind: 'email',
      text: 'Ann.Lee+News@example.com',
      canonical: 'ann.lee+news@example.com',
    });
  });

  it('names an international domain in ASCII, however it is written', () => {
    expect(emailAddress('Ann@MÜNCHEN.de').text).toBe('Ann@xn--mnchen-3ya.de');
    expect(canonical('ann@MÜNCHEN.de')).toBe('ann@xn--mnchen-3ya.de');
    expect(canonical('ann@xn--mnchen-3ya.de')).toBe('ann@xn--mnchen-3ya.de');
  });

  it('keeps dots and plus tags apart, which mail servers may deliver to different people', () => {
    expect(new Set(['annlee@example.com', 'ann.lee@example.com', 'ann+lee@example.com'].map(canonical)).size).toBe(3);
  });

  it.each([
    ['cyrillic а', 'аnn@example.com', 'ann@example.com'],
    ['dotless ı in the name', 'mıke@example.com', 'mike@example.com'],
    ['dotless ı in the domain (CVE-2019-19844)', 'mike@gıthub.com', 'mike@github.com'],
    ['dotted İ', 'mİke@example.com', 'mike@example.com'],
    ['cyrillic domain', 'ann@аpple.com', 'ann@apple.com'],
    ['sharp s', 'ann@straße.de', 'ann@strasse.de'],
  ])('never takes a look-alike for the address it looks like: %s', (_, lookAlike, genuine) => {
    expect(canonical(lookAlike)).not.toBe(canonical(genuine));
  });

  it('knows letters of other scripts by their lower case', () => {
    expect(canonical('ИВАН@example.com')).toBe(canonical('иван@example.com'));
  });

  it('does not change when taken twice', () => {
    for (const text of ['Ann@Example.com', 'ΑΣ@example.com', 'mİke@example.com', 'ann@MÜNCHEN.de']) {
      expect(canonical(canonical(text))).toBe(canonical(text));
    }
  });

  it.each([
    ['full-width letters', 'ａｎｎ@example.com'],
    ['the Kelvin sign, whose lower case is a k', 'mi\u212Ae@example.com'],
    ['the long s, whose upper case is an S', 'je\u017F\u017Fe@example.com'],
    ['a decomposed letter', 'ande\u0301@example.com'],
    ['a ligature', 'o\uFB03ce@example.com'],
    ['a full-width domain', 'ann@ｅxample.com'],
  ])('is refused when NFKC would make another address of it: %s', (_, text) => {
    expect(() => emailAddress(text)).toThrow(InvalidEmail);
  });

  it.each([
    ['nothing', ''],
    ['no name', '@example.com'],
    ['no domain', 'ann@'],
    ['no at sign', 'ann.example.com'],
    ['two addresses (CVE-2022-35924)', 'ann@example.com,eve@evil.com'],
    ['two addresses apart by a semicolon', 'ann@example.com;eve@evil.com'],
    ['two at signs', 'ann@example.com@evil.com'],
    ['a quoted name', '"ann"@example.com'],
    ['a quoted name with a second address', '"ann@evil.com"@example.com'],
    ['a display name', 'Ann <ann@example.com>'],
    ['a comment', 'ann(eve)@example.com'],
    ['a line break', 'ann@example.com\r\nBcc: eve@evil.com'],
    ['a space', 'ann lee@example.com'],
    ['a NUL', 'ann\0@example.com'],
    ['a zero-width space', 'ann\u200B@example.com'],
    ['a right-to-left mark', 'ann\u200F@example.com'],
    ['a soft hyphen in the domain', 'ann@exam\u00ADple.com'],
    ['a leading dot', '.ann@example.com'],
    ['two dots', 'ann..lee@example.com'],
    ['an address literal', 'ann@[127.0.0.1]'],
    ['an IPv6 literal', 'ann@[IPv6:::1]'],
    ['a bare IP address', 'ann@127.0.0.1'],
    ['a hexadecimal IP address', 'ann@0x7f.1'],
    ['a bare host', 'ann@localhost'],
    ['a percent-encoded domain', 'ann@ex%61mple.com'],
    ['an ideographic full stop', 'ann@example。com'],
    ['a port', 'ann@example.com:25'],
    ['a path', 'ann@example.com/eve'],
    ['an empty label', 'ann@example..com'],
    ['a root dot', 'ann@example.com.'],
    ['a label that begins with a hyphen', 'ann@-example.com'],
    ['an underscore in the domain', 'ann@exa_mple.com'],
    ['broken punycode', 'ann@xn--a.com'],
    ['a label of 64 letters', `ann@${'a'.repeat(64)}.com`],
    ['a name of 65 bytes', `${'a'.repeat(65)}@example.com`],
    ['a name of 33 two-byte letters', `${'é'.repeat(33)}@example.com`],
    ['255 characters', `ann@${'a.'.repeat(124)}com`],
  ])('is refused: %s', (_, text) => {
    expect(() => emailAddress(text)).toThrow(InvalidEmail);
  });

  it.each([
    ['dots in the name', (length: number) => `${'a.'.repeat(length)}@`],
    ['hyphens in the domain', (length: number) => `a@${'a-'.repeat(length)}`],
    ['dots in the domain', (length: number) => `a@${'a.'.repeat(length)}`],
  ])('is refused before the patterns run when it is too long, with %s', (_, ofLength) => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    const test = jest.spyOn(RegExp.prototype, 'test');
    try {
      expect(() => emailAddress(ofLength(50_000))).toThrow(InvalidEmail);
      expect([normalize.mock.calls, test.mock.calls]).toEqual([[], []]);
    } finally {
      normalize.mockRestore();
      test.mockRestore();
    }
  });

  it('names the field that holds it', () => {
    expect(() => emailAddress('ann', 'emails[2].email')).toThrow(
      expect.objectContaining({
        fields: [{ field: 'emails[2].email', rule: 'email', message: 'must be an email address' }],
      }),
    );
  });
});

describe('the canonical form of a phone number', () => {
  it('is E.164', () => {
    expect(phoneAddress(' +14155552671 ')).toEqual({
      kind: 'phone_number',
      text: '+14155552671',
      canonical: '+14155552671',
    });
  });

  it('leaves out the zero people dial within their country, so one line is one number', () => {
    expect(phoneAddress('+4407911123456').canonical).toBe(phoneAddress('+447911123456').canonical);
  });

  it('is the same however many such zeros there are, or there is none', () => {
    expect(phoneAddress('+4901701234567').canonical).toBe('+491701234567');
    expect(phoneAddress('+49001701234567').canonical).toBe('+491701234567');
  });

  it('is itself read as what it is', () => {
    const digits = (n: number) => String(Math.floor(n * 7_919_317 + n * n * 104_729) % 10 ** 10);
    let accepted = 0;
    for (let n = 1; n < 4_000; n++) {
      const code = ['1', '7', '39', '43', '44', '49', '52', '54', '55', '81', '98'][n % 11]!;
      const text = `+${code}${'0'.repeat(n % 4)}${digits(n).slice(0, 4 + (n % 7))}`;
      let canonical: string;
      try {
        canonical = phoneAddress(text).canonical;
      } catch {
        continue;
      }
      accepted++;
      expect(phoneAddress(canonical).canonical).toBe(canonical);
    }
    expect(accepted).toBeGreaterThan(500);
  });

  it('may be one that is not assigned', () => {
    expect(phoneAddress('+15551234567').canonical).toBe('+15551234567');
  });

  it.each([
    ['nothing', ''],
    ['no plus', '14155552671'],
    ['no such country', '+9991234567'],
    ['too short for the country', '+1415555'],
    ['too short once its zero is dropped', '+4301077'],
    ['too long for the country', '+141555526711'],
    ['too long for any', '+1234567890123456'],
    ['letters', '+1415FLOWERS'],
    ['an extension', '+14155552671;ext=5'],
    ['two numbers', '+14155552671,+14155552672'],
    ['full-width digits', '+１４１５５５５２６７１'],
    ['arabic digits', '+١٤١٥٥٥٥٢٦٧١'],
  ])('is refused: %s', (_, text) => {
    expect(() => phoneAddress(text)).toThrow(InvalidPhoneNumber);
  });
});
