import { useState } from 'preact/hooks';
import { api, call } from '../api.js';
import { fill, nameOf, text } from '../text.js';
import { Action, CopyField } from '../ui/dialog.js';
import { differences } from '../ui/differences.js';
import type { Entries, Field } from '../ui/form.js';
import { Badge, Page } from '../ui/states.js';
import { List, Table } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.connections;

interface Check {
  readonly name: keyof typeof t.advice;
  readonly ok: boolean;
  readonly detail: string;
}

interface TestResult {
  readonly connection: string;
  readonly checks: readonly Check[];
}

/** The fields that creating and changing share. An empty secret stays as it is. */
const DETAILS: readonly Field[] = [
  { name: 'client_secret', label: t.clientSecret, type: 'password', hint: t.clientSecretHint },
  { name: 'issuer', label: t.issuer, type: 'url', hint: t.issuerHint },
];

const APPLE: readonly Field[] = [
  { name: 'team_id', label: t.teamId, hint: t.appleHint },
  { name: 'key_id', label: t.keyId },
  { name: 'private_key', label: t.privateKey, type: 'textarea' },
];

function detailsIn(entries: Entries) {
  return {
    client_secret: entries.optional('client_secret'),
    issuer: entries.optional('issuer'),
    team_id: entries.optional('team_id'),
    key_id: entries.optional('key_id'),
    private_key: entries.optional('private_key'),
  };
}

const changesIn = (entries: Entries) => ({
  client_id: entries.text('client_id'),
  client_secret: entries.optional('client_secret'),
  trusts_email: entries.isOn('trusts_email'),
  email_domains: entries.lines('email_domains'),
});

export function ConnectionsPage({ appId }: AppPageProps) {
  const path = { app_id: appId };
  const [result, setResult] = useState<TestResult | null>(null);
  return (
    <Page
      title={t.title}
      intro={t.intro}
      actions={
        <Action
          label={t.add}
          title={t.add}
          body={t.addBody}
          need="owner"
          isPrimary
          fields={[
            { name: 'provider', label: t.provider, hint: t.providerHint, isRequired: true },
            { name: 'client_id', label: t.clientId, isRequired: true },
            ...DETAILS,
            { name: 'domain', label: t.domain, hint: t.domainHint },
            { name: 'email_domains', label: t.emailDomains, type: 'textarea', hint: t.emailDomainsHint },
            ...APPLE,
          ]}
          run={async (entries) => {
            const body = {
              provider: entries.text('provider'),
              client_id: entries.text('client_id'),
              domain: entries.optional('domain'),
              email_domains: entries.lines('email_domains'),
              ...detailsIn(entries),
            };
            await call(api.POST('/management/v1/apps/{app_id}/oauth_connections', { params: { path }, body }));
          }}
        />
      }
    >
      {result && <Checks {...result} />}
      <List
        caption={t.title}
        empty={t.empty}
        inputs={[appId]}
        load={async (query) => {
          const page = await call(
            api.GET('/management/v1/apps/{app_id}/oauth_connections', { params: { path, query } }),
          );
          return { rows: page.oauth_connections, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: t.provider, isName: true, cell: ({ provider }) => provider },
          { head: t.clientId, cell: ({ client_id: id }) => <code>{id}</code> },
          { head: t.issuer, cell: ({ issuer }) => <span class="wrap">{issuer || text.none}</span> },
          { head: t.callback, cell: (row) => <CopyField label={t.callback} value={row.callback_url} isBare /> },
          {
            head: text.actions,
            cell: (row) => {
              const target = { params: { path: { ...path, oauthconn_id: row.id } } };
              return (
                <div class="actions">
                  <Action
                    label={t.test}
                    title={fill(t.testTitle, { provider: row.provider })}
                    body={t.testBody}
                    need="operator"
                    run={async () => {
                      const { checks } = await call(
                        api.POST('/management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test', target),
                      );
                      setResult({ connection: row.provider, checks });
                    }}
                  />
                  <Action
                    label={t.change}
                    title={fill(t.changeTitle, { provider: row.provider })}
                    body={t.changeBody}
                    confirm={text.save}
                    need="owner"
                    fields={[
                      { name: 'client_id', label: t.clientId, value: row.client_id, isRequired: true },
                      ...DETAILS.filter(({ name }) => name !== 'issuer'),
                      {
                        name: 'trusts_email',
                        label: t.trustsEmail,
                        type: 'checkbox',
                        value: row.trusts_email,
                        hint: t.trustsEmailHint,
                      },
                      {
                        name: 'email_domains',
                        label: t.emailDomains,
                        type: 'textarea',
                        value: row.email_domains.join('\n'),
                        hint: t.emailDomainsHint,
                      },
                    ]}
                    run={async (entries, initial) => {
                      const body = differences(changesIn(entries), changesIn(initial));
                      if (body)
                        await call(
                          api.PATCH('/management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}', {
                            ...target,
                            body,
                          }),
                        );
                    }}
                  />
                  <Action
                    label={t.remove}
                    title={fill(t.removeTitle, { provider: row.provider })}
                    body={fill(t.removeBody, { provider: row.provider })}
                    confirm={t.removeConfirm}
                    need="owner"
                    isDangerous
                    run={async () => {
                      await call(api.DELETE('/management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}', target));
                    }}
                  />
                </div>
              );
            },
          },
        ]}
      />
    </Page>
  );
}

/** The result of a test, and what an operator can do about the first failure, which the later ones may follow from. */
function Checks({ connection, checks }: TestResult) {
  const failed = checks.filter(({ ok }) => !ok);
  return (
    <section class="card result" role="status">
      <h2>{fill(failed.length === 0 ? t.testPassed : t.testFailed, { provider: connection })}</h2>
      <Table
        caption={t.checks}
        rows={checks}
        keyOf={({ name }) => name}
        empty={text.none}
        columns={[
          { head: t.check, isName: true, cell: ({ name }) => nameOf(name) },
          {
            head: t.result,
            cell: ({ ok }) => <Badge tone={ok ? 'good' : 'bad'}>{ok ? t.passed : t.failed}</Badge>,
          },
          { head: t.detail, cell: ({ detail }) => <span class="wrap">{detail}</span> },
          { head: t.whatToDo, cell: ({ name }) => (name === failed[0]?.name ? t.advice[name] : text.none) },
        ]}
      />
    </section>
  );
}
