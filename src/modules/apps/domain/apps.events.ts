import { idOf, oneOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId } from '../../../kernel/ids.js';
import { APP_MODES, type AppMode } from './app-mode.js';

/** Subscribers make what must exist for every app, such as its signing keys, in the same transaction. */
export class AppCreated extends eventOf({
  name: 'app.created',
  description: 'The app was created.',
  data: { app_id: idOf('app'), mode: oneOf(APP_MODES) },
}) {
  constructor(appId: AppId, mode: AppMode) {
    super(appId, { app_id: appId, mode });
  }
}

/** A subscriber that throws keeps the app. */
export class AppDeleted extends eventOf({
  name: 'app.deleted',
  description: 'The app was deleted.',
  data: { app_id: idOf('app') },
}) {
  constructor(appId: AppId) {
    super(appId, { app_id: appId });
  }
}
