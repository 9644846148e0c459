import { parseAppId, parseChoice, parseKeyId, parseTime } from '../services/cli/arguments.js';
import type { Commands } from '../services/cli/command.js';
import { BY_CLI } from '../services/cli/requester.js';

export const KEY_COMMANDS: Commands = {
  'create-key': {
    summary: 'Create a key of an app. Prints the key, which is shown only once.',
    options: {
      app: { type: 'string' },
      kind: { type: 'string', default: 'secret' },
      name: { type: 'string', default: 'Made at the command line' },
      'expires-at': { type: 'string' },
    },
    required: ['app'],
    async run({ app, kind, name, 'expires-at': expiresAt }, workspace) {
      const appId = parseAppId(app);
      const options = {
        kind: parseChoice('kind', kind, ['secret', 'public']),
        name: String(name),
        expiresAt: parseTime('expires-at', expiresAt),
      };
      const { ManageApiKeys } = await import('../modules/apps/index.js');
      const { key, text } = await (await workspace.service()).get(ManageApiKeys).issue(BY_CLI, appId, options);
      return { id: key.id, key: text };
    },
  },
  'revoke-key': {
    summary: 'Revoke a key of an app. Every replica refuses the key within a second.',
    options: { app: { type: 'string' }, key: { type: 'string' } },
    required: ['app', 'key'],
    async run({ app, key }, workspace) {
      const [appId, keyId] = [parseAppId(app), parseKeyId(key)];
      const { ManageApiKeys } = await import('../modules/apps/index.js');
      await (await workspace.service()).get(ManageApiKeys).revoke(BY_CLI, appId, keyId);
      return { revoked: keyId };
    },
  },
};
