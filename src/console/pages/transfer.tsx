import { api, call } from '../api.js';
import { useLoad } from '../load.js';
import { fill, nameOf, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { Await, Facts, Page, Time } from '../ui/states.js';
import { Table } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';
import { TransferState } from './transfers.js';

const t = text.transfers;

/** Where to look a transaction up: test apps pay on the test networks. */
function explorerOf(hash: string, isTest: boolean): string {
  if (hash.startsWith('0x')) return `https://${isTest ? 'sepolia.' : ''}etherscan.io/tx/${hash}`;
  return `https://explorer.solana.com/tx/${hash}${isTest ? '?cluster=devnet' : ''}`;
}

export function TransferPage({ appId, id }: AppPageProps) {
  const path = { app_id: appId, transfer_id: id };
  const loaded = useLoad(async () => {
    const [transfer, app] = await Promise.all([
      call(api.GET('/management/v1/apps/{app_id}/transfers/{transfer_id}', { params: { path } })),
      call(api.GET('/management/v1/apps/{app_id}', { params: { path: { app_id: appId } } })),
    ]);
    return { transfer, isTest: app.mode === 'test' };
  }, [id]);
  const transfer = loaded.data?.transfer;
  const mayCancel =
    transfer?.status === 'unconfirmed' || (transfer?.status === 'pending' && transfer.cancel_requested_at === 0);
  return (
    <Page
      title={t.transfer}
      intro={id}
      actions={
        mayCancel && (
          <Action
            label={t.cancel}
            title={t.cancel}
            body={transfer.status === 'pending' ? t.cancelPendingBody : t.cancelBody}
            need="operator"
            isDangerous
            run={async () => {
              await call(api.POST('/management/v1/apps/{app_id}/transfers/{transfer_id}/cancel', { params: { path } }));
            }}
          />
        )
      }
    >
      <Await loaded={loaded}>
        {({ transfer: row, isTest }) => (
          <>
            {row.stuck_since !== 0 && (
              <p class="notice bad">{fill(t.stuckBecause, { reason: nameOf(row.stuck_reason) })}</p>
            )}
            {row.failure && (
              <p class="notice bad">
                {fill(row.failure.retry_safe ? t.failedRetrySafe : t.failedRetryUnsafe, { code: row.failure.code })}
              </p>
            )}
            <Facts
              items={[
                [text.state, <TransferState status={row.status} stuck={row.stuck_since !== 0} />],
                [t.nextStep, nameOf(row.next_step)],
                [t.nextCheck, <Time at={row.next_check_at} />],
                [t.amount, `${row.source_amount} ${row.source_currency}`],
                [t.arrives, `${row.dest_amount} ${row.dest_currency}`],
                [t.fees, row.total_fees],
                [t.dest, <code>{row.dest}</code>],
                [t.source, <code>{row.source}</code>],
                [text.users.user, <a href={`/console/apps/${appId}/users/${row.user_id}`}>{row.user_id}</a>],
                [t.customId, row.custom_id ?? ''],
                [t.notes, row.notes],
                [text.apps.created, <Time at={row.created_at} />],
                [t.completed, <Time at={row.completed_at} />],
                [t.cancelRequested, <Time at={row.cancel_requested_at} />],
              ]}
            />
            <section>
              <h2>{t.attempts}</h2>
              <Table
                caption={t.attempts}
                rows={row.attempts}
                empty={t.noAttempts}
                columns={[
                  {
                    head: t.transaction,
                    isName: true,
                    cell: ({ hash }) => (
                      <>
                        <code>{hash}</code>{' '}
                        <a href={explorerOf(hash, isTest)} target="_blank" rel="noreferrer">
                          {t.explorer}
                        </a>
                      </>
                    ),
                  },
                  { head: t.kind, cell: ({ kind }) => nameOf(kind) },
                  { head: t.nonce, cell: ({ nonce }) => nonce ?? text.none },
                  { head: t.maxFee, cell: (attempt) => attempt.max_fee },
                  { head: t.accepted, cell: (attempt) => <Time at={attempt.accepted_at} /> },
                  { head: text.apps.created, cell: (attempt) => <Time at={attempt.created_at} /> },
                ]}
              />
            </section>
          </>
        )}
      </Await>
    </Page>
  );
}
