import type { WalletType } from '../../../src/kernel/chain/chain-name.js';
import type { Answer } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import type { Money, Payer } from '../../support/money.js';
import type { Observer } from '../../support/observer.js';
import { type Holder, ORIGIN, PasskeyApp, RP_ID } from '../passkey/passkeys.js';
import { asking, type Fields, PolicyApp } from './policies.js';

export interface TreasuryChoices {
  readonly members?: number;
  readonly count?: number;
  readonly chain?: WalletType;
  readonly rules?: (group: string) => Fields[];
}

/** An app with a funded wallet, whose uses need the approval of a group. */
export class Treasury {
  private constructor(
    private readonly money: Money,
    private readonly observer: Observer,
    readonly payer: Payer,
    readonly policies: PolicyApp,
    readonly members: readonly Holder[],
    readonly group: string,
    readonly version: string,
  ) {}

  get app(): GivenApp {
    return this.payer.app;
  }

  /** The owner of the wallet is the last member. */
  static async of(
    money: Money,
    observer: Observer,
    { members = 2, count = 1, chain = 'ethereum', rules }: TreasuryChoices = {},
  ): Promise<Treasury> {
    const app = await money.app.given.app({
      default_wallet_type: 'none',
      webauthn: { rp_id: RP_ID, origins: [ORIGIN] },
    });
    const payer = await money.payer(chain, 100n, app);
    const passkeys = PasskeyApp.at(money.app, app);
    const holders = await Promise.all([
      ...Array.from({ length: members }, () => passkeys.holder()),
      passkeys.holder(passkeys.authenticator(), payer.userId),
    ]);
    const policies = PolicyApp.at(money.app, app);
    const group = await policies.group(holders.map(({ userId }) => userId));
    const version = await policies.version({ rules: rules?.(group) ?? [{ id: 'asks', ...asking(group, count) }] });
    await policies.activate(version);
    return new Treasury(money, observer, payer, policies, holders, group, version);
  }

  call(method: string, path: string, body?: unknown, service = this.money.app): Promise<Answer> {
    return service.call(method, `/v1${path}`, { key: this.app.secretKey, body });
  }

  sign(message: string, approval_id?: string, service = this.money.app): Promise<Answer> {
    const body = { message, ...(approval_id && { approval_id }) };
    return this.call('POST', `/wallets/${this.payer.walletId}/sign_message`, body, service);
  }

  async askedSignature(message: string): Promise<string> {
    const refused = await this.sign(message);
    if (refused.body.error_type !== 'approval_required') throw new Error(refused.text);
    return refused.body['approval_id'] as string;
  }

  /** A transfer that awaits its approval. */
  async awaiting(fields: Fields = {}, confirmation: Record<string, unknown> = {}) {
    const { id } = await this.money.created(this.payer, fields);
    const confirmed = await this.money.confirm(this.payer, id, confirmation);
    if (confirmed.body.status !== 'awaiting_approval') throw new Error(confirmed.text);
    return { id: id as string, approval: confirmed.body.approval_id as string };
  }

  async approval(id: string) {
    return (await this.call('GET', `/approvals/${id}`)).body;
  }

  begin(id: string, { userId }: Holder, decision = 'approve'): Promise<Answer> {
    return this.call('POST', `/approvals/${id}/begin`, { user_id: userId, decision });
  }

  /** The assertion of a vote. */
  async assertion(id: string, holder: Holder, decision = 'approve') {
    const { status, body, text } = await this.begin(id, holder, decision);
    if (status !== 200) throw new Error(text);
    return holder.authenticator.get(body.public_key_credential_request_options);
  }

  send(
    id: string,
    { userId }: Holder,
    credential: unknown,
    decision = 'approve',
    service = this.money.app,
  ): Promise<Answer> {
    return this.call(
      'POST',
      `/approvals/${id}/${decision}`,
      { user_id: userId, public_key_credential: credential },
      service,
    );
  }

  async vote(id: string, holder: Holder, decision = 'approve'): Promise<Answer> {
    return this.send(id, holder, await this.assertion(id, holder, decision), decision);
  }

  async held(): Promise<number> {
    const rows = await this.observer.rows('select 1 from spend_events where app_id = $1 and is_held', [this.app.id]);
    return rows.length;
  }

  attemptsOf(transfer: string) {
    return this.observer.rows('select hash from transfer_attempts where app_id = $1 and transfer_id = $2', [
      this.app.id,
      transfer,
    ]);
  }
}
