import { WholeNumber } from '../../../edge/http/fields.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { RequestedOfApp, ShownOfApp } from '../../apps/index.js';
import { GIFT_CARD_DEFAULTS, GIFT_CARD_SETTINGS, type GiftCardSettings } from '../domain/gift-card-settings.js';

/** The settings of gift cards; `null` sets the defaults again. */
@RequestedOfApp(GIFT_CARD_SETTINGS)
export class GiftCardSettingsRequest {
  /** The maximum number of gift cards of a user. */
  @WholeNumber({ min: 0, max: 1_000, unit: 'gift cards', example: 10 })
  readonly most_per_user!: number;

  static change(
    this: void,
    _: GiftCardSettings | null,
    { most_per_user: mostPerUser }: GiftCardSettingsRequest,
  ): GiftCardSettings {
    return { mostPerUser };
  }
}

/** The settings of gift cards. */
@ShownOfApp(GIFT_CARD_SETTINGS)
export class GiftCardSettingsResponse {
  /** The maximum number of gift cards of a user. */
  @Example(10)
  readonly most_per_user!: number;

  static of(this: void, settings: GiftCardSettings | null): GiftCardSettingsResponse {
    return { most_per_user: (settings ?? GIFT_CARD_DEFAULTS).mostPerUser };
  }
}
