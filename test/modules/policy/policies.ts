import { type Answer, MANAGEMENT_KEY, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { type Holder, PasskeyApp } from '../passkey/passkeys.js';

export type Fields = Readonly<Record<string, unknown>>;

/** The management calls of one app about policies and approver groups. */
export class PolicyApp {
  private constructor(
    readonly service: TestApp,
    readonly app: GivenApp,
  ) {}

  static at(service: TestApp, app: GivenApp): PolicyApp {
    return new PolicyApp(service, app);
  }

  /** An app whose pages use passkeys. */
  static async of(service: TestApp): Promise<PolicyApp> {
    return new PolicyApp(service, (await PasskeyApp.of(service)).app);
  }

  manage(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.service.call(method, `/management/v1/apps/${this.app.id}${path}`, { key: MANAGEMENT_KEY, body });
  }

  /** A version that allows all uses of the app's keys, with these fields instead. */
  create(fields: Fields = {}): Promise<Answer> {
    const whole = { name: 'Payouts', scope: { kind: 'app', id: this.app.id }, rules: [{ effect: 'allow' }] };
    return this.manage('POST', '/policies', { ...whole, ...fields });
  }

  /** The id of a new version. */
  async version(fields: Fields = {}): Promise<string> {
    return idIn(await this.create(fields));
  }

  activate(id: string, approval_id?: string): Promise<Answer> {
    return this.manage('POST', `/policies/${id}/activate`, { ...(approval_id && { approval_id }) });
  }

  retire(id: string, approval_id?: string): Promise<Answer> {
    return this.manage('POST', `/policies/${id}/retire`, { ...(approval_id && { approval_id }) });
  }

  /** The assertion of a vote. */
  async assertion(approval: string, { userId, authenticator }: Holder, decision = 'approve') {
    const body = { user_id: userId, decision };
    const begun = await this.manage('POST', `/approvals/${approval}/begin`, body);
    if (begun.status !== 200) throw new Error(begun.text);
    return authenticator.get(begun.body.public_key_credential_request_options);
  }

  async vote(approval: string, holder: Holder, decision = 'approve'): Promise<Answer> {
    const public_key_credential = await this.assertion(approval, holder, decision);
    const body = { user_id: holder.userId, public_key_credential };
    return this.manage('POST', `/approvals/${approval}/${decision}`, body);
  }

  async approval(id: string) {
    return (await this.manage('GET', `/approvals/${id}`)).body;
  }

  async get(id: string) {
    return (await this.manage('GET', `/policies/${id}`)).body;
  }

  /** The active versions. */
  async active() {
    return (await this.manage('GET', '/policies?state=active')).body.policies;
  }

  /** The id of a new user with a passkey. */
  async approver(): Promise<string> {
    return (await PasskeyApp.at(this.service, this.app).holder()).userId;
  }

  /** An approval for a message of a new wallet, which one member of a group must approve. */
  async asked(): Promise<{ readonly approval: string; readonly holder: Holder }> {
    const { service, app } = this;
    const holder = await PasskeyApp.at(service, app).holder();
    const { user_id } = await service.given.user(app, { wallet_type: 'ethereum' });
    const { body } = await service.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id } });
    const [{ id }] = body.wallets;
    const rules = [asking(await this.group([holder.userId]))];
    await this.activate(await this.version({ name: `Of ${id}`, scope: { kind: 'wallet', id }, rules }));
    const refused = await service.call('POST', `/v1/wallets/${id}/sign_message`, {
      key: app.secretKey,
      body: { message: 'Hello' },
    });
    if (refused.body.error_type !== 'approval_required') throw new Error(refused.text);
    return { approval: refused.body['approval_id'] as string, holder };
  }

  createGroup(members: readonly string[], name = 'Treasury'): Promise<Answer> {
    return this.manage('POST', '/approver_groups', { name, members: members.map((user_id) => ({ user_id })) });
  }

  /** The id of a new group. */
  async group(members: readonly string[]): Promise<string> {
    return idIn(await this.createGroup(members));
  }
}

/** A rule that asks the group for the number of approvals. */
export const asking = (group: string, count = 1): Fields => ({
  effect: 'require_approval',
  approvals: { group, count, expires_in: 3_600 },
});

function idIn({ status, body, text }: Answer): string {
  if (status !== 200) throw new Error(text);
  return body.id;
}
