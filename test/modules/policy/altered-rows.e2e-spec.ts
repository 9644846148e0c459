import type { Answer } from '../../support/app.js';
import { Money, type Payer } from '../../support/money.js';
import { Observer } from '../../support/observer.js';
import { Treasury } from './treasury.js';

let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({ env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

const refusal = ({ status, body }: Answer) => [status, body.error_type];
const BROKEN = [500, 'seal_broken'];

const vote = (treasury: Treasury, approval: string, member = 0) =>
  observer.rows(
    `insert into approval_votes (app_id, approval_id, user_id, decision, at) values ($1, $2, $3, 'approve', now())`,
    [treasury.app.id, approval, treasury.members[member]!.userId],
  );

describe('an approval that is altered by SQL', () => {
  it.each(['approved', 'executed'])('is not given by a vote and the state %s', async (state) => {
    const treasury = await Treasury.of(money, observer);
    const approval = await treasury.askedSignature('hello');
    await vote(treasury, approval);
    await observer.rows(`update approvals set state = $2 where id = $1`, [approval, state]);
    const answer = await treasury.sign('hello', approval);
    expect(answer.status).not.toBe(200);
    expect(answer.body).not.toHaveProperty('signed_message');
    expect((await treasury.approval(approval)).votes).toEqual([]);
  });

  it('of a transfer pays nothing when it was set to executed', async () => {
    const treasury = await Treasury.of(money, observer);
    const { id, approval } = await treasury.awaiting();
    await vote(treasury, approval);
    await observer.rows(`update approvals set state = 'executed' where id = $1`, [approval]);
    await money.confirm(treasury.payer, id);
    expect(await treasury.attemptsOf(id)).toEqual([]);
  });

  it.each([
    ['fewer votes', `needed = 1`],
    ['another payload', `payload = '{}'`],
    ['another group', `group_id = 'agrp_00000000000000000000000000'`],
    ['no MAC', `mac = null`],
  ])('is refused: %s', async (_, assignment) => {
    const treasury = await Treasury.of(money, observer, { count: 2 });
    const approval = await treasury.askedSignature('hello');
    await observer.rows(`update approvals set ${assignment} where id = $1`, [approval]);
    expect(refusal(await treasury.begin(approval, treasury.members[0]!))).toEqual(BROKEN);
    expect(refusal(await treasury.sign('hello', approval))).toEqual(BROKEN);
    expect((await treasury.call('GET', '/approvals')).body.approvals).toEqual([]);
  });

  it('takes no vote of a member whom SQL has added to the group', async () => {
    const treasury = await Treasury.of(money, observer);
    const approval = await treasury.askedSignature('hello');
    const { user_id } = await money.app.given.user(treasury.app);
    await observer.rows(`update approver_groups set members = members || $2::text where id = $1`, [
      treasury.group,
      user_id,
    ]);
    expect(refusal(await treasury.begin(approval, treasury.members[0]!))).toEqual(BROKEN);
  });

  it('goes on when a member of its group is deleted', async () => {
    const treasury = await Treasury.of(money, observer);
    const approval = await treasury.askedSignature('hello');
    const path = `/auth/users/${treasury.members[1]!.userId}/delete`;
    expect((await treasury.call('DELETE', path)).status).toBe(200);
    expect((await treasury.vote(approval, treasury.members[0]!)).body.state).toBe('approved');
    expect((await treasury.sign('hello', approval)).status).toBe(200);
  });
});

describe('a user whose deactivation SQL has undone', () => {
  const reactivate = async (appId: string, userId: string): Promise<void> => {
    const path = `/management/v1/apps/${appId}/users/${userId}/deactivate`;
    expect((await money.app.call('POST', path, { key: money.app.managementKey })).status).toBe(200);
    await observer.rows('update users set deactivated_at = null where id = $1', [userId]);
  };

  it('neither votes nor has a vote that counts', async () => {
    const treasury = await Treasury.of(money, observer);
    const [first, second] = [treasury.members[0]!, treasury.members[1]!];
    const [given, open] = [await treasury.askedSignature('hello'), await treasury.askedSignature('again')];
    expect((await treasury.vote(given, first)).body.state).toBe('approved');
    for (const { userId } of [first, second]) await reactivate(treasury.app.id, userId);
    expect((await treasury.sign('hello', given)).status).not.toBe(200);
    expect(refusal(await treasury.vote(open, second))).toEqual(BROKEN);
  });

  it('neither signs nor pays', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    await reactivate(payer.app.id, payer.userId);
    const signed = await money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_message`, {
      key: payer.app.secretKey,
      body: { message: 'hello' },
    });
    expect(refusal(signed)).toEqual(BROKEN);
    expect(refusal(await money.confirm(payer, id))).toEqual(BROKEN);
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
  });
});

describe('a budget', () => {
  const policy = (payer: Payer) => ({
    name: 'main',
    scope: { kind: 'app', id: payer.app.id },
    rules: [
      {
        id: 'pays',
        effect: 'allow',
        match: { operations: ['transfer'], assets: ['ethereum'] },
        windows: [{ seconds: 3_600, max_amount: '0.75' }],
      },
    ],
  });

  /** Half an ether of 0.75 is spent, and as much again waits for its confirmation. */
  async function spending() {
    const payer = await money.payer('ethereum', 9n);
    const manage = (path: string, body: object) =>
      money.app.call('POST', `/management/v1/apps/${payer.app.id}${path}`, { key: money.app.managementKey, body });
    const { body } = await manage('/policies', policy(payer));
    expect((await manage(`/policies/${body.id}/activate`, {})).status).toBe(200);
    const spent = await money.created(payer, { source_amount: '0.5' });
    const { id } = await money.created(payer, { source_amount: '0.5' });
    expect((await money.confirm(payer, spent.id)).status).toBe(200);
    const evaluated = async () =>
      manage('/policies/evaluate', {
        operation: 'transfer',
        wallet_id: payer.walletId,
        dest: spent.dest,
        source_amount: '0.5',
        source_currency: 'ethereum',
      });
    return { payer, id, spentId: spent.id as string, evaluated };
  }
  const anew = 'delete from spend_sums where app_id = $1';
  const seconds = (number: number) => `((at at time zone 'UTC') - interval '${number} seconds') at time zone 'UTC'`;

  it.each([
    ['a lower sum', ['update spend_sums set amount = 0 where app_id = $1']],
    ['a sum of an earlier time', [`update spend_sums set since = since - interval '1 second' where app_id = $1`]],
    ['a sum without a MAC', ['update spend_sums set amount = 0, mac = null where app_id = $1']],
    ['a lower amount', ['update spend_events set amount = 1 where app_id = $1', anew]],
    ['another time', [`update spend_events set at = ${seconds(9)} where app_id = $1`, anew]],
    ['another payment', [`update spend_events set operation_id = 'other' where app_id = $1`, anew]],
    [
      'an amount that was given back',
      ['update spend_events set is_held = false, released_at = now() where app_id = $1'],
    ],
    [
      'a negative amount',
      [
        `insert into spend_events select (jsonb_populate_record(e, '{"operation_id": "other", "amount": -1}')).* from spend_events e where app_id = $1`,
        anew,
      ],
    ],
  ])('that SQL has given %s refuses payments', async (_, statements) => {
    const { payer, id, evaluated } = await spending();
    for (const statement of statements) await observer.rows(statement, [payer.app.id]);
    expect(refusal(await money.confirm(payer, id))).toEqual(BROKEN);
    expect(refusal(await evaluated())).toEqual(BROKEN);
    expect(await money.get(payer, id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
  });

  it('shows no held amount and no end of a window that SQL has altered', async () => {
    const { payer, spentId, evaluated } = await spending();
    const alter = (amount: string) =>
      observer.rows(`update spend_events set amount = ${amount} where app_id = $1`, [payer.app.id]);
    expect((await evaluated()).body).toMatchObject({ reason: 'window_amount', windows: [{ held: '0.5' }] });
    await alter('amount - 1');
    expect(refusal(await evaluated())).toEqual(BROKEN);
    await alter('amount + 1');
    await money.become(payer, spentId, 'completed');
    expect((await evaluated()).body.windows).toMatchObject([{ held: '0', ends_at: expect.any(Number) }]);
    await alter('amount - 1');
    expect(refusal(await evaluated())).toEqual(BROKEN);
  });

  it('keeps an altered amount altered when its payment ends', async () => {
    const { payer, id, spentId } = await spending();
    await observer.rows('update spend_events set amount = 1 where app_id = $1', [payer.app.id]);
    await money.become(payer, spentId, 'completed');
    const held = await observer.rows('select 1 from spend_events where app_id = $1 and is_held', [payer.app.id]);
    expect(held).toEqual([]);
    await observer.rows(anew, [payer.app.id]);
    expect(refusal(await money.confirm(payer, id))).toEqual(BROKEN);
  });

  it('refuses by its limit where nothing is altered', async () => {
    const { payer, id, spentId } = await spending();
    expect((await money.confirm(payer, id)).body).toMatchObject({ reason: 'window_amount' });
    await money.become(payer, spentId, 'completed');
    await observer.rows(anew, [payer.app.id]);
    expect((await money.confirm(payer, id)).body).toMatchObject({ reason: 'window_amount' });
  });
});
