export { PolicyModule } from './policy.module.js';
