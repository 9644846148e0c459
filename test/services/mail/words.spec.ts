import { duration, escapeHtml, greeting, oneLine } from '../../../src/services/mail/words.js';

describe('the words of a mail', () => {
  it('stay on one line', () => {
    expect(oneLine(' a\r\nBcc: b\t\u2028c\u202e\u0000d\u00a0 e ')).toBe('a Bcc: b c d e');
    expect(oneLine('Ännchen 東京 👍')).toBe('Ännchen 東京 👍');
  });

  it('contain no markup', () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
    );
  });

  it.each(['Ann', 'Ann-Marie O’Neil', 'Dr. No', 'J. R. R. Tolkien', '李小龍'])('greet %s by name', (name) => {
    expect(greeting(name)).toBe(`Hello ${name},`);
  });

  it.each([
    undefined,
    '',
    ' \r\n',
    'evil.example',
    'http://x',
    'www.x',
    'a@b',
    'Win at bit.ly now',
    'x'.repeat(65),
    'Locked, call +1 800 555 0100',
    'Locked: reply now',
    '1800',
  ])('greet without the name %j', (name) => {
    expect(greeting(name)).toBe('Hello,');
  });

  it.each([
    [1, '1 minute'],
    [59, '59 minutes'],
    [60, '1 hour'],
    [90, '90 minutes'],
    [120, '2 hours'],
    [1440, '1 day'],
    [10080, '7 days'],
  ])('write %i minutes as %s', (minutes, words) => {
    expect(duration(minutes)).toBe(words);
  });
});
