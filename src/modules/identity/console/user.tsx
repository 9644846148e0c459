import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { ApiError } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import { saveFile } from '../../../console/files.js';
import { useLoad } from '../../../console/load.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { differences } from '../../../console/ui/differences.js';
import { EVENT_COLUMNS, type EventsQuery, TYPES, withTypes } from '../../../console/ui/events.js';
import { type Entries, fieldsOf } from '../../../console/ui/form.js';
import { List } from '../../../console/ui/list.js';
import { fullName } from '../../../console/ui/people.js';
import { Await, Copyable, Facts, Page, Time } from '../../../console/ui/states.js';
import { CREATED, Table } from '../../../console/ui/table.js';
import { sessionColumns } from '../../../console/ui/sessions.js';
import { Balances, Holder } from '../../../console/ui/wallets.js';
import texts from './texts.json';
import { nameFields, NAMES, UserState } from './users.js';
import { home } from '../../../console/root.js';

const t = texts.users;
const field = fieldsOf(t);

export const page: ConsolePage = { path: 'users/:id', view: UserPage };

const USER = '/management/v1/apps/{app_id}/users/{user_id}';

function UserPage({ appId, id }: PageProps) {
  const target = { params: { path: { app_id: appId, user_id: id } } };
  const { route } = useLocation();
  const loaded = useLoad(() => loadUser(appId, id), [id]);
  const user = loaded.data;
  const erasure = `${home}/apps/${appId}/erasures/${id}`;
  const name = user?.emails[0]?.email ?? user?.phone_numbers[0]?.phone_number ?? id;
  const person = user && fullName(user);
  const shared = { text: t, values: { user: name }, need: 'support' } as const;
  return (
    <Page
      title={user ? person || name : t.user}
      intro={user && !person ? undefined : name}
      actions={
        user && (
          <>
            <Action
              {...shared}
              name="rename"
              fields={nameFields(user)}
              run={(entries, initial) => {
                const namesIn = (given: Entries) =>
                  Object.fromEntries(NAMES.map((part) => [part, given.optional(part) ?? null]));
                const body = differences(namesIn(entries), namesIn(initial));
                return body && call(api.PATCH(USER, { ...target, body }));
              }}
            />
            <Action
              {...shared}
              name="addEmail"
              fields={[field('email', { isRequired: true })]}
              run={(entries) => call(api.POST(`${USER}/emails`, { ...target, body: { email: entries.text('email') } }))}
            />
            <Action
              {...shared}
              name="addPhone"
              fields={[field('phone_number', { isRequired: true })]}
              run={(entries) => {
                const body = { phone_number: entries.text('phone_number') };
                return call(api.POST(`${USER}/phone_numbers`, { ...target, body }));
              }}
            />
            <Action {...shared} name="unlock" run={() => call(api.POST(`${USER}/unlock`, target))} />
            {user.recoveries.length === 0 ? (
              <Action
                {...shared}
                name="recover"
                fields={[field('email', { isRequired: true })]}
                run={(entries) =>
                  call(api.POST(`${USER}/recovery`, { ...target, body: { email: entries.text('email') } }))
                }
              />
            ) : (
              <Action
                {...shared}
                name="cancelRecovery"
                values={{ user: name, value: newAddressOf(user) }}
                isDangerous
                run={() => call(api.DELETE(`${USER}/recovery`, target))}
              />
            )}
            <Action
              {...shared}
              need="owner"
              name="export"
              run={async () => {
                const data = await call(api.GET(`${USER}/export`, target));
                saveFile(`${id}.json`, [JSON.stringify(data, null, 2)], 'application/json');
              }}
            />
            <Action
              {...shared}
              name="endSessions"
              isDangerous
              run={() => call(api.DELETE(`${USER}/sessions`, target))}
            />
            {user.freezes.some(({ id: frozen }) => frozen === id) ? (
              <Action {...shared} need="operator" name="thaw" run={() => call(api.POST(`${USER}/thaw`, target))} />
            ) : (
              <Action {...shared} name="freeze" isDangerous run={() => call(api.POST(`${USER}/freeze`, target))} />
            )}
            {user.active || user.status === 'pending' ? (
              <Action
                {...shared}
                name="deactivate"
                isDangerous
                run={() => call(api.POST(`${USER}/deactivate`, target))}
              />
            ) : (
              <Action {...shared} name="reactivate" run={() => call(api.POST(`${USER}/reactivate`, target))} />
            )}
            <Action
              {...shared}
              name="delete"
              isDangerous
              run={async () => {
                await call(api.DELETE(USER, target));
                route(`${home}/apps/${appId}/users`);
              }}
            />
            <Action
              {...shared}
              need="owner"
              name="erase"
              isDangerous
              confirmedBy={name}
              run={async () => {
                await call(api.POST(`${USER}/erase`, target));
                route(erasure);
              }}
            />
          </>
        )
      }
    >
      {ApiError.is(loaded.error, 'user_not_found') && (
        <p>
          <a href={erasure}>{t.receipt}</a>
        </p>
      )}
      <Await loaded={loaded}>{(found) => <Details appId={appId} user={found} name={name} />}</Await>
      <section>
        <h2>{texts.timeline.title}</h2>
        <Timeline appId={appId} userId={id} />
      </section>
    </Page>
  );
}

