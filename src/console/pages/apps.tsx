import { api, call } from '../api.js';
import { SERVICE_PAGES } from '../pages.js';
import { nameOf, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { firstCall } from '../ui/first-call.js';
import { choicesOf, fieldsOf } from '../ui/form.js';
import { ListPage } from '../ui/list.js';
import { Copyable } from '../ui/states.js';
import { CREATED } from '../ui/table.js';
import { WALLET_TYPES, type WalletType } from '../ui/wallets.js';
import { home } from '../root.js';

const t = text.apps;
const field = fieldsOf(t);

export function AppsPage() {
  return (
    <ListPage
      text={t}
      actions={
        <>
          {SERVICE_PAGES.map(({ path, title }) => (
            <a key={path} href={`${home}/${path}`}>
              {title}
            </a>
          ))}
          <Action
            text={t}
            name="create"
            need="owner"
            isPrimary
            fields={[
              field('name', { isRequired: true }),
              field('mode', { options: choicesOf(['test', 'live']) }),
              field('default_wallet_type', { options: WALLET_TYPES }),
            ]}
            run={(entries) => {
              const name = entries.text('name');
              const mode = entries.text('mode') as 'test' | 'live';
              const default_wallet_type = entries.text('default_wallet_type') as WalletType;
              return call(api.POST('/management/v1/apps', { body: { name, mode, default_wallet_type } }));
            }}
            secrets={(app) => ({
              [t.secretKey]: app.secret_key,
              [t.publicToken]: app.public_token,
              [t.firstCall]: firstCall(app.secret_key),
            })}
          />
        </>
      }
      load={(query) => call(api.GET('/management/v1/apps', { params: { query } }))}
      rows={({ apps }) => apps}
      columns={[
        { head: t.name, isName: true, value: ({ name }) => name, href: ({ id }) => `${home}/apps/${id}` },
        { head: t.mode, as: 'state', value: ({ mode }) => mode },
        { head: t.default_wallet_type, value: (app) => nameOf(app.default_wallet_type) },
        { head: t.id, cell: ({ id }) => <Copyable value={id} /> },
        CREATED,
      ]}
    />
  );
}
