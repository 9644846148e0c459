import { useLocation, useRoute } from 'preact-iso';
import type { App } from '../../openapi/client/src/index.js';
import { api, call } from './api.js';
import { useLoad } from './load.js';
import { type ConsolePage, GROUPS } from './page.js';
import { APP_PAGES, pageAt } from './pages.js';
import { NotFoundPage } from './pages/not-found.js';
import { text } from './text.js';
import { Action } from './ui/dialog.js';
import { Icon } from './ui/icon.js';
import { Jump } from './ui/jump.js';
import { Await, Line, RoleNote, State, Time } from './ui/states.js';
import { home } from './root.js';

export function AppFrame() {
  const { app: appId = '' } = useRoute().params;
  const base = `${home}/apps/${appId}`;
  const app = useLoad(
    () => call(api.GET('/management/v1/apps/{app_id}', { params: { path: { app_id: appId } } })),
    [appId],
  );
  const { path } = useLocation();
  const address = path.slice(base.length + 1);
  const View = pageAt(APP_PAGES, address)?.view ?? NotFoundPage;
  return (
    <div class="app">
      <section class={`app-bar ${app.data?.mode ?? ''}`} aria-label={text.nav.thisApp}>
        <button type="button" popovertarget="app-menu" class="menu-button">
          {text.menu}
        </button>
        <a href={home}>{text.nav.apps}</a>
        <span aria-hidden="true">/</span>
        {app.data && (
          <>
            <strong>
              <Line of={app.data.name} />
            </strong>{' '}
            {app.data.mode === 'live' ? <strong class="badge">{text.live}</strong> : <State of={app.data.mode} />}
            {app.data.frozen_at === 0 && <Signing {...app.data} />}
            <Jump appId={appId} />
          </>
        )}
      </section>
      <AppMenu base={base} />
      <main id="content">
        <RoleNote />
        {!app.data && app.error !== undefined && <h1>{text.nav.thisApp}</h1>}
        <Await loaded={app}>
          {(found) => (
            <>
              {found.frozen_at !== 0 && (
                <div class="notice bad">
                  <p>
                    {text.signing.frozen} <Time at={found.frozen_at} />
                  </p>
                  <Signing {...found} />
                </div>
              )}
              <View key={path} appId={appId} id={address.split('/')[1] ?? ''} />
            </>
          )}
        </Await>
      </main>
    </div>
  );
}

function Signing({ id, name, frozen_at: frozenAt }: Pick<App, 'id' | 'name' | 'frozen_at'>) {
  const target = { params: { path: { app_id: id } } };
  const shared = { text: text.signing, values: { name }, need: 'operator' } as const;
  return frozenAt === 0 ? (
    <Action
      {...shared}
      name="freeze"
      isDangerous
      confirmedBy={name}
      run={() => call(api.POST('/management/v1/apps/{app_id}/freeze', target))}
    />
  ) : (
    <Action {...shared} name="thaw" run={() => call(api.POST('/management/v1/apps/{app_id}/thaw', target))} />
  );
}

function AppMenu({ base }: { base: string }) {
  const { path } = useLocation();
  const titled = APP_PAGES.filter(({ title }) => title);
  const entry = ({ path: name, title, icon }: ConsolePage) => {
    const href = name === '' ? base : `${base}/${name}`;
    const isCurrent = path === href || (name !== '' && path.startsWith(`${href}/`));
    return (
      <li key={name}>
        <a href={href} aria-current={isCurrent ? 'page' : undefined}>
          {icon && <Icon of={icon} />}
          {title}
        </a>
      </li>
    );
  };
  return (
    <nav id="app-menu" popover="auto" class="app-menu" aria-label={text.nav.app}>
      <ul>{titled.filter(({ group }) => group === undefined).map(entry)}</ul>
      {GROUPS.map((name) => (
        <section key={name} aria-labelledby={`menu-${name}`}>
          <h2 id={`menu-${name}`}>{text.nav.groups[name]}</h2>
          <ul>{titled.filter(({ group }) => group === name).map(entry)}</ul>
        </section>
      ))}
    </nav>
  );
}
