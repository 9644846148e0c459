export { OauthModule } from './oauth.module.js';
