import { refusal } from '../../../kernel/domain-error.js';
import type { AppId, GrantId, SessionId, UserId } from '../../../kernel/ids.js';
import type { Authentication } from './authentication.js';

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

export interface Interaction {
  readonly id: string;
  readonly params: RequestedAuthorization;
  readonly iat: number;
  readonly exp: number;
  readonly returnTo: string;
}

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
  abstract get(appId: AppId, id: string): Promise<Interaction>;

  /** Of simultaneous answers only the first is stored. The browser returns with the secret. */
  abstract answer(appId: AppId, id: string, result: InteractionResult, secret: string): Promise<void>;
}

export class InteractionNotFound extends refusal('not_found', 'interaction_not_found', {
  message: 'There is no such interaction. It was answered, or it has expired.',
  help: 'An interaction is answered once, within 30 minutes. Let the user begin again at the other program.',
}) {}
