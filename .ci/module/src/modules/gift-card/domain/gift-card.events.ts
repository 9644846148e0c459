import { idOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';

export class GiftCardCreated extends eventOf({
  name: 'gift_card.created',
  description: 'A gift card was created.',
  data: { gift_card_id: idOf('giftCard', 'The gift card.') },
}) {}
