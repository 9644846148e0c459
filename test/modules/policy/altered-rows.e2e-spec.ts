import type { Answer } from '../../support/app.js';
import { Money } from '../../support/money.js';
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
