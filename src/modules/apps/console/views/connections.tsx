import { useState } from 'preact/hooks';
import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { text } from '../../../../console/text.js';
import { Action, CopyField } from '../../../../console/ui/dialog.js';
import { differences } from '../../../../console/ui/differences.js';
import { type Entries, fieldsOf } from '../../../../console/ui/form.js';
import { ListPage } from '../../../../console/ui/list.js';
import { State } from '../../../../console/ui/states.js';
import { refusalFor } from '../../../../console/session.js';
import { home } from '../../../../console/root.js';
import { Checks, isReserved, Logo, nameOfProvider, OTHER, type TestResult } from './providers.js';
import texts from './texts.json';

const t = texts.connections;
const field = fieldsOf(t);

/** An empty secret stays as it is. */
const changesIn = (entries: Entries) => ({
  client_id: entries.text('client_id'),
  client_secret: entries.optional('client_secret'),
  trusts_email: entries.isOn('trusts_email'),
  email_domains: entries.lines('email_domains'),
  pkce: entries.isOn('pkce'),
  userinfo: entries.text('userinfo') as keyof typeof t.userinfoNeeds,
});

export function ConnectionsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  const [result, setResult] = useState<TestResult | null>(null);
  return (
    <ListPage
      text={t}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/oauth_connections', { params: { path, query } }))}
      rows={(page) => page.oauth_connections}
      columns={[
        {
          head: t.provider,
          isName: true,
          value: ({ provider }) => nameOfProvider(provider),
          cell: ({ provider }) => (
            <a href={`${home}/apps/${appId}/connections/${provider}`}>
              <Logo of={provider} /> {nameOfProvider(provider)}
            </a>
          ),
        },
        {
          head: text.state,
          value: (row) => (isReserved(row) ? t.unfinished : t.connected),
          cell: (row) => (
            <State of={isReserved(row) ? t.unfinished : t.connected} tone={isReserved(row) ? 'wait' : 'good'} />
          ),
        },
        {
          head: t.client_id,
          value: (row) => (isReserved(row) ? '' : row.client_id),
          cell: (row) => !isReserved(row) && <code>{row.client_id}</code>,
        },
        { head: t.issuer, value: ({ issuer }) => issuer },
        {
          head: t.callback,
          value: (row) => row.callback_url,
          cell: (row) => <CopyField label={t.callback} value={row.callback_url} isBare />,
        },
        {
          head: text.actions,
          cell: (row) => {
            const target = { params: { path: { ...path, oauthconn_id: row.id } } };
            const { provider } = row;
            return (
              <div class="actions">
                <Action
                  text={t}
                  name="test"
                  values={{ provider }}
                  need="operator"
                  run={() =>
                    call(api.POST('/management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test', target)).then(
                      ({ checks }) => setResult({ connection: provider, checks }),
                    )
                  }
                />
                <Action
                  text={t}
                  name="change"
                  values={{ provider }}
                  need="owner"
                  fields={[
                    field('client_id', { value: row.client_id, isRequired: true }),
                    field('client_secret', { type: 'password' }),
                    field('trusts_email', { type: 'checkbox', value: row.trusts_email }),
                    field('email_domains', { lines: row.email_domains }),
                    field('pkce', { type: 'checkbox', value: row.pkce }),
                    field('userinfo', { options: Object.entries(t.userinfoNeeds), value: row.userinfo }),
                  ]}
                  run={(entries, initial) => {
                    const url = '/management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}';
                    const body = differences(changesIn(entries), changesIn(initial));
                    return body && call(api.PATCH(url, { ...target, body }));
                  }}
                />
                <Action
                  text={t}
                  name="remove"
                  values={{ provider }}
                  need="owner"
                  isDangerous
                  run={() => call(api.DELETE('/management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}', target))}
                />
              </div>
            );
          },
        },
      ]}
    >
      {refusalFor('owner') === null && <Tiles appId={appId} />}
      {result && <Checks {...result} />}
    </ListPage>
  );
}

/** Each leads to the steps of its provider. */
function Tiles({ appId }: { appId: string }) {
  const names = [...Object.keys(t.providers), OTHER];
  return (
    <section class="connect" aria-labelledby="connect">
      <h2 id="connect">{t.connect}</h2>
      <ul class="tiles plain">
        {names.map((name) => (
          <li key={name}>
            <a class="tile" href={`${home}/apps/${appId}/connections/${name}`}>
              <Logo of={name} /> {name === OTHER ? t.other : nameOfProvider(name)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
