import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { ListPage } from '../../../console/ui/list.js';
import { Copyable } from '../../../console/ui/states.js';
import { CREATED } from '../../../console/ui/table.js';
import { Balances, Holder, holderOf } from '../../../console/ui/wallets.js';
import texts from './texts.json';
import { home } from '../../../console/root.js';

const t = texts.wallets;

export const page: ConsolePage = {
  path: 'wallets',
  title: t.title,
  group: 'money',
  icon: 'wallets',
  after: 'users',
  view: WalletsPage,
};

function WalletsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[{ name: 'user_id', label: nameOf('user_id') }]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/wallets', { params: { path, query } }))}
      rows={({ wallets }) => wallets}
      columns={[
        {
          head: text.wallet.address,
          isName: true,
          value: (row) => row.public_address,
          cell: ({ id, public_address: address }) => (
            <Copyable value={address} href={`${home}/apps/${appId}/wallets/${id}`} />
          ),
        },
        { head: text.wallet.chain, value: (row) => nameOf(row.wallet_type) },
        { head: t.user, value: (row) => row.user_id, href: (row) => `${home}/apps/${appId}/users/${row.user_id}` },
        { head: text.wallet.holder, value: (row) => holderOf(row), cell: (row) => <Holder {...row} /> },
        { head: text.wallet.balances, cell: ({ id }) => <Balances appId={appId} id={id} /> },
        {
          head: t.transfers,
          cell: ({ id }) => <a href={`${home}/apps/${appId}/transfers?source=${id}`}>{t.transfersOf}</a>,
        },
        CREATED,
      ]}
    />
  );
}
