import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { ListPage } from '../../../console/ui/list.js';
import { CREATED } from '../../../console/ui/table.js';
import { Holder } from '../../../console/ui/wallets.js';
import texts from './texts.json';

const t = texts.wallets;

export const page: ConsolePage = { path: 'wallets', title: t.title, after: 'users', view: WalletsPage };

function WalletsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[{ name: 'user_id', label: nameOf('user_id') }]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/wallets', { params: { path, query } }))}
      rows={({ wallets }) => wallets}
      columns={[
        { head: text.wallet.address, isName: true, cell: (row) => <code>{row.public_address}</code> },
        { head: text.wallet.chain, cell: (row) => nameOf(row.wallet_type) },
        {
          head: t.user,
          cell: ({ user_id: id }) => (
            <a class="wrap" href={`/console/apps/${appId}/users/${id}`}>
              {id}
            </a>
          ),
        },
        { head: text.wallet.holder, cell: (row) => <Holder {...row} /> },
        {
          head: t.transfers,
          cell: ({ id }) => <a href={`/console/apps/${appId}/transfers?source=${id}`}>{t.transfersOf}</a>,
        },
        CREATED,
      ]}
    />
  );
}
