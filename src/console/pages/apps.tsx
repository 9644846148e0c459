import { api, call } from '../api.js';
import { nameOf, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { choicesOf } from '../ui/form.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';

const t = text.apps;

export function AppsPage() {
  return (
    <Page
      title={t.title}
      intro={t.intro}
      actions={
        <>
          <a href="/console/audit_log">{text.nav.serviceAudit}</a>
          <Action
            label={t.create}
            title={t.create}
            body={t.createBody}
            need="owner"
            isPrimary
            fields={[
              { name: 'name', label: t.name, hint: t.nameHint, isRequired: true },
              {
                name: 'mode',
                label: t.mode,
                type: 'select',
                hint: t.modeHint,
                options: choicesOf(['test', 'live']),
              },
              { name: 'default_wallet_type', label: t.walletType, type: 'select', options: WALLET_TYPES },
            ]}
            run={async (entries) => {
              const app = await call(
                api.POST('/management/v1/apps', {
                  body: {
                    name: entries.text('name'),
                    mode: entries.text('mode') as 'test' | 'live',
                    default_wallet_type: entries.text('default_wallet_type') as WalletType,
                  },
                }),
              );
              return [
                { label: t.secretKey, value: app.secret_key },
                { label: t.publicToken, value: app.public_token },
              ];
            }}
          />
        </>
      }
    >
      <List
        caption={t.title}
        empty={t.empty}
        inputs={[]}
        load={async (query) => {
          const { apps, has_more } = await call(api.GET('/management/v1/apps', { params: { query } }));
          return { rows: apps, hasMore: has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: t.name, isName: true, cell: ({ id, name }) => <a href={`/console/apps/${id}`}>{name}</a> },
          { head: t.mode, cell: ({ mode }) => <Badge tone={mode === 'live' ? 'good' : 'plain'}>{nameOf(mode)}</Badge> },
          { head: t.walletType, cell: ({ default_wallet_type: type }) => nameOf(type) },
          { head: t.id, cell: ({ id }) => <code>{id}</code> },
          { head: t.created, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
      />
    </Page>
  );
}

export type WalletType = 'ethereum' | 'solana' | 'none';
export const WALLET_TYPES = choicesOf<WalletType>(['ethereum', 'solana', 'none']);
