import { useRef } from 'preact/hooks';
import { ApiError } from '../../../openapi/client/src/index.js';
import { signIn } from '../api.js';
import { signInNotice } from '../session.js';
import { text } from '../text.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { Page } from '../ui/states.js';

export function SignInPage() {
  return (
    <Page title={text.signIn.title} intro={text.signIn.intro}>
      {signInNotice.value && (
        <p class="notice" role="status">
          {signInNotice.value}
        </p>
      )}
      <SignInForm />
    </Page>
  );
}

/** The sign-in over the page of an expired session. Nothing but a sign-in closes it. */
export function SignInDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <Dialog title={text.signIn.title} dialog={dialog} isHeld>
      <p role="status">{text.signIn.expired}</p>
      <SignInForm />
    </Dialog>
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
