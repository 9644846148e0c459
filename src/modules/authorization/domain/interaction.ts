import { refusal } from '../../../kernel/domain-error.js';
import type { AppId, GrantId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Authentication } from './authentication.js';

/** The parameters of the authorization request that the login page needs. */
export interface RequestedAuthorization {
  readonly client_id: string;
  readonly scope?: string;
  readonly resource?: string | readonly string[];
  /** JSON. */
  readonly authorization_details?: string;
  readonly prompt?: string;
  readonly max_age?: number | string;
  readonly acr_values?: string;
  readonly login_hint?: string;
  readonly ui_locales?: string;
}

/** An authorization request that waits for the answer of the app's login page. */
export interface Interaction {
  readonly id: string;
  readonly params: RequestedAuthorization;
  /** In epoch seconds. */
  readonly iat: number;
  readonly exp: number;
  /** Where the browser goes on. */
  readonly returnTo: string;
}

/** The errors with which a login page refuses. */
export const REJECTIONS = [
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'temporarily_unavailable',
] as const;

/** The answer in the form that `oidc-provider` reads when the browser returns. */
export type InteractionResult =
  | {
      readonly login: {
        readonly accountId: UserId;
        readonly ts: Authentication['time'];
        readonly acr: string;
        readonly amr: readonly string[];
        readonly remember: boolean;
        readonly sid: SessionId;
      };
      readonly consent: { readonly grantId: GrantId };
    }
  | { readonly error: (typeof REJECTIONS)[number]; readonly error_description: string };

export abstract class Interactions {
  /** The interaction while it waits for an answer. Throws `InteractionNotFound`. */
  abstract get(appId: AppId, id: string): Promise<Interaction>;

  /** Stores the answer; of simultaneous ones only the first. The browser returns with the secret. Throws `InteractionNotFound`. */
  abstract answer(appId: AppId, id: string, result: InteractionResult, secret: string): Promise<void>;
}

export class InteractionNotFound extends refusal('not_found', 'interaction_not_found', {
  message: 'There is no such interaction. It was answered, or it has expired.',
  help: 'An interaction is answered once, within 30 minutes. Let the user begin again at the other program.',
}) {}
