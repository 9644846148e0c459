import { idOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';

const data = { gift_card_id: idOf('giftCard', 'The gift card.'), user_id: idOf('user', 'Its user.') };

export class GiftCardWasCreated extends eventOf({
  name: 'gift_card.created',
  description: 'A gift card was created.',
  data,
}) {}

export class GiftCardWasRedeemed extends eventOf({
  name: 'gift_card.redeemed',
  description: 'A gift card was redeemed.',
  data,
}) {}
