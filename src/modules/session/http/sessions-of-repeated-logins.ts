import { Injectable } from '@nestjs/common';
import { RepeatedSessions, type StoredSession } from '../../../edge/idempotency/repeated-logins.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { SessionFacade } from '../application/session.facade.js';
import { SessionFieldsResponse } from './exported-session.dto.js';

@Injectable()
export class SessionsOfRepeatedLogins extends RepeatedSessions {
  constructor(private readonly sessions: SessionFacade) {
    super();
  }

  async fieldsOf(appId: AppId, userId: UserId, session: StoredSession | null): Promise<SessionFieldsResponse | null> {
    const issued = await this.sessions.again(appId, userId, session);
    return issued === 'over' ? null : SessionFieldsResponse.fieldsOf(issued);
  }
}
