import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { ApproverGroup } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { Filter } from '../../../../console/ui/filter.js';
import { fieldsOf, Form } from '../../../../console/ui/form.js';
import { labelOf, usersLike } from '../../../../console/ui/people.js';
import { Await, Copyable, Page } from '../../../../console/ui/states.js';
import { Table } from '../../../../console/ui/table.js';
import { activeOf, useLabels } from './shared.js';
import texts from './texts.json';
import { home } from '../../../../console/root.js';

const t = texts.group;
const field = fieldsOf(t);
const GROUPS = '/management/v1/apps/{app_id}/approver_groups';
const GROUP = `${GROUPS}/{agrp_id}` as const;

export function NewGroupPage({ appId }: PageProps) {
  return (
    <Page title={t.newTitle} intro={texts.groups.intro}>
      <Editor appId={appId} />
    </Page>
  );
}

export function GroupPage({ appId, id }: PageProps) {
  const target = { params: { path: { app_id: appId, agrp_id: id } } };
  const { route } = useLocation();
  const loaded = useLoad(() => call(api.GET(GROUP, target)), [id]);
  const group = loaded.data;
  return (
    <Page
      title={group?.name ?? t.title}
      intro={id}
      actions={
        group && (
          <Action
            text={t}
            name="delete"
            values={{ name: group.name }}
            need="operator"
            isDangerous
            run={async () => {
              await call(api.DELETE(GROUP, target));
              route(`${home}/apps/${appId}/approver-groups`);
            }}
          />
        )
      }
    >
      <Await loaded={loaded}>
        {/* Another operator's change begins the entry of members anew. */}
        {(found) => <Editor key={found.updated_at} appId={appId} group={found} />}
      </Await>
      <AskedBy appId={appId} groupId={id} />
    </Page>
  );
}

/** Name and members change together, because a group has at least one member. */
function Editor({ appId, group }: { appId: string; group?: ApproverGroup }) {
  const { route } = useLocation();
  const saved = group?.members.map((member) => member.user_id) ?? [];
  const [members, setMembers] = useState(saved);
  const labels = useLabels(appId, members);
  const refusal = refusalFor('operator');
  return (
    <>
      <section>
        <h2>{t.members}</h2>
        <Table
          caption={t.members}
          rows={members}
          keyOf={(id) => id}
          empty={t.noMembers}
          columns={[
            {
              head: t.member,
              isName: true,
              value: (id) => labels.data?.get(id) ?? (labels.isLoading ? id : t.unknown),
              href: (id) => `${home}/apps/${appId}/users/${id}`,
            },
            { head: t.id, cell: (id) => <Copyable value={id} /> },
            ...(refusal === null
              ? [
                  {
                    head: text.actions,
                    cell: (id: string) => (
                      <button type="button" onClick={() => setMembers(members.filter((each) => each !== id))}>
                        {t.removeMember}
                        <span class="unseen"> {labels.data?.get(id) ?? id}</span>
                      </button>
                    ),
                  },
                ]
              : []),
          ]}
        />
        {refusal === null && <Search appId={appId} members={members} add={(id) => setMembers([...members, id])} />}
      </section>
      <section>
        {members.join() !== saved.join() && <p class="notice wait">{t.unsaved}</p>}
        <Form
          fields={[field('name', { value: group?.name, isRequired: true })]}
          submitLabel={t.save}
          refusal={refusal}
          done={text.saved}
          submit={async (entries) => {
            const body = { name: entries.text('name'), members: members.map((id) => ({ user_id: id })) };
            if (group) {
              const params = { path: { app_id: appId, agrp_id: group.id } };
              return call(api.PATCH(GROUP, { params, body }));
            }
            const { id } = await call(api.POST(GROUPS, { params: { path: { app_id: appId } }, body }));
            route(`${home}/apps/${appId}/approver-groups/${id}`);
          }}
        />
      </section>
    </>
  );
}

interface SearchProps {
  readonly appId: string;
  readonly members: readonly string[];
  readonly add: (id: string) => void;
}

function Search({ appId, members, add }: SearchProps) {
  const [entry, setEntry] = useState<string>();
  return (
    <>
      <Filter fields={[field('search', { value: entry })]} apply={(entries) => setEntry(entries.optional('search'))} />
      {entry !== undefined && <Found appId={appId} entry={entry} members={members} add={add} />}
    </>
  );
}

function Found({ appId, entry, members, add }: SearchProps & { readonly entry: string }) {
  const loaded = useLoad(() => usersLike(appId, entry), [entry]);
  return (
    <Await loaded={loaded}>
      {(users) => (
        <Table
          caption={t.found}
          rows={users}
          keyOf={(user) => user.user_id}
          empty={t.noneFound}
          columns={[
            { head: t.member, isName: true, value: labelOf },
            { head: t.id, cell: (user) => <Copyable value={user.user_id} /> },
            {
              head: text.actions,
              cell: (user) => {
                if (members.includes(user.user_id)) return t.isMember;
                if (user.webauthn_credentials.length === 0) return t.noPasskey;
                return (
                  <button type="button" onClick={() => add(user.user_id)}>
                    {t.add}
                    <span class="unseen"> {labelOf(user)}</span>
                  </button>
                );
              },
            },
          ]}
        />
      )}
    </Await>
  );
}

function AskedBy({ appId, groupId }: { appId: string; groupId: string }) {
  const loaded = useLoad(async () => {
    const asks = (await activeOf(appId)).map(({ id, name, rules }) => ({
      id,
      name,
      counts: rules.flatMap(({ approvals }) => (approvals?.group === groupId ? [approvals.count] : [])),
    }));
    return asks.filter(({ counts }) => counts.length > 0);
  }, [groupId]);
  return (
    <section>
      <h2>{t.policies}</h2>
      <Await loaded={loaded}>
        {(policies) => (
          <Table
            caption={t.policies}
            rows={policies}
            empty={t.noPolicies}
            columns={[
              {
                head: t.name,
                isName: true,
                value: ({ name }) => name,
                href: ({ id }) => `${home}/apps/${appId}/policies/${id}`,
              },
              { head: t.needed, cell: ({ counts }) => Math.max(...counts) },
            ]}
          />
        )}
      </Await>
    </section>
  );
}
