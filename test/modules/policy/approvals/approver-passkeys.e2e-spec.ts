import { Database } from '../../../../src/postgres/database.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../../support/app.js';
import { type Holder, PasskeyApp } from '../../passkey/passkeys.js';
import { asking, PolicyApp } from '../policies.js';
import { signRows } from '../../../support/row-macs.js';

let service: TestApp;
let database: Database;
beforeAll(async () => {
  service = await startApp();
  database = service.nest.get(Database);
});
afterAll(() => service?.stop());

const outcome = ({ status, body }: Answer) => [status, body.error_type];
const TOO_NEW = [403, 'passkey_may_not_vote'];

/** An app with two approvers, of whom one must approve each message of a wallet. */
class Board {
  private constructor(
    readonly policies: PolicyApp,
    readonly passkeys: PasskeyApp,
    readonly members: readonly [Holder, Holder],
    readonly group: string,
    private readonly walletId: string,
  ) {}

  static async of(): Promise<Board> {
    const policies = await PolicyApp.of(service);
    const passkeys = PasskeyApp.at(service, policies.app);
    const members = [await passkeys.holder(), await passkeys.holder()] as const;
    const group = await policies.group(members.map(({ userId }) => userId));
    const { user_id } = await service.given.user(policies.app, { wallet_type: 'ethereum' });
    const { body } = await service.call('GET', '/v1/wallets/list', { key: policies.app.secretKey, query: { user_id } });
    await policies.activate(await policies.version({ rules: [asking(group)] }));
    return new Board(policies, passkeys, members, group, body.wallets[0].id);
  }

  /** An approval of a message. */
  async asked(message: string): Promise<string> {
    const { body, text } = await service.call('POST', `/v1/wallets/${this.walletId}/sign_message`, {
      key: this.policies.app.secretKey,
      body: { message },
    });
    if (body.error_type !== 'approval_required') throw new Error(text);
    return body['approval_id'];
  }

  /** One more passkey of the holder. */
  async another(holder: Holder): Promise<Holder> {
    const { userId } = holder;
    const session_token = await this.passkeys.sessionOf(holder);
    const second = this.passkeys.authenticator();
    const begun = await this.passkeys.beginRegistration(userId, { session_token });
    const made = await this.passkeys.createRegistration(
      userId,
      second.create(begun.body.public_key_credential_creation_options),
      { session_token },
    );
    if (made.status !== 200) throw new Error(made.text);
    return { userId, authenticator: second, passkeyId: made.body.webauthn_credential_id };
  }

  /** A member approves the passkey of another one. */
  async approve(passkeyId: string, by: Holder): Promise<Answer> {
    const path = `/approver_groups/${this.group}/passkeys/${passkeyId}`;
    const begun = await this.policies.manage('POST', `${path}/begin`, { user_id: by.userId });
    if (begun.status !== 200) return begun;
    const public_key_credential = by.authenticator.get(begun.body.public_key_credential_request_options);
    return this.policies.manage('POST', `${path}/approve`, { user_id: by.userId, public_key_credential });
  }
}

