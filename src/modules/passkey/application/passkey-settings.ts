import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { WebauthnNotConfigured } from '../domain/passkey.errors.js';
import { WEBAUTHN, type WebauthnSettings } from '../domain/webauthn-settings.js';

@Injectable()
export class PasskeySettings {
  constructor(private readonly apps: AppsFacade) {}

  /** Throws `WebauthnNotConfigured`. */
  async of(appId: AppId): Promise<WebauthnSettings> {
    const settings = await this.apps.moduleSettings<WebauthnSettings>(appId, WEBAUTHN);
    if (!settings) throw new WebauthnNotConfigured();
    return settings;
  }
}
