export { GiftCardModule } from './gift-card.module.js';
