import { Injectable, type OnModuleInit } from '@nestjs/common';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { DemoData } from '../../apps/index.js';
import { ENROLMENT_LIFETIME, SECRET_BYTES } from '../domain/totp.js';
import { TotpRepository } from '../domain/totp.repository.js';
import { TotpSecrets } from './totp-secrets.js';

/** The active authenticator of the demo user. Its recovery code is public, so it exists in development only. */
@Injectable()
export class DemoTotp implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly totps: TotpRepository,
    private readonly secrets: TotpSecrets,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => this.add(appId) });
  }

  private async add(appId: AppId): Promise<void> {
    const key = { appId, id: exampleId('totp'), userId: exampleId('user') };
    const sealed = this.secrets.seal(key, Buffer.alloc(SECRET_BYTES), [EXAMPLES.recoveryCode]);
    await this.totps.enrol({ ...key, ...sealed }, ENROLMENT_LIFETIME.max);
    const { totp } = await this.totps.ofUser(appId, key.userId);
    await this.totps.spendStep(totp!, 0);
  }
}
