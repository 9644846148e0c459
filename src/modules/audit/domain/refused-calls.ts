import type { AppId, Id } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

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
  /** Returns at once. Some calls are not counted if there are too many, or if the database is unavailable. */
  abstract count(call: RefusedCall): void;

  abstract list(appId: AppId, page: PageRequest<Id<'refusedCalls'>>, keyId?: string): Promise<Page<RefusedCallsOfHour>>;
}