describe('a passkey that an approver makes after becoming a member', () => {
  it('neither approves nor rejects until the hours of the app are over, while earlier passkeys vote at once', async () => {
    const board = await Board.of();
    const [first] = board.members;
    const late = await board.another(first);
    const approval = await board.asked('Hello');
    for (const decision of ['approve', 'reject'])
      expect(outcome(await board.policies.vote(approval, late, decision))).toEqual(TOO_NEW);
    expect((await board.policies.approval(approval)).votes).toEqual([]);
    expect((await board.policies.vote(approval, first)).body.state).toBe('approved');
    const second = await board.asked('Hello again');
    await database.write(
      `update webauthn_credentials set created_at = ((created_at at time zone 'UTC') - interval '24 hours') at time zone 'UTC'
        where app_id = $1 and id = $2`,
      [board.policies.app.id, late.passkeyId],
    );
    await signRows(service, 'webauthn_credentials');
    expect((await board.policies.vote(second, late)).body.state).toBe('approved');
  });

  it('votes once another member has approved it', async () => {
    const board = await Board.of();
    const [first, other] = board.members;
    const late = await board.another(first);
    const approval = await board.asked('Hello');
    expect(outcome(await board.approve(late.passkeyId, first))).toEqual([403, 'not_an_approver']);
    const approved = await board.approve(late.passkeyId, other);
    expect([approved.status, approved.body]).toEqual([
      200,
      {
        approver_group_id: board.group,
        webauthn_credential_id: late.passkeyId,
        user_id: first.userId,
        approved_by: other.userId,
        approved_at: expect.any(Number),
      },
    ]);
    expect((await board.approve(late.passkeyId, other)).body).toEqual(approved.body);
    expect((await board.policies.vote(approval, late)).body.state).toBe('approved');
    const { body } = await board.policies.manage('GET', '/audit_log?action=approver_passkey.approved');
    expect(body.entries[0]).toMatchObject({ target: late.passkeyId });
  });

  it('is approved neither by a stranger, nor by a passkey that does not vote, nor in another group or app', async () => {
    const board = await Board.of();
    const [first, other] = board.members;
    const [late, lateOther] = [await board.another(first), await board.another(other)];
    expect(outcome(await board.approve(late.passkeyId, lateOther))).toEqual(TOO_NEW);
    const stranger = await board.passkeys.holder();
    expect(outcome(await board.approve(late.passkeyId, stranger))).toEqual([403, 'not_an_approver']);
    expect(outcome(await board.approve(stranger.passkeyId, other))).toEqual([404, 'webauthn_credential_not_found']);
    const elsewhere = await Board.of();
    expect(outcome(await elsewhere.approve(late.passkeyId, elsewhere.members[0]))).toEqual([
      404,
      'webauthn_credential_not_found',
    ]);
    expect(outcome(await board.policies.vote(await board.asked('Hello'), late))).toEqual(TOO_NEW);
  });

  it('loses its approval when its holder leaves the group, and votes at once when the holder is added anew', async () => {
    const board = await Board.of();
    const [first, other] = board.members;
    const late = await board.another(first);
    await board.approve(late.passkeyId, other);
    const change = (...members: Holder[]) =>
      board.policies.manage('PATCH', `/approver_groups/${board.group}`, {
        members: members.map(({ userId }) => ({ user_id: userId })),
      });
    await change(other);
    const rows = await database.write('select 1 from approver_passkeys where app_id = $1', [board.policies.app.id]);
    expect(rows).toEqual([]);
    await change(other, first);
    expect((await board.policies.vote(await board.asked('Hello'), late)).body.state).toBe('approved');
    const later = await board.another(other);
    await change(first, other);
    expect(outcome(await board.policies.vote(await board.asked('Bye'), later))).toEqual(TOO_NEW);
  });

  it('of a member whom a replica of the release before added waits too', async () => {
    const board = await Board.of();
    const [first] = board.members;
    const late = await board.another(first);
    await database.write('delete from approver_members where app_id = $1', [board.policies.app.id]);
    const approval = await board.asked('Hello');
    expect(outcome(await board.policies.vote(approval, late))).toEqual(TOO_NEW);
  });
});

describe('approver_passkey_hours', () => {
  const set = (board: Board, hours: number | null, fields: object = {}) =>
    board.policies.manage('PATCH', '', { approver_passkey_hours: hours, ...fields });

  it('is 24, and 0 in test apps only', async () => {
    const board = await Board.of();
    expect((await board.policies.manage('GET', '')).body.approver_passkey_hours).toBe(24);
    const late = await board.another(board.members[0]);
    const approval = await board.asked('Hello');
    expect((await set(board, 0)).body.approver_passkey_hours).toBe(0);
    expect((await board.policies.vote(approval, late)).body.state).toBe('approved');
    expect((await set(board, null)).body.approver_passkey_hours).toBe(24);
    const live = await service.given.app({ mode: 'live' });
    const refused = await service.call('PATCH', `/management/v1/apps/${live.id}`, {
      key: MANAGEMENT_KEY,
      body: { approver_passkey_hours: 0 },
    });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'approver_passkey_hours']);
    for (const hours of [-1, 721, 1.5]) expect((await set(board, hours)).status).toBe(400);
  });

  it('is lowered with an approval only, where changes of policies need one', async () => {
    const board = await Board.of();
    await board.policies.manage('PATCH', '', { policy_change: { group: board.group, count: 1 } });
    expect((await set(board, 48)).status).toBe(200);
    const refused = await set(board, 1);
    expect(outcome(refused)).toEqual([409, 'approval_required']);
    expect((await board.policies.manage('GET', '')).body.approver_passkey_hours).toBe(48);
    const approval_id = refused.body['approval_id'] as string;
    await board.policies.vote(approval_id, board.members[0]);
    expect((await set(board, 1, { approval_id })).body.approver_passkey_hours).toBe(1);
  });
});

describe('a restricted key', () => {
  it('with login:write carries no votes, also with approvals:vote', async () => {
    const board = await Board.of();
    const [holder] = board.members;
    const keyWith = async (...scopes: string[]) =>
      (await board.policies.manage('POST', '/keys', { kind: 'restricted', scopes })).body.key as string;
    const [login, page] = [await keyWith('login:write', 'approvals:vote'), await keyWith('approvals:vote')];
    const approval = await board.asked('Hello');
    for (const decision of ['approve', 'reject']) {
      const public_key_credential = await board.policies.assertion(approval, holder, decision);
      const answer = await service.call('POST', `/v1/approvals/${approval}/${decision}`, {
        key: login,
        body: { user_id: holder.userId, public_key_credential },
      });
      expect(outcome(answer)).toEqual([403, 'vote_not_carried']);
    }
    const public_key_credential = await board.policies.assertion(approval, holder);
    const carried = await service.call('POST', `/v1/approvals/${approval}/approve`, {
      key: page,
      body: { user_id: holder.userId, public_key_credential },
    });
    expect(carried.body.state).toBe('approved');
  });
});
