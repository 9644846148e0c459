import { ListOf } from '../../../edge/http/compound-fields.js';
import { MAX_LENGTH, Text } from '../../../edge/http/fields.js';
import { RequestedOfApp, ShownOfApp } from '../../apps/index.js';
import { changeSettings, PASSKEY_SETTINGS, type PasskeySettings } from '../domain/passkey-settings.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

/** The passkey settings of the app's pages; an absent field stays. `null` ends the use of passkeys; registered ones stay stored. */
@RequestedOfApp(PASSKEY_SETTINGS)
export class WebauthnSettingsRequest {
  /**
   * The domain that passkeys are bound to: that of the pages, or a domain above it, but no public suffix such as
   * `co.uk` or `github.io`. Passkeys of another domain do not sign in any more. Required when it is not set yet.
   */
  @Text({ min: 1, max: 253, optional: true })
  readonly rp_id?: string;

  /** The name that authenticators show; `null` stands for the name of the app. */
  @Text({ min: 1, max: MAX_LENGTH.name, pattern: /\S/, optional: true, nullable: true })
  readonly rp_name?: string | null;

  /**
   * The origins of the pages, such as `https://example.com`; http only on localhost. A host outside `rp_id` is a related origin, which
   * `https://{rp_id}/.well-known/webauthn` must list. An Android app is `android:apk-key-hash:` and the SHA-256 of its certificate in
   * base64url, and `https://{rp_id}/.well-known/assetlinks.json` must name it. Replaces the list. Required when it is not set yet.
   */
  @ListOf(Text({ min: 1, max: MAX_LENGTH.url }), { min: 1, max: 20, optional: true })
  readonly origins?: string[];

  static change(this: void, current: PasskeySettings | null, request: WebauthnSettingsRequest): PasskeySettings {
    const { rp_id: rpId, rp_name: rpName, origins } = request;
    return changeSettings(current, {
      ...(rpId !== undefined && { rpId }),
      ...(rpName !== undefined && { rpName }),
      ...(origins !== undefined && { origins }),
    });
  }
}

/** The app's passkey settings; `null` if the app does not use passkeys. */
@ShownOfApp(PASSKEY_SETTINGS)
export class WebauthnSettingsResponse {
  /** The domain that passkeys are bound to. */
  @Example('localhost')
  readonly rp_id!: string;
  /** The name that authenticators show; `null` stands for the name of the app. */
  readonly rp_name!: string | null;
  /** The origins of the pages and Android apps that may use passkeys. */
  @Example(['http://localhost:3001'])
  readonly origins!: string[];

  static of(this: void, settings: PasskeySettings | null): WebauthnSettingsResponse | null {
    return settings && { rp_id: settings.rpId, rp_name: settings.rpName, origins: [...settings.origins] };
  }
}
