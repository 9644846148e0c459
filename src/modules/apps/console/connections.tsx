import { useState } from 'preact/hooks';
import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { fill, nameOf, text } from '../../../console/text.js';
import { Action, CopyField } from '../../../console/ui/dialog.js';
import { differences } from '../../../console/ui/differences.js';
import { type Entries, fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { State } from '../../../console/ui/states.js';
import { Table } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.connections;
const field = fieldsOf(t);

export const page: ConsolePage = {
  path: 'connections',
  title: t.title,
  group: 'build',
  icon: 'connections',
  after: 'redirect-urls',
  view: ConnectionsPage,
};

interface TestResult {
  readonly connection: string;
  readonly checks: readonly { readonly name: keyof typeof t.advice; readonly ok: boolean; readonly detail: string }[];
}

/** An empty secret stays as it is. */
const changesIn = (entries: Entries) => ({
  client_id: entries.text('client_id'),
  client_secret: entries.optional('client_secret'),
  trusts_email: entries.isOn('trusts_email'),
  email_domains: entries.lines('email_domains'),
  pkce: entries.isOn('pkce'),
  userinfo: entries.text('userinfo') as keyof typeof t.userinfoNeeds,
});

function ConnectionsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  const [result, setResult] = useState<TestResult | null>(null);
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
            field('provider', { isRequired: true }),
            field('client_id', { isRequired: true }),
            field('client_secret', { type: 'password' }),
            field('issuer', { type: 'url' }),
            field('domain'),
            field('email_domains', { lines: [] }),
            field('team_id'),
            field('key_id'),
            field('private_key', { lines: [] }),
          ]}
          run={(entries) => {
            const body = {
              provider: entries.text('provider'),
              client_id: entries.text('client_id'),
              email_domains: entries.lines('email_domains'),
              ...entries.optionals('client_secret', 'issuer', 'domain', 'team_id', 'key_id', 'private_key'),
            };
            return call(api.POST('/management/v1/apps/{app_id}/oauth_connections', { params: { path }, body }));
          }}
        />
      }
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/oauth_connections', { params: { path, query } }))}
      rows={(page) => page.oauth_connections}
      columns={[
        { head: t.provider, isName: true, value: ({ provider }) => provider },
        { head: t.client_id, value: ({ client_id: id }) => id, cell: ({ client_id: id }) => <code>{id}</code> },
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
      {result && <Checks {...result} />}
    </ListPage>
  );
}

/** The first failure may cause the later ones, so only its remedy is shown. */
function Checks({ connection, checks }: TestResult) {
  const failed = checks.filter(({ ok }) => !ok);
  return (
    <section class="card result" role="status">
      <h2>{fill(failed.length === 0 ? t.testPassed : t.testFailed, { provider: connection })}</h2>
      <Table
        caption={t.checks}
        rows={checks}
        keyOf={({ name }) => name}
        columns={[
          { head: t.check, isName: true, cell: ({ name }) => nameOf(name) },
          { head: t.result, cell: ({ ok }) => <State of={ok ? 'ok' : 'failed'}>{ok ? t.passed : t.failed}</State> },
          { head: t.detail, cell: ({ detail }) => <span class="wrap">{detail}</span> },
          { head: t.whatToDo, cell: ({ name }) => (name === failed[0]?.name ? t.advice[name] : text.none) },
        ]}
      />
    </section>
  );
}
