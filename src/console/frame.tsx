import type { ComponentType } from 'preact';
import { Route, Router, useLocation, useRoute } from 'preact-iso';
import { api, call } from './api.js';
import { useLoad } from './load.js';
import type { AppPageProps } from './pages/app-page.js';
import { KeysPage } from './pages/keys.js';
import { RedirectUrlsPage } from './pages/redirect-urls.js';
import { session } from './session.js';
import { nameOf, text } from './text.js';
import { Await, Badge } from './ui/states.js';

/** The views of an app in the order of the navigation. */
const VIEWS: readonly (readonly [path: string, title: string, view: ComponentType<AppPageProps>])[] = [
  ['keys', text.keys.title, KeysPage],
  ['redirect-urls', text.redirects.title, RedirectUrlsPage],
];

/** The navigation of one app and the view that the address names. */
export function AppFrame() {
  const { app: appId = '' } = useRoute().params;
  const base = `/console/apps/${appId}`;
  const app = useLoad(
    () => call(api.GET('/management/v1/apps/{app_id}', { params: { path: { app_id: appId } } })),
    [appId],
  );
  const role = session.value?.role;
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
        <Await loaded={app}>
          {() => (
            <Router>
              {VIEWS.map(([path, , View]) => (
                <Route key={path} path={`/${path}`} component={() => <View appId={appId} />} />
              ))}
            </Router>
          )}
        </Await>
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
