export { ChainModule } from './chain.module.js';
