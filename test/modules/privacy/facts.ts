import type { ModuleFacts } from '../../support/module-facts.js';

const ERASE = '/management/v1/apps/{app_id}/users/{user_id}/erase';

export const facts: ModuleFacts = {
  calls: {
    [`POST ${ERASE}`]: async (service, app) => {
      const { user_id } = await service.given.user(app);
      return { path: ERASE.replace('{app_id}', app.id).replace('{user_id}', user_id) };
    },
  },
  withoutMac: { erasures: 'A receipt grants nothing.' },
};
