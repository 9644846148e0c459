import type { ModuleFacts } from '../../support/module-facts.js';
import { givePassword, importedUser, PASSWORD, SETTINGS } from './passwords.js';

const VERIFY = 'POST /v1/auth/passwords/verify';

export const facts: ModuleFacts = {
  settings: SETTINGS,
  ids: async (service, app, userId) => {
    await givePassword(service, app, userId);
    return {};
  },
  bodies: { [VERIFY]: ({ user_id }) => ({ user_id, password: PASSWORD }) },
  wrongProofs: { '/v1/auth/passwords/verify': 'invalid_password' },
  calls: {
    [VERIFY]: async (service, app) => {
      const { email } = await importedUser(service, app);
      return { body: { email, password: PASSWORD, session_expires_in: 60 } };
    },
  },
  sealed: async (service, app) => {
    await importedUser(service, app);
    await importedUser(service, app);
  },
  startingSessions: { '/v1/auth/passwords/verify': null },
};
