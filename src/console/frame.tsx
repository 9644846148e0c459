import type { ComponentType } from 'preact';
import { useLocation, useRoute } from 'preact-iso';
import { api, call } from './api.js';
import { useLoad } from './load.js';
import type { AppPageProps } from './pages/app-page.js';
import { AuditPage } from './pages/audit.js';
import { ConnectionsPage } from './pages/connections.js';
import { JobsPage } from './pages/jobs.js';
import { KeysPage } from './pages/keys.js';
import { MessagesPage } from './pages/messages.js';
import { NotFoundPage } from './pages/not-found.js';
import { OverviewPage } from './pages/overview.js';
import { RedirectUrlsPage } from './pages/redirect-urls.js';
import { SettingsPage } from './pages/settings.js';
import { TemplatesPage } from './pages/templates.js';
import { TransferPage } from './pages/transfer.js';
import { TransfersPage } from './pages/transfers.js';
import { UserPage } from './pages/user.js';
import { UsersPage } from './pages/users.js';
import { WalletsPage } from './pages/wallets.js';
import { WebhookPage } from './pages/webhook.js';
import { WebhooksPage } from './pages/webhooks.js';
import { session } from './session.js';
import { nameOf, text } from './text.js';
import { Await, Badge } from './ui/states.js';

/** The views of an app in the order of the navigation. */
const VIEWS: readonly (readonly [path: string, title: string, view: ComponentType<AppPageProps>])[] = [
  ['', text.overview.title, OverviewPage],
  ['users', text.users.title, UsersPage],
  ['wallets', text.wallets.title, WalletsPage],
  ['transfers', text.transfers.title, TransfersPage],
  ['messages', text.messages.title, MessagesPage],
  ['webhooks', text.webhooks.title, WebhooksPage],
  ['keys', text.keys.title, KeysPage],
  ['redirect-urls', text.redirects.title, RedirectUrlsPage],
  ['connections', text.connections.title, ConnectionsPage],
  ['templates', text.templates.title, TemplatesPage],
  ['settings', text.settings.title, SettingsPage],
  ['jobs', text.jobs.title, JobsPage],
  ['audit-log', text.audit.title, AuditPage],
];

/** The views of one thing, which lists link to. */
const DETAILS: Readonly<Record<string, ComponentType<AppPageProps>>> = {
  users: UserPage,
  transfers: TransferPage,
  webhooks: WebhookPage,
};

/** The navigation of one app and the view that the address names. */
export function AppFrame() {
  const { app: appId = '' } = useRoute().params;
  const base = `/console/apps/${appId}`;
  const app = useLoad(
    () => call(api.GET('/management/v1/apps/{app_id}', { params: { path: { app_id: appId } } })),
    [appId],
  );
  const role = session.value?.role;
  const { path } = useLocation();
  const [name = '', id = ''] = path.slice(base.length + 1).split('/');
  const View = (id === '' ? VIEWS.find(([view]) => view === name)?.[2] : DETAILS[name]) ?? NotFoundPage;
  return (
    <div class="app">
      <div class="app-bar">
        <button type="button" popovertarget="app-menu" class="menu-button">
          {text.menu}
        </button>
        <a href="/console">{text.nav.apps}</a>
        <span aria-hidden="true">/</span>
        {app.data && (
          <>
            <strong>{app.data.name}</strong>{' '}
            <Badge tone={app.data.mode === 'live' ? 'good' : 'plain'}>{nameOf(app.data.mode)}</Badge>
          </>
        )}
      </div>
      <AppMenu base={base} />
      <main id="content">
        {role && role !== 'owner' && <p class="notice">{text.role.note[role]}</p>}
        <Await loaded={app}>{() => <View key={path} appId={appId} id={id} />}</Await>
      </main>
    </div>
  );
}

function AppMenu({ base }: { base: string }) {
  const { path } = useLocation();
  return (
    <nav id="app-menu" popover="auto" class="app-menu" aria-label={text.nav.app}>
      <ul>
        {VIEWS.map(([name, title]) => {
          const href = name === '' ? base : `${base}/${name}`;
          const isCurrent = name === '' ? path === base : path === href || path.startsWith(`${href}/`);
          return (
            <li key={name}>
              <a href={href} aria-current={isCurrent ? 'page' : undefined}>
                {title}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