type User = Awaited<ReturnType<typeof loadUser>>;
const loadUser = (appId: string, userId: string) =>
  call(api.GET(USER, { params: { path: { app_id: appId, user_id: userId } } }));

const newAddressOf = ({ recoveries: [recovery] }: User): string => recovery?.email || recovery?.phone_number || '';

function identitiesOf(appId: string, user: User) {
  const path = { app_id: appId, user_id: user.user_id };
  const note = ({ verified }: { verified: boolean }) => (verified ? t.verified : t.unverified);
  return [
    ...user.emails.map((row) => ({
      ...row,
      kind: t.email,
      value: row.email,
      note: note(row),
      remove: () => call(api.DELETE(`${USER}/emails/{email_id}`, { params: { path: { ...path, email_id: row.id } } })),
    })),
    ...user.phone_numbers.map((row) => ({
      ...row,
      kind: t.phone,
      value: row.phone_number,
      note: note(row),
      remove: () =>
        call(
          api.DELETE(`${USER}/phone_numbers/{phone_number_id}`, {
            params: { path: { ...path, phone_number_id: row.id } },
          }),
        ),
    })),
    ...user.idp_providers.map((row) => ({
      ...row,
      kind: row.provider,
      value: row.provider_subject,
      note: t.identity,
      remove: undefined,
    })),
    ...user.totps.map((row) => ({
      ...row,
      kind: t.totp,
      value: row.id,
      note: note(row),
      remove: () => call(api.DELETE(`${USER}/totps/{totp_id}`, { params: { path: { ...path, totp_id: row.id } } })),
    })),
    ...user.webauthn_credentials.map((row) => ({
      ...row,
      kind: t.passkey,
      value: row.name || row.id,
      note: t.verified,
      remove: () =>
        call(
          api.DELETE(`${USER}/webauthn_credentials/{webauthn_credential_id}`, {
            params: { path: { ...path, webauthn_credential_id: row.id } },
          }),
        ),
    })),
  ];
}

function Details({ appId, user, name }: { appId: string; user: User; name: string }) {
  return (
    <>
      <Facts
        items={[
          [text.state, <UserState {...user} />],
          [t.id, <Copyable value={user.user_id} />],
          ...(user.external_id === '' ? [] : [[t.external_id, <Copyable value={user.external_id} />] as const]),
          ...(Object.keys(user.metadata).length === 0
            ? []
            : [[t.metadata, <code>{JSON.stringify(user.metadata)}</code>] as const]),
          [text.created, <Time at={user.created_at} />],
          ...user.freezes
            .filter(({ wallet_id: wallet }) => wallet === '')
            .map(({ frozen_at: at }): [string, ComponentChildren] => [t.frozen, <Time at={at} />]),
          ...user.recoveries.map(({ ready_at }): [string, ComponentChildren] => [
            t.recovery,
            <>
              {newAddressOf(user)}, <Time at={ready_at} />
            </>,
          ]),
        ]}
      />
      <section>
        <h2>{t.identities}</h2>
        <Table
          caption={t.identities}
          rows={identitiesOf(appId, user)}
          empty={t.noIdentities}
          columns={[
            { head: t.kind, isName: true, cell: ({ kind }) => kind },
            { head: t.value, cell: ({ value }) => <Copyable value={value} /> },
            { head: text.state, cell: ({ note }) => note },
            CREATED,
            {
              head: text.actions,
              cell: ({ kind, value, remove }) =>
                remove && (
                  <Action
                    text={t}
                    name="remove"
                    values={{ user: name, kind, value }}
                    need="support"
                    isDangerous
                    run={remove}
                  />
                ),
            },
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
            { head: text.wallet.address, isName: true, cell: (row) => <Copyable value={row.public_address} /> },
            { head: text.wallet.chain, cell: (row) => nameOf(row.wallet_type) },
            { head: text.wallet.holder, cell: (row) => <Holder {...row} /> },
            { head: text.wallet.balances, cell: ({ id }) => <Balances appId={appId} id={id} /> },
            CREATED,
          ]}
        />
      </section>
      <p>
        <a href={`${home}/apps/${appId}/transfers?user_id=${user.user_id}`}>{t.transfers}</a>
      </p>
      <section>
        <h2>{t.sessions}</h2>
        <Table caption={t.sessions} rows={user.sessions} empty={t.noSessions} columns={sessionColumns(appId)} />
      </section>
    </>
  );
}

function Timeline({ appId, userId }: { appId: string; userId: string }) {
  const path = { app_id: appId, user_id: userId };
  return (
    <List
      text={texts.timeline}
      filters={[TYPES]}
      load={(query: EventsQuery) => call(api.GET(`${USER}/events`, { params: { path, query: withTypes(query) } }))}
      rows={({ events }) => events}
      columns={EVENT_COLUMNS}
    />
  );
}
