import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { ListPage } from '../../../console/ui/list.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.clients;
const CLIENT = '/management/v1/apps/{app_id}/oauth_clients/{client_id}';

export const page: ConsolePage = {
  path: 'oauth-clients',
  title: t.title,
  group: 'build',
  icon: 'connections',
  after: 'connections',
  view: ClientsPage,
};

function ClientsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/oauth_clients', { params: { path, query } }))}
      rows={(found) => found.oauth_clients}
      columns={[
        { head: t.name, isName: true, value: ({ name }) => name },
        { head: t.client_id, value: ({ id }) => id },
        { head: t.pkce, value: ({ pkce }) => nameOf(pkce) },
        CREATED,
        {
          head: text.actions,
          cell: ({ id, name, token_endpoint_auth_method: method }) => {
            const params = { path: { ...path, client_id: id } };
            return (
              <>
                {method === 'client_secret_basic' && (
                  <Action
                    text={t}
                    name="rotate"
                    values={{ name }}
                    need="owner"
                    run={() => call(api.POST(`${CLIENT}/rotate_secret`, { params, body: {} }))}
                    secrets={({ client_secret: secret }) => ({ [t.secret]: secret })}
                  />
                )}
                <Action
                  text={t}
                  name="remove"
                  values={{ name }}
                  need="owner"
                  isDangerous
                  run={() => call(api.DELETE(CLIENT, { params }))}
                />
              </>
            );
          },
        },
      ]}
    />
  );
}
