import { parseChoice } from '../services/cli/arguments.js';
import type { Commands } from '../services/cli/command.js';
import { BY_CLI } from '../services/cli/requester.js';

export const APP_COMMANDS: Commands = {
  'create-app': {
    summary: 'Create an app. Prints its first keys, which are shown only once.',
    options: { name: { type: 'string' }, mode: { type: 'string', default: 'test' } },
    required: ['name'],
    async run({ name, mode: word }, workspace) {
      const { ManageApps } = await import('../modules/apps/index.js');
      const mode = parseChoice('mode', word, ['test', 'live']);
      const created = await (await workspace.service()).get(ManageApps).create(BY_CLI, mode, { name: String(name) });
      return { app_id: created.app.id, secret_key: created.secretKey, public_token: created.publicToken };
    },
  },
  seed: {
    summary:
      'Create a demo app with redirect URLs on http://localhost:3001. Prints its keys, which are shown only once.',
    async run(_, workspace) {
      const { ManageApps } = await import('../modules/apps/index.js');
      const demo = await (await workspace.service()).get(ManageApps).createDemo(BY_CLI);
      const { app, secretKey, publicToken, redirectUrl } = demo;
      return { app_id: app.id, secret_key: secretKey, public_token: publicToken, redirect_url: redirectUrl };
    },
  },
};
