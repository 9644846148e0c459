import { Injectable, type OnModuleInit } from '@nestjs/common';
import { exampleId } from '../../../kernel/examples.js';
import { DemoData } from '../../apps/index.js';
import { PasskeyRepository } from '../domain/passkey.repository.js';
import { changeSettings, WEBAUTHN } from '../domain/webauthn-settings.js';

const DOMAIN = 'localhost';

/** A passkey of the demo user, which no authenticator holds, and the domain of the demo app. */
@Injectable()
export class DemoPasskey implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly passkeys: PasskeyRepository,
  ) {}

  onModuleInit(): void {
    this.demoData.register({
      settings: { [WEBAUTHN]: () => changeSettings(null, { rpId: DOMAIN, origins: ['http://localhost:3001'] }) },
      add: (appId) =>
        this.passkeys.add({
          appId,
          id: exampleId('webauthnCredential'),
          userId: exampleId('user'),
          credentialId: Buffer.from('demo credential'),
          publicKey: Buffer.from('demo'),
          rpId: DOMAIN,
          name: 'Laptop',
          transports: ['internal'],
          isBackupEligible: true,
          isBackedUp: true,
          signCount: 0,
        }),
    });
  }
}
