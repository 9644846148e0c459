import type { ComponentChildren } from 'preact';
import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { nameOf, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { stateFilter } from '../../../../console/ui/filter.js';
import { List } from '../../../../console/ui/list.js';
import { Await, Copyable, Facts, Line, Page, Time } from '../../../../console/ui/states.js';
import { BalanceList, Holder } from '../../../../console/ui/wallets.js';
import { LatestDeposits } from './deposits.js';
import texts from './texts.json';
import { columns, STATES } from '../transfers.js';
import { home } from '../../../../console/root.js';

const t = texts.wallet;

const WALLET = '/management/v1/apps/{app_id}/wallets/{wallet_id}';
const shared = { text: t } as const;

const frozenSince = (at: number): [string, ComponentChildren] => [t.frozen, <Time at={at} />];

export function WalletPage({ appId, id }: PageProps) {
  const path = { app_id: appId };
  const params = { path: { ...path, wallet_id: id } };
  const loaded = useLoad(() => call(api.GET(WALLET, { params })), [id]);
  return (
    <Page
      title={t.title}
      intro={id}
      actions={
        loaded.data &&
        (loaded.data.frozen_at === 0 ? (
          <Action
            {...shared}
            name="freeze"
            need="support"
            isDangerous
            run={() => call(api.POST(`${WALLET}/freeze`, { params }))}
          />
        ) : (
          <Action {...shared} name="thaw" need="operator" run={() => call(api.POST(`${WALLET}/thaw`, { params }))} />
        ))
      }
    >
      <Await loaded={loaded}>
        {(wallet) => (
          <Facts
            items={[
              [text.wallet.address, <Copyable value={wallet.public_address} />],
              [text.wallet.chain, nameOf(wallet.wallet_type)],
              [text.wallet.holder, <Holder {...wallet} />],
              [text.wallet.balances, <BalanceList balances={wallet.balances} />],
              [
                texts.transfer.user,
                <Line of={wallet.user_id} href={`${home}/apps/${appId}/users/${wallet.user_id}`} />,
              ],
              [text.created, <Time at={wallet.created_at} />],
              ...(wallet.frozen_at === 0 ? [] : [frozenSince(wallet.frozen_at)]),
            ]}
          />
        )}
      </Await>
      <section>
        <h2>{t.transfers.title}</h2>
        <List
          text={t.transfers}
          filters={[stateFilter(STATES)]}
          load={(query) =>
            call(
              api.GET('/management/v1/apps/{app_id}/transfers', { params: { path, query: { ...query, source: id } } }),
            )
          }
          rows={({ transfers }) => transfers}
          isPending={({ status }) => status === 'pending'}
          columns={columns(appId)}
        />
      </section>
      <LatestDeposits appId={appId} id={id} />
    </Page>
  );
}
