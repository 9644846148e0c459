import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { InvalidWebhook, WebhookVerifier } from '../../openapi/client/src/index.js';

const newSecret = (bytes = 24) => `whsec_${randomBytes(bytes).toString('base64')}`;
const ID = 'evt_01m81phked86kr4r6c7xnvgbsm';
const BODY = '{"id":"evt_01m81phked86kr4r6c7xnvgbsm","type":"user.created","data":{"name":"Zoë"}}';

const secret = newSecret();
const signedBy = (by: string, { body = BODY, at = new Date(), id = ID } = {}) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(by).sign(id, at, body),
});
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const fault = (name: string) => ({ name: 'InvalidWebhook', fault: name });

/** Whether the reference implementation and the client accept a delivery. */
async function verdicts(body: string, headers: Record<string, string>, by = secret): Promise<[boolean, boolean]> {
  let reference = true;
  try {
    new Webhook(by).verify(body, headers);
  } catch {
    reference = false;
  }
  const own = await new WebhookVerifier({ secret: by }).verify(body, headers).then(
    () => true,
    () => false,
  );
  return [reference, own];
}

afterEach(() => jest.restoreAllMocks());

describe('a webhook that standardwebhooks signs', () => {
  it('is accepted, and its event returned', async () => {
    const verifier = new WebhookVerifier({ secret });
    const event = { id: ID, type: 'user.created', data: { name: 'Zoë' } };
    expect(await verifier.verify(BODY, signedBy(secret))).toEqual(event);
    expect(await verifier.verify(Buffer.from(BODY), new Headers(signedBy(secret)))).toEqual(event);
  });

  it('is accepted by one of two signatures, or by one of two secrets', async () => {
    const rotated = newSecret();
    const both = `${signedBy(secret)['webhook-signature']} ${signedBy(rotated)['webhook-signature']}`;
    const headers = { ...signedBy(secret), 'webhook-signature': both };
    for (const known of [secret, rotated, [secret, rotated]]) {
      await expect(new WebhookVerifier({ secret: known }).verify(BODY, headers)).resolves.toBeDefined();
    }
    await expect(
      new WebhookVerifier({ secret: [rotated, secret] }).verify(BODY, signedBy(secret)),
    ).resolves.toBeDefined();
    await expect(new WebhookVerifier({ secret: newSecret() }).verify(BODY, headers)).rejects.toMatchObject(
      fault('signature'),
    );
  });

  it.each([
    [300, null],
    [301, 'too_old'],
    [-300, null],
    [-301, 'too_new'],
  ])('%d seconds ago is accepted only within the tolerance', async (seconds, refusal) => {
    // The time stands still, so that the delivery does not age on the way.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const headers = signedBy(secret, { at: ago(seconds) });
    const verified = new WebhookVerifier({ secret }).verify(BODY, headers);
    expect(
      await verified.then(
        () => null,
        (error: InvalidWebhook) => error.fault,
      ),
    ).toBe(refusal);
    expect(await verdicts(BODY, headers)).toEqual([!refusal, !refusal]);
  });

  it('is compared with a tolerance of the caller', async () => {
    const verifier = new WebhookVerifier({ secret, toleranceSeconds: 10 });
    await expect(verifier.verify(BODY, signedBy(secret, { at: ago(20) }))).rejects.toMatchObject(fault('too_old'));
  });

  it('is refused when anything of it is changed, as the reference refuses it', async () => {
    const good = signedBy(secret);
    const signature = good['webhook-signature'];
    const deliveries: [string, Record<string, string>][] = [
      [BODY.replace('created', 'deleted'), good],
      [`${BODY} `, good],
      [BODY, { ...good, 'webhook-id': 'evt_2' }],
      [BODY, { ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) - 1) }],
      [BODY, { ...good, 'webhook-timestamp': 'now' }],
      [BODY, { ...good, 'webhook-timestamp': '' }],
      [BODY, { ...good, 'webhook-signature': '' }],
      [BODY, { ...good, 'webhook-signature': signature.replace('v1,', 'v2,') }],
      [BODY, { ...good, 'webhook-signature': signature.slice(3) }],
      [BODY, { ...good, 'webhook-signature': signature.slice(0, -8) }],
      [BODY, { 'webhook-id': ID }],
      [BODY, {}],
    ];
    for (const [body, headers] of deliveries) expect(await verdicts(body, headers)).toEqual([false, false]);
    expect(await verdicts(BODY, good)).toEqual([true, true]);
  });

  it('is accepted with any content and any length of the secret', async () => {
    for (let i = 0; i < 200; i++) {
      const by = newSecret(24 + (i % 41));
      const body = JSON.stringify({ data: randomBytes(i * 7).toString('latin1'), more: '€𝄞'.repeat(i % 5) });
      expect(await verdicts(body, signedBy(by, { body, id: `msg_${i}` }), by)).toEqual([true, true]);
    }
  });

  it('that is no JSON is refused although it is signed', async () => {
    const verified = new WebhookVerifier({ secret }).verify('{', signedBy(secret, { body: '{' }));
    await expect(verified).rejects.toThrow(InvalidWebhook);
  });
});

it.each([[''], ['whsec_'], ['whsec_not base64'], [[]]])('a verifier with the secret %j is refused', (wrong) => {
  expect(() => new WebhookVerifier({ secret: wrong })).toThrow(/secret/);
});
