import { api, call } from '../api.js';
import { nameOf, text } from '../text.js';
import { Filter, useFilters } from '../ui/filter.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.wallets;

export function WalletsPage({ appId }: AppPageProps) {
  const [{ user_id: userId }, apply] = useFilters('user_id');
  return (
    <Page title={t.title} intro={t.intro}>
      <Filter fields={[{ name: 'user_id', label: nameOf('user_id'), value: userId }]} apply={apply} />
      <List
        caption={t.title}
        empty={userId ? t.noneFound : t.empty}
        inputs={[appId, userId]}
        load={async (slice) => {
          const query = { ...slice, user_id: userId };
          const params = { path: { app_id: appId }, query };
          const page = await call(api.GET('/management/v1/apps/{app_id}/wallets', { params }));
          return { rows: page.wallets, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: text.users.address, isName: true, cell: (row) => <code>{row.public_address}</code> },
          { head: text.users.chain, cell: (row) => nameOf(row.wallet_type) },
          {
            head: text.users.user,
            cell: ({ user_id: id }) => (
              <a class="wrap" href={`/console/apps/${appId}/users/${id}`}>
                {id}
              </a>
            ),
          },
          { head: text.users.holder, cell: (row) => <Holder {...row} /> },
          {
            head: text.transfers.title,
            cell: ({ id }) => <a href={`/console/apps/${appId}/transfers?source=${id}`}>{t.transfers}</a>,
          },
          { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
        ]}
      />
    </Page>
  );
}

/** Who holds the key of a wallet. */
export function Holder(wallet: { is_read_only: boolean; is_default: boolean }) {
  return (
    <>
      {wallet.is_read_only ? text.users.heldByUser : text.users.heldByService}{' '}
      {wallet.is_default && <Badge>{text.users.default}</Badge>}
    </>
  );
}
