import type { AppId } from '../../../kernel/ids.js';
import type { AppSettings } from './app.js';

/** Settings of apps as every request asks for them: from memory, at most half a second old. */
export abstract class AppDirectory {
  /** Throws `AppNotFound`, also for a deleted app. */
  abstract settings(appId: AppId): AppSettings | Promise<AppSettings>;

  /** Throws `AppNotFound` unless the app exists and is not deleted. Nothing keeps it from being deleted afterwards. */
  async requireLive(appId: AppId): Promise<void> {
    await this.settings(appId);
  }
}
