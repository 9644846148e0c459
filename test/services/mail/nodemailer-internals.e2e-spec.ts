import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { HostNames } from '../../../src/services/outbound/host-names.js';
import { alternativeHead, ComposedMailPool, quotedPrintable } from '../../../src/services/mail/nodemailer-internals.js';
import { requireVersion } from '../../../src/postgres/written-for.js';
import { startMailSink } from '../../support/smtp-server.js';

// A new version of nodemailer must pass this test before the service requires it.
const from = { name: 'Äcme, Inc.', address: 'no-reply@acme.example' };
const to = { name: '', address: 'ann@bücher.example' };
const { lookup } = new HostNames();
const composed = (id: string, address = 'ann@example.com') => ({
  envelope: { from: 'no-reply@acme.example', to: [address] },
  messageId: `<${id}@acme.example>`,
  text: `From: no-reply@acme.example\r\nTo: ${address}\r\nMessage-ID: <${id}@acme.example>\r\n\r\n.\r\nHello\r\n`,
});

describe('the private parts of nodemailer that the service uses', () => {
  it('builds the header, the boundary and the envelope of a mail with alternatives', () => {
    const { header, boundary, envelope } = alternativeHead('base', { from, to, Subject: 'Grüße', 'X-Other': 'a' });
    expect(header).toContain(`Content-Type: multipart/alternative; boundary="${boundary}"`);
    expect(header).toContain('From: =?UTF-8?');
    expect(header).toContain('To: ann@xn--bcher-kva.example');
    expect(header).toContain('Subject: =?UTF-8?');
    expect(header).toContain('X-Other: a');
    expect(header).toMatch(/^\p{ASCII}*$/u);
    expect(header).not.toMatch(/\r\n\r\n|\r\n$/);
    expect(envelope).toEqual({ from: 'no-reply@acme.example', to: ['ann@xn--bcher-kva.example'] });
    expect(alternativeHead('base', { from, to }).boundary).toBe(boundary);
    expect(alternativeHead('another', { from, to }).boundary).not.toBe(boundary);
  });

  it('encodes quoted-printable text in lines of at most 76 characters', () => {
    const encoded = quotedPrintable(`ü=${'a'.repeat(200)}`);
    expect(encoded.startsWith('=C3=BC=3D')).toBe(true);
    expect(encoded.split('\r\n').every((line) => line.length <= 76)).toBe(true);
  });

  it('sends composed mails unchanged, and resolves the host by the given function', async () => {
    const sink = await startMailSink();
    const names: string[] = [];
    const url = new URL(sink.url);
    url.hostname = 'localhost';
    const pool = new ComposedMailPool(url.href, (name, options, done) => {
      names.push(name);
      lookup(name, options, done);
    });
    try {
      for (const id of ['1', '2']) await pool.send(composed(id), new AbortController().signal);
      expect(sink.mails.map(({ from: sender, to: recipient }) => [sender, recipient])).toEqual(
        Array.from({ length: 2 }, () => ['no-reply@acme.example', 'ann@example.com']),
      );
      expect(sink.mails.map(({ parsed }) => [parsed.messageId, parsed.text?.trimEnd()])).toEqual([
        ['<1@acme.example>', '.\nHello'],
        ['<2@acme.example>', '.\nHello'],
      ]);
      expect(names).toEqual(['localhost']);
    } finally {
      pool.close();
      await sink.stop();
    }
  });

  it('ends a delivery when its signal is aborted', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const pool = new ComposedMailPool(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, lookup);
    const signal = AbortSignal.timeout(100);
    await expect(pool.send(composed('1'), signal)).rejects.toMatchObject({ code: 'EABORT' });
    pool.close();
    silent.close();
  });

  it('refuses to start with a version that this test has not seen', () => {
    expect(() => requireVersion('nodemailer', '10.6')).not.toThrow();
    expect(() => requireVersion('nodemailer', '9.0')).toThrow(/of nodemailer 9.0/);
  });
});
