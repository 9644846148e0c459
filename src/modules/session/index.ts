export { SessionModule } from './session.module.js';
export { SignInModule } from './sign-in.module.js';
export {
  requireExpected,
  SessionFacade,
  type SessionArguments,
  type SessionIntent,
  type TokenKeys,
} from './application/session.facade.js';
export type { IssuedSession } from './application/session-secrets.js';
export { type Factor, IDENTITY_METHODS } from './domain/factor.js';
export type { SealedSession } from './domain/session.js';
export { InvalidSession } from '../../kernel/errors.js';
export { AddressOfOtherAccount, SigningKeyUnavailable } from './domain/session.errors.js';
export { AllSessionsEnded, FactorAdded, SessionCreated, SessionRevoked } from './domain/session.events.js';
export {
  DeviceFingerprintRequest,
  IssuedSessionResponse,
  SessionArgumentsRequest,
  PreparedAccountResponse,
  SessionFieldsResponse,
  type VerifiedUser,
  VerifiedUserResponse,
} from './http/exported-session.dto.js';
