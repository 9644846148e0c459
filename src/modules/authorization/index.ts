export { AuthorizationModule } from './authorization.module.js';
