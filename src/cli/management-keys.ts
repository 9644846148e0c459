import { CreateManagementKey, RevokeManagementKey } from '../modules/apps/index.js';
import { parseKeyId } from './arguments.js';
import type { Commands } from './command.js';

export const MANAGEMENT_KEY_COMMANDS: Commands = {
  'create-management-key': {
    summary: 'Create a key of the management API. Prints the key, which is shown only once.',
    options: { name: { type: 'string', default: 'Made at the command line' } },
    async run({ name }, workspace) {
      return { ...(await (await workspace.service()).get(CreateManagementKey).execute(String(name))) };
    },
  },
  'revoke-management-key': {
    summary: 'Revoke a key of the management API. Every replica refuses the key within a second.',
    options: { key: { type: 'string' } },
    required: ['key'],
    async run({ key }, workspace) {
      const keyId = parseKeyId(key);
      await (await workspace.service()).get(RevokeManagementKey).execute(keyId);
      return { revoked: keyId };
    },
  },
};
