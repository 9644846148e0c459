export { MagicLinkModule } from './magic-link.module.js';
