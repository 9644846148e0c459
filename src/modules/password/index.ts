export { PasswordModule } from './password.module.js';
