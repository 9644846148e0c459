import {
  counted,
  EmailAddress,
  EpochSeconds,
  Flag,
  HttpUrl,
  IdOf,
  MinutesWithin,
  OneOf,
  PhoneNumber,
  Text,
  Token,
  WholeNumber,
} from '../../../src/edge/http/fields.js';
import { newId } from '../../../src/kernel/ids.js';
import { leastUnitsOf } from '../../support/processor-time.js';
import { faultsOf, modelOf, read } from './request-classes.js';

const WRONG_FOR_TEXT: unknown[] = [1, true, {}, [], ['a'], [[]], { toString: 'x' }];

describe('a string field', () => {
  it.each(WRONG_FOR_TEXT)('refuses %j, which is not a string', (x) => {
    for (const decorator of [Text(), Token(), EmailAddress(), PhoneNumber(), HttpUrl(), IdOf('user'), OneOf(['a'])]) {
      expect(faultsOf(modelOf(decorator), { x })).toEqual(['x: type']);
    }
  });

  it('counts characters, not code units', () => {
    const Model = modelOf(Text({ min: 1, max: 3 }));
    expect(read(Model, { x: '😀😀😀' }).x).toBe('😀😀😀');
    expect(faultsOf(Model, { x: '😀😀😀😀' })).toEqual(['x: too_long']);
    expect(faultsOf(Model, { x: '' })).toEqual(['x: too_short']);
  });

  it('accepts 1,024 characters by default', () => {
    expect(faultsOf(modelOf(Text()), { x: 'a'.repeat(1024) })).toEqual([]);
    expect(faultsOf(modelOf(Text()), { x: 'a'.repeat(1025) })).toEqual(['x: too_long']);
    expect(faultsOf(modelOf(Token()), { x: 'a'.repeat(8192) })).toEqual([]);
    expect(faultsOf(modelOf(Token()), { x: 'a'.repeat(8193) })).toEqual(['x: too_long']);
  });

  it('states its pattern in words when it refuses a value', () => {
    expect(() => read(modelOf(Text({ pattern: /^[0-9]{6}$/, patternName: 'six digits' })), { x: '12345' })).toThrow(
      'x must be six digits.',
    );
  });
});

describe('an email address field', () => {
  const Model = modelOf(EmailAddress());
  it.each([
    'a@b.co',
    'Ann.Lee+tag@Example.COM',
    "o'neil@sub-domain.example.org",
    'x_y-z!#$%&*/=?^`{|}~@example.com',
    'jörg@bücher.example',
    'a@xn--bcher-kva.example',
    `${'a'.repeat(64)}@example.com`,
  ])('accepts %s', (x) => expect(read(Model, { x }).x).toBe(x));
  it.each([
    '',
    'a',
    '@example.com',
    'a@',
    'a@localhost',
    'a@b@example.com',
    'Ann <ann@example.com>',
    'ann@example.com (work)',
    '"a b"@example.com',
    'a b@example.com',
    'a@exa mple.com',
    'a.@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@example..com',
    'a@.example.com',
    'a@example.com.',
    'a@-example.com',
    'a@example-.com',
    'a@[192.0.2.1]',
    'a@192.0.2.1',
    'a@b.co,c@d.co',
    'a@b.co;c@d.co',
    'a@b.co\nBcc: c@d.co',
    'a\u200b@example.com',
    'a@example。com',
    'a@exam_ple.com',
    'mailto:a@b.co@',
    'a\\@b.co',
    `${'a'.repeat(65)}@example.com`,
  ])('refuses %j', (x) => expect(faultsOf(Model, { x })).toHaveLength(1));
  it('accepts at most 254 characters and refuses hostile ones within 200 units of work', async () => {
    expect(faultsOf(Model, { x: `a@${'b'.repeat(248)}.com` })).toEqual([]);
    expect(faultsOf(Model, { x: `a@${'b'.repeat(249)}.com` })).toEqual(['x: too_long']);
    const hostile = [
      `a@${'a-'.repeat(120)}`,
      `a@${'a.'.repeat(120)}`,
      'a'.repeat(254),
      'a.'.repeat(127),
      `${' '.repeat(200_000)}a`,
    ];
    expect(await leastUnitsOf(() => hostile.forEach((x) => faultsOf(Model, { x })))).toBeLessThan(200);
  });
});

describe('a phone number field', () => {
  const Model = modelOf(PhoneNumber());
  it.each(['+4915112345678', '+12025550123', '+290123456'])('accepts %s', (x) => expect(read(Model, { x }).x).toBe(x));
  it.each([
    '4915112345678',
    '+0123456789',
    '+49 151 12345678',
    '+49',
    '+1234567890123456',
    '+4915112345678;ext=1',
    '＋4915112345678',
    '+４９15112345678',
    '+49\u00a015112345678',
    `${' '.repeat(33)}+4915112345678`,
    ' ',
  ])('refuses %j', (x) => expect(faultsOf(Model, { x })).toHaveLength(1));

  it.each([' +4915112345678 ', '+4915112345678\n', '\u00a0+4915112345678\t', '\u202a+4915112345678\u202c'])(
    'takes %j without what is around it',
    (x) => expect(read(Model, { x }).x).toBe('+4915112345678'),
  );
});

