import { startApp, type TestApp } from '../../support/app.js';
import { type Holder, PasskeyApp, refusal } from '../passkey/passkeys.js';
import { asking, PolicyApp } from './policies.js';

let service: TestApp;
let policies: PolicyApp;
let passkeys: PasskeyApp;
beforeAll(async () => {
  service = await startApp();
  policies = await PolicyApp.of(service);
  passkeys = PasskeyApp.at(service, policies.app);
});
afterAll(() => service?.stop());

describe('a signature that needs two approvals', () => {
  async function asked() {
    const voters = await Promise.all([passkeys.holder(), passkeys.holder(), passkeys.holder()]);
    const { user_id } = await service.given.user(policies.app, { wallet_type: 'ethereum' });
    const { body } = await service.call('GET', '/v1/wallets/list', { key: policies.app.secretKey, query: { user_id } });
    const [{ id }] = body.wallets;
    const rules = [asking(await policies.group(voters.map(({ userId }) => userId)), 2)];
    await policies.activate(await policies.version({ name: `Of ${id}`, scope: { kind: 'wallet', id }, rules }));
    const sign = (approval_id?: string) =>
      service.call('POST', `/v1/wallets/${id}/sign_message`, {
        key: policies.app.secretKey,
        body: { message: 'Hello', ...(approval_id && { approval_id }) },
      });
    const approval: string = (await sign()).body['approval_id'];
    return { voters: voters as [Holder, Holder, Holder], approval, sign };
  }

  it('is made once with both', async () => {
    const { voters, approval, sign } = await asked();
    await policies.vote(approval, voters[0]);
    expect(refusal(await sign(approval))).toEqual([409, 'approval_required']);
    await policies.vote(approval, voters[1]);
    expect((await sign(approval)).status).toBe(200);
    expect(refusal(await sign(approval))).toEqual([409, 'approval_ended']);
  });

  it('does not count the vote of a deactivated member', async () => {
    const { voters, approval, sign } = await asked();
    await policies.vote(approval, voters[0]);
    await policies.manage('POST', `/users/${voters[0].userId}/deactivate`, {});
    await policies.vote(approval, voters[1]);
    expect(refusal(await sign(approval))).toEqual([409, 'approval_required']);
    await policies.vote(approval, voters[2]);
    expect((await sign(approval)).status).toBe(200);
  });
});
