import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../openapi/client/src/index.js';
import { operatorsProvider, signIn } from '../api.js';
import { session, signInNotice } from '../session.js';
import { fill, text } from '../text.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { Page } from '../ui/states.js';
import { home, root } from '../root.js';

/** The service accepts a proof for this time. */
const PROOF_MS = 600_000;

const REFUSALS = new Map(Object.entries(text.signIn.refusals));

export function SignInPage() {
  const { url, query } = useLocation();
  const [refused] = useState(query['sign_in_error']);
  // A later sign-out must not show it again.
  useEffect(() => {
    if (refused) history.replaceState(history.state, '', home);
  }, []);
  const notice = refused ? (REFUSALS.get(refused) ?? text.signIn.refusedByProvider) : signInNotice.value;
  return (
    <Page title={text.signIn.title} intro={text.signIn.intro}>
      {notice && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      <ProviderLink returnTo={refused ? '/console' : url.slice(root.length)} />
      <SignInForm />
    </Page>
  );
}

/** Only a sign-in closes it. */
export function SignInDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <Dialog title={text.signIn.title} dialog={dialog} isHeld>
      <p role="status">{text.signIn.expired}</p>
      <ProviderLink />
      <SignInForm />
    </Dialog>
  );
}

/** A proof in any tab lets the waiting call continue. */
export function ProofDialog({ go, giveUp }: { readonly go: () => void; readonly giveUp: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [before] = useState(session.value);
  useEffect(() => {
    if (session.value && session.value !== before && session.value.proved_at * 1_000 > Date.now() - PROOF_MS) go();
  }, [session.value]);
  return (
    <Dialog title={text.signIn.proofTitle} dialog={dialog} closed={giveUp}>
      <p role="status">{text.signIn.proof}</p>
      <ProviderLink isProof />
      <SignInForm />
      <button type="button" onClick={giveUp}>
        {text.cancel}
      </button>
    </Dialog>
  );
}

/** The link opens a new tab without `returnTo`, so that this page stays. */
function ProviderLink({ returnTo, isProof }: { readonly returnTo?: string; readonly isProof?: boolean }) {
  const [issuer, setIssuer] = useState<string | null>(null);
  // If the service does not answer, the key still signs in.
  useEffect(() => void operatorsProvider().then(setIssuer, () => {}), []);
  if (issuer === null) return null;
  const begin = `${root}/operators/sign_in/begin${isProof ? '?proof=true' : ''}`;
  return (
    <p>
      <a
        class="button"
        {...(returnTo
          ? { href: `${begin}?${new URLSearchParams({ return_to: returnTo }).toString()}` }
          : { href: begin, target: '_blank' })}
      >
        {fill(text.signIn.atProvider, { provider: new URL(issuer).host })}
      </a>
    </p>
  );
}

function SignInForm() {
  return (
    <Form
      fields={[{ name: 'key', label: text.signIn.key, type: 'password', hint: text.signIn.hint, isRequired: true }]}
      submitLabel={text.signIn.submit}
      submit={async (entries) => {
        const isSignedIn = await signIn(entries.text('key')).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 401) throw new SignInRefused(text.signIn.refused);
          throw error;
        });
        if (!isSignedIn) throw new SignInRefused(text.signIn.refusedCookie);
      }}
    />
  );
}

class SignInRefused extends Error {
  override toString(): string {
    return this.message;
  }
}