describe('a URL field', () => {
  const Model = modelOf(HttpUrl());
  it.each([
    'https://app.example/login?next=%2F',
    'http://localhost:3000',
    'HTTPS://EXAMPLE.com/',
    'https://[2001:db8::1]/cb',
  ])('accepts %s', (x) => expect(read(Model, { x }).x).toBe(x));
  it.each([
    '',
    '/login',
    '//app.example',
    'app.example',
    'javascript:alert(1)',
    'ftp://a.example',
    'https://',
    'https:app.example',
    'https:\\\\a.example',
    'https://a.example\\@b.example',
    ' https://a.example',
    'https://a.ex\tample',
    'https://a b.example',
    'https://a.example/\n',
    'https://[::1',
    'https://a.example:99999',
  ])('refuses %j', (x) => expect(faultsOf(Model, { x })).toHaveLength(1));
  it('accepts at most 2,048 characters', () =>
    expect(faultsOf(Model, { x: `https://a.example/${'a'.repeat(2048)}` })).toEqual(['x: too_long']));
});

describe('an id field', () => {
  it.each([
    [newId('wallet'), 'x must be an id that begins with user_, not with wallet_.'],
    ['wallet_27om', 'x must be an id that begins with user_, not with wallet_.'],
    ['sk_live_secret', 'x must be an id that begins with user_.'],
    ['ann', 'x must be an id that begins with user_.'],
    ['user_27om', 'x does not exist.'],
  ])('says of %s which kind it is of, and repeats nothing else of it', (x, message) =>
    expect(() => read(modelOf(IdOf('user')), { x })).toThrow(message),
  );

  it('accepts ids of its kinds only', () => {
    const suffix = '01jd3c4x5y6z7a8b9c0d1e2f3g';
    const Model = modelOf(IdOf(['email', 'phoneNumber']));
    expect(faultsOf(Model, { x: `email_${suffix}` })).toEqual([]);
    expect(faultsOf(Model, { x: `pn_${suffix}` })).toEqual([]);
    expect(faultsOf(Model, { x: `user_${suffix}` })).toEqual(['x: format']);
    for (const x of [
      '',
      'email_',
      `email_${suffix}0`,
      `email_${suffix.toUpperCase()}`,
      `email_${suffix}\n`,
      '../email',
    ])
      expect(faultsOf(Model, { x })).toHaveLength(1);
  });
});

describe('a whole number field', () => {
  it.each([
    [0, 'minutes', '0 minutes'],
    [1, 'minutes', '1 minute'],
    [1, 'calls per second', '1 call per second'],
    [1, 'messages in ten minutes', '1 message in ten minutes'],
    [1, 'deliveries', '1 delivery'],
    [1, 'tries an hour', '1 try an hour'],
    [1, 'units of gas', '1 unit of gas'],
    [1, '(a chain id)', '1 (a chain id)'],
  ])('names the bound %d of %s as %s', (number, unit, text) => expect(counted(number, unit)).toBe(text));

  const Model = modelOf(WholeNumber({ min: 5, max: 2160, unit: 'minutes' }));
  it.each([
    [30, 30],
    ['30', 30],
    [5, 5],
    ['2160', 2160],
    [30.0, 30],
  ])('reads %j as %d', (x, number) => expect(read(Model, { x }).x).toBe(number));
  it.each([
    '30m',
    '30.5',
    '',
    '1e3',
    '+30',
    ' 30',
    '30 ',
    '0x1e',
    '030',
    '３０',
    'NaN',
    '30\n',
    30.5,
    Number.NaN,
    Infinity,
    true,
    false,
    [],
    [30],
    {},
    '9'.repeat(30),
    '9'.repeat(10_000),
  ])('refuses %j, which is not a whole number', (x) => expect(faultsOf(Model, { x })).toEqual(['x: type']));
  it('refuses numbers outside its bounds', () => {
    expect(faultsOf(Model, { x: 4 })).toEqual(['x: min']);
    expect(faultsOf(Model, { x: '2161' })).toEqual(['x: max']);
    expect(faultsOf(modelOf(WholeNumber()), { x: 2 ** 53 })).toEqual(['x: type']);
    expect(read(modelOf(WholeNumber()), { x: '-12' }).x).toBe(-12);
    expect(faultsOf(modelOf(MinutesWithin({ min: 1, max: 10 })), { x: 11 })).toEqual(['x: max']);
  });
});

describe('a field of another kind', () => {
  it('reads a flag, and in a query string also its spellings as text', () => {
    const Model = modelOf(Flag());
    expect(read(Model, { x: false }).x).toBe(false);
    expect(read(Model, { x: 'true' }, 'query').x).toBe(true);
    expect(read(Model, { x: 'false' }, 'query').x).toBe(false);
    for (const x of ['true', 1, 0, '', {}, []]) expect(faultsOf(Model, { x })).toEqual(['x: type']);
    for (const x of ['1', 'True', 'TRUE']) expect(read(Model, { x }, 'query').x).toBe(true);
    for (const x of ['0', 'False']) expect(read(Model, { x }, 'query').x).toBe(false);
    for (const x of ['2', 'yes', 'on', '']) expect(faultsOf(Model, { x }, 'query')).toEqual(['x: type']);
  });

  it('reads one of its words or an alias of one', () => {
    const Model = modelOf(OneOf(['ethereum', 'solana'], { aliases: { ETH: 'ethereum' } }));
    expect(read(Model, { x: 'solana' }).x).toBe('solana');
    expect(read(Model, { x: 'ETH' }).x).toBe('ethereum');
    for (const x of ['', 'Ethereum', 'constructor', '__proto__', 'toString'])
      expect(faultsOf(Model, { x })).toEqual(['x: one_of']);
  });

  it('reads epoch seconds as a date', () => {
    const Model = modelOf(EpochSeconds());
    expect(read(Model, { x: 1_700_000_000 }).x).toEqual(new Date('2023-11-14T22:13:20Z'));
    expect(faultsOf(Model, { x: 1_700_000_000_000 })).toEqual(['x: max']);
    expect(faultsOf(Model, { x: -1 })).toEqual(['x: min']);
  });
});
