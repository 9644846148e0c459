import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { fill, nameOf, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { Icon } from '../../../../console/ui/icon.js';
import { Await, Card, Copyable, Facts, Line, Page, Time } from '../../../../console/ui/states.js';
import { CREATED, Table } from '../../../../console/ui/table.js';
import texts from './texts.json';
import { TransferState } from '../transfers.js';
import { home } from '../../../../console/root.js';

const t = texts.transfer;

type Transfer = components['schemas']['ManagedTransferResponse'];
type Network = components['schemas']['ManagedNetworkResponse'];

function cancellationOf({ status, stage, attempts, stuck_since, cancel_requested_at }: Transfer): string | null {
  if (status === 'unconfirmed' || stage === 'queued') return t.cancelUnsigned;
  const last = attempts.at(-1);
  if (status !== 'pending' || stage === 'mined' || last?.kind !== 'payment') return null;
  // Only an attempt on Solana has a blockhash.
  if (last.blockhash !== null) return cancel_requested_at === 0 ? t.cancelSolana : null;
  return stuck_since === 0 ? null : t.cancelEthereum;
}

export function useNetworks(): readonly Network[] {
  return useLoad(() => call(api.GET('/management/v1/networks')), []).data?.networks ?? [];
}

const explorerOf = (network: Network | undefined, hash: string): URL | undefined =>
  network?.explorer && hash !== '' ? new URL(network.explorer.replaceAll('{hash}', hash)) : undefined;

export function Transaction({ network, hash }: { network: Network | undefined; hash: string }) {
  const page = explorerOf(network, hash);
  return (
    <Copyable value={hash}>
      {page && (
        <a href={page.href} target="_blank" rel="noreferrer noopener">
          {hash}
          <span class="unseen"> {fill(t.explorer, { site: page.host })}</span>
        </a>
      )}
    </Copyable>
  );
}

export function TransferPage({ appId, id }: PageProps) {
  const params = { path: { app_id: appId, transfer_id: id } };
  const loaded = useLoad(
    () => call(api.GET('/management/v1/apps/{app_id}/transfers/{transfer_id}', { params })),
    [id],
    ({ status }) => status === 'pending' || status === 'awaiting_approval',
  );
  const networks = useNetworks();
  const transfer = loaded.data;
  const cancellation = transfer ? cancellationOf(transfer) : null;
  const network = networks.find((each) => each.id === transfer?.network_id);
  const explorer = transfer && explorerOf(network, transfer.attempts.at(-1)?.hash ?? '');
  return (
    <Page
      title={transfer ? `${transfer.source_amount} ${transfer.source_currency}` : t.transfer}
      intro={id}
      actions={
        transfer && (
          <>
            {explorer && (
              <a class="button" href={explorer.href} target="_blank" rel="noreferrer noopener">
                <Icon of="out" /> {t.explorerButton}
                <span class="unseen"> {fill(t.explorer, { site: explorer.host })}</span>
              </a>
            )}
            {cancellation !== null && (
              <Action
                text={t}
                name="cancel"
                values={{
                  amount: transfer.dest_amount,
                  currency: transfer.dest_currency,
                  dest: transfer.dest,
                  consequence: cancellation,
                }}
                need="operator"
                isDangerous
                run={() => call(api.POST('/management/v1/apps/{app_id}/transfers/{transfer_id}/cancel', { params }))}
              />
            )}
          </>
        )
      }
    >
      <Await loaded={loaded}>
        {(row) => (
          <>
            <section class="card">
              <Stages {...row} />
              <Say appId={appId} transfer={row} canCancel={cancellation !== null} />
            </section>
            <Card title={t.facts} more={<TransferState {...row} />}>
              <Facts
                items={[
                  [t.dest, <Copyable value={row.dest} />],
                  [t.arrives, `${row.dest_amount} ${row.dest_currency}`],
                  [t.fees, row.total_fees],
                  [t.network, `${row.network}, ${nameOf(row.network_id)}`],
                  [t.source, <Line of={row.source} href={`${home}/apps/${appId}/wallets/${row.source}`} />],
                  [t.user, <Line of={row.user_id} href={`${home}/apps/${appId}/users/${row.user_id}`} />],
                  [t.customId, row.custom_id ?? ''],
                  [t.notes, row.notes],
                  [text.created, <Time at={row.created_at} />],
                  [t.inBlock, <Time at={row.confirmed_at} />],
                  [t.completed, <Time at={row.completed_at} />],
                  [t.cancelRequested, <Time at={row.cancel_requested_at} />],
                ]}
              />
            </Card>
            <section>
              <h2>{t.attempts}</h2>
              <Table
                caption={t.attempts}
                rows={row.attempts}
                keyOf={({ hash }) => hash}
                empty={t.noAttempts}
                columns={[
                  {
                    head: t.transaction,
                    isName: true,
                    cell: ({ hash }) => <Transaction network={network} hash={hash} />,
                  },
                  { head: t.kind, cell: ({ kind }) => nameOf(kind) },
                  { head: t.nonce, cell: ({ nonce }) => nonce ?? '' },
                  { head: t.maxFee, cell: (attempt) => attempt.max_fee },
                  { head: t.accepted, cell: (attempt) => <Time at={attempt.accepted_at} /> },
                  CREATED,
                ]}
              />
            </section>
          </>
        )}
      </Await>
    </Page>
  );
}

type Stage = keyof typeof t.stages;

/** The stage that each step leads to. */
const REACHED_BY: Readonly<Record<string, Stage>> = {
  confirmation: 'confirmed',
  approval: 'approved',
  place_in_queue: 'signed',
  broadcast: 'sent',
  block: 'mined',
  cancellation: 'mined',
  finality: 'final',
};

function Stages({ status, next_step: step, approval_id: approval, attempts, confirmed_at: confirmed }: Transfer) {
  const stages = (Object.keys(t.stages) as Stage[]).filter((stage) => stage !== 'approved' || approval !== null);
  // A transfer that has ended has no stage: its transactions and times say how far it came.
  const reached =
    status === 'completed' ? 'final' : confirmed !== 0 ? 'mined' : attempts.length > 0 ? 'signed' : 'created';
  const next = REACHED_BY[step];
  const done = next === undefined ? stages.indexOf(reached) + 1 : stages.indexOf(next);
  return (
    <ol class="stages">
      {stages.map((stage, index) => (
        <li
          key={stage}
          class={index < done ? 'done' : stage === next ? 'now' : ''}
          aria-current={stage === next ? 'step' : undefined}
        >
          <b>{index < done && <Icon of="check" />}</b>
          {t.stages[stage]}
        </li>
      ))}
    </ol>
  );
}

/** What the transfer waits for, why that takes long, and what can be done. */
function Say({ appId, transfer, canCancel }: { appId: string; transfer: Transfer; canCancel: boolean }) {
  const {
    status,
    stage,
    next_step: step,
    stuck_since: stuck,
    stuck_reason: reason,
    failure,
    approval_id: approval,
  } = transfer;
  const waits = t.waits[step as keyof typeof t.waits] as string | undefined;
  const base = `${home}/apps/${appId}`;
  const cause: keyof typeof t.todo = reason in t.todo ? (reason as keyof typeof t.todo) : 'node';
  const pages: Readonly<Record<string, string>> = {
    waits_in_queue: `${base}/transfers?status=pending&source=${transfer.source}`,
    user_inactive: `${base}/users/${transfer.user_id}`,
    wallet_frozen: `${base}/wallets/${transfer.source}`,
    fee_above_ceiling: `${base}/settings`,
    node: `${home}/networks`,
  };
  const { links } = t as { links: Readonly<Record<string, string>> };
  const tone = stuck !== 0 || failure ? 'bad' : waits ? 'wait' : status === 'completed' ? 'good' : '';
  return (
    <div class={`say ${tone}`}>
      <Icon of={tone === 'bad' ? 'cross' : tone === 'good' ? 'check' : 'clock'} />
      <div>
        <strong>{waits ?? (status === 'completed' ? t.done : fill(t.ended, { status: nameOf(status) }))}</strong>{' '}
        {step === 'confirmation' && (
          <>
            {t.expires} <Time at={transfer.expires_at} />.
          </>
        )}
        {approval !== null && step === 'approval' && <a href={`${base}/approvals/${approval}`}>{t.approvalLink}</a>}
        {stuck !== 0 && (
          <p>
            {fill(t.stuckBecause, { reason: nameOf(reason) })} {t.todo[cause]} {canCancel && t.canCancel}{' '}
            {pages[cause] && <a href={pages[cause]}>{links[cause]}</a>}
          </p>
        )}
        {stage === 'submitted' && !canCancel && transfer.cancel_requested_at === 0 && <p>{t.cancelLater}</p>}
        {failure && (
          <p>{fill(failure.retry_safe ? t.failedRetrySafe : t.failedRetryUnsafe, { code: nameOf(failure.code) })}</p>
        )}
        {transfer.next_check_at !== 0 && (
          <p>
            {t.checkedNext} <Time at={transfer.next_check_at} />.
          </p>
        )}
      </div>
    </div>
  );
}
