/** The field of the settings, in the API and where they are stored with an app. */
export const GIFT_CARD_SETTINGS = 'gift_card_settings';

export interface GiftCardSettings {
  /** The maximum number of gift cards of a user. */
  readonly mostPerUser: number;
}

/** The settings of an app that has set none. */
export const GIFT_CARD_DEFAULTS: GiftCardSettings = { mostPerUser: 10 };
