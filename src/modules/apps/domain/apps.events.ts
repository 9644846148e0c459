import { idOf, oneOf, text } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId } from '../../../kernel/ids.js';
import { KEY_KINDS } from './api-key.js';
import { APP_MODES, type AppMode } from './app-mode.js';
import { REDIRECT_KINDS } from './redirect-url.js';

/** Subscribers create the rows that every app must have, such as its signing keys, in the same transaction. */
export class AppCreated extends eventOf({
  name: 'app.created',
  description: 'The app was created.',
  data: { app_id: idOf('app'), mode: oneOf(APP_MODES) },
}) {
  constructor(appId: AppId, mode: AppMode) {
    super(appId, { app_id: appId, mode });
  }
}

function appEvent(name: string, description: string) {
  return class extends eventOf({ name, description, data: { app_id: idOf('app') } }) {
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
  data: { key_id: idOf('key'), kind: oneOf(KEY_KINDS) },
}) {}

export class KeyRevoked extends eventOf({
  name: 'key.revoked',
  description: 'A key of the app was revoked. Every replica refuses it within a second.',
  data: { key_id: idOf('key') },
}) {}

export class RedirectUrlCreated extends eventOf({
  name: 'redirect_url.created',
  description: 'A redirect URL was registered.',
  data: { redirect_url_id: idOf('redirectUrl'), kind: oneOf(REDIRECT_KINDS) },
}) {}

export class RedirectUrlDeleted extends eventOf({
  name: 'redirect_url.deleted',
  description: 'A redirect URL was removed.',
  data: { redirect_url_id: idOf('redirectUrl') },
}) {}

export class OauthConnectionCreated extends eventOf({
  name: 'oauth_connection.created',
  description: 'The app was connected with an identity provider.',
  data: { oauth_connection_id: idOf('oauthConnection'), provider: text('The name of the provider.') },
}) {}

export class OauthConnectionUpdated extends eventOf({
  name: 'oauth_connection.updated',
  description: 'Settings of a connection with an identity provider were changed.',
  data: { oauth_connection_id: idOf('oauthConnection') },
}) {}

export class OauthConnectionDeleted extends eventOf({
  name: 'oauth_connection.deleted',
  description: 'The connection with an identity provider was removed.',
  data: { oauth_connection_id: idOf('oauthConnection') },
}) {}
