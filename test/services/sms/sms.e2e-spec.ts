import type { AppId } from '../../../src/kernel/ids.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { sendText } from '../../support/messages.js';
import { type SmsSink, startSmsSink } from '../../support/sms-receiver.js';

let sink: SmsSink;
beforeAll(async () => {
  sink = await startSmsSink();
});
afterAll(() => sink.stop());

let counter = 0;
function phone(): string {
  return `+49151${String(10_000_000 + counter++)}`;
}

function send(app: TestApp, appId: string, to: string, code = '048213'): Promise<void> {
  return sendText(app.nest, appId as AppId, { to, code, minutes: 2 });
}

describe('SMS', () => {
  let app: TestApp;
  beforeAll(async () => {
    const { host } = new URL(sink.url);
    app = await startApp({
      env: { SMS_URL: `http://me:pa%20ss@${host}/send?x=1`, BASE_URL: 'https://auth.acme.example' },
    });
  });
  afterAll(() => app.stop());

  it('are posted to SMS_URL as JSON, with a last line that binds the code to the website', async () => {
    const { id } = await app.given.app({
      name: 'Acme',
      allowed_origins: ['https://app.acme.example', 'https://b.example'],
    });
    const to = phone();
    await send(app, id, to);
    const { path, headers, fields } = await sink.smsTo(to);
    expect(fields).toEqual({ to, body: '048213 is your Acme code. Do not share it.\n\n@app.acme.example #048213' });
    expect(path).toBe('/send?x=1');
    expect(headers.authorization).toBe(`Basic ${Buffer.from('me:pa ss').toString('base64')}`);
  });

  it('are bound to the domain that the app has set, or else to the host of the service', async () => {
    const own = await app.given.app({ messages: { web_domain: 'login.acme.example' } });
    const none = await app.given.app();
    const [first, second] = [phone(), phone()];
    await send(app, own.id, first);
    await send(app, none.id, second);
    expect((await sink.smsTo(first)).body).toMatch(/\n@login\.acme\.example #048213$/);
    expect((await sink.smsTo(second)).body).toMatch(/\n@auth\.acme\.example #048213$/);
  });

  it('use the text of the app, also with a name of several lines', async () => {
    const { id } = await app.given.app({
      name: 'A\n\n@evil.example #000000',
      messages: { templates: { sms: { text: '{{app_name}}: {{code}} gilt {{expires_in}}' } } },
    });
    const to = phone();
    await send(app, id, to);
    expect((await sink.smsTo(to)).body).toBe(
      'A @evil.example #000000: 048213 gilt 2 minutes\n\n@auth.acme.example #048213',
    );
  });

  it('are sent again when the gateway fails, within ten seconds and under the same idempotency key', async () => {
    const { id } = await app.given.app();
    const to = phone();
    sink.refuse(503);
    const before = sink.requests;
    await send(app, id, to);
    const isDueSoon = () =>
      app.nest
        .get(Database)
        .write(
          `select due_at < now() + interval '10 s' as "isDueSoon" from jobs where kind = 'sms' and error is not null`,
        );
    await eventually(async () => expect(await isDueSoon()).toEqual([{ isDueSoon: true }]));
    const { headers } = await sink.smsTo(to);
    expect(sink.requests).toBe(before + 2);
    expect(headers['idempotency-key']).toMatch(/^msg_[0-9a-z]{26}$/);
  });

  it.each([
    ['long', 'x'.repeat(200_000), 'identity'],
    ['said to be compressed', 'not gzip', 'gzip'],
  ])('that the gateway accepts with an answer that is %s are not sent again', async (_, text, coding) => {
    const { id } = await app.given.app();
    const to = phone();
    const before = sink.requests;
    sink.answer(text, coding);
    await send(app, id, to);
    await sink.smsTo(to);
    const jobs = () => app.nest.get(Database).write(`select error from jobs where kind = 'sms' and died_at is null`);
    await eventually(async () => expect(await jobs()).toEqual([]));
    expect(sink.requests).toBe(before + 1);
  });

  it('that the gateway refuses are dead at once, and the operator sees them', async () => {
    const { id } = await app.given.app();
    sink.refuse(400);
    await send(app, id, phone());
    const dead = () => app.nest.get(Database).write(`select kind, error from jobs where died_at is not null`);
    await eventually(async () =>
      expect(await dead()).toEqual([{ kind: 'sms', error: 'JobRefused: the SMS gateway answered 400' }]),
    );
  });
});

describe('SMS by Twilio', () => {
  it.each([
    ['+15005550006', 'From'],
    ['MG0123456789abcdef', 'MessagingServiceSid'],
  ])('are posted to its API from %s', async (from, field) => {
    const app = await startApp({
      env: { TWILIO_ACCOUNT_SID: 'AC123', TWILIO_AUTH_TOKEN: 'secret', TWILIO_FROM: from, TWILIO_URL: sink.url },
    });
    try {
      const { id } = await app.given.app();
      const to = phone();
      await send(app, id, to);
      const { path, headers, fields } = await sink.smsTo(to);
      expect(path).toBe('/2010-04-01/Accounts/AC123/Messages.json');
      expect(headers.authorization).toBe(`Basic ${Buffer.from('AC123:secret').toString('base64')}`);
      expect(fields).toEqual({ To: to, [field]: from, Body: expect.stringContaining('048213') });
    } finally {
      await app.stop();
    }
  });
});
