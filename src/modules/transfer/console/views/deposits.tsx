import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { ListPage } from '../../../../console/ui/list.js';
import { Await, Copyable } from '../../../../console/ui/states.js';
import { type Column, Table } from '../../../../console/ui/table.js';
import texts from './texts.json';
import { Transaction, useNetworks } from './transfer.js';
import { home } from '../../../../console/root.js';

const t = texts.deposits;

type Deposit = components['schemas']['ManagedDepositResponse'];

function useColumns(): readonly Column<Deposit>[] {
  const networks = useNetworks();
  return [
    { head: t.amount, isName: true, value: ({ amount, currency }) => `${amount} ${currency}` },
    { head: t.network, value: ({ network }) => network },
    {
      head: t.from,
      value: ({ from }) => from,
      cell: ({ from }) => (from === '' ? t.several : <Copyable value={from} />),
    },
    {
      head: t.transaction,
      value: (row) => row.blockchain_tx_hash,
      cell: (row) => (
        <Transaction network={networks.find(({ id }) => id === row.network_id)} hash={row.blockchain_tx_hash} />
      ),
    },
    { head: t.block, value: (row) => row.block_number },
    { head: t.at, time: ({ at }) => at },
  ];
}

const depositsOf = (app_id: string, wallet_id: string, query: { limit: number; starting_after?: string }) =>
  call(
    api.GET('/management/v1/apps/{app_id}/wallets/{wallet_id}/deposits', {
      params: { path: { app_id, wallet_id }, query },
    }),
  );

export function DepositsPage({ appId, id }: PageProps) {
  return (
    <ListPage
      text={{ ...t, intro: id }}
      load={(query) => depositsOf(appId, id, query)}
      rows={({ deposits }) => deposits}
      columns={useColumns()}
    />
  );
}

export function LatestDeposits({ appId, id }: PageProps) {
  const columns = useColumns();
  const loaded = useLoad(() => depositsOf(appId, id, { limit: 10 }), [id]);
  return (
    <section>
      <h2>{t.title}</h2>
      <Await loaded={loaded}>
        {({ deposits, has_more }) => (
          <>
            <Table caption={t.title} rows={deposits} columns={columns} empty={t.empty} />
            {has_more && <a href={`${home}/apps/${appId}/deposits/${id}`}>{t.all}</a>}
          </>
        )}
      </Await>
    </section>
  );
}
