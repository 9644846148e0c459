import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { currentSession, signOut } from './api.js';
import { AppFrame } from './frame.js';
import { pageAt, SERVICE_PAGES } from './pages.js';
import { AppsPage } from './pages/apps.js';
import { NotFoundPage } from './pages/not-found.js';
import { ProofDialog, SignInDialog, SignInPage } from './pages/sign-in.js';
import { awaitingProof } from './proof.js';
import { hasExpired, session, sessionChanged } from './session.js';
import { fill, text } from './text.js';
import { Icon } from './ui/icon.js';
import { Line, Loading, Problem, RoleNote } from './ui/states.js';
import { home, root } from './root.js';

export function App() {
  return (
    <LocationProvider scope={home}>
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <TopBar />
      <SignedIn />
    </LocationProvider>
  );
}

function TopBar() {
  const who = session.value;
  const [error, setError] = useState<unknown>();
  return (
    <header class="site">
      <a class="mark" href={home}>
        <Icon of="key" />
        <span>{text.brand}</span>
      </a>
      <nav class="sites" aria-label={text.nav.service}>
        <a href={`${root}/guide`}>{text.nav.guide}</a>
        <a href={`${root}/reference`}>{text.nav.reference}</a>
        <a href={`${root}/docs`}>{text.nav.docs}</a>
        <a href={home} aria-current="page">
          {text.nav.console}
        </a>
      </nav>
      {who && (
        <div class="who">
          {who.operator && <Line of={who.operator} />}
          <span title={text.role.note[who.role]}>{fill(text.role.label, { role: text.role[who.role] })}</span>
          <button type="button" onClick={() => void signOut().then(() => setError(undefined), setError)}>
            {text.signOut}
          </button>
        </div>
      )}
      {error !== undefined && <Problem error={error} />}
    </header>
  );
}

/** The sign-in replaces the pages at the same address, so that it leads back to it. */
function SignedIn() {
  const [error, setError] = useState<unknown>();
  const ask = (): void => {
    setError(undefined);
    currentSession().then((found) => {
      // A sign-in at the OpenID provider ends in a page that loads: here it notifies the other tabs.
      if (found) sessionChanged(found);
      else session.value = null;
    }, setError);
  };
  useEffect(ask, []);
  if (error === undefined && session.value)
    return (
      <>
        <Router>
          <Route path={`${home}/apps/:app/:view?/:id?`} component={AppFrame} />
          <Route default component={ServicePage} />
        </Router>
        {hasExpired.value && <SignInDialog />}
        {awaitingProof.value && !hasExpired.value && <ProofDialog {...awaitingProof.value} />}
      </>
    );
  return (
    <main id="content" class={session.value === null ? 'narrow' : undefined}>
      {error !== undefined ? (
        <Problem error={error} retry={ask} />
      ) : session.value === null ? (
        <SignInPage />
      ) : (
        <Loading />
      )}
    </main>
  );
}

function ServicePage() {
  const { path } = useLocation();
  const name = path.slice(`${home}/`.length);
  const View = ['', 'apps'].includes(name) ? AppsPage : (pageAt(SERVICE_PAGES, name)?.view ?? NotFoundPage);
  return (
    <main id="content">
      <RoleNote />
      <View key={path} appId="" id="" />
    </main>
  );
}
