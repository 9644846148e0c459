import { refusal } from './domain-error.js';

export class StepUpRequired extends refusal('unauthenticated', 'step_up_required', {
  message: (message?: string) =>
    message ??
    'A fresh session of the user is required. Let the user sign in again by an older sign-in method and send the session.',
  help: 'The user has a proved sign-in method, so a further one is added, and a proved one removed, only in a fresh session of the user: in the last 10 minutes the session saw a proof of a method that was first proved at least `step_up_method_age_hours` ago (a setting of the app, by default 24), or of the method with which the account began. An embedded link is no proof, and neither is a recovery code that was read since. Nothing was spent. Let the user prove such a method in the session, or sign in by it, and send `session_token` or `session_jwt` of that session. sessions/verify refuses with it a session that does not meet `require`: let the user prove the missing factor in the session, and verify it again. Of an operator in the console: the call creates a key or lets wallets sign again, so the operator must have signed in at the OpenID provider in the last 10 minutes, or send the management key to POST /management/v1/session again; then repeat the call.',
}) {}
