import { api, call } from '../../../console/api.js';
import { useLoad } from '../../../console/load.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text, when } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { fieldsOf } from '../../../console/ui/form.js';
import { List, type Slice } from '../../../console/ui/list.js';
import { Await, Facts, Page, Time } from '../../../console/ui/states.js';
import { CREATED, Table } from '../../../console/ui/table.js';
import { Holder } from '../../../console/ui/wallets.js';
import texts from './texts.json';
import { fullName, UserState } from './users.js';

const t = texts.users;

export const page: ConsolePage = { path: 'users/:id', view: UserPage };

function UserPage({ appId, id }: PageProps) {
  const target = { params: { path: { app_id: appId, user_id: id } } };
  const loaded = useLoad(() => loadUser(appId, id), [id]);
  const user = loaded.data;
  const name = user?.emails[0]?.email ?? user?.phone_numbers[0]?.phone_number ?? id;
  const person = user && fullName(user);
  const shared = { text: t, values: { user: name }, need: 'operator' } as const;
  return (
    <Page
      title={user ? person || name : t.user}
      intro={user && !person ? undefined : name}
      actions={
        user && (
          <>
            <Action
              {...shared}
              name="endSessions"
              isDangerous
              run={() => call(api.DELETE('/management/v1/apps/{app_id}/users/{user_id}/sessions', target))}
            />
            {user.active || user.status === 'pending' ? (
              <Action
                {...shared}
                name="deactivate"
                isDangerous
                run={() => call(api.POST('/management/v1/apps/{app_id}/users/{user_id}/deactivate', target))}
              />
            ) : (
              <Action
                {...shared}
                name="reactivate"
                run={() => call(api.POST('/management/v1/apps/{app_id}/users/{user_id}/reactivate', target))}
              />
            )}
          </>
        )
      }
    >
      <Await loaded={loaded}>{(found) => <Details appId={appId} user={found} />}</Await>
      <section>
        <h2>{texts.timeline.title}</h2>
        <Timeline appId={appId} userId={id} />
      </section>
    </Page>
  );
}

type User = Awaited<ReturnType<typeof loadUser>>;
const loadUser = (appId: string, userId: string) =>
  call(
    api.GET('/management/v1/apps/{app_id}/users/{user_id}', { params: { path: { app_id: appId, user_id: userId } } }),
  );

/** All sign-in methods of the user, in one list. */
function identitiesOf(user: User) {
  const note = ({ verified }: { verified: boolean }) => (verified ? t.verified : t.unverified);
  return [
    ...user.emails.map((row) => ({ ...row, kind: t.email, value: row.email, note: note(row) })),
    ...user.phone_numbers.map((row) => ({ ...row, kind: t.phone, value: row.phone_number, note: note(row) })),
    ...user.idp_providers.map((row) => ({ ...row, kind: row.provider, value: row.provider_subject, note: t.identity })),
    ...user.totps.map((row) => ({ ...row, kind: t.totp, value: row.id, note: note(row) })),
    ...user.webauthn_credentials.map((row) => ({
      ...row,
      kind: t.passkey,
      value: row.name || row.id,
      note: t.verified,
    })),
  ];
}

function Details({ appId, user }: { appId: string; user: User }) {
  return (
    <>
      <Facts
        items={[
          [text.state, <UserState {...user} />],
          [t.id, <code>{user.user_id}</code>],
          [text.created, <Time at={user.created_at} />],
        ]}
      />
      <section>
        <h2>{t.identities}</h2>
        <Table
          caption={t.identities}
          rows={identitiesOf(user)}
          empty={t.noIdentities}
          columns={[
            { head: t.kind, isName: true, cell: ({ kind }) => kind },
            { head: t.value, cell: ({ value }) => <span class="wrap">{value}</span> },
            { head: text.state, cell: ({ note }) => note },
            CREATED,
          ]}
        />
      </section>
      <section>
        <h2>{t.wallets}</h2>
        <Table
          caption={t.wallets}
          rows={user.wallets}
          empty={t.noWallets}
          columns={[
            { head: text.wallet.address, isName: true, cell: (row) => <code>{row.public_address}</code> },
            { head: text.wallet.chain, cell: (row) => nameOf(row.wallet_type) },
            { head: text.wallet.holder, cell: (row) => <Holder {...row} /> },
            CREATED,
          ]}
        />
      </section>
      <p>
        <a href={`/console/apps/${appId}/transfers?user_id=${user.user_id}`}>{t.transfers}</a>
      </p>
      <section>
        <h2>{t.sessions}</h2>
        <Table
          caption={t.sessions}
          rows={user.sessions}
          empty={t.noSessions}
          columns={[
            {
              head: t.factors,
              isName: true,
              cell: ({ factors }) => factors.map(({ delivery_channel: channel }) => nameOf(channel)).join(', '),
            },
            { head: t.started, cell: (row) => <Time at={row.started_at} /> },
            { head: t.lastActive, cell: (row) => <Time at={row.last_active_at} /> },
            { head: t.ends, cell: (row) => <Time at={row.expires_at} /> },
            { head: text.address, cell: (row) => row.device_fingerprint.ip || text.none },
            {
              head: text.actions,
              cell: ({ id, started_at: started, device_fingerprint: { ip } }) => {
                const params = { path: { app_id: appId, sess_id: id } };
                return (
                  <Action
                    text={t}
                    name="endSession"
                    values={{ id, started: when(started), ip: ip || text.none }}
                    need="operator"
                    isDangerous
                    run={() => call(api.DELETE('/management/v1/apps/{app_id}/sessions/{sess_id}', { params }))}
                  />
                );
              },
            },
          ]}
        />
      </section>
    </>
  );
}

function Timeline({ appId, userId }: { appId: string; userId: string }) {
  const path = { app_id: appId, user_id: userId };
  const t = texts.timeline;
  return (
    <List
      text={t}
      filters={[fieldsOf(t)('types')]}
      load={({ types, ...slice }: Slice & { readonly types?: string }) => {
        const query = {
          ...slice,
          types: types
            ?.split(/[\s,]+/)
            .filter(Boolean)
            .join(),
        };
        return call(api.GET('/management/v1/apps/{app_id}/users/{user_id}/events', { params: { path, query } }));
      }}
      rows={({ events }) => events}
      columns={[
        { head: text.time, cell: (row) => <Time at={row.created_at} /> },
        { head: t.event, isName: true, cell: ({ type }) => <code class="name">{type}</code> },
        {
          head: t.data,
          cell: ({ data }) => (
            <details>
              <summary>{t.showData}</summary>
              <pre>{JSON.stringify(data, null, 2)}</pre>
            </details>
          ),
        },
      ]}
    />
  );
}
