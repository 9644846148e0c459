import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import type { AppId } from '../../../src/kernel/ids.js';
import type { Mail } from '../../../src/kernel/messages.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { Config } from '../../../src/services/config/config.js';
import { Database } from '../../../src/postgres/database.js';
import { DeliveryNotConfigured } from '../../../src/services/mail/deliveries.js';
import { openDatabase } from '../../../src/open-database.js';
import { startService } from '../../../src/service.js';
import { startApp, type TestApp } from '../../support/app.js';
import { createDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { unique } from '../../support/given.js';
import { sendMail, sendText } from '../../support/messages.js';
import { startSmsSink } from '../../support/sms-receiver.js';
import { type MailSink, startMailSink } from '../../support/smtp-server.js';

function address(): string {
  return `${unique()}@example.com`;
}

function link(to: string, fields: Partial<Mail> = {}): Mail {
  const mail = { kind: 'magic_link', to, link: 'https://app.example.com/in?a=1&token=Secret0123456789', minutes: 60 };
  return { ...mail, ...fields } as Mail;
}

describe('mails', () => {
  let sink: MailSink;
  let app: TestApp;
  let appId: AppId;
  beforeAll(async () => {
    sink = await startMailSink();
    app = await startApp({
      env: { SMTP_URL: sink.url, MAIL_FROM: 'no-reply@acme.example', BASE_URL: 'https://auth.acme.example' },
    });
    appId = (await app.given.app({ name: 'Acme' })).id as AppId;
  });
  afterAll(async () => {
    await app.stop();
    await sink.stop();
  });

  const send = (mail: Mail, from = appId) => sendMail(app.nest, from, mail);
  const deadJobs = () =>
    app.nest
      .get(Database)
      .write<{ error: string }>(`select kind, attempt, error from jobs where died_at is not null order by died_at`);
  const metrics = () => app.metrics();

  it('carry the link in text and in HTML, in the name of the app', async () => {
    const to = address();
    await send(link(to, { name: 'Ann' }));
    const { from, parsed, raw } = await sink.mailTo(to);
    expect(from).toBe('no-reply@acme.example');
    expect(parsed.from).toEqual({ name: 'Acme', address: 'no-reply@acme.example' });
    expect(parsed.to).toEqual([{ name: '', address: to }]);
    expect(parsed.subject).toBe('Sign in to Acme');
    expect(parsed.text).toContain('Hello Ann,');
    expect(parsed.text).toContain('\nhttps://app.example.com/in?a=1&token=Secret0123456789\n');
    expect(parsed.text).toContain('It expires 1 hour after it was requested.');
    expect(parsed.html).toContain('href="https://app.example.com/in?a=1&amp;token=Secret0123456789"');
    expect(parsed.html).not.toContain('{{');
    expect(raw).toMatch(/^Content-Type: multipart\/alternative;/m);
  });

  it('are marked as automatic and not as a newsletter', async () => {
    const to = address();
    const before = Math.floor(Date.now() / 1000) * 1000;
    await send({ kind: 'invite', to, link: 'https://app.example.com/i?token=x', minutes: 10080 });
    const { parsed } = await sink.mailTo(to);
    const headers = Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value]));
    expect(headers['auto-submitted']).toBe('auto-generated');
    expect(headers['message-id']).toMatch(/^<msg_[0-9a-z]{26}@auth\.acme\.example>$/);
    expect(Date.parse(headers['date']!)).toBeGreaterThanOrEqual(before);
    for (const absent of ['list-unsubscribe', 'x-mailer', 'bcc', 'cc']) expect(headers).not.toHaveProperty(absent);
    expect(parsed.subject).toBe('You are invited to Acme');
    expect(parsed.text).toContain('It expires 7 days after it was requested.');
  });

  it('contain a code once and unbroken, where phones look for it', async () => {
    const to = address();
    await send({ kind: 'one_time_code', to, code: '048213', minutes: 1 });
    const { parsed } = await sink.mailTo(to);
    expect(parsed.subject).toBe('Your code for Acme');
    expect(parsed.text).toContain('\n048213\n');
    expect(parsed.html?.match(/>048213</g)).toHaveLength(1);
    expect(parsed.text).toContain('1 minute after');
  });

  it('escape names, so that no name starts a header, a line, a link or an element', async () => {
    const name = 'Ev"il\r\nBcc: mallory@example.org\r\n\r\n<script>alert(1)</script>\u202e';
    const evil = (await app.given.app({ name })).id as AppId;
    const to = address();
    await send(link(to, { name: '<img src=x onerror=alert(1)>\r\nX-Evil: 1' }), evil);
    const { parsed, raw } = await sink.mailTo(to);
    const shown = 'Ev"il Bcc: mallory@example.org <script>alert(1)</script>';
    expect(parsed.from).toEqual({ name: shown, address: 'no-reply@acme.example' });
    expect(parsed.subject).toBe(`Sign in to ${shown}`);
    expect(parsed.headers.filter(({ key }) => /^(bcc|x-evil)$/.test(key))).toEqual([]);
    expect(raw.split('\r\n\r\n')[0]).not.toMatch(/^(Bcc|X-Evil):/im);
    expect(parsed.html).not.toMatch(/<script|<img/);
    expect(parsed.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    // A name that is no name is not shown at all.
    expect(parsed.html).toContain('>Hello,<');
    expect(raw).not.toMatch(/onerror|X-Evil/);

    for (const lure of ['Win at evil.example', 'https://evil.example', 'x'.repeat(65), 'mail me@evil']) {
      const victim = address();
      await send(link(victim, { name: lure }));
      const mail = await sink.mailTo(victim);
      expect(mail.parsed.text).toMatch(/^Hello,\n/);
      expect(mail.raw).not.toContain('evil');
    }
  });

  it('use the sender, the address and the texts of the app', async () => {
    const own = await app.given.app({ name: 'Inner name' });
    const patch = (messages: unknown) =>
      app.call('PATCH', `/management/v1/apps/${own.id}`, { key: app.managementKey, body: { messages } });
    const changed = await patch({
      sender_name: 'Ännchen, Inc.',
      sender_address: 'login@own.example',
      templates: {
        magic_link: {
          subject: 'In bei {{ app_name }}',
          text: 'Klick {{link}} ({{expires_in}}) {{greeting}}',
          html: '<a href="{{link}}">{{app_name}}</a>',
        },
        one_time_code: { subject: '{{code}} ist der Code' },
      },
    });
    expect(changed.status).toBe(200);
    expect(changed.body.messages).toMatchObject({ sender_address: 'login@own.example', web_domain: null });

    const to = address();
    await send(link(to, { name: '{{link}}' }), own.id as AppId);
    const { from, parsed } = await sink.mailTo(to);
    expect(from).toBe('login@own.example');
    expect(parsed.from).toEqual({ name: 'Ännchen, Inc.', address: 'login@own.example' });
    expect(parsed.subject).toBe('In bei Inner name');
    expect(parsed.text?.trim()).toBe('Klick https://app.example.com/in?a=1&token=Secret0123456789 (1 hour) Hello,');
    expect(parsed.html?.trim()).toBe(
      '<a href="https://app.example.com/in?a=1&amp;token=Secret0123456789">Inner name</a>',
    );

    const coded = address();
    await send({ kind: 'one_time_code', to: coded, code: '111222', minutes: 5 }, own.id as AppId);
    const code = await sink.mailTo(coded);
    expect(code.parsed.subject).toBe('111222 ist der Code');
    expect(code.parsed.text).toContain('Your code for Inner name is:');

    // Absent fields stay unchanged; null restores the default.
    const reset = await patch({ sender_name: null, templates: { magic_link: null } });
    expect(reset.body.messages).toMatchObject({
      sender_name: null,
      sender_address: 'login@own.example',
      templates: { magic_link: null, one_time_code: { subject: '{{code}} ist der Code' } },
    });
    const again = address();
    await send(link(again), own.id as AppId);
    expect((await sink.mailTo(again)).parsed.subject).toBe('Sign in to Inner name');
  });

  it('without their link or with an unknown placeholder are refused when the template is set', async () => {
    const patch = (templates: unknown) =>
      app.call('PATCH', `/management/v1/apps/${appId}`, { key: app.managementKey, body: { messages: { templates } } });
    const faults: [unknown, string][] = [
      [{ magic_link: { text: 'no link', html: '{{link}}' } }, 'messages.templates.magic_link.text'],
      [{ magic_link: { text: '{{link}}' } }, 'messages.templates.magic_link.html'],
      [{ invite: { text: '{{link}}', html: '{{link}} {{user_id}}' } }, 'messages.templates.invite.html'],
      [{ one_time_code: { text: '{{link}}', html: '{{code}}' } }, 'messages.templates.one_time_code.text'],
      [{ one_time_code: { subject: '{{secret}}' } }, 'messages.templates.one_time_code.subject'],
      [{ sms: { text: 'hello' } }, 'messages.templates.sms.text'],
    ];
    for (const [templates, field] of faults) {
      const { status, body } = await patch(templates);
      expect([status, body.error_type, body.errors?.[0].field]).toEqual([400, 'invalid_template', field]);
    }
    const unchanged = await app.call('GET', `/management/v1/apps/${appId}`, { key: app.managementKey });
    expect(unchanged.body.messages.templates).toEqual({
      magic_link: null,
      invite: null,
      one_time_code: null,
      sms: null,
      recovery_begun: null,
      sign_in_method_added: null,
      sign_in_method_removed: null,
    });
    const bad = { sender_address: 'a@b.example\r\nBcc: c@d.example' };
    const answer = await app.call('PATCH', `/management/v1/apps/${appId}`, {
      key: app.managementKey,
      body: { messages: bad },
    });
    expect(answer.status).toBe(400);
  });

  it('of a transaction that is rolled back are never sent', async () => {
    const [never, after] = [address(), address()];
    const undone = app.nest.get(Transactions).run(async () => {
      await send(link(never));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await send(link(after));
    await sink.mailTo(after);
    expect(sink.mails.map(({ to }) => to)).not.toContain(never);
  });

  it('that the server refuses permanently are dead at once, and the operator sees no address or text of the mail', async () => {
    const [unknown, forbidden] = [address(), address()];
    sink.refuse('RCPT', unknown, `550 5.1.1 <${unknown}>: no such user`);
    sink.refuse('DATA', forbidden, '554 5.7.1 content: Secret0123456789');
    await send(link(unknown));
    await send(link(forbidden));
    await eventually(async () => expect(await deadJobs()).toHaveLength(2));
    expect((await deadJobs()).map(({ error }) => error).sort()).toEqual([
      'JobRefused: the mail server refused: EENVELOPE RCPT TO 550 5.1.1',
      'JobRefused: the mail server refused: EMESSAGE DATA 554 5.7.1',
    ]);
    expect(await metrics()).toMatch(/^messages_total\{channel="mail",outcome="refused"\} 2$/m);
    expect(await metrics()).toMatch(/^jobs\{state="dead"\} 2$/m);
  });

  it('whose acknowledgement is lost are sent again with the same message id', async () => {
    const to = address();
    sink.loseAnswer(to);
    await send(link(to));
    const copies = () => sink.mails.filter((mail) => mail.to === to);
    await eventually(() => expect(copies()).toHaveLength(2));
    const [first, second] = copies().map(({ raw }) => raw);
    expect(second).toBe(first);
    expect(first).toMatch(/^Message-ID: <.+>\r$/m);
  });

  /** The jobs that failed and wait for another attempt. */
  const failures = () =>
    app.nest
      .get(Database)
      .write(
        `select error, due_at < now() + interval '10 s' as "isDueSoon" from jobs where died_at is null and error is not null`,
      );

  it('that the server refuses temporarily are sent again within ten seconds', async () => {
    const to = address();
    sink.refuse('RCPT', to, '451 4.7.1 greylisted, come back later');
    await send(link(to));
    await eventually(async () =>
      expect(await failures()).toEqual([
        { error: 'Error: the mail server failed: EENVELOPE RCPT TO 451 4.7.1', isDueSoon: true },
      ]),
    );
    sink.accept('RCPT', to);
    await sink.mailTo(to);
  });

  it('that are sent while the server is down do not block their callers, and all are delivered when it is back', async () => {
    const to = Array.from({ length: 500 }, address);
    const waiting = [...to];
    const transactions = app.nest.get(Transactions);
    const caller = async (): Promise<void> => {
      for (let one = waiting.pop(); one; one = waiting.pop()) {
        const mail = link(one);
        await transactions.run(() => send(mail));
      }
    };
    const callers = Promise.all(Array.from({ length: 20 }, caller));
    // While mails are being delivered.
    await eventually(() => expect(waiting.length).toBeLessThan(350));
    await sink.kill();
    const beforeTheKill = sink.mails.length;
    // The callers finish while the mail server is down.
    await callers;
    await eventually(async () => expect((await failures()).length).toBeGreaterThan(0));
    expect(sink.mails).toHaveLength(beforeTheKill);
    await sink.revive();
    const arrived = () => sink.mails.filter((mail) => to.includes(mail.to));
    await eventually(() => expect(new Set(arrived().map((mail) => mail.to)).size).toBe(500));
    await eventually(async () =>
      expect(
        await app.nest.get(Database).write(`select from jobs where kind = 'mail' and died_at is null`),
      ).toHaveLength(0),
    );
    // A mail whose acknowledgement was lost arrives twice, with the same message id.
    const ids = new Map(arrived().map((mail) => [mail.parsed.messageId, mail.to]));
    expect(ids.size).toBe(500);
  });
});

describe('a mail server that accepts connections and stays silent', () => {
  it('delays SMS only briefly, however many mails wait for it', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const gateway = await startSmsSink();
    const app = await startApp({
      env: { SMTP_URL: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, SMS_URL: gateway.url },
    });
    try {
      const { id } = await app.given.app();
      // All at once: the rounds of waiting begin with the first.
      await app.nest.get(Transactions).run(async () => {
        for (let n = 0; n < 200; n++) await sendMail(app.nest, id as AppId, link(address()));
      });
      await sendText(app.nest, id as AppId, { to: '+4915112345678', code: '048213', minutes: 1 });
      await gateway.smsTo('+4915112345678');
      // One round of waiting for a greeting, not twenty-five: eight worker slots, each of which may begin its next.
      expect(sockets.size).toBeLessThanOrEqual(16);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
      await app.stop();
      await gateway.stop();
    }
  });
});

