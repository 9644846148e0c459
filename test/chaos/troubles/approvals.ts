import { ORIGIN, RP_ID } from '../../modules/passkey/passkeys.js';
import { VirtualAuthenticator } from '../../support/virtual-authenticator.js';
import { MANAGEMENT_KEY, type Wallet } from '../client.js';
import { putInForce, type Stage, type TroubleKind } from './trouble.js';

/** Approval after approval ends in the next of these ways. */
const ENDS = ['approved', 'rejected', 'approved', 'expired', 'approved', 'cancelled'] as const;
type End = (typeof ENDS)[number];

interface Waiting {
  readonly id: string;
  readonly appId: string;
  readonly transferId: string;
}

/** The approvers of an app and the key whose payments they approve. */
interface Approvers {
  readonly userId: string;
  readonly authenticator: VirtualAuthenticator;
  /** The key that asks. */
  readonly asking: string;
  /** The key that carries votes. */
  readonly key: string;
}

/** Some orders are paid by a key whose transfers wait for an approver. They are approved, rejected, cancelled, or expire. */
export const approvals = (): TroubleKind<'approvals'> => {
  const approvers = new Map<string, Approvers>();
  const ends = new Map<string, End>();
  let asked = 0;

  /** Has an approval end in the chosen way. A lost call, or a lost commit, leaves it waiting: then it is tried again. */
  async function end({ id, appId, transferId }: Waiting, { client, postgres }: Stage): Promise<void> {
    const { userId, authenticator, asking, key } = approvers.get(appId)!;
    if (!ends.has(id)) ends.set(id, ENDS[ends.size % ENDS.length]!);
    const path = `/v1/approvals/${id}`;
    const chosen = ends.get(id)!;
    if (chosen === 'cancelled')
      return void (await client.call('POST', `/v1/transfers/${transferId}/cancel`, asking, {}));
    if (chosen === 'expired') {
      await postgres.ask((database) => database.query('update approvals set expires_at = now() where id = $1', [id]));
      return void (await client.call('GET', path, key));
    }
    const decision = chosen === 'approved' ? 'approve' : 'reject';
    const begun = await client.call('POST', `${path}/begin`, key, { user_id: userId, decision });
    if (begun?.status !== 200) return;
    const public_key_credential = authenticator.get(begun.body['public_key_credential_request_options'] as never);
    await client.call('POST', `${path}/${decision}`, key, { user_id: userId, public_key_credential });
  }

  return {
    name: 'approvals',
    async prepare(stage) {
      for (const wallet of new Map(stage.wallets.map((each) => [each.appId, each])).values()) {
        const found = await makeApprovers(stage, wallet);
        approvers.set(wallet.appId, found);
      }
    },
    async shape(order, { wallets }) {
      const { key, appId } = order.wallet;
      // A payment of an agent has another key already.
      if (!wallets.some((wallet) => wallet.key === key) || asked++ % 2 !== 0) return null;
      return { ...order, wallet: { ...order.wallet, key: approvers.get(appId)!.asking } };
    },
    async serve(stage) {
      const waiting = await stage.postgres.ask(async (client) => {
        const { rows } = await client.query<Waiting>(
          `select id, app_id as "appId", operation_id as "transferId" from approvals where state = 'waiting' order by id`,
        );
        return rows;
      });
      await Promise.all(waiting.map((each) => end(each, stage)));
    },
    /** Each end must have come about. */
    async happened({ books }) {
      const { executed, rejected, expired, cancelled } = await books.approvals();
      return Math.min(executed, rejected, expired, cancelled);
    },
  };
};

async function makeApprovers(stage: Stage, { appId, key }: Wallet): Promise<Approvers> {
  const { client } = stage;
  const path = `/management/v1/apps/${appId}`;
  const made = async (at: string, body: object, by = MANAGEMENT_KEY) => client.insist('POST', at, by, body);
  await client.insist('PATCH', path, MANAGEMENT_KEY, { webauthn: { rp_id: RP_ID, origins: [ORIGIN] } });
  const userId = String(
    (await made('/v1/auth/users/create', { email: 'approver@example.com', wallet_type: 'none' }, key))['user_id'],
  );
  const authenticator = new VirtualAuthenticator(ORIGIN);
  const begun = await made('/v1/auth/webauthn/registrations/begin', { user_id: userId }, key);
  const public_key_credential = authenticator.create(begun['public_key_credential_creation_options'] as never);
  await made('/v1/auth/webauthn/registrations/create', { user_id: userId, public_key_credential }, key);
  const group = await made(`${path}/approver_groups`, { name: 'Approvers', members: [{ user_id: userId }] });
  const scopes = ['transfers:read', 'transfers:write'];
  const asking = await made(`${path}/keys`, { kind: 'restricted', name: 'Asking', scopes });
  const asks = { effect: 'require_approval', approvals: { group: group['id'], count: 1, expires_in: 3_600 } };
  const rules = [{ id: 'asks', ...asks, match: { operations: ['transfer'] } }];
  const policy = await made(`${path}/policies`, { name: 'Asking', scope: { kind: 'key', id: asking['id'] }, rules });
  await putInForce(stage, appId, String(policy['id']));
  return { userId, authenticator, asking: String(asking['key']), key };
}
