import { flag, idOf, oneOf, text } from '../../../../kernel/event-data.js';
import { eventOf } from '../../../../kernel/event-types.js';
import type { DomainEvent } from '../../../../kernel/event-types.js';
import type { Freeze } from './freeze.js';
import { type Policy, SCOPE_KINDS } from './policy.js';

const VERSION = {
  policy_id: idOf('policy', 'The version.'),
  name: text('The name, which ties the versions of the policy.'),
  scope_kind: oneOf(SCOPE_KINDS, 'The kind of the scope.'),
  scope_id: text('The id of the app, wallet, user, key, client or grant whose requests the policy judges.'),
};

export class PolicyActivated extends eventOf({
  name: 'policy.activated',
  description: 'A version of a policy came into force. The previous version of its name was retired.',
  data: {
    ...VERSION,
    allows_more: flag('Whether it may allow more than the version before: true unless the opposite is proven.'),
  },
}) {}

export class PolicyRetired extends eventOf({
  name: 'policy.retired',
  description: 'A version of a policy is no longer in force, or was withdrawn before it was.',
  data: VERSION,
}) {}

export function eventDataOf({ id, name, scope }: Policy): PolicyRetired['data'] {
  return { policy_id: id, name, scope_kind: scope.kind, scope_id: scope.id };
}

export class AppWasFrozen extends eventOf({
  name: 'app.frozen',
  description: 'An operator has frozen the app: its wallets sign nothing.',
  data: {},
}) {}

export class AppThawed extends eventOf({
  name: 'app.thawed',
  description: 'The app is no longer frozen: its wallets sign again what its policies allow.',
  data: {},
}) {}

const USER = { user_id: idOf('user', 'The user.') };
const WALLET = { wallet_id: idOf('wallet', 'The wallet.'), user_id: idOf('user', 'The owner of the wallet.') };

export class UserFrozen extends eventOf({
  name: 'user.frozen',
  description: 'An operator has frozen the user: the wallets of the user sign nothing.',
  data: USER,
}) {}

export class UserThawed extends eventOf({
  name: 'user.thawed',
  description: 'The user is no longer frozen: the wallets of the user sign again what the policies allow.',
  data: USER,
}) {}

export class WalletWasFrozen extends eventOf({
  name: 'wallet.frozen',
  description: 'An operator has frozen the wallet: it signs nothing.',
  data: WALLET,
}) {}

export class WalletThawed extends eventOf({
  name: 'wallet.thawed',
  description: 'The wallet is no longer frozen: it signs again what the policies allow.',
  data: WALLET,
}) {}

export function freezeEvent({ appId, userId, walletId }: Freeze, is: 'frozen' | 'thawed'): DomainEvent {
  if (walletId === null)
    return is === 'frozen' ? new UserFrozen(appId, { user_id: userId }) : new UserThawed(appId, { user_id: userId });
  const data = { wallet_id: walletId, user_id: userId };
  return is === 'frozen' ? new WalletWasFrozen(appId, data) : new WalletThawed(appId, data);
}

function approvalEvent(name: string, description: string) {
  const data = {
    approval_id: idOf('approval', 'The approval.'),
    payload_hash: text('The SHA-256 of the payload, in hexadecimal.'),
  };
  return eventOf({ name, description, data });
}

export const ApprovalEvent = {
  waiting: approvalEvent(
    'approval.requested',
    'A rule of a policy, or the setting `policy_change`, asks the members of an approver group.',
  ),
  approved: approvalEvent('approval.approved', 'As many members of the approver group as are needed have approved.'),
  rejected: approvalEvent(
    'approval.rejected',
    'A member of the approver group has rejected the request, which ends the approval.',
  ),
  expired: approvalEvent('approval.expired', 'An approval was not given, or not used, in time.'),
  void: approvalEvent(
    'approval.voided',
    'An approval lost its subject: the policy or `policy_change` changed, the key was revoked, the user left or has got the account, or the transfer has ended.',
  ),
};