describe('without a mail server', () => {
  let dataDir: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'outbox-'));
    database = await createDatabase();
  });
  afterEach(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  /** The service and its log. */
  async function start(env: Record<string, string>) {
    const lines: string[] = [];
    const config = Config.read({
      PORT: '0',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      MASTER_KEYS: `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`,
      MANAGEMENT_KEY: `mk_${'m'.repeat(40)}`,
      ...env,
    });
    const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
    const service = await startService(config, await openDatabase(config, () => {}), logger);
    const created = await fetch(`${service.url}/management/v1/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer mk_${'m'.repeat(40)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Acme', allowed_origins: ['https://app.acme.example'] }),
    });
    if (!created.ok) throw new Error(`${await created.text()} ${lines.at(-1)}`);
    return { service, lines, appId: ((await created.json()) as { id: AppId }).id };
  }

  const files = async () =>
    (await readdir(join(dataDir, 'outbox')).catch((): string[] => [])).filter((name) => !name.endsWith('.part')).sort();

  it('mails and SMS become files, and in development the log contains the link and the code', async () => {
    const { service, lines, appId } = await start({ NODE_ENV: 'development' });
    try {
      await sendMail(service.nest, appId, link('ann@example.com'));
      await eventually(async () => expect(await files()).toEqual([expect.stringMatching(/^2.*\.eml$/)]));
      const mail = await PostalMime.parse(await readFile(join(dataDir, 'outbox', (await files())[0]!)));
      expect(mail.text).toContain('https://app.example.com/in?a=1&token=Secret0123456789');
      await sendText(service.nest, appId, { to: '+4915112345678', code: '048213', minutes: 1 });
      await eventually(async () => expect(await files()).toHaveLength(2));
      expect(await readFile(join(dataDir, 'outbox', (await files())[1]!), 'utf8')).toBe(
        'To: +4915112345678\n\n048213 is your Acme code. Do not share it.\n\n@app.acme.example #048213\n',
      );
      await eventually(() => expect(lines.join()).toContain('"code":"048213"'));
      expect(lines.join()).toContain('"link":"https://app.example.com/in?a=1&token=Secret0123456789"');
    } finally {
      await service.stop();
    }
  });

  it('every call that would send is refused in production, and the start logs a warning', async () => {
    const { service, lines, appId } = await start({ NODE_ENV: 'production', BASE_URL: 'https://auth.acme.example' });
    try {
      expect(lines.filter((line) => /"level":40.*every call that would send/.test(line))).toHaveLength(2);
      const mail = sendMail(service.nest, appId, link('ann@example.com'));
      await expect(mail).rejects.toBeInstanceOf(DeliveryNotConfigured);
      const sms = sendText(service.nest, appId, { to: '+4915112345678', code: '048213', minutes: 1 });
      await expect(sms).rejects.toBeInstanceOf(DeliveryNotConfigured);
      expect(await files()).toEqual([]);
      expect(lines.join()).not.toMatch(/048213|Secret0123456789/);
    } finally {
      await service.stop();
    }
  });

  it('no text or recipient of a mail or SMS is in the log, the events, the jobs or the metrics', async () => {
    // Nothing listens on port 9, so every delivery fails, and says so.
    const { service, lines, appId } = await start({
      NODE_ENV: 'test',
      LOG_LEVEL: 'trace',
      SMTP_URL: 'smtp://user:canary-password@127.0.0.1:9',
      SMS_URL: 'http://user:canary-password@127.0.0.1:9/sms',
    });
    try {
      await sendMail(service.nest, appId, link('canary@example.com', { name: 'Canaryname' }));
      const code = { kind: 'one_time_code', to: 'canary@example.com', code: '048213', minutes: 1 } as const;
      await sendMail(service.nest, appId, code);
      await sendText(service.nest, appId, { to: '+4915112345678', code: '048213', minutes: 1 });
      const database = service.nest.get(Database);
      const failed = () => database.write<{ error: string }>(`select error from jobs where error is not null`);
      await eventually(async () => expect(await failed()).toHaveLength(3));
      const [dump] = await database.write<{ text: string }>(`
        select coalesce((select string_agg(j::text, ' ') from jobs j), '') ||
               coalesce((select string_agg(e::text, ' ') from stored_events e), '') as text`);
      // Without sealed bytes, in whose digits any code may appear.
      const readable = dump!.text.replaceAll(/\\x[0-9a-f]+/g, '');
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      for (const place of [lines.join(), readable, metrics]) {
        expect(place).not.toMatch(/canary|048213|Secret0123456789|15112345678/i);
      }
      // Sealed bytes are written in hexadecimal.
      expect(dump!.text).not.toContain(Buffer.from('canary').toString('hex'));
      expect(dump!.text).not.toContain(Buffer.from('048213').toString('hex'));
    } finally {
      await service.stop();
    }
  });
});
