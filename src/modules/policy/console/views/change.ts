import type { Approval } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';

interface Named {
  readonly policy_id: string;
  readonly group: string;
  readonly name: string;
  readonly members: readonly string[];
  readonly count: number;
  readonly user_id?: string;
  readonly wallet_id?: string;
  readonly approver_passkey_hours?: number;
  readonly email?: string;
  readonly phone_number?: string;
}

interface ApprovedChange {
  readonly change?: string;
  readonly before: Named;
  readonly after: Named | null;
}

/** Null if the approval is for a use of a key. */
export function changeOf(appId: string, { id, payload }: Approval): (() => Promise<unknown>) | null {
  const { change, before, after } = payload as unknown as ApprovedChange;
  const path = { app_id: appId };
  const body = { approval_id: id };
  const ofPolicy = (policy: Named | null) => ({
    params: { path: { ...path, policy_id: policy?.policy_id ?? '' } },
    body,
  });
  switch (change) {
    case 'activate_policy':
      return () => call(api.POST('/management/v1/apps/{app_id}/policies/{policy_id}/activate', ofPolicy(after)));
    case 'retire_policy':
      return () => call(api.POST('/management/v1/apps/{app_id}/policies/{policy_id}/retire', ofPolicy(before)));
    case 'approver_group': {
      const { name, members } = after!;
      const changed = { ...body, name, members: members.map((user_id) => ({ user_id })) };
      const params = { path: { ...path, agrp_id: before.group } };
      return () => call(api.PATCH('/management/v1/apps/{app_id}/approver_groups/{agrp_id}', { params, body: changed }));
    }
    case 'policy_change': {
      const policy_change = after && { group: after.group, count: after.count };
      return () =>
        call(
          api.PATCH('/management/v1/apps/{app_id}', {
            params: { path },
            body: { ...body, policy_change },
          }),
        );
    }
    case 'approver_passkey_hours': {
      const { approver_passkey_hours } = after!;
      const params = { path };
      return () =>
        call(api.PATCH('/management/v1/apps/{app_id}', { params, body: { ...body, approver_passkey_hours } }));
    }
    case 'thaw': {
      const { wallet_id, user_id } = before;
      if (wallet_id !== undefined) {
        const params = { path: { ...path, wallet_id } };
        return () => call(api.POST('/management/v1/apps/{app_id}/wallets/{wallet_id}/thaw', { params, body }));
      }
      if (user_id !== undefined) {
        const params = { path: { ...path, user_id } };
        return () => call(api.POST('/management/v1/apps/{app_id}/users/{user_id}/thaw', { params, body }));
      }
      return () => call(api.POST('/management/v1/apps/{app_id}/thaw', { params: { path }, body }));
    }
    case 'recovery': {
      const { user_id, email, phone_number } = after!;
      return () =>
        call(
          api.POST('/management/v1/apps/{app_id}/users/{user_id}/recovery', {
            params: { path: { ...path, user_id: user_id! } },
            body: { ...body, ...(email ? { email } : { phone_number }) },
          }),
        );
    }
    default:
      return null;
  }
}
