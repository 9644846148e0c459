import type { TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import type { Call, ModuleFacts } from '../../support/module-facts.js';
import { PasskeyApp } from '../passkey/passkeys.js';
import { PolicyApp } from './policies.js';

const BASE = '/management/v1/apps/{app_id}';
const PASSKEY = `${BASE}/approver_groups/{agrp_id}/passkeys/{webauthn_id}`;
const pathOf = ({ id }: GivenApp): string => `/management/v1/apps/${id}`;

/** A call below the path of a new draft. */
const ofVersion =
  (suffix: string) =>
  async (service: TestApp, app: GivenApp): Promise<Call> => ({
    path: `${pathOf(app)}/policies/${await PolicyApp.at(service, app).version()}${suffix}`,
    ...(suffix !== '' && { body: {} }),
  });

/** A call at the path of a new group. */
const ofGroup =
  (body?: Call['body']) =>
  async (service: TestApp, app: GivenApp): Promise<Call> => {
    const acme = PolicyApp.at(service, app);
    const path = `${pathOf(app)}/approver_groups/${await acme.group([await acme.approver()])}`;
    return { path, ...(body && { body }) };
  };

/** A call by which a member of a new group lets the passkey of another member vote. */
const ofLatePasskey =
  (step: 'begin' | 'approve') =>
  async (service: TestApp, app: GivenApp): Promise<Call> => {
    const [acme, passkeys] = [PolicyApp.at(service, app), PasskeyApp.at(service, app)];
    const [holder, { userId: user_id, authenticator }] = [await passkeys.holder(), await passkeys.holder()];
    const group = await acme.group([holder.userId, user_id]);
    const path = `${pathOf(app)}/approver_groups/${group}/passkeys/${holder.passkeyId}`;
    if (step === 'begin') return { path: `${path}/begin`, body: { user_id } };
    const begun = await service.call('POST', `${path}/begin`, { key: service.managementKey, body: { user_id } });
    const public_key_credential = authenticator.get(begun.body.public_key_credential_request_options);
    return { path: `${path}/approve`, body: { user_id, public_key_credential } };
  };

/** A freeze or a thaw of a new user or of the user's wallet. */
const ofHolder =
  (kind: 'users' | 'wallets', isThaw: boolean) =>
  async (service: TestApp, app: GivenApp): Promise<Call> => {
    const { user_id } = await service.given.user(app, { wallet_type: 'ethereum' });
    const { body } = await service.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id } });
    const path = `${pathOf(app)}/${kind}/${kind === 'users' ? user_id : body.wallets[0].id}`;
    if (isThaw) await service.call('POST', `${path}/freeze`, { key: service.managementKey, body: {} });
    return { path: `${path}/${isThaw ? 'thaw' : 'freeze'}`, body: {} };
  };

/** A call at the path of a new approval; with a decision, the vote of an approver. */
const ofApproval =
  (prefix: string, suffix: string, decision?: string) =>
  async (service: TestApp, app: GivenApp): Promise<Call> => {
    const { approval, holder } = await PolicyApp.at(service, app).asked();
    const path = `${prefix.replace('{app_id}', app.id)}/approvals/${approval}`;
    const { userId: user_id, authenticator } = holder;
    if (suffix === '') return { path };
    if (!decision) return { path: `${path}${suffix}`, body: { user_id, decision: 'approve' } };
    const { body } = await service.call('POST', `/v1/approvals/${approval}/begin`, {
      key: app.secretKey,
      body: { user_id, decision },
    });
    const public_key_credential = authenticator.get(body.public_key_credential_request_options);
    return { path: `${path}${suffix}`, body: { user_id, public_key_credential } };
  };

const approvalsAt = (prefix: string) => ({
  [`POST ${prefix}/approvals/{appr_id}/begin`]: ofApproval(prefix, '/begin'),
  [`POST ${prefix}/approvals/{appr_id}/approve`]: ofApproval(prefix, '/approve', 'approve'),
  [`POST ${prefix}/approvals/{appr_id}/reject`]: ofApproval(prefix, '/reject', 'reject'),
});

const OF_GROUP = 'The audit log has the change. Whether a group has effect is decided by the policies that ask it.';

export const facts: ModuleFacts = {
  ids: async (service, app) => ({
    policy_id: await PolicyApp.at(service, app).version(),
    appr_id: (await PolicyApp.at(service, app).asked()).approval,
  }),
  bodies: {
    'POST /v1/approvals/{appr_id}/begin': ({ user_id }) => ({ user_id, decision: 'approve' }),
    'POST /v1/approvals/{appr_id}/approve': ({ user_id }) => ({ user_id, public_key_credential: '{}' }),
    'POST /v1/approvals/{appr_id}/reject': ({ user_id }) => ({ user_id, public_key_credential: '{}' }),
  },
  calls: {
    ...approvalsAt('/v1'),
    ...approvalsAt(BASE),
    [`POST ${BASE}/policies`]: (_, app) => ({
      body: { name: 'Payouts', scope: { kind: 'app', id: app.id }, rules: [{ effect: 'allow' }] },
    }),
    [`POST ${BASE}/policies/{policy_id}/activate`]: ofVersion('/activate'),
    [`POST ${BASE}/policies/{policy_id}/retire`]: ofVersion('/retire'),
    [`POST ${BASE}/freeze`]: () => ({ body: {} }),
    [`POST ${BASE}/thaw`]: () => ({ body: {} }),
    [`POST ${BASE}/users/{user_id}/freeze`]: ofHolder('users', false),
    [`POST ${BASE}/users/{user_id}/thaw`]: ofHolder('users', true),
    [`POST ${BASE}/wallets/{wallet_id}/freeze`]: ofHolder('wallets', false),
    [`POST ${BASE}/wallets/{wallet_id}/thaw`]: ofHolder('wallets', true),
    [`POST ${BASE}/users/{user_id}/recovery`]: async (service, app) => ({
      path: `${pathOf(app)}/users/${(await service.given.user(app)).user_id}/recovery`,
      body: { email: `${unique()}@example.com` },
    }),
    [`POST ${BASE}/approver_groups`]: async (service, app) => ({
      body: { name: 'Treasury', members: [{ user_id: await PolicyApp.at(service, app).approver() }] },
    }),
    [`PATCH ${BASE}/approver_groups/{agrp_id}`]: ofGroup({ name: 'Board' }),
    [`DELETE ${BASE}/approver_groups/{agrp_id}`]: ofGroup(),
    [`POST ${PASSKEY}/begin`]: ofLatePasskey('begin'),
    [`POST ${PASSKEY}/approve`]: ofLatePasskey('approve'),
  },
  withoutEvent: {
    'POST /v1/approvals/{appr_id}/begin': 'It reads.',
    [`POST ${BASE}/approvals/{appr_id}/begin`]: 'It reads.',
    [`POST ${BASE}/policies`]: 'A draft has no effect until it is activated, which has an event.',
    [`POST ${BASE}/approver_groups`]: OF_GROUP,
    [`PATCH ${BASE}/approver_groups/{agrp_id}`]: OF_GROUP,
    [`DELETE ${BASE}/approver_groups/{agrp_id}`]: OF_GROUP,
    [`POST ${PASSKEY}/begin`]: 'It reads.',
    [`POST ${PASSKEY}/approve`]: OF_GROUP,
  },
};
