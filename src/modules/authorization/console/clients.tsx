import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { choicesOf, type Entries, fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.clients;
const field = fieldsOf(t);
const CLIENT = '/management/v1/apps/{app_id}/oauth_clients/{client_id}';

type NewClient = components['schemas']['CreateOauthClientRequest'];

export const page: ConsolePage = {
  path: 'oauth-clients',
  title: t.title,
  group: 'build',
  icon: 'connections',
  after: 'connections',
  view: ClientsPage,
};

function clientIn(entries: Entries): NewClient {
  return {
    name: entries.text('name'),
    type: entries.text('type') as NewClient['type'],
    grant_types: entries.lines('grant_types') as NewClient['grant_types'],
    redirect_uris: entries.lines('redirect_uris'),
    scopes: entries.lines('scopes'),
    resources: entries.lines('resources'),
    pkce: entries.text('pkce') as NonNullable<NewClient['pkce']>,
  };
}

function ClientsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      actions={
        <Action
          text={t}
          name="add"
          need="owner"
          isPrimary
          fields={[
            field('name', { isRequired: true }),
            field('type', { options: choicesOf(['confidential', 'public']) }),
            field('grant_types', { lines: ['authorization_code', 'refresh_token'] }),
            field('redirect_uris', { lines: [] }),
            field('scopes', { lines: ['openid', 'profile', 'email'] }),
            field('resources', { lines: [] }),
            field('pkce', { options: choicesOf(['required', 'optional']) }),
          ]}
          run={(entries) =>
            call(api.POST('/management/v1/apps/{app_id}/oauth_clients', { params: { path }, body: clientIn(entries) }))
          }
          secrets={({ id, client_secret: secret }) => ({
            [t.client_id]: id,
            ...(secret !== '' && { [t.secret]: secret }),
          })}
        />
      }
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
