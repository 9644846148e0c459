import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import { useLoad } from '../../../console/load.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { fill, nameOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { Await, Copyable, Facts, Line, Page, Time } from '../../../console/ui/states.js';
import { CREATED, Table } from '../../../console/ui/table.js';
import texts from './texts.json';
import { TransferState } from './transfers.js';
import { home } from '../../../console/root.js';

const t = texts.transfers;

export const page: ConsolePage = { path: 'transfers/:id', view: TransferPage };

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

export function Transaction({ network, hash }: { network: Network | undefined; hash: string }) {
  const page = network?.explorer && new URL(network.explorer.replaceAll('{hash}', hash));
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

function TransferPage({ appId, id }: PageProps) {
  const params = { path: { app_id: appId, transfer_id: id } };
  const loaded = useLoad(
    () => call(api.GET('/management/v1/apps/{app_id}/transfers/{transfer_id}', { params })),
    [id],
    ({ status }) => status === 'pending',
  );
  const networks = useNetworks();
  const transfer = loaded.data;
  const cancellation = transfer ? cancellationOf(transfer) : null;
  return (
    <Page
      title={t.transfer}
      intro={id}
      actions={
        transfer &&
        cancellation !== null && (
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
        )
      }
    >
      <Await loaded={loaded}>
        {(row) => (
          <>
            {row.stuck_since !== 0 && (
              <p class="notice bad">{fill(t.stuckBecause, { reason: nameOf(row.stuck_reason) })}</p>
            )}
            {row.stage === 'submitted' && cancellation === null && row.cancel_requested_at === 0 && (
              <p class="hint">{t.cancelLater}</p>
            )}
            {row.failure && (
              <p class="notice bad">
                {fill(row.failure.retry_safe ? t.failedRetrySafe : t.failedRetryUnsafe, { code: row.failure.code })}
              </p>
            )}
            <Facts
              items={[
                [text.state, <TransferState {...row} />],
                [t.nextStep, nameOf(row.next_step)],
                [t.nextCheck, <Time at={row.next_check_at} />],
                [t.amount, `${row.source_amount} ${row.source_currency}`],
                [t.arrives, `${row.dest_amount} ${row.dest_currency}`],
                [t.fees, row.total_fees],
                [t.network, `${row.network}, ${nameOf(row.network_id)}`],
                [t.dest, <Copyable value={row.dest} />],
                [t.source, <Copyable value={row.source} />],
                [t.user, <Line of={row.user_id} href={`${home}/apps/${appId}/users/${row.user_id}`} />],
                [t.customId, row.custom_id ?? ''],
                [t.notes, row.notes],
                [text.created, <Time at={row.created_at} />],
                [t.inBlock, <Time at={row.confirmed_at} />],
                [t.completed, <Time at={row.completed_at} />],
                [t.cancelRequested, <Time at={row.cancel_requested_at} />],
              ]}
            />
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
                    cell: ({ hash }) => (
                      <Transaction network={networks.find((network) => network.id === row.network_id)} hash={hash} />
                    ),
                  },
                  { head: t.kind, cell: ({ kind }) => nameOf(kind) },
                  { head: t.nonce, cell: ({ nonce }) => nonce ?? text.none },
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
