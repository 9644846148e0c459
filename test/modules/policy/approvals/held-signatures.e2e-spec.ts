import { MANAGEMENT_KEY, type Answer } from '../../../support/app.js';
import { keyPair } from '../../../support/hpke-peer.js';
import { Money, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { refusal } from '../../passkey/passkeys.js';
import { PolicyApp } from '../policies.js';

let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({ env: { ROLE: 'api' } });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

const manage = (method: string, path: string, body?: object) =>
  money.app.call(method, `/management/v1/apps/${path}`, { key: MANAGEMENT_KEY, body });

type Use = keyof typeof USES;
const USES = {
  sign_message: { message: 'Hello' },
  export: { encryption_public_key: keyPair().getPublicKey('base64') },
};

const use = ({ app, walletId }: Payer, name: Use) =>
  money.app.call('POST', `/v1/wallets/${walletId}/${name}`, { key: app.secretKey, body: USES[name] });

/** An app with a wallet whose uses are counted. The account is closed once the wallet has signed. */
async function counted(hasSigned = true): Promise<Payer> {
  const payer = await money.payer('ethereum', 0n);
  const policies = PolicyApp.at(money.app, payer.app);
  const rules = [{ effect: 'allow', windows: [{ seconds: 60, max_count: 5 }] }];
  await policies.activate(await policies.version({ rules }));
  if (hasSigned) await use(payer, 'sign_message');
  return payer;
}

describe.each(['sign_message', 'export'] as const)('the use %s of a key that waits for a window', (name) => {
  /** The answer to the use, which waits for its window until `change` is done. */
  async function usedAfter(payer: Payer, change: () => Promise<Answer>): Promise<Answer> {
    await observer.rows('begin; lock table spend_windows in access exclusive mode');
    const answer = use(payer, name);
    await observer.untilWaiting('spend_windows', () => 1);
    const changed = await change();
    await observer.rows('commit');
    if (changed.status !== 200) throw new Error(changed.text);
    return answer;
  }

  it('is refused once the deactivation of the user has been answered', async () => {
    const payer = await counted();
    const { id } = payer.app;
    const used = await usedAfter(payer, () => manage('POST', `${id}/users/${payer.userId}/deactivate`, {}));
    expect(refusal(used)).toEqual([403, 'user_inactive']);
  });

  it.each([true, false])(
    'is refused once the deletion of the user has been answered (has signed: %s)',
    async (hasSigned) => {
      const payer = await counted(hasSigned);
      const used = await usedAfter(payer, () => manage('DELETE', `${payer.app.id}/users/${payer.userId}`));
      expect(refusal(used)).toEqual([404, 'wallet_not_found']);
    },
  );

  it('is refused once the deletion of the app has been answered', async () => {
    const payer = await counted();
    const used = await usedAfter(payer, () => manage('DELETE', payer.app.id));
    expect(refusal(used)).toEqual([404, 'app_not_found']);
  });

  it('is allowed after another change, and counted', async () => {
    const payer = await counted(false);
    expect((await usedAfter(payer, () => manage('GET', payer.app.id))).status).toBe(200);
    expect(await observer.rows('select 1 from spend_events where app_id = $1', [payer.app.id])).toHaveLength(1);
  });
});
