import type { AppId, Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

/** The calls that one key was refused for one reason within an hour. */
export interface RefusedCallsOfHour {
  readonly id: Id<'refusedCalls'>;
  /** The start of the hour, in UTC. */
  readonly hour: Date;
  readonly keyId: string;
  /** The method and the route, such as `POST /v1/otps/email/login_or_create`. */
  readonly operation: string;
  readonly errorType: string;
  readonly calls: number;
  readonly lastAt: Date;
  readonly lastRequestId: string;
}

export interface RefusedCall extends Pick<RefusedCallsOfHour, 'keyId' | 'operation' | 'errorType'> {
  readonly appId: AppId;
  readonly requestId: string;
}

/** Counts the refused calls of an app's keys. It helps to find a fault; the audit log is the evidence. */
export abstract class RefusedCalls {
  /** Returns at once. A call is listed within seconds. Some are not counted when there are too many, or when the database is unavailable. */
  abstract count(call: RefusedCall): void;

  /** Lists the hours, newest first. */
  abstract list(appId: AppId, page: PageRequest<Id<'refusedCalls'>>, keyId?: string): Promise<Page<RefusedCallsOfHour>>;
}
