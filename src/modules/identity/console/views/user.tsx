import { useLocation } from 'preact-iso';
import { ApiError } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { saveFile } from '../../../../console/files.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { home } from '../../../../console/root.js';
import { nameOf, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { differences } from '../../../../console/ui/differences.js';
import { type Entries, fieldsOf } from '../../../../console/ui/form.js';
import { fullName } from '../../../../console/ui/people.js';
import { sessionColumns } from '../../../../console/ui/sessions.js';
import { Await, Card, Copyable, Facts, Page, State, Time } from '../../../../console/ui/states.js';
import { CREATED, Table } from '../../../../console/ui/table.js';
import { Balances, Holder } from '../../../../console/ui/wallets.js';
import { nameFields, NAMES, UserState } from '../users.js';
import { messagesTo, SendAgain } from './messages.js';
import texts from './texts.json';
import { Timeline } from './timeline.js';

const t = texts.user;
const field = fieldsOf(t);
const USER = '/management/v1/apps/{app_id}/users/{user_id}';
const WALLET = '/management/v1/apps/{app_id}/wallets/{wallet_id}';

export function UserPage({ appId, id }: PageProps) {
  const loaded = useLoad(() => loadUser(appId, id), [id]);
  const user = loaded.data;
  const recipients = user ? recipientsOf(user) : [];
  const mail = useLoad(() => messagesTo(appId, id), [id]);
  const messages = mail.data?.messages ?? [];
  const { notLoaded, partial } = texts.timeline;
  const gap = mail.error !== undefined ? notLoaded : mail.data?.has_more ? partial : undefined;
  const name = recipients[0] ?? id;
  const person = user && fullName(user);
  const props = { appId, user: user!, name };
  return (
    <Page
      title={user ? person || name : t.user}
      intro={user && !person ? undefined : name}
      actions={
        user && (
          <>
            <SendAgain appId={appId} messages={messages} isPrimary />
            <Urgent {...props} />
          </>
        )
      }
    >
      {ApiError.is(loaded.error, 'user_not_found') && (
        <p>
          <a href={`${home}/apps/${appId}/erasures/${id}`}>{t.receipt}</a>
        </p>
      )}
      <Await loaded={loaded}>
        {() => (
          <>
            <div class="aside-page">
              <Timeline appId={appId} userId={id} messages={messages} gap={gap} unlock={<Unlock {...props} />} />
              <div class="stack">
                <Account {...props} />
                <Card title={t.change}>
                  <Changes {...props} />
                </Card>
                <Card title={t.personal}>
                  <PersonalData {...props} />
                </Card>
              </div>
            </div>
            <Details {...props} />
          </>
        )}
      </Await>
    </Page>
  );
}

interface UserProps {
  readonly appId: string;
  readonly user: User;
  readonly name: string;
}

const targetOf = (appId: string, { user_id }: User) => ({ params: { path: { app_id: appId, user_id } } });
const sharedOf = (name: string) => ({ text: t, values: { user: name }, need: 'support' }) as const;

function Urgent({ appId, user, name }: UserProps) {
  const target = targetOf(appId, user);
  const shared = sharedOf(name);
  return (
    <>
      <Action {...shared} name="endSessions" isDangerous run={() => call(api.DELETE(`${USER}/sessions`, target))} />
      {user.freezes.some(({ id }) => id === user.user_id) ? (
        <Action {...shared} need="operator" name="thaw" run={() => call(api.POST(`${USER}/thaw`, target))} />
      ) : (
        <Action {...shared} name="freeze" isDangerous run={() => call(api.POST(`${USER}/freeze`, target))} />
      )}
    </>
  );
}

function Unlock({ appId, user, name }: UserProps) {
  return (
    <Action {...sharedOf(name)} name="unlock" run={() => call(api.POST(`${USER}/unlock`, targetOf(appId, user)))} />
  );
}

function Changes({ appId, user, name }: UserProps) {
  const target = targetOf(appId, user);
  const shared = sharedOf(name);
  return (
    <div class="actions">
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
      <Unlock appId={appId} user={user} name={name} />
      {user.recoveries.length === 0 ? (
        <Action
          {...shared}
          name="recover"
          fields={[field('email', { isRequired: true })]}
          run={(entries) => call(api.POST(`${USER}/recovery`, { ...target, body: { email: entries.text('email') } }))}
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
      {user.active || user.status === 'pending' ? (
        <Action {...shared} name="deactivate" isDangerous run={() => call(api.POST(`${USER}/deactivate`, target))} />
      ) : (
        <Action {...shared} name="reactivate" run={() => call(api.POST(`${USER}/reactivate`, target))} />
      )}
    </div>
  );
}

function PersonalData({ appId, user, name }: UserProps) {
  const target = targetOf(appId, user);
  const { route } = useLocation();
  const shared = sharedOf(name);
  const id = user.user_id;
  return (
    <div class="actions">
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
          route(`${home}/apps/${appId}/erasures/${id}`);
        }}
      />
    </div>
  );
}

type User = Awaited<ReturnType<typeof loadUser>>;
const loadUser = (appId: string, userId: string) =>
  call(api.GET(USER, { params: { path: { app_id: appId, user_id: userId } } }));

const recipientsOf = (user: User): readonly string[] => [
  ...user.emails.map(({ email }) => email),
  ...user.phone_numbers.map((row) => row.phone_number),
];

const newAddressOf = ({ recoveries: [recovery] }: User): string => recovery?.email || recovery?.phone_number || '';

function identitiesOf(appId: string, user: User) {
  const path = { app_id: appId, user_id: user.user_id };
  const stateOf = ({ verified }: { verified: boolean }) =>
    ({ note: verified ? t.verified : t.unverified, tone: verified ? 'good' : 'wait' }) as const;
  return [
    ...user.emails.map((row) => ({
      ...row,
      kind: t.email,
      value: row.email,
      ...stateOf(row),
      remove: () => call(api.DELETE(`${USER}/emails/{email_id}`, { params: { path: { ...path, email_id: row.id } } })),
    })),
    ...user.phone_numbers.map((row) => ({
      ...row,
      kind: t.phone,
      value: row.phone_number,
      ...stateOf(row),
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
      tone: 'good' as const,
      remove: undefined,
    })),
    ...user.totps.map((row) => ({
      ...row,
      kind: t.totp,
      value: row.id,
      ...stateOf(row),
      remove: () => call(api.DELETE(`${USER}/totps/{totp_id}`, { params: { path: { ...path, totp_id: row.id } } })),
    })),
    ...user.webauthn_credentials.map((row) => ({
      ...row,
      kind: t.passkey,
      value: row.name || row.id,
      ...stateOf({ verified: true }),
      remove: () =>
        call(
          api.DELETE(`${USER}/webauthn_credentials/{webauthn_credential_id}`, {
            params: { path: { ...path, webauthn_credential_id: row.id } },
          }),
        ),
    })),
  ];
}

function Account({ appId, user }: UserProps) {
  return (
    <Card title={t.account} more={<UserState {...user} />}>
      <Facts
        items={[
          [t.id, <Copyable value={user.user_id} />],
          [t.external_id, user.external_id && <Copyable value={user.external_id} />],
          [t.metadata, Object.keys(user.metadata).length > 0 ? <code>{JSON.stringify(user.metadata)}</code> : ''],
          [text.created, <Time at={user.created_at} />],
          [t.frozen, <Time at={frozenAt(user, user.user_id)} />],
          [
            t.recovery,
            user.recoveries.length > 0 ? (
              <>
                {newAddressOf(user)}, <Time at={user.recoveries[0]!.ready_at} />
              </>
            ) : (
              ''
            ),
          ],
        ]}
      />
      <a href={`${home}/apps/${appId}/transfers?user_id=${user.user_id}`}>{t.transfers}</a>
    </Card>
  );
}

const frozenAt = ({ freezes }: User, id: string): number => freezes.find((freeze) => freeze.id === id)?.frozen_at ?? 0;

function FreezeWallet({
  appId,
  id,
  address,
  isFrozen,
}: {
  appId: string;
  id: string;
  address: string;
  isFrozen: boolean;
}) {
  const params = { path: { app_id: appId, wallet_id: id } };
  const shared = { text: t, values: { value: address } } as const;
  return isFrozen ? (
    <Action {...shared} name="thawWallet" need="operator" run={() => call(api.POST(`${WALLET}/thaw`, { params }))} />
  ) : (
    <Action
      {...shared}
      name="freezeWallet"
      need="support"
      isDangerous
      run={() => call(api.POST(`${WALLET}/freeze`, { params }))}
    />
  );
}

function Details({ appId, user, name }: UserProps) {
  return (
    <>
      <section>
        <h2>{t.identities}</h2>
        <Table
          caption={t.identities}
          rows={identitiesOf(appId, user)}
          empty={t.noIdentities}
          columns={[
            { head: t.kind, isName: true, cell: ({ kind }) => kind },
            { head: t.value, cell: ({ value }) => <Copyable value={value} /> },
            { head: text.state, cell: ({ note, tone }) => <State of={note} tone={tone} /> },
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
            {
              head: text.wallet.address,
              isName: true,
              cell: ({ id, public_address: address }) => (
                <Copyable value={address} href={`${home}/apps/${appId}/wallets/${id}`} />
              ),
            },
            { head: text.wallet.chain, cell: (row) => nameOf(row.wallet_type) },
            { head: text.wallet.holder, cell: (row) => <Holder {...row} /> },
            { head: text.wallet.balances, cell: ({ id }) => <Balances appId={appId} id={id} /> },
            {
              head: text.actions,
              cell: ({ id, public_address: address }) => {
                const isFrozen = user.freezes.some((freeze) => freeze.wallet_id === id);
                return (
                  <div class="actions">
                    {isFrozen && <State of={t.walletFrozen} tone="bad" />}
                    <FreezeWallet appId={appId} id={id} address={address} isFrozen={isFrozen} />
                  </div>
                );
              },
            },
          ]}
        />
      </section>
      <section>
        <h2>{t.sessions}</h2>
        <Table caption={t.sessions} rows={user.sessions} empty={t.noSessions} columns={sessionColumns(appId)} />
      </section>
    </>
  );
}
