import { Injectable } from '@nestjs/common';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { PersonalData, PersonalDataStore } from '../../../kernel/personal-data.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppsFacade } from '../../apps/index.js';
import { PortableUsers, UserNotFound } from '../../identity/index.js';

@Injectable()
export class ExportPerson {
  constructor(
    private readonly apps: AppsFacade,
    private readonly users: PortableUsers,
    private readonly store: PersonalDataStore,
    private readonly clock: Clock,
  ) {}

  /** The audit log records it first. A deleted user has what is left. */
  async execute(by: Requester, appId: AppId, userId: UserId): Promise<AsyncIterable<string>> {
    await this.apps.audited({ by, appId, action: 'user.exported', target: userId }, async () => {
      if ((await this.users.known(appId, [], [userId])).length === 0) throw new UserNotFound();
    });
    return this.parts(appId, userId);
  }

  private async *parts(appId: AppId, userId: UserId): AsyncGenerator<string> {
    const person = await this.store.person(appId, userId, 'proven');
    const head = { app_id: appId, user_id: userId, exported_at: epochSeconds(this.clock.now()) };
    yield `${JSON.stringify(head).slice(0, -1)},"data":{`;
    let separator = '';
    for (const kind of PersonalData.rows.filter(({ shows }) => shows)) {
      yield `${separator}${JSON.stringify(kind.name)}:[`;
      separator = '';
      for await (const rows of this.store.pages(person, kind)) {
        if (rows.length === 0) continue;
        yield separator + rows.map((row) => JSON.stringify(row)).join(',');
        separator = ',';
      }
      yield ']';
      separator = ',';
    }
    yield '}}';
  }
}
