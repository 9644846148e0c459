import { isRefusal } from '../../kernel/domain-error.js';
import type { AppId, SessionId, UserId } from '../../kernel/ids.js';

/** The JWT is made anew when the response is repeated. */
export interface StoredSession {
  readonly id: SessionId;
  readonly token: string;
}

export abstract class RepeatedSessions {
  /** Null once the session has ended or the user may not sign in any more. */
  abstract fieldsOf(appId: AppId, userId: UserId, session: StoredSession | null): Promise<object | null>;
}

/** How a route stores the fields that are not about the session. */
export interface LoginFields<
  Fields extends object = object,
  Stored extends object = object,
  Controller extends object = object,
> {
  stored(fields: Fields): Stored;
  /** A refusal ends the repetition. */
  restored?(stored: Stored, appId: AppId, controller: Controller): Fields | Promise<Fields>;
}

export const ALL_FIELDS: LoginFields = { stored: (fields) => fields };

/** Names are left out, because an app may store 200,000 a day. */
type StoredLogin = readonly [
  fields: { readonly user_id?: UserId },
  session: SessionId | null,
  token: string,
  created: boolean | null,
  prepared: PreparedAccount | null,
  user: UserId | null,
];

interface PreparedAccount {
  readonly at: number;
  readonly fields: readonly string[];
}

export interface LoginResponse {
  readonly user_id?: UserId;
  readonly session: { readonly id: SessionId; readonly user_id: UserId } | null;
  readonly session_token: string;
  readonly session_jwt: string;
  readonly user_created?: boolean;
  readonly account_prepared?: PreparedAccount | null;
}

export class RepeatedLogins {
  constructor(
    private readonly sessions: RepeatedSessions,
    private readonly controller: object,
    private readonly fields: LoginFields,
  ) {}

  stored({
    session,
    session_token,
    session_jwt: _,
    user_created,
    account_prepared,
    ...ownFields
  }: LoginResponse): StoredLogin {
    const fields: StoredLogin[0] = this.fields.stored(ownFields);
    const user = fields.user_id === undefined ? (session?.user_id ?? null) : null;
    return [fields, session?.id ?? null, session_token, user_created ?? null, account_prepared ?? null, user];
  }

  /** Earlier releases stored the whole response. Null if it is not repeated any more: its proof is then refused as spent. */
  async restored(appId: AppId, kept: StoredLogin | LoginResponse): Promise<object | null> {
    const [fields, session, token, created, prepared, user] = 'session_jwt' in kept ? this.stored(kept) : kept;
    const stored = session === null ? null : { id: session, token };
    const ofSession = await this.sessions.fieldsOf(appId, (fields.user_id ?? user)!, stored);
    if (!ofSession) return null;
    const outcome = created === null ? {} : { user_created: created, account_prepared: prepared };
    try {
      const ofRoute = (await this.fields.restored?.(fields, appId, this.controller)) ?? fields;
      return { ...ofRoute, ...outcome, ...ofSession };
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }
}
