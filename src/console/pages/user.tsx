import { api, call } from '../api.js';
import { useLoad } from '../load.js';
import { fill, nameOf, text, when } from '../text.js';
import { Action } from '../ui/dialog.js';
import { Filter, useFilters } from '../ui/filter.js';
import { Await, Facts, Page, Time } from '../ui/states.js';
import { List, Table } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';
import { fullName, UserState } from './users.js';
import { Holder } from './wallets.js';

const t = text.users;

export function UserPage({ appId, id }: AppPageProps) {
  const target = { params: { path: { app_id: appId, user_id: id } } };
  const loaded = useLoad(() => loadUser(appId, id), [id]);
  const user = loaded.data;
  const name = user?.emails[0]?.email ?? user?.phone_numbers[0]?.phone_number ?? id;
  const person = user && fullName(user);
  return (
    <Page
      title={user ? person || name : t.user}
      intro={user && !person ? undefined : name}
      actions={
        user && (
          <>
            <Action
              label={t.endSessions}
              title={t.endSessions}
              body={fill(t.endSessionsBody, { user: name })}
              need="operator"
              isDangerous
              run={async () => {
                await call(api.DELETE('/management/v1/apps/{app_id}/users/{user_id}/sessions', target));
              }}
            />
            {user.active || user.status === 'pending' ? (
              <Action
                label={t.deactivate}
                title={fill(t.deactivateTitle, { user: name })}
                body={fill(t.deactivateBody, { user: name })}
                need="operator"
                isDangerous
                run={async () => {
                  await call(api.POST('/management/v1/apps/{app_id}/users/{user_id}/deactivate', target));
                }}
              />
            ) : (
              <Action
                label={t.reactivate}
                title={fill(t.reactivateTitle, { user: name })}
                body={t.reactivateBody}
                need="operator"
                run={async () => {
                  await call(api.POST('/management/v1/apps/{app_id}/users/{user_id}/reactivate', target));
                }}
              />
            )}
          </>
        )
      }
    >
      <Await loaded={loaded}>{(found) => <Details appId={appId} user={found} />}</Await>
      <section>
        <h2>{t.timeline}</h2>
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

/** What the user can sign in with, in one list. */
function identitiesOf(user: User) {
  const verified = (isVerified: boolean) => (isVerified ? t.verified : t.unverified);
  return [
    ...user.emails.map((row) => ({
      id: row.id,
      kind: t.email,
      value: row.email,
      note: verified(row.verified),
      at: row.created_at,
    })),
    ...user.phone_numbers.map((row) => ({
      id: row.id,
      kind: t.phone,
      value: row.phone_number,
      note: verified(row.verified),
      at: row.created_at,
    })),
    ...user.idp_providers.map((row) => ({
      id: row.id,
      kind: row.provider,
      value: row.provider_subject,
      note: t.identity,
      at: row.created_at,
    })),
    ...user.totps.map((row) => ({
      id: row.id,
      kind: t.totp,
      value: row.id,
      note: verified(row.verified),
      at: row.created_at,
    })),
    ...user.webauthn_credentials.map((row) => ({
      id: row.id,
      kind: t.passkey,
      value: row.name || row.id,
      note: t.verified,
      at: row.created_at,
    })),
  ];
}

function Details({ appId, user }: { appId: string; user: User }) {
  return (
    <>
      <Facts
        items={[
          [text.state, <UserState {...user} />],
          [text.apps.id, <code>{user.user_id}</code>],
          [text.apps.created, <Time at={user.created_at} />],
        ]}
      />
      <section>
        <h2>{t.identities}</h2>
        <Table
          caption={t.identities}
          rows={identitiesOf(user)}
          keyOf={({ id }) => id}
          empty={t.noIdentities}
          columns={[
            { head: t.kind, isName: true, cell: ({ kind }) => kind },
            { head: t.value, cell: ({ value }) => <span class="wrap">{value}</span> },
            { head: text.state, cell: ({ note }) => note },
            { head: text.apps.created, cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      </section>
      <section>
        <h2>{t.wallets}</h2>
        <Table
          caption={t.wallets}
          rows={user.wallets}
          keyOf={({ id }) => id}
          empty={t.noWallets}
          columns={[
            { head: t.address, isName: true, cell: (row) => <code>{row.public_address}</code> },
            { head: t.chain, cell: (row) => nameOf(row.wallet_type) },
            { head: t.holder, cell: (row) => <Holder {...row} /> },
            { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
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
          keyOf={({ id }) => id}
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
            { head: text.audit.ip, cell: (row) => row.device_fingerprint.ip || text.none },
            {
              head: text.actions,
              cell: (row) => (
                <Action
                  label={t.endSession}
                  title={t.endSession}
                  body={fill(t.endSessionBody, {
                    started: when(row.started_at),
                    ip: row.device_fingerprint.ip || text.none,
                    id: row.id,
                  })}
                  need="operator"
                  isDangerous
                  run={async () => {
                    await call(
                      api.DELETE('/management/v1/apps/{app_id}/sessions/{sess_id}', {
                        params: { path: { app_id: appId, sess_id: row.id } },
                      }),
                    );
                  }}
                />
              ),
            },
          ]}
        />
      </section>
    </>
  );
}

function Timeline({ appId, userId }: { appId: string; userId: string }) {
  const [{ types }, apply] = useFilters('types');
  return (
    <>
      <Filter fields={[{ name: 'types', label: t.eventTypes, value: types }]} apply={apply} />
      <List
        caption={t.timeline}
        empty={types ? t.noEventsFound : t.noEvents}
        inputs={[userId, types]}
        load={async (slice) => {
          const named = types?.split(/[\s,]+/).filter(Boolean);
          const params = { path: { app_id: appId, user_id: userId }, query: { ...slice, types: named?.join() } };
          const page = await call(api.GET('/management/v1/apps/{app_id}/users/{user_id}/events', { params }));
          return { rows: page.events, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: text.audit.at, cell: (row) => <Time at={row.created_at} /> },
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
    </>
  );
}
