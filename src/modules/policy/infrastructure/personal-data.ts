import { PersonalData } from '../../../kernel/personal-data.js';

const RECORD = 'It shows who decided about money, by the id alone, and is removed by its age.';
const SIGNED =
  'The text that was approved, such as a message to sign: the votes are signed for its hash. It is removed by its age.';
const FREEZE = 'A freeze holds for wallets that may receive a payment later. It has the id alone.';
const APPROVAL = 'id, state, reason, operation, operation_id, wallet_id, payload, created_at, ended_at';

PersonalData.declare(
  {
    name: 'approvals',
    table: 'approvals',
    isSearched: true,
    shows: APPROVAL,
    keeps: { user_id: RECORD, names_user: RECORD, payload: SIGNED },
  },
  {
    // The payload has the new address.
    name: 'recovery_approvals',
    table: 'approvals',
    about: `t.payload ->> 'change' = 'recovery' and t.payload #>> '{after,user_id}' = $2`,
    isSearched: true,
    shows: APPROVAL,
    removes: ['payload'],
  },
  {
    name: 'votes',
    table: 'approval_votes',
    isSearched: true,
    key: ['approval_id', 'user_id'],
    shows: 'approval_id, decision, at',
    keeps: { user_id: RECORD },
  },
  {
    name: 'approver_groups',
    table: 'approver_groups',
    about: '$2 = any(t.members)',
    isSearched: true,
    shows: 'id, name',
    keeps: { members: 'Deletion takes the user out of the groups.' },
  },
  {
    name: 'approver_memberships',
    table: 'approver_members',
    isSearched: true,
    key: ['group_id', 'user_id'],
    shows: 'group_id, since',
    removes: ['user_id'],
  },
  {
    name: 'approver_passkeys',
    table: 'approver_passkeys',
    isSearched: true,
    key: ['group_id', 'passkey_id'],
    shows: 'group_id, passkey_id, approved_at',
    removes: ['user_id'],
  },
  {
    name: 'approvals_of_passkeys',
    table: 'approver_passkeys',
    about: 't.approved_by = $2',
    isSearched: true,
    key: ['group_id', 'passkey_id'],
    shows: 'group_id, passkey_id, approved_at',
    keeps: { approved_by: RECORD },
  },
  {
    name: 'policies',
    table: 'policies',
    about: `t.scope_kind = 'user' and t.scope_id = $2`,
    isSearched: true,
    shows: 'id, name, version, state, rules, created_at, retired_at',
    keeps: { scope_id: 'A policy names the user by the id alone, and says by which rule past payments were made.' },
  },
  {
    name: 'policy_decisions',
    table: 'policy_decisions',
    about: 't.wallet_id = any($3)',
    shows: 'id, at, outcome, reason, operation, operation_id, wallet_id, facts',
    keeps: { wallet_id: RECORD, facts: RECORD, actor: 'The key of the call.' },
  },
  {
    name: 'freezes',
    table: 'freezes',
    shows: 'id, wallet_id, frozen_at',
    keeps: { id: FREEZE, user_id: FREEZE },
  },
);
PersonalData.none('policy_denials', { actor: 'The key of the calls.' });
