import { useState } from 'preact/hooks';
import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { fill, nameOf } from '../../../../console/text.js';
import { useFilters } from '../../../../console/ui/filter.js';
import { type Entries, type Field, fieldsOf, Form } from '../../../../console/ui/form.js';
import { Facts, Page, State, Time } from '../../../../console/ui/states.js';
import { Table } from '../../../../console/ui/table.js';
import { OPERATIONS } from './draft.js';
import texts from './texts.json';
import { lengthOf } from './words.js';
import { home } from '../../../../console/root.js';

const t = texts.dryRun;
const field = fieldsOf(t);
type Request = components['schemas']['EvaluateRequest'];
type Result = components['schemas']['EvaluateResponse'];
type Operation = Request['operation'];

const FIELDS: Readonly<Record<Operation, readonly Field[]>> = {
  transfer: [
    field('dest', { isRequired: true }),
    field('source_amount', { isRequired: true }),
    field('source_currency', { isRequired: true }),
  ],
  sign_message: [field('message', { type: 'textarea', isRequired: true })],
  sign_typed_data: [field('typed_data', { type: 'textarea', isRequired: true })],
  sign_transaction: [field('eth_transaction', { type: 'textarea', isRequired: true })],
  export: [],
};

export function DryRunPage({ appId }: PageProps) {
  const options = OPERATIONS.map((operation) => [operation, nameOf(operation)] as const);
  const { values, form } = useFilters([field('operation', { options })]);
  const operation = OPERATIONS.find((each) => each === values.operation) ?? 'transfer';
  return (
    <Page title={t.title} intro={t.intro}>
      {form}
      <Evaluation key={operation} appId={appId} operation={operation} />
    </Page>
  );
}

function Evaluation({ appId, operation }: { appId: string; operation: Operation }) {
  const [result, setResult] = useState<Result | null>(null);
  return (
    <>
      <Form
        fields={[field('wallet_id', { isRequired: true }), ...FIELDS[operation], field('user_id'), field('key_id')]}
        submitLabel={t.evaluate}
        submit={async (entries) => {
          setResult(null);
          const params = { path: { app_id: appId } };
          const body = requestIn(entries, operation);
          setResult(await call(api.POST('/management/v1/apps/{app_id}/policies/evaluate', { params, body })));
        }}
      />
      <div role="status">{result && <Shown appId={appId} result={result} />}</div>
    </>
  );
}

function requestIn(entries: Entries, operation: Operation): Request {
  const jsonAt = (name: 'typed_data' | 'eth_transaction'): object | undefined => {
    const entered = entries.optional(name);
    try {
      return entered === undefined ? undefined : (JSON.parse(entered) as object);
    } catch {
      throw new Error(fill(t.notJson, { field: t[name] }));
    }
  };
  return {
    operation,
    wallet_id: entries.text('wallet_id'),
    ...entries.optionals('user_id', 'key_id', 'dest', 'source_amount', 'source_currency', 'message'),
    typed_data: jsonAt('typed_data') as Request['typed_data'],
    eth_transaction: jsonAt('eth_transaction') as Request['eth_transaction'],
  };
}

const TONES = { allow: 'good', deny: 'bad', require_approval: 'wait' } as const;

function Shown({ appId, result }: { appId: string; result: Result }) {
  const { outcome, policy_id: policy, version, rule_id: rule, reason, windows } = result;
  return (
    <section class="card">
      <h2>{t.result}</h2>
      <Facts
        items={[
          [t.outcome, <State of={outcome} tone={TONES[outcome]} />],
          [
            t.decidedBy,
            policy && rule ? (
              <a href={`${home}/apps/${appId}/policies/${policy}`}>
                {fill(t.ruleOf, { rule, version: version ?? '' })}
              </a>
            ) : (
              t.noRule
            ),
          ],
          ...(reason ? [[t.because, t.reasons[reason]] as const] : []),
        ]}
      />
      <Table
        caption={t.windows}
        empty={t.noWindows}
        rows={windows}
        keyOf={(row) => [row.policy_id, row.rule_id, row.seconds, row.bounds, row.destination].join(' ')}
        columns={[
          {
            head: t.rule,
            isName: true,
            cell: (row) => <a href={`${home}/apps/${appId}/policies/${row.policy_id}`}>{row.rule_id}</a>,
          },
          { head: t.time, value: ({ seconds }) => lengthOf(seconds) },
          { head: t.bounds, value: ({ bounds }) => t[bounds] },
          { head: t.destination, value: ({ destination }) => destination },
          { head: t.used, value: ({ used }) => used },
          { head: t.held, value: ({ held }) => held },
          { head: t.limit, value: ({ limit }) => limit },
          { head: t.ends, cell: (row) => <Time at={row.ends_at} /> },
        ]}
      />
    </section>
  );
}
