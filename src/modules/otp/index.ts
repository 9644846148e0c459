export { OtpModule } from './otp.module.js';
