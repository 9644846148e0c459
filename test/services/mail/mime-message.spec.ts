import PostalMime from 'postal-mime';
import { type AddressedMail, mimeMessage } from '../../../src/services/mail/mail-server.js';

const mail = (fields: Partial<AddressedMail>): AddressedMail => ({
  from: { name: 'Acme', address: 'no-reply@acme.example' },
  to: { name: '', address: 'ann@example.com' },
  messageId: '<0b7e6a52-5b0e-4a3a-9f6c-2f1d3c4b5a69@auth.acme.example>',
  date: new Date(0),
  headers: {},
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello</p>',
  ...fields,
});

describe('a composed mail', () => {
  it.each([
    ['plain words', 'Hello Ann,\nhow are you?\n', '7bit'],
    ['nothing', '', '7bit'],
    ['a line of the maximum length', `${'a'.repeat(998)}\nb`, '7bit'],
    ['a longer line', `${'a'.repeat(999)}\nb`, 'quoted-printable'],
    ['non-ASCII letters', 'Hallå Ånn =3D\n', 'quoted-printable'],
    ['a NUL', 'a\0b', 'quoted-printable'],
    ['an equals sign before hex digits', 'token=3Dabc', '7bit'],
    ['dots alone on a line', 'a\n.\n..\nb', '7bit'],
    ['lines that end with CR or CRLF', 'a\rb\r\nc\nd', '7bit'],
  ])('with %s is read as it was written', async (_, text, encoding) => {
    const { text: raw } = mimeMessage(mail({ text, html: text }));
    expect(raw.match(/^Content-Transfer-Encoding: .*$/gm)).toEqual(
      Array.from({ length: 2 }, () => `Content-Transfer-Encoding: ${encoding}`),
    );
    // Only ASCII, in lines that no server has to break.
    expect(raw).toMatch(/^\p{ASCII}*$/u);
    expect(raw).not.toContain('\0');
    expect(raw.split('\r\n').filter((line) => line.length > 998 || /[\r\n]/.test(line))).toEqual([]);
    const parsed = await PostalMime.parse(raw);
    expect(parsed.text?.trimEnd()).toBe(text.replace(/\r\n?/g, '\n').trimEnd());
  });

  it('has the same bytes when it is sent again', () => {
    expect(mimeMessage(mail({}))).toEqual(mimeMessage(mail({})));
    const other = mail({ messageId: '<5c1f0a8e-0d53-4f55-8f6b-6f0a7c2e9d11@auth.acme.example>' });
    const boundary = ({ text }: { text: string }) => /boundary="(.*)"/.exec(text)![1];
    expect(boundary(mimeMessage(other))).not.toBe(boundary(mimeMessage(mail({}))));
  });

  it('is addressed to the ASCII form of an international domain', () => {
    const to = { name: '', address: 'ann@bücher.example' };
    expect(mimeMessage(mail({ to })).envelope).toEqual({
      from: 'no-reply@acme.example',
      to: ['ann@xn--bcher-kva.example'],
    });
  });
});
