import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { type Entries, fieldsOf, overlapIn } from '../../../../console/ui/form.js';
import { ListPage } from '../../../../console/ui/list.js';
import { Copyable, State } from '../../../../console/ui/states.js';
import { CREATED } from '../../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.clients;
const field = fieldsOf(t);
const CLIENT = '/management/v1/apps/{app_id}/oauth_clients/{client_id}';

const PROGRAMS = ['server', 'browser', 'machine'] as const;

/** Each kind of program has one grant that fits it; a refresh token needs the scope `offline_access` too. */
function newClient(entries: Entries): components['schemas']['CreateOauthClientRequest'] {
  const program = entries.text('program') as (typeof PROGRAMS)[number];
  const logo = entries.optional('logo_uri');
  const scopes = entries.lines('scopes');
  return {
    name: entries.text('name'),
    type: program === 'browser' ? 'public' : 'confidential',
    grant_types: program === 'machine' ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
    redirect_uris: program === 'machine' ? [] : entries.lines('redirect_uris'),
    scopes: program === 'machine' ? scopes.filter((scope) => !ABOUT_USERS.includes(scope)) : scopes,
    resources: entries.lines('resources'),
    ...(logo !== undefined && { logo_uri: logo }),
  };
}

/** A program without a user gets no token about one. */
const ABOUT_USERS = ['openid', 'profile', 'email', 'phone', 'wallets', 'offline_access'];

export function ClientsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      actions={
        <Action
          text={t}
          name="create"
          need="owner"
          isPrimary
          fields={[
            field('name', { isRequired: true }),
            field('program', { options: PROGRAMS.map((program) => [program, t.programs[program]] as const) }),
            field('redirect_uris', { lines: [] }),
            field('scopes', { lines: ['openid', 'email'] }),
            field('resources', { lines: [] }),
            field('logo_uri', { type: 'url' }),
          ]}
          run={(entries) =>
            call(api.POST('/management/v1/apps/{app_id}/oauth_clients', { params: { path }, body: newClient(entries) }))
          }
          secrets={({ id, client_secret: secret }) => ({ [t.client_id]: id, ...(secret && { [t.secret]: secret }) })}
        />
      }
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/oauth_clients', { params: { path, query } }))}
      rows={(found) => found.oauth_clients}
      columns={[
        { head: t.name, isName: true, value: ({ name }) => name },
        { head: t.client_id, value: ({ id }) => id, cell: ({ id }) => <Copyable value={id} /> },
        {
          head: t.type,
          value: ({ type }) => t.types[type],
          cell: ({ type, pkce }) => (
            <>
              {t.types[type]} {pkce === 'optional' && <State of={t.withoutPkce} tone="wait" />}
            </>
          ),
        },
        CREATED,
        {
          head: text.actions,
          cell: ({ id, name, token_endpoint_auth_method: method }) => {
            const params = { path: { ...path, client_id: id } };
            return (
              <div class="actions">
                {method === 'client_secret_basic' && (
                  <Action
                    text={t}
                    name="rotate"
                    values={{ name }}
                    need="owner"
                    fields={[field('overlap_minutes', { type: 'number', value: '1440' })]}
                    run={(entries) => call(api.POST(`${CLIENT}/rotate_secret`, { params, body: overlapIn(entries) }))}
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
              </div>
            );
          },
        },
      ]}
    />
  );
}
