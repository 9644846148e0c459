import { LocationProvider, Route, Router } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { currentSession, signOut } from './api.js';
import { AppFrame } from './frame.js';
import { AppsPage } from './pages/apps.js';
import { ServiceAuditPage } from './pages/audit.js';
import { NotFoundPage } from './pages/not-found.js';
import { SignInPage } from './pages/sign-in.js';
import { session } from './session.js';
import { fill, text } from './text.js';
import { Problem } from './ui/states.js';

export function App() {
  return (
    <LocationProvider scope="/console">
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
    <header class="top">
      <a class="brand" href="/console">
        {text.brand}
      </a>
      {who && (
        <div class="who">
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

/** The views, or the sign-in in their place: the address stays, so that a sign-in leads back to it. */
function SignedIn() {
  const [error, setError] = useState<unknown>();
  const ask = (): void => {
    setError(undefined);
    currentSession().then((found) => {
      session.value = found;
    }, setError);
  };
  useEffect(ask, []);
  if (error !== undefined)
    return (
      <main id="content">
        <Problem error={error} retry={ask} />
      </main>
    );
  if (session.value === undefined)
    return (
      <main id="content">
        <p role="status">{text.loading}</p>
      </main>
    );
  if (session.value === null)
    return (
      <main id="content" class="narrow">
        <SignInPage />
      </main>
    );
  return (
    <Router>
      <Route path="/console" component={Home} />
      <Route path="/console/apps" component={Home} />
      <Route path="/console/apps/:app/:view?/:id?" component={AppFrame} />
      <Route path="/console/audit_log" component={ServiceAudit} />
      <Route default component={NotFound} />
    </Router>
  );
}

function Home() {
  return (
    <main id="content">
      {session.value?.role !== 'owner' && session.value && <p class="notice">{text.role.note[session.value.role]}</p>}
      <AppsPage />
    </main>
  );
}

function ServiceAudit() {
  return (
    <main id="content">
      <ServiceAuditPage />
    </main>
  );
}

function NotFound() {
  return (
    <main id="content">
      <NotFoundPage />
    </main>
  );
}
