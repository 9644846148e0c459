import { startApp, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { PolicyApp } from '../policies.js';
import { Observer } from '../../../support/observer.js';
import { signRows } from '../../../support/row-macs.js';

// The hash of a Safe's transaction as text of 32 bytes, and in hexadecimal.
const HASHES = ['abcdefghijklmnopqrstuvwxyz012345', `0x${'ab'.repeat(32)}`];

let service: TestApp;
let observer: Observer;
beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
});

/** A wallet of an app, and the calls about it. */
class Signing {
  private constructor(
    readonly policies: PolicyApp,
    private readonly walletId: string,
  ) {}

  static async begin(): Promise<Signing> {
    const app = await service.given.app();
    const { user_id } = await service.given.user(app);
    const { body } = await service.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id } });
    return new Signing(PolicyApp.at(service, app), body.wallets[0].id);
  }

  async sign(message: string): Promise<unknown> {
    const { secretKey: key } = this.policies.app;
    const url = `/v1/wallets/${this.walletId}/sign_message`;
    const { status, body } = await service.call('POST', url, { key, body: { message } });
    return status === 200 ? 'signed' : body.error_type;
  }

  /** The outcomes for both hashes and a text, and the rule that the app shows. */
  async rule(): Promise<unknown[]> {
    const outcomes = [await this.sign(HASHES[0]!), await this.sign(HASHES[1]!), await this.sign('Hello')];
    return [...outcomes, (await this.policies.manage('GET', '')).body.signing_policy.messages];
  }

  set(messages: string | null) {
    return this.policies.manage('PATCH', '', { signing_policy: { messages } });
  }
}

const ANY = ['signed', 'signed', 'signed', 'any'];
const TEXT = ['message_not_allowed', 'message_not_allowed', 'signed', 'text'];
const NONE = ['message_not_allowed', 'message_not_allowed', 'message_not_allowed', 'none'];
const becomes = (signing: Signing, rule: unknown[]): Promise<void> =>
  eventually(async () => expect(await signing.rule()).toEqual(rule));

it('the first policy of an app makes text the default of messages, for as long as a policy is in force', async () => {
  const signing = await Signing.begin();
  const { policies } = signing;
  const [first, second] = [await policies.version(), await policies.version({ name: 'Another' })];
  expect(await signing.rule()).toEqual(ANY);
  await policies.activate(first);
  await becomes(signing, TEXT);
  await policies.activate(second);
  await policies.retire(first);
  expect(await signing.rule()).toEqual(TEXT);
  for (const [set, rule] of [
    ['any', ANY],
    ['none', NONE],
    [null, TEXT],
  ] as const) {
    await signing.set(set);
    await becomes(signing, [...rule]);
  }
  await policies.retire(second);
  await becomes(signing, ANY);
  await policies.activate(first);
  await becomes(signing, TEXT);
  // A next version that replaces the only one leaves no moment without a policy.
  await policies.activate(await policies.version());
  expect(await signing.rule()).toEqual(TEXT);
});

it('an app that set the rule before its first policy keeps it', async () => {
  const signing = await Signing.begin();
  await signing.set('any');
  await signing.policies.activate(await signing.policies.version());
  expect(await signing.rule()).toEqual(ANY);
});

it('an app whose first policy is from before keeps any, also with further policies and after all were retired', async () => {
  const signing = await Signing.begin();
  const { policies } = signing;
  const first = await policies.version();
  await policies.activate(first);
  await becomes(signing, TEXT);
  // As a replica of the release before stores it.
  await observer.rows(`update apps set signing_policy = '{}' where id = $1`, [policies.app.id]);
  await signRows(policies.service, 'apps');
  await becomes(signing, ANY);
  const second = await policies.version({ name: 'Another' });
  await policies.activate(second);
  for (const id of [first, second]) await policies.retire(id);
  await policies.activate(first);
  expect(await signing.rule()).toEqual(ANY);
  await signing.set('text');
  await becomes(signing, TEXT);
});

it('an activation beside a policy that a replica of the previous release has activated makes text the default again', async () => {
  const signing = await Signing.begin();
  const { policies } = signing;
  const [first, second] = [await policies.version(), await policies.version({ name: 'Another' })];
  await policies.activate(first);
  await policies.retire(first);
  await becomes(signing, ANY);
  // The previous release changes the state of the version alone.
  await observer.rows(`update policies set state = 'active' where id = $1`, [first]);
  for (const table of ['policies', 'apps']) await signRows(policies.service, table);
  await policies.activate(second);
  await becomes(signing, TEXT);
});

it('activations of the first policies at once agree on the rule', async () => {
  const signing = await Signing.begin();
  const { policies } = signing;
  const ids = await Promise.all(['A', 'B', 'C'].map((name) => policies.version({ name })));
  const activations = await observer.together(
    'policies',
    ids.map((id) => () => policies.activate(id)),
  );
  expect(activations.map(({ status }) => status)).toEqual([200, 200, 200]);
  await becomes(signing, TEXT);
  await Promise.all(ids.map((id) => policies.retire(id)));
  await becomes(signing, ANY);
});
