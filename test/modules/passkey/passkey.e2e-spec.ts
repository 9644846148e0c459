import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { PasskeyApp, refusal } from './passkeys.js';

const INVALID = [400, 'invalid_webauthn_credential'];

let service: TestApp;
let acme: PasskeyApp;
beforeAll(async () => {
  service = await startApp();
  acme = await PasskeyApp.of(service);
});
afterAll(() => service?.stop());

describe('a challenge', () => {
  it('is answered once', async () => {
    const holder = await acme.holder();
    const answer = await acme.assertion(holder);
    expect((await acme.verify(answer)).body.user_id).toBe(holder.userId);
    expect(refusal(await acme.verify(answer))).toEqual(INVALID);
  });

  it('that has expired is not accepted', async () => {
    const answer = await acme.assertion(await acme.holder());
    await service.nest.get(Database).write('update webauthn_challenges set expires_at = now()');
    expect(refusal(await acme.verify(answer))).toEqual(INVALID);
  });

  it('of another user or of a registration is not accepted', async () => {
    const [ann, bob] = [await acme.holder(), await acme.holder()];
    const ofBob = (await acme.beginAuthentication(bob.userId)).body.public_key_credential_request_options;
    expect(refusal(await acme.verify(ann.authenticator.get(ofBob)))).toEqual(INVALID);
    const { challenge } = (await acme.beginRegistration(ann.userId)).body.public_key_credential_creation_options;
    expect(refusal(await acme.verify(ann.authenticator.get({ ...ofBob, challenge })))).toEqual(INVALID);
  });
});
