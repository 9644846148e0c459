import type { AppId } from '../../../kernel/ids.js';
import type { App } from './app.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** A filter of the listed apps; all apps are listed if it is empty. */
export interface AppFilter {
  /** A part of the name, in upper or lower case. */
  readonly name?: string;
}

/** The apps that are not deleted. */
export abstract class AppRepository {
  abstract insert(app: App): Promise<void>;

  /** Throws `AppNotFound`. */
  abstract get(id: AppId): Promise<App>;

  /** Like `get`, and keeps the app from being deleted until the transaction ends. Any number of transactions hold it. */
  abstract hold(id: AppId): Promise<App>;

  /** Like `get`, and locks the app and its default redirect URLs until the transaction ends. */
  abstract lock(id: AppId): Promise<App>;

  /** Like `lock`, and waits for transactions that hold the app, such as payments, until they end. */
  abstract lockForDeletion(id: AppId): Promise<App>;

  /**
   * Stores the next state of a locked app. It takes effect on this replica at once, on every other replica within half
   * a second.
   */
  abstract update(app: App): Promise<void>;

  abstract list(page: PageRequest, filter?: AppFilter): Promise<Page<App>>;

  /** Whether no app was ever made. */
  abstract isEmpty(): Promise<boolean>;
}
