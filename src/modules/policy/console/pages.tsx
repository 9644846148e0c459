import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';
import t from './texts.json';

/** The views and their texts load when they are opened, to keep the console small. */
export const page: readonly ConsolePage[] = [
  {
    path: 'policies',
    title: t.policies,
    group: 'money',
    icon: 'policies',
    after: 'wallets',
    view: lazily(async () => (await import('./views/policies.js')).PoliciesPage),
  },
  { path: 'policies/new', view: lazily(async () => (await import('./views/new-policy.js')).NewPolicyPage) },
  { path: 'policies/dry-run', view: lazily(async () => (await import('./views/dry-run.js')).DryRunPage) },
  {
    path: 'policies/changes',
    view: lazily(async () => (await import('./views/policy-change.js')).PolicyChangePage),
  },
  { path: 'policies/:id', view: lazily(async () => (await import('./views/policy.js')).PolicyPage) },
  {
    path: 'approvals',
    title: t.approvals,
    group: 'money',
    icon: 'approvals',
    after: 'policies',
    view: lazily(async () => (await import('./views/approvals.js')).ApprovalsPage),
  },
  { path: 'approvals/:id', view: lazily(async () => (await import('./views/approval.js')).ApprovalPage) },
  {
    path: 'approver-groups',
    title: t.groups,
    group: 'money',
    icon: 'groups',
    after: 'approvals',
    view: lazily(async () => (await import('./views/approver-groups.js')).ApproverGroupsPage),
  },
  { path: 'approver-groups/new', view: lazily(async () => (await import('./views/approver-group.js')).NewGroupPage) },
  { path: 'approver-groups/:id', view: lazily(async () => (await import('./views/approver-group.js')).GroupPage) },
];
