import { idOf, oneOf, text } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId } from '../../../kernel/ids.js';
import { KEY_KINDS } from './api-key.js';
import { APP_MODES, type AppMode } from './app-mode.js';
import { REDIRECT_KINDS } from './redirect-url.js';

const APP = idOf('app', 'The app.');
const REDIRECT_URL = idOf('redirectUrl', 'The redirect URL.');
const CONNECTION = idOf('oauthConnection', 'The connection to the provider.');

/** Subscribers create the rows that every app must have, such as its signing keys, in the same transaction. */
export class AppCreated extends eventOf({
  name: 'app.created',
  description: 'The app was created.',
  data: { app_id: APP, mode: oneOf(APP_MODES, 'Whether the app is for tests or for real users and money.') },
}) {
  constructor(appId: AppId, mode: AppMode) {
    super(appId, { app_id: appId, mode });
  }
}

function appEvent(name: string, description: string) {
  return class extends eventOf({ name, description, data: { app_id: APP } }) {
    constructor(appId: AppId) {
      super(appId, { app_id: appId });
    }
  };
}

/** A subscriber that throws prevents the deletion. */
export class AppDeleted extends appEvent('app.deleted', 'The app was deleted.') {}

export class AppUpdated extends appEvent('app.updated', 'Settings of the app were changed.') {}

export class KeyCreated extends eventOf({
  name: 'key.created',
  description: 'A key of the app was created. The first keys of an app have no event of their own.',
  data: {
    key_id: idOf('key', 'The new key.'),
    kind: oneOf(KEY_KINDS, 'Whether the key is secret, for browsers, or restricted.'),
  },
}) {}

export class KeyRevoked extends eventOf({
  name: 'key.revoked',
  description: 'A key of the app was revoked. Every replica refuses it within a second.',
  data: { key_id: idOf('key', 'The key that is refused from now on.') },
}) {}

export class RedirectUrlCreated extends eventOf({
  name: 'redirect_url.created',
  description: 'A redirect URL was registered.',
  data: {
    redirect_url_id: REDIRECT_URL,
    kind: oneOf(REDIRECT_KINDS, 'The purpose for which a flow may name the URL.'),
  },
}) {}

export class RedirectUrlDeleted extends eventOf({
  name: 'redirect_url.deleted',
  description: 'A redirect URL was removed.',
  data: { redirect_url_id: REDIRECT_URL },
}) {}

export class OauthConnectionCreated extends eventOf({
  name: 'oauth_connection.created',
  description: 'The app was connected with an identity provider.',
  data: { oauth_connection_id: CONNECTION, provider: text('The name of the provider.') },
}) {}

export class OauthConnectionUpdated extends eventOf({
  name: 'oauth_connection.updated',
  description: 'Settings of a connection with an identity provider were changed.',
  data: { oauth_connection_id: CONNECTION },
}) {}

export class OauthConnectionDeleted extends eventOf({
  name: 'oauth_connection.deleted',
  description: 'The connection with an identity provider was removed.',
  data: { oauth_connection_id: CONNECTION },
}) {}
