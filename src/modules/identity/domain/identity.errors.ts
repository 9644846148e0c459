import { refusal } from '../../../kernel/domain-error.js';
import type { UserId } from '../../../kernel/ids.js';
import { LoginRefused } from '../../../kernel/refusals.js';

export const MAX_ADDRESSES = 100;

export class UserNotFound extends refusal('not_found', 'user_not_found', {
  message: 'The app has no such user.',
  help: 'The app has no user with this id, or the user was deleted.',
}) {}

export class EmailNotFound extends refusal('not_found', 'email_not_found', {
  message: 'The app has no such email.',
  help: 'The app has no e-mail address with this id, or it was removed from its user.',
}) {}

export class PhoneNumberNotFound extends refusal('not_found', 'phone_number_not_found', {
  message: 'The app has no such phone number.',
  help: 'The app has no phone number with this id, or it was removed from its user.',
}) {}

export class UserInactive extends refusal('forbidden', 'user_inactive', {
  message: 'The user is deactivated. Reactivate the user through the management API.',
  help: 'The user was deactivated by the management of the app. Until reactivated the user cannot sign in, and the wallets of the user neither pay, sign nor export.',
}) {}

/** The word of an identity provider is not enough to open the account that holds the address verified. */
export class AccountExists extends LoginRefused {
  static override readonly code = 'account_exists';
  static override readonly kind = 'conflict';
  static override readonly help =
    'A user of the app has verified the e-mail address that the identity provider asserts, and the connection is not trusted with the domain of the address (`email_domains`). ' +
    'Let the user sign in another way. If the login began with a `code_challenge`, the redirect carries a `token` too: verify it with the `code_verifier` and the live session of that user to add the provider to the account.';
  constructor(readonly holderId: UserId) {
    super(
      'An account with this email address exists. Sign in to it another way, then add this provider to it.',
      holderId,
    );
  }
}

export class DuplicateEmail extends refusal('conflict', 'duplicate_email', {
  message: 'The email is attached to another user. Use another one, or delete it there first.',
  help: 'The e-mail address is attached to another user of the app. An address belongs to at most one user; upper and lower case make no difference.',
}) {}

export class DuplicatePhoneNumber extends refusal('conflict', 'duplicate_phone_number', {
  message: 'The phone number is attached to another user. Use another one, or delete it there first.',
  help: 'The phone number is attached to another user of the app. A number belongs to at most one user.',
}) {}

export class DuplicateExternalId extends refusal('conflict', 'duplicate_external_id', {
  message: 'The external_id belongs to another user. Use another one, or clear it there first.',
  help: 'The `external_id` belongs to another user of the app: search by it to find that user. It is unique in an app; upper and lower case differ. The deletion of a user frees it.',
}) {}

export class TooManyAddresses extends refusal('conflict', 'too_many_addresses', {
  message: `A user holds at most ${MAX_ADDRESSES} emails and ${MAX_ADDRESSES} phone numbers. Delete those that are no longer used.`,
  help: 'A user holds at most 100 e-mail addresses and 100 phone numbers. Delete those that are no longer used, then attach new ones.',
}) {}

export const MAX_UNVERIFIED_ADDRESSES = 5;
export const UNVERIFIED_DAYS = 7;

export class TooManyUnverifiedAddresses extends refusal('conflict', 'too_many_unverified_addresses', {
  message: `A user holds at most ${MAX_UNVERIFIED_ADDRESSES} unverified addresses. Verify or delete some of them, then attach new ones.`,
  help: 'A user holds at most 5 addresses, e-mail addresses and phone numbers together, that are not verified. Verify or delete some of them. Those that stay unverified are removed 7 days after they were attached.',
}) {}

/** Thrown when an account passes to the person who proved its address while a call makes something on it. */
export class AccountTaken extends refusal('conflict', 'account_taken', {
  message: 'Another person has proved the address of this account during the call. Let the user sign in again.',
  help: 'During the call another person proved the address of the account, which was empty and is now theirs. Nothing was made for the caller. Let the user of the app sign in again.',
}) {}

/** Thrown by a subscriber of `UserDeleted` that still needs the user. */
export class UserInUse extends refusal('conflict', 'user_in_use', {
  message: (reason: string) => `The user cannot be deleted yet: ${reason}. Try again when that has ended.`,
  help: 'Something of the user is still under way and must end before the user is deleted.',
}) {}

export class LastWayToSignIn extends refusal('conflict', 'last_way_to_sign_in', {
  message: 'This is the last sign-in method of the user. Attach and verify another one first.',
  help: 'Without this address, wallet or authenticator the user could never sign in again; unverified addresses beside it do not count. Attach and verify another sign-in method first, or delete the user.',
}) {}

export class RecoveryNotNeeded extends refusal('conflict', 'recovery_not_needed', {
  message: 'The user has verified this address and can sign in by it.',
  help: 'A recovery lets a user in by an address that the user has not verified. The user has verified this one: send a code or a link to it.',
}) {}

export class RecoveryNotFound extends refusal('not_found', 'recovery_not_found', {
  message: 'No recovery of this user is under way.',
  help: 'No recovery of the user is under way: none was begun, or it was cancelled, completed or has expired.',
}) {}

export class InvalidEmail extends refusal('invalid', 'invalid_email', {
  message: (field: string) => `${field} must be an email address.`,
  help: 'An e-mail address has the form name@example.com, at most 254 characters, in Unicode normal form NFKC. Quoted names, addresses of bare IP addresses and lists of addresses are not accepted.',
  fields: (_message, [field]) => [{ field, rule: 'email', message: 'must be an email address' }],
}) {}

export class InvalidPhoneNumber extends refusal('invalid', 'invalid_phone_number', {
  message: (field: string) => `${field} must be a phone number in international format.`,
  help: 'A phone number is in international format (E.164): a plus, the country code and the number, such as +14155552671.',
  fields: (_message, [field]) => [
    { field, rule: 'phone_number', message: 'must be a phone number in international format, such as +14155552671' },
  ],
}) {}

export class InvalidSearch extends refusal('invalid', 'invalid_search', {
  message: (field: string, _rule: string, problem: string) => `${field} ${problem}.`,
  help: 'A search filter names a known field, an operator that field knows, and values of its type. `errors` names the filter that does not.',
  fields: (_message, [field, rule, problem]) => [{ field, rule, message: problem }],
}) {}

export class SearchTooBroad extends refusal('invalid', 'search_too_broad', {
  message:
    'The search is too broad. Add a filter on an exact value or a range of user_id, or use longer _match values.',
  help: 'The search took longer than 2 seconds. Narrow it: add a filter on an exact value (`email`, `phone_number`, `user_id`, an id), a range of `user_id`, or more characters to a `_match` value; ask for fewer values at a time.',
}) {}
