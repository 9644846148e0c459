import type { App, Approval } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { fill, nameOf, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { fieldsOf } from '../../../../console/ui/form.js';
import { Await, Copyable, Facts, Line, Page, State, Time } from '../../../../console/ui/states.js';
import { Table } from '../../../../console/ui/table.js';
import { isOpen, votesIn } from './approvals.js';
import { changeOf } from './change.js';
import { assertionFor, refusalOfPasskeys } from './passkey.js';
import { groupsOf, namesIn, useLabels } from './shared.js';
import texts from './texts.json';
import { subjectOf, valuesIn } from './words.js';
import { home } from '../../../../console/root.js';

const t = texts.approval;
const APPROVAL = '/management/v1/apps/{app_id}/approvals/{appr_id}';

export function ApprovalPage({ appId, id }: PageProps) {
  const params = { path: { app_id: appId, appr_id: id } };
  const loaded = useLoad(() => call(api.GET(APPROVAL, { params })), [id], isOpen);
  return (
    <Page
      title={loaded.data ? subjectOf(loaded.data.payload) : t.title}
      intro={id}
      actions={loaded.data?.state === 'approved' && <CarryOut appId={appId} approval={loaded.data} />}
    >
      <Await loaded={loaded}>
        {(approval) => (
          <>
            <About appId={appId} approval={approval} />
            <Votes appId={appId} approval={approval} />
            <Payload of={approval} />
          </>
        )}
      </Await>
    </Page>
  );
}

function About({ appId, approval }: { appId: string; approval: Approval }) {
  const groups = useLoad(() => groupsOf(appId), [approval.id]);
  const base = `${home}/apps/${appId}`;
  // A change of policies is about no wallet, user or policy.
  const linked = (id: string | null, path: string, label = id) =>
    id && label ? <Line of={label} href={`${base}/${path}`} /> : '';
  const { state, reason, rule_id: rule, version, group } = approval;
  return (
    <>
      {state === 'approved' && !approval.transfer_id && !changeOf(appId, approval) && (
        <p class="notice good">{t.repeat}</p>
      )}
      <Facts
        items={[
          [text.state, <State of={state} />],
          ...(reason ? [[t.reason, reasons[reason] ?? nameOf(reason)] as const] : []),
          [t.requestedBy, approval.requested_by ? <Copyable value={approval.requested_by} /> : ''],
          [t.user, linked(approval.user_id, `users/${approval.user_id}`)],
          [t.wallet, linked(approval.wallet_id, `wallets/${approval.wallet_id}`)],
          [t.transfer, linked(approval.transfer_id, `transfers/${approval.transfer_id}`)],
          [t.rule, linked(approval.policy_id, `policies/${approval.policy_id}`, fill(t.ruleOf, { rule, version }))],
          [t.group, linked(group, `approver-groups/${group}`, namesIn(groups.data ?? [])(group))],
          [text.created, <Time at={approval.created_at} />],
          [t.expires, <Time at={approval.expires_at} />],
          [t.ended, <Time at={approval.ended_at} />],
          [t.hash, <Copyable value={approval.payload_hash} />],
        ]}
      />
    </>
  );
}

const reasons: Readonly<Record<string, string>> = t.reasons;

/** Operators ask for changes of policies, so no program repeats the call. */
function CarryOut({ appId, approval }: { appId: string; approval: Approval }) {
  const make = changeOf(appId, approval);
  if (!make) return null;
  return (
    <Action
      text={t}
      name="carryOut"
      values={{ subject: subjectOf(approval.payload) }}
      need="operator"
      isPrimary
      run={make}
    />
  );
}

function Payload({ of: { payload } }: { of: Approval }) {
  const message = payload['operation'] === 'sign_message' ? payload['message'] : undefined;
  return (
    <>
      {typeof message === 'string' && (
        <section>
          <h2>{t.message}</h2>
          <pre>{message}</pre>
        </section>
      )}
      <section>
        <h2>{t.payload}</h2>
        <Table
          caption={t.payload}
          empty={t.noPayload}
          rows={valuesIn(payload)}
          keyOf={([path]) => path}
          columns={[
            { head: t.field, isName: true, cell: ([path]) => <code>{path}</code> },
            { head: t.value, cell: ([, value]) => <span class="wrap">{value}</span> },
          ]}
        />
      </section>
    </>
  );
}

function Votes({ appId, approval }: { appId: string; approval: Approval }) {
  const labels = useLabels(
    appId,
    approval.votes.map((vote) => vote.user_id),
  );
  return (
    <section>
      <h2>{t.votes}</h2>
      <p>{fill(t.needed, { votes: votesIn(approval) })}</p>
      <Table
        caption={t.votes}
        rows={approval.votes}
        keyOf={(vote) => vote.user_id}
        empty={t.noVotes}
        columns={[
          {
            head: t.voter,
            isName: true,
            value: ({ user_id: id }) => labels.data?.get(id) ?? id,
            href: ({ user_id: id }) => `${home}/apps/${appId}/users/${id}`,
          },
          {
            head: t.decision,
            cell: ({ decision }) => <State of={decision} tone={decision === 'approve' ? 'good' : 'bad'} />,
          },
          { head: t.at, time: ({ at }) => at },
        ]}
      />
      {approval.state === 'waiting' && refusalFor('operator') === null && <Ballot appId={appId} approval={approval} />}
    </section>
  );
}

function Ballot({ appId, approval }: { appId: string; approval: Approval }) {
  const loaded = useLoad(async () => {
    const path = { app_id: appId };
    const [app, groups] = await Promise.all([
      call(api.GET('/management/v1/apps/{app_id}', { params: { path } })),
      groupsOf(appId),
    ]);
    const members = groups.find(({ id }) => id === approval.group)?.members ?? [];
    return { app, members: members.map((member) => member.user_id) };
  }, [approval.id]);
  return (
    <Await loaded={loaded}>
      {({ app, members }) => <Choice appId={appId} app={app} approval={approval} members={members} />}
    </Await>
  );
}

interface ChoiceProps {
  readonly appId: string;
  readonly app: App;
  readonly approval: Approval;
  readonly members: readonly string[];
}

function Choice({ appId, app, approval, members }: ChoiceProps) {
  const voters = members.filter((id) => id !== approval.user_id && !approval.votes.some((vote) => vote.user_id === id));
  const labels = useLabels(appId, voters);
  const refusal = refusalOfPasskeys(app, approval.id);
  if (refusal !== null) return <p class="notice wait">{refusal}</p>;
  if (voters.length === 0) return <p class="notice wait">{t.noVoter}</p>;
  const options = voters.map((id) => [id, labels.data?.get(id) ?? id] as const);
  const shared = {
    text: t,
    values: { subject: subjectOf(approval.payload).replace(/\.$/, '') },
    need: 'operator',
    fields: [fieldsOf(t)('user_id', { options })],
  } as const;
  const vote = async (userId: string, decision: 'approve' | 'reject') => {
    const params = { path: { app_id: appId, appr_id: approval.id } };
    const begun = await call(api.POST(`${APPROVAL}/begin`, { params, body: { user_id: userId, decision } }));
    const public_key_credential = await assertionFor(begun.public_key_credential_request_options);
    return call(
      api.POST(`${APPROVAL}/${decision}`, { params, body: { user_id: userId, public_key_credential } as never }),
    );
  };
  return (
    <div class="actions">
      <Action {...shared} name="approve" isPrimary run={(entries) => vote(entries.text('user_id'), 'approve')} />
      <Action {...shared} name="reject" isDangerous run={(entries) => vote(entries.text('user_id'), 'reject')} />
    </div>
  );
}
