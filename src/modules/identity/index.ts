export { IdentityModule } from './identity.module.js';
export { IdentityFacade } from './application/identity.facade.js';
export type { AddressHolder } from './application/register-user.js';
export { type PreparedAccount, ProveAddress, type ProvenUser, type Prover } from './application/prove-address.js';
export type { Gain } from './application/step-up.js';
export { ManageUsers } from './application/manage-users.js';
export { RecoverUser } from './application/recover-user.js';
export { SignInWithProvider } from './application/sign-in-with-provider.js';
export { AccountUses } from './domain/account-uses.js';
export type { Address, AddressKind } from './domain/address.js';
export { CallerSessions, type CallerSession, type Remover } from './domain/caller-session.js';
export type { Recovery } from './domain/recovery.js';
export type { Contact } from './domain/contact.js';
export {
  AccountExists,
  AccountTaken,
  InvalidEmail,
  InvalidPhoneNumber,
  DuplicateEmail,
  DuplicatePhoneNumber,
  LastWayToSignIn,
  MAX_UNVERIFIED_ADDRESSES,
  RecoveryNotNeeded,
  UserInactive,
  UserInUse,
  UserNotFound,
} from './domain/identity.errors.js';
export {
  AddressMoved,
  UserClaimed,
  UserCreated,
  AccountPassed,
  UserDeactivated,
  UserDeleted,
  UserUnlocked,
  UserUpdated,
} from './domain/user.events.js';
export { MessageResends } from './domain/message-resends.js';
export { KEPT_BY_IDENTITY, type SignInMethod, SignInMethods } from './domain/sign-in-methods.js';
export { type SearchedRows, UserSearchFields } from './domain/user-search-fields.js';
export { epochSecondsOf, type UserProfilePart, UserProfileParts } from './domain/user-profile-parts.js';
export { type UserProfile, UserProfiles } from './domain/user-profiles.js';
export { type ImportedUser, type NewUser, User, type UserStatus } from './domain/user.js';
export {
  type ExportedUser,
  type Holding,
  type OwnedRow,
  type PortablePart,
  PortableParts,
  type PortableReader,
  type PortableRow,
  PortableUsers,
  type ReadingContext,
} from './domain/portable-users.js';
export { pastOf } from './application/past-of.js';
export { FormerId, PartOfUserRow, PastTime, timeIn, UserRow } from './http/exported-user-row.dto.js';
export { removerOf, RemovalQuery, RemovalRequest } from './http/exported-removal.dto.js';
export { BeginRecoveryRequest, RecoveryResponse } from './http/exported-recovery.dto.js';
export { PartOfManagedUser, PartOfUser } from './http/exported-user-part.dto.js';
export { StepUpRequired } from '../../kernel/step-up-required.js';
