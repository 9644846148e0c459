import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DEMO_MINUTES, exampleId, EXAMPLES } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { Vault } from '../../../kernel/vault.js';
import { DemoData } from '../../apps/index.js';
import { codeContext } from '../domain/passcode.js';
import { PasscodeRepository } from '../domain/passcode.repository.js';

/** A passcode that the demo user was sent. It is public, so it exists in development only. */
@Injectable()
export class DemoPasscode implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly passcodes: PasscodeRepository,
    private readonly vault: Vault,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => Promise.resolve(this.add(appId)) });
  }

  private add(appId: AppId): void {
    const methodId = exampleId('email');
    const sealedCode = this.vault.seal(Buffer.from(EXAMPLES.passcode), codeContext(appId, methodId));
    this.passcodes.add(
      { appId, methodId, userId: exampleId('user'), address: EXAMPLES.email, sealedCode },
      DEMO_MINUTES,
    );
  }
}
