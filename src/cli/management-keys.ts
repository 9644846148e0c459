import { MANAGEMENT_ROLES } from '../kernel/management-role.js';
import type { ManagementKey } from '../modules/apps/index.js';
import { parseChoice, parseKeyId, parseTime, WrongUsage } from '../services/cli/arguments.js';
import type { Commands } from '../services/cli/command.js';
import { BY_CLI } from '../services/cli/requester.js';

export const MANAGEMENT_KEY_COMMANDS: Commands = {
  'create-management-key': {
    summary: 'Create a key of the management API. Prints the key, which is shown only once.',
    options: {
      name: { type: 'string', default: 'Made at the command line' },
      role: { type: 'string', default: 'owner' },
      'expires-at': { type: 'string' },
    },
    async run({ name, role, 'expires-at': expiresAt }, workspace) {
      const options = {
        name: String(name),
        role: parseChoice('role', role, MANAGEMENT_ROLES),
        expiresAt: parseTime('expires-at', expiresAt),
      };
      const { ManagementKeys } = await import('../modules/apps/index.js');
      const created = await (await workspace.service()).get(ManagementKeys).create(BY_CLI, options);
      return { ...created, role: options.role };
    },
  },
  'list-management-keys': {
    summary: 'List the keys of the management API with their roles, newest first. Never prints a key itself.',
    async run(_, workspace) {
      const { ManagementKeyRepository } = await import('../modules/apps/index.js');
      const keys = await (await workspace.service()).get(ManagementKeyRepository).list();
      return Object.fromEntries(keys.map((key) => [key.id, lineOf(key)]));
    },
  },
  'revoke-management-key': {
    summary: 'Revoke a key of the management API. Every replica refuses the key within a second.',
    options: { key: { type: 'string' } },
    required: ['key'],
    async run({ key }, workspace) {
      const keyId = parseKeyId(key);
      const { ManagementKeys } = await import('../modules/apps/index.js');
      await (await workspace.service()).get(ManagementKeys).revoke(BY_CLI, keyId);
      return { revoked: keyId };
    },
  },
  'end-operator-sessions': {
    summary:
      'End all console sessions of an operator who signed in at the OpenID provider. Every replica refuses them within a second.',
    options: { operator: { type: 'string' } },
    required: ['operator'],
    async run({ operator }, workspace) {
      const name = String(operator).replace(/^oidc:/, '');
      const { ManagementSessions } = await import('../modules/apps/index.js');
      const ended = await (await workspace.service()).get(ManagementSessions).endAllOf(BY_CLI, name);
      if (ended === 0) throw new WrongUsage(`No session of the operator ${name} is live. The audit log has the name.`);
      return { ended };
    },
  },
};

function lineOf({ role, name, createdAt, lastUsedAt, expiresAt, revokedAt }: ManagementKey): string {
  const state = revokedAt
    ? `revoked ${revokedAt.toISOString()}`
    : expiresAt
      ? `valid until ${expiresAt.toISOString()}`
      : 'valid';
  const used = lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used';
  return `${role}, ${state}, created ${createdAt.toISOString()}, ${used}, ${JSON.stringify(name)}`;
}
