# Made from openapi.json by `npm run openapi`.
"""The objects of the API."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

ErrorType = Literal[
    "account_exists",
    "account_taken",
    "active_totp_exists",
    "address_of_other_account",
    "address_unverified",
    "already_voted",
    "app_frozen",
    "app_in_use",
    "app_not_found",
    "approval_ended",
    "approval_mismatch",
    "approval_not_found",
    "approval_required",
    "approver_group_in_use",
    "approver_group_not_found",
    "approver_group_too_small",
    "batch_not_found",
    "batch_too_large",
    "below_rent_minimum",
    "books_behind_chain",
    "chain_not_configured",
    "chain_unavailable",
    "client_not_found",
    "client_without_secret",
    "cursor_expired",
    "delivery_not_configured",
    "destination_not_allowed",
    "device_mismatch",
    "duplicate_audience",
    "duplicate_custom_id",
    "duplicate_email",
    "duplicate_external_id",
    "duplicate_oauth_connection",
    "duplicate_phone_number",
    "duplicate_redirect_url",
    "duplicate_wallet",
    "duplicate_webauthn_credential",
    "email_not_found",
    "erasure_not_found",
    "ethereum_node_unavailable",
    "event_not_found",
    "fee_limit_exceeded",
    "fee_too_high",
    "feed_was_reset",
    "fees_above_quote",
    "grant_not_found",
    "idempotency_key_reused",
    "insufficient_funds",
    "interaction_not_found",
    "internal_error",
    "invalid_address",
    "invalid_allowed_origin",
    "invalid_amount",
    "invalid_asset",
    "invalid_cursor",
    "invalid_destination",
    "invalid_email",
    "invalid_encryption_key",
    "invalid_expires_at",
    "invalid_json",
    "invalid_magic_token",
    "invalid_message",
    "invalid_oauth_connection",
    "invalid_oauth_token",
    "invalid_otp",
    "invalid_password",
    "invalid_phone_number",
    "invalid_private_key",
    "invalid_public_address",
    "invalid_recovery_code",
    "invalid_redirect_url",
    "invalid_request",
    "invalid_search",
    "invalid_session",
    "invalid_siwe_challenge",
    "invalid_template",
    "invalid_totp",
    "invalid_transaction",
    "invalid_typed_data",
    "invalid_wallet_import",
    "invalid_wallet_signature",
    "invalid_webauthn_credential",
    "ip_not_allowed",
    "job_not_found",
    "key_in_use",
    "key_not_found",
    "keys_unavailable",
    "last_way_to_sign_in",
    "list_too_broad",
    "magic_link_expired",
    "message_not_allowed",
    "message_not_found",
    "missing_role",
    "missing_scope",
    "network_changed",
    "network_not_enabled",
    "no_default_redirect_url",
    "nonce_used",
    "not_an_approver",
    "oauth_connection_not_found",
    "oauth_provider_not_found",
    "otp_attempts_exceeded",
    "outside_binding",
    "overloaded",
    "passkey_may_not_vote",
    "password_login_closed",
    "payload_too_large",
    "payment_refused_by_chain",
    "phone_number_not_found",
    "policy_denied",
    "policy_not_found",
    "provider_error",
    "provider_unavailable",
    "read_only",
    "recovery_not_found",
    "recovery_not_needed",
    "redirect_url_not_found",
    "resource_not_found",
    "seal_broken",
    "sealed_value_unavailable",
    "search_too_broad",
    "service_unavailable",
    "session_mismatch",
    "session_not_found",
    "signing_key_unavailable",
    "sms_country_not_allowed",
    "step_up_required",
    "stored_answers_full",
    "too_many_addresses",
    "too_many_approvals",
    "too_many_approver_groups",
    "too_many_clients",
    "too_many_moves",
    "too_many_policies",
    "too_many_requests",
    "too_many_resources",
    "too_many_unverified_addresses",
    "too_many_wallets",
    "too_many_webauthn_credentials",
    "too_many_webhook_endpoints",
    "totp_not_found",
    "transaction_not_allowed",
    "transfer_already_confirmed",
    "transfer_cancelled",
    "transfer_expired",
    "transfer_in_batch",
    "transfer_limit_exceeded",
    "transfer_not_found",
    "typed_data_not_allowed",
    "unauthorized_credentials",
    "unsupported_currency",
    "unsupported_media_type",
    "unsupported_wallet_type",
    "url_not_allowed",
    "user_in_use",
    "user_inactive",
    "user_not_found",
    "vote_not_carried",
    "wallet_export_not_allowed",
    "wallet_frozen",
    "wallet_has_open_transfers",
    "wallet_is_managed",
    "wallet_not_found",
    "wallet_not_owned_by_user",
    "wallet_read_only",
    "webauthn_credential_not_found",
    "webauthn_not_configured",
    "webhook_delivery_not_found",
    "webhook_endpoint_disabled",
    "webhook_endpoint_not_found",
    "wrong_key_kind",
]
"""The stable names of errors."""


class HealthResponse(TypedDict):
    """The replica is healthy. """

    status: Literal["ok"]
    """The status, always `ok`: every other state is an error response. """


class ReadyResponse(TypedDict):
    """The replica wants traffic. """

    status: Literal["ok"]
    """The status, always `ok`: every other state is an error response. """
    key_provider: NotRequired[Literal["ok", "unavailable"]]
    """Whether the key provider works, as far as this replica knows; absent without one. While it does not, calls that need no key and calls for apps whose keys are in memory go on. """


class VersionResponse(TypedDict):
    """The releases of the service and of Node.js, and the build. """

    version: str
    """The release of the service. """
    node: str
    """The release of Node.js. """
    revision: str
    """The revision of the sources, or `unknown`. It ends with `-dirty` if files were changed. """
    built_at: int
    """The time of the build; `0` if it is unknown. """


class UserRowEmail(TypedDict):
    """UserRowEmail """

    id: NotRequired[str]
    """The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service. """
    email: str
    """An email address of at most 254 characters. White space around it is removed. """
    verified: NotRequired[bool]
    """Whether the user has proved to hold it. """
    verified_at: NotRequired[int]
    """When the user proved it. If absent, the time of the creation of the user. """


class UserRowPhoneNumber(TypedDict):
    """UserRowPhoneNumber """

    id: NotRequired[str]
    """The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service. """
    phone_number: str
    """A phone number in E.164 form, such as `+4915112345678`. """
    verified: NotRequired[bool]
    """Whether the user has proved to hold it. """
    verified_at: NotRequired[int]
    """When the user proved it. If absent, the time of the creation of the user. """


class UserRowIdentity(TypedDict):
    """UserRowIdentity """

    id: NotRequired[str]
    """The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service. """
    connection: NotRequired[str]
    """The id of the connection of this app. Give it or `provider`. """
    provider: NotRequired[str]
    """The name of the provider, if the app has one connection to it. """
    subject: str
    """The id of the user at the provider. """
    verified_at: NotRequired[int]
    """When the user first signed in by it. If absent, the time of the creation of the user. """


class UserRowPasskey(TypedDict):
    """UserRowPasskey """

    id: NotRequired[str]
    """The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service. """
    credential_id: str
    """The id that the authenticator gave, in base64url. """
    public_key: str
    """The public key in COSE form, in base64url. """
    counter: NotRequired[int]
    """The signature counter; `0` if the authenticator has none. """
    transports: NotRequired[list[str]]
    """The transports by which the authenticator can be reached. """
    rp_id: str
    """The domain that the passkey is bound to: the `rp_id` of the app. """
    user_handle: NotRequired[str]
    """The user handle that the authenticator stores, in base64url. If absent, it is the id of the user. """
    name: NotRequired[str]
    """The name of the passkey; may be empty. """
    backup_eligible: NotRequired[bool]
    """Whether the passkey may be copied to other devices. If absent, the first sign-in decides. """
    backed_up: NotRequired[bool]
    """Whether the passkey is on several devices of the user. """
    created_at: NotRequired[int]
    """When the passkey was made. If absent, the time of the creation of the user. """
    last_used_at: NotRequired[int]
    """When the user last signed in by it. """


class UserRowTotp(TypedDict):
    """UserRowTotp """

    id: NotRequired[str]
    """The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service. """
    secret: str
    """The shared secret in base32, for codes of 6 digits by SHA-1 and steps of 30 seconds. """
    verified: NotRequired[bool]
    """Whether the user has completed the enrolment. Otherwise it waits for its first code for 30 minutes. """
    verified_at: NotRequired[int]
    """When the user completed it. If absent, the time of the creation of the user. """
    recovery_codes: NotRequired[list[str]]
    """The unused recovery codes: letters and digits, and hyphens between them. """


class UserRowWallet(TypedDict):
    """UserRowWallet """

    id: NotRequired[str]
    """The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain: `ethereum` or `solana`. """
    public_address: str
    """The address on the chain. """
    contract_network: NotRequired[str]
    """The CAIP-2 name of the network whose contract signs for the address; absent if its own key does. """
    created_at: NotRequired[int]
    """When the user first signed in by it. If absent, the time of the creation of the user. """


class UserRowPassword(TypedDict):
    """UserRowPassword """

    algorithm: Literal["bcrypt", "argon2id", "argon2i", "scrypt", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512", "phpass", "scrypt-firebase", "ssha1", "ssha256", "ssha512"]
    """The algorithm of the hash. """
    hash: str
    """The hash as PHC or crypt text, with salt and costs; of `ssha…`, digest and salt in base64; of `scrypt-firebase`, the hash in base64. """
    salt: NotRequired[str]
    """The salt of the user, in base64. Only with `scrypt-firebase`, as are the next four. """
    salt_separator: NotRequired[str]
    """The salt separator of the project, in base64. """
    signer_key: NotRequired[str]
    """The signer key of the project, in base64. """
    rounds: NotRequired[int]
    """The rounds of the project. """
    mem_cost: NotRequired[int]
    """The memory cost of the project. """


class UserRow(TypedDict):
    """A user as an import takes it and an export returns it. """

    first_name: NotRequired[str]
    """The first name; may be empty. """
    middle_name: NotRequired[str]
    """The middle name; may be empty. """
    last_name: NotRequired[str]
    """The last name; may be empty. """
    external_id: NotRequired[str]
    """The id of the user in the app's own data, unique in the app. An empty text stands for none. """
    metadata: NotRequired[dict[str, Any]]
    """The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay. """
    user_id: NotRequired[str]
    """The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service. """
    status: NotRequired[Literal["pending", "active"]]
    """`pending` until an address is verified. """
    deactivated: NotRequired[bool]
    """Whether management keeps the user from signing in. """
    created_at: NotRequired[int]
    """When the user was created. If absent, the time of the import. """
    wallet_type: NotRequired[Literal["ethereum", "solana", "none"]]
    """The type of the managed wallet that the import makes for the user. """
    emails: NotRequired[list[UserRowEmail]]
    """The e-mail addresses of the user. """
    phone_numbers: NotRequired[list[UserRowPhoneNumber]]
    """The phone numbers of the user. """
    identities: NotRequired[list[UserRowIdentity]]
    """The identities of the user at identity providers. """
    webauthn_credentials: NotRequired[list[UserRowPasskey]]
    """The passkeys of the user. """
    totps: NotRequired[list[UserRowTotp]]
    """The authenticator app of the user. An export has it only with `include_secrets`. """
    wallets: NotRequired[list[UserRowWallet]]
    """The read-only wallets by which the user signs in. """
    password: NotRequired[UserRowPassword]
    """The hash of the password at the former vendor. An export has it only with `include_secrets`. """


class ImportUsersRequest(TypedDict):
    """ImportUsersRequest """

    users: list[UserRow]
    """The users to import. """
    on_conflict: NotRequired[Literal["skip", "fail"]]
    """The outcome of a row that shares a verified address, identity, passkey or wallet with a user of the app. """
    dry_run: NotRequired[bool]
    """Whether the rows are checked only. """
    publish: NotRequired[bool]
    """Whether events of the imported users are published. """
    keep_ids: NotRequired[bool]
    """Whether users, addresses and credentials keep the ids that the rows state. """
    revive: NotRequired[bool]
    """Whether rows are imported whose user was deleted in the last 400 days. """


class ImportedRowFault(TypedDict):
    """ImportedRowFault """

    field: str
    """The member of the row, such as `emails[0].email`. """
    rule: str
    """The rule that the member breaks. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class ImportedRowResult(TypedDict):
    """ImportedRowResult """

    index: int
    """The position of the row in the request, from 0. """
    external_id: str
    """The `external_id` of the row; empty if it has none. """
    outcome: Literal["imported", "skipped", "failed"]
    """`skipped`: the app has a user with the `external_id`, or the row is not to be imported. `failed`: `errors` say why. """
    user_id: str
    """The imported user, or the one who has the `external_id`; empty if there is none, and in a dry run. """
    errors: list[ImportedRowFault]
    """Why the row was not imported, or which addresses it was imported without. """


class ImportUsersResponse(TypedDict):
    """The outcome of each row. """

    imported: int
    """The number of rows that were imported. """
    skipped: int
    """The number of rows that were skipped. """
    failed: int
    """The number of rows that failed. """
    results: list[ImportedRowResult]
    """In the order of the request. """


class LimitsRequest(TypedDict):
    """LimitsRequest """

    secret_key_calls_per_second: NotRequired[int | None]
    """The maximum number of calls per second with the app's secret keys, counted by each replica. """
    recipient_sends_per_ten_minutes: NotRequired[int | None]
    """The maximum number of mails or SMS to one recipient in ten minutes. """
    network_sends_per_ten_minutes: NotRequired[int | None]
    """The maximum number of mails or SMS requested from one client network (the `ip` of `device_fingerprint`) in ten minutes. """
    sends_per_hour: NotRequired[int | None]
    """The maximum number of mails and SMS of the app in an hour. """
    sms_per_country_per_hour: NotRequired[int | None]
    """The maximum number of SMS of the app to one destination country in an hour. """
    wrong_tries_per_code: NotRequired[int | None]
    """The number of wrong tries that void a code. """
    wrong_tries_per_hour: NotRequired[int | None]
    """The number of wrong tries of a user in an hour, over all codes and factors, that lock the codes of that user. """
    network_wrong_tries_per_hour: NotRequired[int | None]
    """The number of wrong tries from one client network (the `ip` of `device_fingerprint`) in an hour, over all users and codes, from which on codes are refused from that network until the oldest try is an hour ago. Raise it if very many users share one address. """
    lock_minutes: NotRequired[int | None]
    """The duration, in minutes, of the lock on a user that `wrong_tries_per_hour` causes. """
    sessions_per_user: NotRequired[int | None]
    """The maximum number of live sessions of a user. When one more begins, the oldest ends. """
    stored_answers_mb: NotRequired[int | None]
    """The maximum size, in MiB, of the responses that are stored for `Idempotency-Key` in 24 hours; a login takes about 400 bytes. A tenth is reserved for payments and imports. From 80 % on, the event `limit.reached` says so. """
    sms_countries: NotRequired[list[str] | None]
    """The countries that SMS may go to (ISO 3166-1 alpha-2); `*` stands for all of them, an empty list for none. """


class SmsTemplateRequest(TypedDict):
    """SmsTemplateRequest """

    text: str
    """The text, which must contain `{{code}}`. The service adds the line for the phone's autofill at its end. """


class MailTemplateRequest(TypedDict):
    """MailTemplateRequest """

    subject: NotRequired[str]
    """The subject line. It may contain placeholders. """
    text: NotRequired[str]
    """The plain text of the mail. It goes together with `html`. """
    html: NotRequired[str]
    """A whole HTML document. Values are escaped where they are put in. """


class TemplatesRequest(TypedDict):
    """TemplatesRequest """

    sms: NotRequired[SmsTemplateRequest | None]
    """The SMS with a passcode; `null` restores the built-in text. """
    sign_in_method_added: NotRequired[MailTemplateRequest | None]
    """The mail about a sign-in method that the account of its receiver has gained. It must contain `{{method}}`. """
    sign_in_method_removed: NotRequired[MailTemplateRequest | None]
    """The mail about a sign-in method that the account of its receiver has lost. It must contain `{{method}}`. """
    recovery_begun: NotRequired[MailTemplateRequest | None]
    """The mail about the recovery of the account of its receiver. It must contain `{{expires_in}}`. """
    magic_link: NotRequired[MailTemplateRequest | None]
    """The mail with a magic link. It must contain `{{link}}`. """
    invite: NotRequired[MailTemplateRequest | None]
    """The mail with an invitation. It must contain `{{link}}`. """
    one_time_code: NotRequired[MailTemplateRequest | None]
    """The mail with a one-time code. It must contain `{{code}}`. """


class MessagesRequest(TypedDict):
    """MessagesRequest """

    sender_name: NotRequired[str | None]
    """The name beside the sender's address. The default is the app's name. """
    sender_address: NotRequired[str | None]
    """The address that mails come from. The default is the service's own. The mail server must be allowed to send for it. """
    web_domain: NotRequired[str | None]
    """The domain on whose pages codes are typed in, for the phone's autofill. The default is the host of the first allowed origin. """
    templates: NotRequired[TemplatesRequest]
    """The app's own templates. Their placeholders are `{{link}}`, `{{code}}` or `{{method}}`, `{{app_name}}`, `{{greeting}}` and, with a link or code, `{{expires_in}}`. """


class AssetRequest(TypedDict):
    """AssetRequest """

    network: NotRequired[str]
    """The name of the token's network. """
    chain: NotRequired[Literal["ethereum", "solana"]]
    """The same as `network`, for the networks `ethereum` and `solana`. At least one of the two is required. """
    name: str
    """The currency's name in transfers. """
    symbol: str
    """The symbol, which callers may use in place of the name. """
    decimals: int
    """The number of decimal places of the token: its smallest unit is 10 to the power of minus this number. """
    token: str
    """The ERC-20 contract, or the mint of Solana's token program. Payments in a mint of Token-2022 are refused. """


class MaxAmountRequest(TypedDict):
    """MaxAmountRequest """

    currency: str
    """A name such as `ethereum`, which bounds one network's coin, or a symbol such as `ETH`, which bounds it on all networks. """
    max_amount: str
    """The most one transfer may pay, as a decimal number of the currency's units. """


class MaxFeeRequest(TypedDict):
    """MaxFeeRequest """

    currency: str
    """The name of the network in whose coin the fees are paid; `ETH` and `SOL` mean `ethereum` and `solana`. """
    max_fee: str
    """The most one transaction may take in fees, as a decimal number of the coin's units. """


class TransferPolicyRequest(TypedDict):
    """TransferPolicyRequest """

    allowed_destinations: NotRequired[list[str] | None]
    """The only addresses that may be paid. An empty list allows none. Once there is a bound of any sort, `sign_transaction` signs nothing but plain payments within it. """
    max_amounts: NotRequired[list[MaxAmountRequest] | None]
    """The most one transfer may pay of a currency; currencies not named are not bounded. """
    max_fees: NotRequired[list[MaxFeeRequest] | None]
    """The most one transaction may take in fees, in the coin of its chain. Where it names no bound, `sign_transaction` signs no more fees than `max_amounts` allows to pay of the coin. """


class ListedTypedDataRequest(TypedDict):
    """ListedTypedDataRequest """

    primary_type: str
    """The `primaryType`, such as `Permit`. """
    verifying_contract: NotRequired[str | None]
    """The `verifyingContract` of the domain. If it is absent, the domain must name none. """
    chain_id: NotRequired[int | None]
    """The `chainId` of the domain. If it is absent, the domain must name none. """


class SigningPolicyRequest(TypedDict):
    """SigningPolicyRequest """

    typed_data: NotRequired[Literal["listed", "without_value", "any"] | None]
    """The typed data that is signed. `listed`: only listed types. `without_value` (the default): also types that are not known to move value, as permits, authorizations, orders, meta-transactions and changes of an account's control do. `any`: every type. A new live app begins with `listed`, and setting a `transfer_policy` makes it `listed`. """
    listed_typed_data: NotRequired[list[ListedTypedDataRequest] | None]
    """The typed data that is signed also if it moves value; `transfer_policy` does not bound it. The request replaces the list. """
    messages: NotRequired[Literal["any", "text", "none"] | None]
    """The messages that are signed. `any`: all messages. `text`: printable messages that are neither 32 bytes long nor one hash in hexadecimal, because a smart account accepts the signature of such a message as that of a transaction. `none`: no message. The default is `text` while a policy is in force, and else `any`; it stays `any` for an app whose first policy was activated by a release before this rule. Setting a `transfer_policy` makes it `text`. """
    allows_export: NotRequired[bool | None]
    """Whether private keys may be exported (the default). Setting a `transfer_policy` makes it `false`: an exported key is bound by no policy. """


class WebauthnSettingsRequest(TypedDict):
    """WebauthnSettingsRequest """

    rp_id: NotRequired[str]
    """The domain that passkeys are bound to: that of the pages, or a domain above it, but no public suffix such as `co.uk` or `github.io`. Passkeys of another domain do not sign in any more. Required when it is not set yet. """
    rp_name: NotRequired[str | None]
    """The name that authenticators show; `null` stands for the name of the app. """
    origins: NotRequired[list[str]]
    """The origins of the pages, such as `https://example.com`; http only on localhost. A host outside `rp_id` is a related origin, which `https://{rp_id}/.well-known/webauthn` must list. An Android app is `android:apk-key-hash:` and the SHA-256 of its certificate in base64url, and `https://{rp_id}/.well-known/assetlinks.json` must name it. Replaces the list. Required when it is not set yet. """


class PolicyChangeRequest(TypedDict):
    """PolicyChangeRequest """

    group: str
    """The approver group whose members vote. """
    count: int
    """The number of members who must approve. At least this number of members have a passkey. """


class AuthorizationServerRequest(TypedDict):
    """AuthorizationServerRequest """

    login_url: str
    """The page of the app on which users sign in and consent: https, or http on loopback. """
    client_metadata_hosts: NotRequired[list[str]]
    """The hosts, as `host` or `host:port`, whose Client ID Metadata Documents make clients. Without a list those of before stay. The clients of a host that is left out are deleted, and their tokens end. """


class CreateAppRequest(TypedDict):
    """CreateAppRequest """

    default_wallet_type: NotRequired[Literal["ethereum", "solana", "none"]]
    """The wallet a new user gets. """
    allowed_origins: NotRequired[list[str] | None]
    """The exact origins whose pages may call the public endpoints and sign in with a wallet. The request replaces the list; `null` empties it. """
    limits: NotRequired[LimitsRequest]
    """The limits to change. """
    messages: NotRequired[MessagesRequest | None]
    """The appearance of mails and SMS; `null` restores the standard in everything. """
    assets: NotRequired[list[AssetRequest] | None]
    """The tokens that the app's wallets may pay with, besides the chains' own coins. The request replaces the list; `null` empties it. """
    networks: NotRequired[list[str] | None]
    """The networks that the app may use, by name. `null` restores the standard, `ethereum` and `solana`. """
    transfer_policy: NotRequired[TransferPolicyRequest | None]
    """The bounds on payments; `null` removes all of them. """
    accept_confirmed: NotRequired[list[MaxAmountRequest] | None]
    """The largest payments for which a confirmation returns at the first block (`pending`, with `confirmed_at`). The request replaces the list; `null` empties it. """
    signing_policy: NotRequired[SigningPolicyRequest]
    """The rules for signatures that move no funds by a transfer. """
    oauth_begin: NotRequired[Literal["any", "bound"] | None]
    """With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`, so that no login ends in another browser than the one that began it. `null` restores the default, `any`. """
    step_up: NotRequired[Literal["sessions", "always"] | None]
    """The calls that need a fresh session where the user has a verified sign-in method and gains or loses one: `sessions`, those that carry a session of the user; `always`, also those by the key of the app alone. `null` restores the default, `sessions`. """
    step_up_method_age_hours: NotRequired[int | None]
    """The hours since the first proof of a sign-in method after which its proof makes a session fresh; the first method of an account does so at once. `0` lets every method do so at once. `null` restores the default, 24. """
    removal_needs_session: NotRequired[bool | None]
    """Whether the app removes a sign-in method of a user only with a session of the user. `null` restores the default, false. """
    sign_in_method_messages: NotRequired[bool | None]
    """Whether the user is notified by mail, or by SMS where only a number is verified, when their account gains or loses a sign-in method. `null` restores the default, true. """
    approver_passkey_hours: NotRequired[int | None]
    """The hours after which a passkey that an approver has made after becoming a member of a group votes. `0` only in test apps; `null` restores the default, 24. If the app has `policy_change`, fewer hours need an approval. """
    recovery_wait_hours: NotRequired[int | None]
    """The hours from the beginning of a recovery of a user until the new address signs the user in. Meanwhile the user and operators can cancel it. `null` restores the default, 48. """
    name: str
    """The name that users read in mails, and as the issuer in authenticator apps. """
    mode: NotRequired[Literal["test", "live"]]
    """The mode, which never changes: keys of the two modes belong to different apps. """
    session_idle_minutes: NotRequired[int | None]
    """The minutes without a verify call after which a session has expired, at most a minute later; `null` removes the bound. It holds for sessions that have begun too. """
    session_max_minutes: NotRequired[int | None]
    """The minutes from its start after which a session has expired, however often it is extended; `null` removes the bound. It holds for sessions that have begun too. """
    session_claims: NotRequired[list[str] | None]
    """The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. The request replaces the list; `null` empties it. """
    webauthn: NotRequired[WebauthnSettingsRequest | None]
    """The settings of passkeys; null if the app does not use passkeys. """
    policy_change: NotRequired[PolicyChangeRequest | None]
    """The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone. """
    authorization_server: NotRequired[AuthorizationServerRequest | None]
    """The authorization server of the app; null while it is switched off. """
    password_login_until: NotRequired[int | None]
    """The time until which imported passwords sign in, in epoch seconds; `null` ends it. """


class WebauthnSettingsResponse(TypedDict):
    """WebauthnSettingsResponse """

    rp_id: str
    """The domain that passkeys are bound to. """
    rp_name: str | None
    """The name that authenticators show; `null` stands for the name of the app. """
    origins: list[str]
    """The origins of the pages and Android apps that may use passkeys. """


class PolicyChangeResponse(TypedDict):
    """PolicyChangeResponse """

    group: str
    """The approver group whose members vote. """
    count: int
    """The number of members who must approve. """


class AuthorizationServerResponse(TypedDict):
    """AuthorizationServerResponse """

    login_url: str
    """The page of the app on which users sign in and consent. """
    client_metadata_hosts: list[str]
    """The hosts whose Client ID Metadata Documents make clients. """


class LimitsResponse(TypedDict):
    """LimitsResponse """

    secret_key_calls_per_second: int
    """The maximum number of calls per second with the app's secret keys, counted by each replica. """
    recipient_sends_per_ten_minutes: int
    """The maximum number of mails or SMS to one recipient in ten minutes. """
    network_sends_per_ten_minutes: int
    """The maximum number of mails or SMS requested from one client network (the `ip` of `device_fingerprint`) in ten minutes. """
    sends_per_hour: int
    """The maximum number of mails and SMS of the app in an hour. """
    sms_per_country_per_hour: int
    """The maximum number of SMS of the app to one destination country in an hour. """
    wrong_tries_per_code: int
    """The number of wrong tries that void a code. """
    wrong_tries_per_hour: int
    """The number of wrong tries of a user in an hour, over all codes and factors, that lock the codes of that user. """
    network_wrong_tries_per_hour: int
    """The number of wrong tries from one client network (the `ip` of `device_fingerprint`) in an hour, over all users and codes, from which on codes are refused from that network until the oldest try is an hour ago. Raise it if very many users share one address. """
    lock_minutes: int
    """The duration, in minutes, of the lock on a user that `wrong_tries_per_hour` causes. """
    sessions_per_user: int
    """The maximum number of live sessions of a user. When one more begins, the oldest ends. """
    stored_answers_mb: int
    """The maximum size, in MiB, of the responses that are stored for `Idempotency-Key` in 24 hours; a login takes about 400 bytes. A tenth is reserved for payments and imports. From 80 % on, the event `limit.reached` says so. """
    sms_countries: list[str]
    """The countries that SMS may go to; `*` stands for all countries. """


class MailTemplateResponse(TypedDict):
    """MailTemplateResponse """

    subject: NotRequired[str]
    """The subject line; absent if the built-in one applies. """
    text: NotRequired[str]
    """The plain text of the mail; absent if the built-in one applies. """
    html: NotRequired[str]
    """The HTML document of the mail; absent if the built-in one applies. """


class SmsTemplateResponse(TypedDict):
    """SmsTemplateResponse """

    text: str
    """The text with the placeholder `{{code}}`. """


class TemplatesResponse(TypedDict):
    """TemplatesResponse """

    sign_in_method_added: MailTemplateResponse | None
    """The mail about a sign-in method that the account of its receiver has gained. It must contain `{{method}}`. It is null if the built-in template applies. """
    sign_in_method_removed: MailTemplateResponse | None
    """The mail about a sign-in method that the account of its receiver has lost. It must contain `{{method}}`. It is null if the built-in template applies. """
    recovery_begun: MailTemplateResponse | None
    """The mail about the recovery of the account of its receiver. It must contain `{{expires_in}}`. It is null if the built-in template applies. """
    magic_link: MailTemplateResponse | None
    """The mail with a magic link. It must contain `{{link}}`. It is null if the built-in template applies. """
    invite: MailTemplateResponse | None
    """The mail with an invitation. It must contain `{{link}}`. It is null if the built-in template applies. """
    one_time_code: MailTemplateResponse | None
    """The mail with a one-time code. It must contain `{{code}}`. It is null if the built-in template applies. """
    sms: SmsTemplateResponse | None
    """The SMS with a passcode; null if the built-in text applies. """


class MessagesResponse(TypedDict):
    """MessagesResponse """

    sender_name: str | None
    """The name beside the sender's address; null stands for the app's name. """
    sender_address: str | None
    """The address that mails come from; null stands for the service's own. """
    web_domain: str | None
    """The domain on whose pages codes are typed in; null stands for the host of the first allowed origin. """
    templates: TemplatesResponse
    """The app's own templates. """


class AssetResponse(TypedDict):
    """AssetResponse """

    network: str
    """The name of the token's network. """
    chain: str
    """The same as `network`. """
    name: str
    """The currency's name in transfers. """
    symbol: str
    """The symbol, which callers may use in place of the name. """
    decimals: int
    """The number of decimal places of the token: its smallest unit is 10 to the power of minus this number. """
    token: str
    """The ERC-20 contract or the SPL mint, in canonical form. """


class MaxAmountResponse(TypedDict):
    """MaxAmountResponse """

    currency: str
    """The currency's name, such as `ethereum`, or its symbol. """
    max_amount: str
    """The most one transfer may pay, as a decimal number of the currency's whole units. """


class MaxFeeResponse(TypedDict):
    """MaxFeeResponse """

    currency: str
    """The name of the network in whose coin the fees are paid. """
    max_fee: str
    """The most one transaction may take in fees, as a decimal number of the coin's whole units. """


class TransferPolicyResponse(TypedDict):
    """TransferPolicyResponse """

    allowed_destinations: list[str] | None
    """The only addresses that may be paid; `null` if any address may be paid. """
    max_amounts: list[MaxAmountResponse]
    """The most one transfer may pay of a currency. Currencies that are not named are not bounded. """
    max_fees: list[MaxFeeResponse]
    """The most one transaction may take in fees, in the coin of its chain. """


class ListedTypedDataResponse(TypedDict):
    """ListedTypedDataResponse """

    primary_type: str
    """The `primaryType`, such as `Permit`. """
    verifying_contract: str | None
    """The `verifyingContract` of the domain; null if the domain must name none. """
    chain_id: int | None
    """The `chainId` of the domain; null if the domain must name none. """


class SigningPolicyResponse(TypedDict):
    """SigningPolicyResponse """

    typed_data: Literal["listed", "without_value", "any"]
    """The rule for typed data: `listed`: only listed types; `without_value`: also types that are not known to move value; `any`: every type. """
    listed_typed_data: list[ListedTypedDataResponse]
    """The typed data that is signed also if it moves value. """
    messages: Literal["any", "text", "none"]
    """The rule for messages: `any`: all; `text`: printable ones that are not a hash; `none`: no message. """
    allows_export: bool
    """Whether private keys may be exported. """


class CreatedAppResponse(TypedDict):
    """The new app with its first keys, which are shown only once. """

    session_idle_minutes: int | None
    """The minutes without a verify call after which a session has expired, at most a minute later; `null`: no bound. """
    session_max_minutes: int | None
    """The minutes from its start after which a session has expired, however often it is extended; `null`: no bound. """
    session_claims: list[str]
    """The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. """
    webauthn: WebauthnSettingsResponse | None
    """The settings of passkeys; null if the app does not use passkeys. """
    policy_change: PolicyChangeResponse | None
    """The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone. """
    authorization_server: AuthorizationServerResponse | None
    """The authorization server of the app; null while it is switched off. """
    password_login_until: int
    """The time until which imported passwords sign in, in epoch seconds; `0` if they do not. """
    id: str
    """The id of the app, which begins with `app_`. """
    name: str
    """The name that users read in mails, and as the issuer in authenticator apps. """
    mode: Literal["test", "live"]
    """The mode, which never changes. Keys of a `test` app begin with `sk_test_` and `pk_test_`. """
    default_wallet_type: Literal["ethereum", "solana", "none"]
    """The wallet that a new user gets. """
    allowed_origins: list[str]
    """The exact origins whose pages may call the public endpoints and sign in with a wallet. """
    limits: LimitsResponse
    """The limits in force, defaults included. """
    messages: MessagesResponse
    """The appearance of mails and SMS. """
    assets: list[AssetResponse]
    """The tokens that the app's wallets may pay with, besides the chains' own coins. """
    networks: list[str] | None
    """The networks that the app may use; `null` is the standard: `ethereum` and `solana` if they are configured. """
    transfer_policy: TransferPolicyResponse
    """The bounds on payments. """
    accept_confirmed: list[MaxAmountResponse]
    """The largest payments for which a confirmation returns at the first block. """
    signing_policy: SigningPolicyResponse
    """The rules for signatures. """
    oauth_begin: Literal["any", "bound"]
    """With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`. The default is `any`. """
    step_up: Literal["sessions", "always"]
    """The calls that need a fresh session where the user gains or loses a sign-in method. The default is `sessions`. """
    step_up_method_age_hours: int
    """The hours since the first proof of a sign-in method after which its proof makes a session fresh. The default is 24. """
    removal_needs_session: bool
    """Whether the app removes a sign-in method of a user only with a session of the user. The default is false. """
    sign_in_method_messages: bool
    """Whether the user is notified when their account gains or loses a sign-in method. The default is true. """
    approver_passkey_hours: int
    """The hours after which a passkey that an approver has made after becoming a member votes. The default is 24. """
    recovery_wait_hours: int
    """The hours from the beginning of a recovery of a user until the new address signs the user in. The default is 48. """
    frozen_at: int
    """The time since which the wallets of the app sign nothing, in epoch seconds; `0` if they sign. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    secret_key: str
    """The app's first secret key, which is shown only once. """
    public_token: str
    """The app's first public token, which is shown only once. """


class AppResponse(TypedDict):
    """The app with its settings. """

    session_idle_minutes: int | None
    """The minutes without a verify call after which a session has expired, at most a minute later; `null`: no bound. """
    session_max_minutes: int | None
    """The minutes from its start after which a session has expired, however often it is extended; `null`: no bound. """
    session_claims: list[str]
    """The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. """
    webauthn: WebauthnSettingsResponse | None
    """The settings of passkeys; null if the app does not use passkeys. """
    policy_change: PolicyChangeResponse | None
    """The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone. """
    authorization_server: AuthorizationServerResponse | None
    """The authorization server of the app; null while it is switched off. """
    password_login_until: int
    """The time until which imported passwords sign in, in epoch seconds; `0` if they do not. """
    id: str
    """The id of the app, which begins with `app_`. """
    name: str
    """The name that users read in mails, and as the issuer in authenticator apps. """
    mode: Literal["test", "live"]
    """The mode, which never changes. Keys of a `test` app begin with `sk_test_` and `pk_test_`. """
    default_wallet_type: Literal["ethereum", "solana", "none"]
    """The wallet that a new user gets. """
    allowed_origins: list[str]
    """The exact origins whose pages may call the public endpoints and sign in with a wallet. """
    limits: LimitsResponse
    """The limits in force, defaults included. """
    messages: MessagesResponse
    """The appearance of mails and SMS. """
    assets: list[AssetResponse]
    """The tokens that the app's wallets may pay with, besides the chains' own coins. """
    networks: list[str] | None
    """The networks that the app may use; `null` is the standard: `ethereum` and `solana` if they are configured. """
    transfer_policy: TransferPolicyResponse
    """The bounds on payments. """
    accept_confirmed: list[MaxAmountResponse]
    """The largest payments for which a confirmation returns at the first block. """
    signing_policy: SigningPolicyResponse
    """The rules for signatures. """
    oauth_begin: Literal["any", "bound"]
    """With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`. The default is `any`. """
    step_up: Literal["sessions", "always"]
    """The calls that need a fresh session where the user gains or loses a sign-in method. The default is `sessions`. """
    step_up_method_age_hours: int
    """The hours since the first proof of a sign-in method after which its proof makes a session fresh. The default is 24. """
    removal_needs_session: bool
    """Whether the app removes a sign-in method of a user only with a session of the user. The default is false. """
    sign_in_method_messages: bool
    """Whether the user is notified when their account gains or loses a sign-in method. The default is true. """
    approver_passkey_hours: int
    """The hours after which a passkey that an approver has made after becoming a member votes. The default is 24. """
    recovery_wait_hours: int
    """The hours from the beginning of a recovery of a user until the new address signs the user in. The default is 48. """
    frozen_at: int
    """The time since which the wallets of the app sign nothing, in epoch seconds; `0` if they sign. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class AppListResponse(TypedDict):
    """A page of the apps. """

    apps: list[AppResponse]
    """The apps, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class UpdateAppRequest(TypedDict):
    """UpdateAppRequest """

    default_wallet_type: NotRequired[Literal["ethereum", "solana", "none"]]
    """The wallet a new user gets. """
    allowed_origins: NotRequired[list[str] | None]
    """The exact origins whose pages may call the public endpoints and sign in with a wallet. The request replaces the list; `null` empties it. """
    limits: NotRequired[LimitsRequest]
    """The limits to change. """
    messages: NotRequired[MessagesRequest | None]
    """The appearance of mails and SMS; `null` restores the standard in everything. """
    assets: NotRequired[list[AssetRequest] | None]
    """The tokens that the app's wallets may pay with, besides the chains' own coins. The request replaces the list; `null` empties it. """
    networks: NotRequired[list[str] | None]
    """The networks that the app may use, by name. `null` restores the standard, `ethereum` and `solana`. """
    transfer_policy: NotRequired[TransferPolicyRequest | None]
    """The bounds on payments; `null` removes all of them. """
    accept_confirmed: NotRequired[list[MaxAmountRequest] | None]
    """The largest payments for which a confirmation returns at the first block (`pending`, with `confirmed_at`). The request replaces the list; `null` empties it. """
    signing_policy: NotRequired[SigningPolicyRequest]
    """The rules for signatures that move no funds by a transfer. """
    oauth_begin: NotRequired[Literal["any", "bound"] | None]
    """With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`, so that no login ends in another browser than the one that began it. `null` restores the default, `any`. """
    step_up: NotRequired[Literal["sessions", "always"] | None]
    """The calls that need a fresh session where the user has a verified sign-in method and gains or loses one: `sessions`, those that carry a session of the user; `always`, also those by the key of the app alone. `null` restores the default, `sessions`. """
    step_up_method_age_hours: NotRequired[int | None]
    """The hours since the first proof of a sign-in method after which its proof makes a session fresh; the first method of an account does so at once. `0` lets every method do so at once. `null` restores the default, 24. """
    removal_needs_session: NotRequired[bool | None]
    """Whether the app removes a sign-in method of a user only with a session of the user. `null` restores the default, false. """
    sign_in_method_messages: NotRequired[bool | None]
    """Whether the user is notified by mail, or by SMS where only a number is verified, when their account gains or loses a sign-in method. `null` restores the default, true. """
    approver_passkey_hours: NotRequired[int | None]
    """The hours after which a passkey that an approver has made after becoming a member of a group votes. `0` only in test apps; `null` restores the default, 24. If the app has `policy_change`, fewer hours need an approval. """
    recovery_wait_hours: NotRequired[int | None]
    """The hours from the beginning of a recovery of a user until the new address signs the user in. Meanwhile the user and operators can cancel it. `null` restores the default, 48. """
    name: NotRequired[str]
    """The name that users read in mails, and as the issuer in authenticator apps. """
    approval_id: NotRequired[str]
    """The approval that the refused call (409 `approval_required`) named, once it is approved. Only a change of `policy_change` needs one. """
    session_idle_minutes: NotRequired[int | None]
    """The minutes without a verify call after which a session has expired, at most a minute later; `null` removes the bound. It holds for sessions that have begun too. """
    session_max_minutes: NotRequired[int | None]
    """The minutes from its start after which a session has expired, however often it is extended; `null` removes the bound. It holds for sessions that have begun too. """
    session_claims: NotRequired[list[str] | None]
    """The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. The request replaces the list; `null` empties it. """
    webauthn: NotRequired[WebauthnSettingsRequest | None]
    """The settings of passkeys; null if the app does not use passkeys. """
    policy_change: NotRequired[PolicyChangeRequest | None]
    """The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone. """
    authorization_server: NotRequired[AuthorizationServerRequest | None]
    """The authorization server of the app; null while it is switched off. """
    password_login_until: NotRequired[int | None]
    """The time until which imported passwords sign in, in epoch seconds; `null` ends it. """


class DeletedResponse(TypedDict):
    """The object was deleted. """

    id: str
    """The id of the deleted app, key, redirect URL or connection. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class CreateKeyRequest(TypedDict):
    """CreateKeyRequest """

    kind: Literal["secret", "public", "restricted"]
    """The kind of key: `secret` for a backend, `public` for the start of a login in a browser, `restricted` for a program that needs only some calls or only some objects. """
    name: NotRequired[str]
    """A name by which operators recognise the key. """
    expires_at: NotRequired[int]
    """The time from which the key is refused, in epoch seconds. If it is `0` or absent, the key is valid until it is revoked. """
    scopes: NotRequired[list[Literal["users:read", "users:write", "sessions:read", "sessions:write", "login:write", "wallets:read", "wallets:sign", "transfers:read", "transfers:write", "events:read", "webhooks:write", "policies:read", "approvals:vote"]]]
    """The calls that a restricted key may make, by their scopes in this document. No scope includes another one. """
    user_id: NotRequired[str]
    """The only user whom a restricted key sees. Another object is treated as unknown. """
    wallet_ids: NotRequired[list[str]]
    """The only wallets that a restricted key sees. With `user_id` they must belong to that user. """
    ip_ranges: NotRequired[list[str]]
    """The networks from which a restricted key may be used, in CIDR notation. If absent, from every network. """
    rate: NotRequired[int]
    """The maximum number of calls per second with a restricted key, counted by each replica beside the limit of the app. """
    replaces: NotRequired[str]
    """The key of the same kind that the new one replaces. It ends after `overlap_minutes`, unless it ends earlier. Nothing of it passes to the new one: its policies do not apply to that, open approvals that it asked for become void, and its webhook endpoints pass to the app, disabled. """
    overlap_minutes: NotRequired[int]
    """The number of minutes for which the key in `replaces` is accepted beside the new one, 1440 if absent. """


class CreatedKeyResponse(TypedDict):
    """The new key with its text, which is shown only once. """

    id: str
    """The id of the key, which begins with `key_`. """
    kind: Literal["secret", "public", "restricted"]
    """The kind of key: `secret`, `public` or `restricted`. Only a restricted key has the members from `scopes` on. """
    name: str
    """The name by which operators recognise the key; may be empty. """
    created_at: int
    """The time of creation, in epoch seconds. """
    expires_at: int
    """The time from which the key is refused, in epoch seconds; `0` if it is valid until it is revoked. """
    last_used_at: int
    """The time of the last use in epoch seconds, exact to the minute; `0` if the key was never used. """
    scopes: NotRequired[list[Literal["users:read", "users:write", "sessions:read", "sessions:write", "login:write", "wallets:read", "wallets:sign", "transfers:read", "transfers:write", "events:read", "webhooks:write", "policies:read", "approvals:vote"]]]
    """The scopes of the calls that the key may make. """
    user_id: NotRequired[str]
    """The user to whom the key is bound; empty if it is bound to none. """
    wallet_ids: NotRequired[list[str]]
    """The wallets to which the key is bound; empty if it is bound to none. """
    ip_ranges: NotRequired[list[str]]
    """The networks from which the key may be used; empty if from every network. """
    rate: NotRequired[int | None]
    """The maximum number of calls per second with the key; null if only the limit of the app applies. """
    key: str
    """The text of the key, which is shown only once. """


class KeyResponse(TypedDict):
    """KeyResponse """

    id: str
    """The id of the key, which begins with `key_`. """
    kind: Literal["secret", "public", "restricted"]
    """The kind of key: `secret`, `public` or `restricted`. Only a restricted key has the members from `scopes` on. """
    name: str
    """The name by which operators recognise the key; may be empty. """
    created_at: int
    """The time of creation, in epoch seconds. """
    expires_at: int
    """The time from which the key is refused, in epoch seconds; `0` if it is valid until it is revoked. """
    last_used_at: int
    """The time of the last use in epoch seconds, exact to the minute; `0` if the key was never used. """
    scopes: NotRequired[list[Literal["users:read", "users:write", "sessions:read", "sessions:write", "login:write", "wallets:read", "wallets:sign", "transfers:read", "transfers:write", "events:read", "webhooks:write", "policies:read", "approvals:vote"]]]
    """The scopes of the calls that the key may make. """
    user_id: NotRequired[str]
    """The user to whom the key is bound; empty if it is bound to none. """
    wallet_ids: NotRequired[list[str]]
    """The wallets to which the key is bound; empty if it is bound to none. """
    ip_ranges: NotRequired[list[str]]
    """The networks from which the key may be used; empty if from every network. """
    rate: NotRequired[int | None]
    """The maximum number of calls per second with the key; null if only the limit of the app applies. """


class KeyListResponse(TypedDict):
    """A page of the keys that are not revoked, without their texts. """

    keys: list[KeyResponse]
    """The keys that are not revoked, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class RegisterRedirectUrlRequest(TypedDict):
    """RegisterRedirectUrlRequest """

    url: str
    """The URL uses https, or http on loopback and for test apps. It has no credentials and no fragment, and is compared in full. """
    kind: Literal["login", "registration", "invite"]
    """The users who are sent to the URL: those who log in, those who register, or those who were invited. """
    is_default: NotRequired[bool]
    """Whether the URL applies if a request names none. It replaces the earlier default. """


class RedirectUrlResponse(TypedDict):
    """The redirect URL as it is registered. """

    id: str
    """The id of the redirect URL, which begins with `rurl_`. """
    url: str
    """The URL in canonical form. """
    kind: Literal["login", "registration", "invite"]
    """The users who are sent to the URL: those who log in, those who register, or those who were invited. """
    is_default: bool
    """Whether the URL applies if a request names none of its kind. """
    created_at: int
    """The time of creation, in epoch seconds. """


class RedirectUrlListResponse(TypedDict):
    """A page of the registered redirect URLs. """

    redirect_urls: list[RedirectUrlResponse]
    """The redirect URLs, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class CreateOauthConnectionRequest(TypedDict):
    """CreateOauthConnectionRequest """

    issuer: NotRequired[str | None]
    """The issuer URL of an OpenID Connect provider, exactly as its tokens spell it. """
    team_id: NotRequired[str | None]
    """The id of the developer team, for Apple only. """
    key_id: NotRequired[str | None]
    """The id of the signing key, for Apple only. """
    private_key: NotRequired[str]
    """The signing key (PKCS #8 in PEM), for Apple only. It is never returned. """
    trusts_email: NotRequired[bool]
    """Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook. """
    email_domains: NotRequired[list[str] | None]
    """The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it. """
    pkce: NotRequired[bool]
    """Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app. """
    userinfo: NotRequired[Literal["required", "optional"]]
    """With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user. """
    provider: str
    """The provider's name: google, microsoft, apple, github, discord, slack, facebook, okta, linkedin, gitlab, twitch, or a name of your choice for the OpenID Connect provider of `issuer` or `domain`. """
    client_id: str
    """The app's id at the provider. """
    client_secret: NotRequired[str]
    """The app's secret at the provider. It is never returned. """
    domain: NotRequired[str]
    """The host of an OpenID Connect provider, in place of `issuer`: the issuer is `https://{domain}`. """


class OauthConnectionResponse(TypedDict):
    """The connection without its secrets. """

    id: str
    """The id of the OAuth connection, which begins with `oauthconn_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    provider: str
    """The name of the identity provider, as it stands in the paths of a login. """
    client_id: str
    """The app's id at the provider. """
    issuer: str
    """The issuer URL; empty if none was given. """
    team_id: str
    """The id of Apple's developer team; empty if none was given. """
    key_id: str
    """The id of Apple's signing key; empty if none was given. """
    trusts_email: bool
    """Whether an email that this provider calls verified counts as proof of it, within `email_domains`. """
    email_domains: list[str]
    """The domains whose addresses the provider is trusted with, in lower-case ASCII (IDNA). """
    pkce: bool
    """Whether logins send PKCE (RFC 7636) to the provider. """
    userinfo: Literal["required", "optional"]
    """Whether a new user whose id_token has no email is created while the userinfo endpoint denies its answer. """
    callback_url: str
    """The redirect URI to enter at the provider. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class OauthConnectionListResponse(TypedDict):
    """A page of the connections, without their secrets. """

    oauth_connections: list[OauthConnectionResponse]
    """The connections, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class UpdateOauthConnectionRequest(TypedDict):
    """UpdateOauthConnectionRequest """

    issuer: NotRequired[str | None]
    """The issuer URL of an OpenID Connect provider, exactly as its tokens spell it. """
    team_id: NotRequired[str | None]
    """The id of the developer team, for Apple only. """
    key_id: NotRequired[str | None]
    """The id of the signing key, for Apple only. """
    private_key: NotRequired[str]
    """The signing key (PKCS #8 in PEM), for Apple only. It is never returned. """
    trusts_email: NotRequired[bool]
    """Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook. """
    email_domains: NotRequired[list[str] | None]
    """The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it. """
    pkce: NotRequired[bool]
    """Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app. """
    userinfo: NotRequired[Literal["required", "optional"]]
    """With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user. """
    client_id: NotRequired[str]
    """The app's id at the provider. """
    client_secret: NotRequired[str]
    """The app's secret at the provider. It is never returned. """


class ManagementSessionResponse(TypedDict):
    """The caller and its role. """

    key_id: str
    """The id of the management key; empty for an operator who signed in at the OpenID provider. """
    operator: str
    """The name of an operator who signed in at the OpenID provider; empty for a key. """
    role: Literal["owner", "operator", "support", "auditor"]
    """The role: an `owner` may do everything, an `operator` may not change apps, keys, redirect URLs and connections, `support` may change users, their sessions and messages, and retry jobs, an `auditor` may only read. """
    expires_at: int
    """The time when the session or the key ends, in epoch seconds; `0` if the key is valid until it is revoked. """
    proved_at: int
    """The time at which the operator of a browser session proved who they are, in epoch seconds; `0` for a call with a key, and if it is not known. """


class EndedManagementSessionResponse(TypedDict):
    """The session has ended, and its cookie is removed. """

    message: str
    """The result as a sentence for people. Its wording may change. """


class ListedManagementSession(TypedDict):
    """ListedManagementSession """

    key_id: str
    """The management key that began it; empty for an operator who signed in at the OpenID provider. """
    operator: str
    """The name of an operator who signed in at the OpenID provider; empty for a key. """
    role: Literal["owner", "operator", "support", "auditor"]
    """The role of the session. """
    created_at: int
    """The time of creation, in epoch seconds. """
    last_used_at: int
    """The time of the last call, in epoch seconds, exact to the minute. """
    proved_at: int
    """The time at which the operator proved who they are, in epoch seconds; `0` if it is not known. """
    expires_at: int
    """The time at which the session ends at the latest, in epoch seconds. """


class ManagementSessionListResponse(TypedDict):
    """The live sessions of browsers. """

    sessions: list[ListedManagementSession]
    """The sessions, the newest first. """


class MessageResponse(TypedDict):
    """MessageResponse """

    id: str
    """The id of the message, which begins with `msg_`. """
    channel: Literal["mail", "sms"]
    """The channel: `mail` to an email address, or `sms` to a phone number. """
    kind: Literal["sign_in_method_added", "sign_in_method_removed", "recovery_begun", "magic_link", "invite", "one_time_code"]
    """The purpose of the message, which also names its template. """
    recipient: str
    """The email address or phone number that the message goes to. """
    status: Literal["pending", "sent", "failed"]
    """The status: `pending` until the mail server or the SMS gateway accepts it; `failed` when it is not tried again. """
    attempts: int
    """The number of attempts to send the message. """
    last_error: str
    """The error of the last attempt; empty after a success. """
    created_at: int
    """The time of creation, in epoch seconds. """
    sent_at: int
    """The time when it was accepted, in epoch seconds; `0` before. """


class MessageListResponse(TypedDict):
    """A page of the sent messages, without their contents. """

    messages: list[MessageResponse]
    """The messages, newest first. A message is listed for 30 days. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class JobResponse(TypedDict):
    """A job of the app that is not done. """

    id: str
    """The id of the job, which begins with `job_`. """
    kind: str
    """The kind of the job, such as `mail` or `sms`. """
    state: Literal["waiting", "running", "retrying", "dead"]
    """The state: `waiting` for its first attempt, `running`, `retrying` after a failure, or `dead`, which is not tried again. """
    attempts: int
    """The number of attempts that have begun. """
    last_error: str
    """The error of the last attempt; empty before the first failure. """
    created_at: int
    """The time of creation, in epoch seconds. """
    due_at: int
    """The time of its next run, in epoch seconds; `0` once it is dead. """


class JobListResponse(TypedDict):
    """A page of the jobs that are not done. """

    jobs: list[JobResponse]
    """The jobs, newest first. A job that is done is not listed. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class KeyProviderResponse(TypedDict):
    """KeyProviderResponse """

    name: Literal["vault", "aws-kms", "pkcs11"]
    """The kind of the provider. """
    status: Literal["ok", "unavailable", "unknown"]
    """The result of the last call: `ok`, `unavailable`, or `unknown` before the first one. """
    fault: Literal["unreachable", "timeout", "throttled", "denied", "failed"] | None
    """Why the last call failed; null if it did not. """
    failing_since: int
    """The time since which calls fail, in epoch seconds; 0 if the last one did not. """
    checked_at: int
    """The time of the last call, in epoch seconds; 0 before the first one. """


class AppKeysResponse(TypedDict):
    """AppKeysResponse """

    provider: str
    """The kind of the provider. """
    generation: int
    """The generation of the keys. """
    apps: int
    """The number of apps with such a key. The service itself counts as one. """


class SealedValuesResponse(TypedDict):
    """SealedValuesResponse """

    sealed_by: Literal["master-keys", "vault", "aws-kms", "pkcs11", "unknown"]
    """The holder of the key; `unknown` for altered values, which name none. """
    master_key: str
    """The id of the master key; empty for the keys of a provider. """
    values: int
    """The number of values. """
    is_current: bool
    """Whether it seals new values. The settings of another one must stay until its values are moved. """


class KeyEscrowResponse(TypedDict):
    """KeyEscrowResponse """

    created_at: int
    """The time of creation, in epoch seconds. """
    keys: int
    """The number of keys in it. """
    threshold: int
    """The number of private keys that open it together. """
    recipients: int
    """The number of its recipients. """
    newer_keys: int
    """The number of keys that were made or restored since, which it may lack. """


class KeyStorageResponse(TypedDict):
    """Where the keys are that protect all secrets. """

    provider: Literal["master-keys", "vault", "aws-kms", "pkcs11"]
    """The holder of the keys that seal new values. """
    providers: list[KeyProviderResponse]
    """The providers of the configuration. """
    app_keys: list[AppKeysResponse]
    """The keys of apps that are not retired; none under master keys. """
    sealed_values: list[SealedValuesResponse]
    """The sealed values at the last count that was completed; empty before the first one. """
    counted_at: int
    """The time of that count, in epoch seconds; 0 before the first one. """
    count_failed_at: int
    """The time of the last count if it failed, in epoch seconds; 0 otherwise. """
    is_counting: bool
    """Whether the replica counts the values now. """
    escrow: KeyEscrowResponse | None
    """The last escrow of the keys of the provider; null if none was made. """


class PreviewTemplateRequest(TypedDict):
    """PreviewTemplateRequest """

    subject: NotRequired[str]
    """The subject line. It may contain placeholders. """
    text: NotRequired[str]
    """The plain text of the mail. It goes together with `html`. """
    html: NotRequired[str]
    """A whole HTML document. Values are escaped where they are put in. """
    kind: Literal["sign_in_method_added", "sign_in_method_removed", "recovery_begun", "magic_link", "invite", "one_time_code"]
    """The kind of mail to show. """
    name: NotRequired[str]
    """The name in the greeting. """


class TemplatePreviewResponse(TypedDict):
    """The mail with sample values. Nothing was sent. """

    kind: Literal["sign_in_method_added", "sign_in_method_removed", "recovery_begun", "magic_link", "invite", "one_time_code"]
    """The kind of the mail. """
    subject: str
    """The subject line with the sample values. """
    text: str
    """The plain text with the sample values. """
    html: str
    """A whole HTML document. Show it in a frame without scripts: an operator wrote it. """


class AuditEntryResponse(TypedDict):
    """AuditEntryResponse """

    id: str
    """The id of the audit entry, which begins with `audit_`. """
    at: int
    """The time of the entry, in epoch seconds. """
    actor: str
    """The id of the key that was used; `oidc:` and the name of an operator who signed in at the OpenID provider; `cli` or `first_start` if an operator worked at the machine, `unknown` for a refused call without a valid key. """
    actor_name: str
    """The name that the key or the operator has now; empty where there is none. """
    action: str
    """The name of the action, e.g. `key.created`; `call.refused` for a refused call. """
    target: str
    """The id of the changed object. For a refused call: its method and route, or empty if the entry stands for calls of several routes. """
    fields: list[str]
    """The names of the fields that were to change. """
    outcome: Literal["ok", "refused"]
    """The outcome: `ok` or `refused`. """
    error_type: str
    """The error type of a refused call; otherwise empty. """
    calls: int
    """The number of refused calls that the entry stands for; 1 for a change. """
    request_id: str
    """The id of the request; empty if there was no HTTP request, or if the entry stands for several. """
    ip: str
    """The caller's address, or its network if the entry stands for several calls. Empty if there was no HTTP request, or once it is erased. """
    ip_erased: bool
    """Whether `ip` was erased. """
    target_id: str
    """The same as `target`. """
    created_at: int
    """The same as `at`. """


class AuditLogResponse(TypedDict):
    """A page of the audit log. """

    entries: list[AuditEntryResponse]
    """The entries, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class RefusedCallsOfHourResponse(TypedDict):
    """The calls that a key was refused for one reason within an hour. """

    id: str
    """The id of the refused calls, which begins with `refused_`. """
    at: int
    """The start of the hour, in epoch seconds. """
    key_id: str
    """The id of the key, which begins with `key_`. """
    operation: str
    """The method and the route. """
    error_type: str
    """The error type of the refusals. """
    calls: int
    """The number of calls. """
    last_at: int
    """The time of the last one, in epoch seconds. """
    last_request_id: str
    """The request id of the last one. """


class RefusedCallsResponse(TypedDict):
    """A page of refused calls. """

    refused_calls: list[RefusedCallsOfHourResponse]
    """The hours, newest first. """
    has_more: bool
    """Whether older ones follow. """


class AskingClientResponse(TypedDict):
    """AskingClientResponse """

    metadata_host: str
    """The host of the document in which the client describes itself, to show beside the name; empty for a client that the app has registered. """
    logo_uri: str
    """The logo; empty if there is none. """
    id: str
    """The `client_id`. """
    name: str
    """The name that users recognise. """


class RuleWindow(TypedDict):
    """RuleWindow """

    seconds: int
    """The length of the period. It slides: an older request counts no more. """
    max_amount: NotRequired[str]
    """The most that is moved in the period, as a decimal number of the asset's units. It needs exactly one asset in `match.assets`. """
    max_count: NotRequired[int]
    """The most requests in the period. """
    per: NotRequired[Literal["policy", "destination"]]
    """Whether all requests count together, or those to each destination apart. """


class AskedBudgetResponse(TypedDict):
    """AskedBudgetResponse """

    type: Literal["wallet_spend"]
    """The kind of the authorization. """
    wallet_id: str
    """A wallet of the user. """
    networks: NotRequired[list[str]]
    """The networks on which is paid; all of them if the list is absent. """
    assets: NotRequired[list[str]]
    """The currencies; all of them if the list is absent. """
    destinations: NotRequired[list[str]]
    """The addresses that may be paid; all of them if the list is absent. """
    windows: list[RuleWindow]
    """The most that is paid in a period. `max_amount` needs exactly one asset. """
    expires_in: int
    """The number of seconds after which the budget ends, with its grant. """
    description: str
    """The budget as a sentence, to show to the user. """


class InteractionResponse(TypedDict):
    """The request that the user is asked to permit. """

    client: AskingClientResponse
    """The program that asks. """
    scopes: list[str]
    """The scopes that the client asks for. """
    resources: list[str]
    """The audiences of the resources that it asks for. """
    authorization_details: list[AskedBudgetResponse]
    """The budget that it asks for, if it does. Accepting it lets the client pay within the budget. """
    prompt: str
    """How it asks the user to be prompted, as in the request; empty if it does not say. """
    max_age: int
    """The highest age of the sign-in in seconds; -1 if any will do. """
    acr_values: str
    """The levels of authentication of which one is needed: `aal1`, `aal2`, `phr`; empty if any will do. """
    login_hint: str
    """The user whom the client expects; may be empty. """
    ui_locales: str
    """The languages of the user; may be empty. """
    expires_at: int
    """The time at which the request expires, in epoch seconds. """


class AcceptInteractionRequest(TypedDict):
    """AcceptInteractionRequest """

    session_token: NotRequired[str]
    """The token of a live session of the user. An empty string counts as absent. """
    session_jwt: NotRequired[str]
    """A JWT of the session that has not expired. An empty string counts as absent. """
    granted_scopes: NotRequired[list[str]]
    """The scopes to which the user consents, among those of the interaction; all of them if the list is absent. """
    remember: NotRequired[bool]
    """Whether the browser keeps login and consent until the session ends, so that the next request of the client needs no page. Never for clients on the user's device. """


class AnsweredInteractionResponse(TypedDict):
    """Where the login page sends the browser. """

    redirect_url: str
    """The URL. It works only in the browser that began the request. """


class RejectInteractionRequest(TypedDict):
    """RejectInteractionRequest """

    error: Literal["access_denied", "login_required", "interaction_required", "consent_required", "temporarily_unavailable"]
    """The error that the client gets. """


class OauthClientOfUserResponse(TypedDict):
    """OauthClientOfUserResponse """

    id: str
    """The `client_id`. """
    name: str
    """The name that users recognise. """


class WalletSpend(TypedDict):
    """WalletSpend """

    type: Literal["wallet_spend"]
    """The kind of the authorization. """
    wallet_id: str
    """A wallet of the user. """
    networks: NotRequired[list[str]]
    """The networks on which is paid; all of them if the list is absent. """
    assets: NotRequired[list[str]]
    """The currencies; all of them if the list is absent. """
    destinations: NotRequired[list[str]]
    """The addresses that may be paid; all of them if the list is absent. """
    windows: list[RuleWindow]
    """The most that is paid in a period. `max_amount` needs exactly one asset. """
    expires_in: int
    """The number of seconds after which the budget ends, with its grant. """


class GrantResponse(TypedDict):
    """What a user has consented to. """

    id: str
    """The id of the grant, which begins with `grant_`. """
    user_id: str
    """The user who consented. """
    client: OauthClientOfUserResponse
    """The program that got them. """
    scopes: list[str]
    """The scopes that the client got. """
    resources: list[str]
    """The audiences of the resources for which it gets tokens. """
    authorization_details: list[WalletSpend]
    """The budget, if the grant has one. """
    created_at: int
    """The time of creation, in epoch seconds. """
    expires_at: int
    """The time at which the grant ends, in epoch seconds: that of the session in which the user consented. With `offline_access` 30 days after the last use. With a budget not after its end. """


class GrantListResponse(TypedDict):
    """A page of the grants. """

    grants: list[GrantResponse]
    """The grants, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class GrantRevokedResponse(TypedDict):
    """The grant has ended. """

    id: str
    """The id of the grant, which begins with `grant_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class CreateOauthClientRequest(TypedDict):
    """CreateOauthClientRequest """

    name: str
    """A name that users and operators recognise. """
    type: Literal["confidential", "public"]
    """Whether the client keeps a secret. """
    grant_types: list[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]]
    """The grants that the client may use at the token endpoint. """
    redirect_uris: NotRequired[list[str]]
    """The URLs to which users are sent back: https, http on loopback with any port, and for public clients a scheme in reverse-domain form. Compared exactly. """
    post_logout_redirect_uris: NotRequired[list[str]]
    """The URLs to which users may be sent after a logout. """
    pkce: NotRequired[Literal["required", "optional"]]
    """Whether authorization requests need a challenge (RFC 7636). `optional` is for confidential programs that cannot send one. """
    claims_in_id_token: NotRequired[bool]
    """Whether the id_token has the claims of the scopes too, which userinfo gives. """
    logo_uri: NotRequired[str]
    """The logo that the login page shows. """
    scopes: NotRequired[list[str]]
    """The scopes that the client may get. Others that it asks for are left out. `openid`, `profile`, `email`, `phone`, `wallets` and `offline_access` are about the user. """
    resources: NotRequired[list[str]]
    """The audiences of the resources for which the client may get tokens. """
    default_resource: NotRequired[str]
    """The audience of tokens for which the client names no resource. One of `resources`. """
    token_endpoint_auth_method: NotRequired[Literal["client_secret_basic", "private_key_jwt", "none"]]
    """How the client authenticates: by its secret or by a key of its own. Never changes. """
    jwks: NotRequired[dict[str, Any]]
    """The public keys of a client with `private_key_jwt` (RFC 7517). """
    jwks_uri: NotRequired[str]
    """Where a client with `private_key_jwt` publishes its keys, instead of `jwks`. """


class OauthClientWithSecretResponse(TypedDict):
    """The client with its secret, which is shown only once. """

    jwks: dict[str, Any] | None
    """The public keys of a client with `private_key_jwt`; null if it has none here. """
    id: str
    """The `client_id`. """
    name: str
    """The name that users and operators recognise. """
    type: Literal["confidential", "public"]
    """Whether the client keeps a secret. """
    grant_types: list[str]
    """The grants that the client may use at the token endpoint. """
    redirect_uris: list[str]
    """The URLs to which users are sent back. """
    post_logout_redirect_uris: list[str]
    """The URLs to which users may be sent after a logout. """
    pkce: Literal["required", "optional"]
    """Whether authorization requests need a challenge. """
    claims_in_id_token: bool
    """Whether the id_token has the claims of the scopes too. """
    logo_uri: str
    """The logo that the login page shows; empty if there is none. """
    scopes: list[str]
    """The scopes that the client may get. """
    resources: list[str]
    """The audiences of the resources for which the client may get tokens. """
    default_resource: str
    """The audience of tokens for which the client names no resource; empty if there is none. """
    token_endpoint_auth_method: Literal["client_secret_basic", "private_key_jwt", "none"]
    """How the client authenticates at the token endpoint: its secret is accepted in the body (`client_secret_post`) too. """
    metadata_uri: str
    """The metadata document of a client that describes itself, which is its `client_id`; empty for a client that the app has registered. """
    jwks_uri: str
    """Where such a client publishes its keys; empty if it does not. """
    previous_secret_ends_at: int
    """The time until which the previous secret is accepted too, in epoch seconds; 0 if there is none. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    client_secret: str
    """The secret, accepted by HTTP Basic and in the body. It is shown only once; empty for a public client, which has none. """


class OauthClientResponse(TypedDict):
    """The client without its secret. """

    jwks: dict[str, Any] | None
    """The public keys of a client with `private_key_jwt`; null if it has none here. """
    id: str
    """The `client_id`. """
    name: str
    """The name that users and operators recognise. """
    type: Literal["confidential", "public"]
    """Whether the client keeps a secret. """
    grant_types: list[str]
    """The grants that the client may use at the token endpoint. """
    redirect_uris: list[str]
    """The URLs to which users are sent back. """
    post_logout_redirect_uris: list[str]
    """The URLs to which users may be sent after a logout. """
    pkce: Literal["required", "optional"]
    """Whether authorization requests need a challenge. """
    claims_in_id_token: bool
    """Whether the id_token has the claims of the scopes too. """
    logo_uri: str
    """The logo that the login page shows; empty if there is none. """
    scopes: list[str]
    """The scopes that the client may get. """
    resources: list[str]
    """The audiences of the resources for which the client may get tokens. """
    default_resource: str
    """The audience of tokens for which the client names no resource; empty if there is none. """
    token_endpoint_auth_method: Literal["client_secret_basic", "private_key_jwt", "none"]
    """How the client authenticates at the token endpoint: its secret is accepted in the body (`client_secret_post`) too. """
    metadata_uri: str
    """The metadata document of a client that describes itself, which is its `client_id`; empty for a client that the app has registered. """
    jwks_uri: str
    """Where such a client publishes its keys; empty if it does not. """
    previous_secret_ends_at: int
    """The time until which the previous secret is accepted too, in epoch seconds; 0 if there is none. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class OauthClientListResponse(TypedDict):
    """A page of the clients, without their secrets. """

    oauth_clients: list[OauthClientResponse]
    """The clients, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class UpdateOauthClientRequest(TypedDict):
    """UpdateOauthClientRequest """

    name: NotRequired[str]
    """A name that users and operators recognise. """
    grant_types: NotRequired[list[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]]]
    """The grants that the client may use at the token endpoint. """
    redirect_uris: NotRequired[list[str]]
    """The URLs to which users are sent back. Replaces the list. """
    post_logout_redirect_uris: NotRequired[list[str]]
    """The URLs to which users may be sent after a logout. Replaces the list. """
    pkce: NotRequired[Literal["required", "optional"]]
    """Whether authorization requests need a challenge. """
    claims_in_id_token: NotRequired[bool]
    """Whether the id_token has the claims of the scopes too. """
    logo_uri: NotRequired[str | None]
    """The logo that the login page shows; `null` for none. """
    scopes: NotRequired[list[str]]
    """The scopes that the client may get. Replaces the list. """
    resources: NotRequired[list[str]]
    """The audiences of the resources for which the client may get tokens. Replaces the list. """
    default_resource: NotRequired[str | None]
    """The audience of tokens for which the client names no resource; `null` for none. """
    jwks: NotRequired[dict[str, Any] | None]
    """The public keys; `null` for none. """
    jwks_uri: NotRequired[str | None]
    """Where the client publishes its keys; `null` for none. """


class RotateClientSecretRequest(TypedDict):
    """RotateClientSecretRequest """

    overlap_minutes: NotRequired[int]
    """The number of minutes for which the current secret is accepted beside the new one. """


class ClientSecretResponse(TypedDict):
    """The new secret of the client, which is shown only once. """

    id: str
    """The id of the OAuth client, which begins with `client_`. """
    client_secret: str
    """The new secret. It is shown only once. """


class OauthClientDeletedResponse(TypedDict):
    """The client was deleted. """

    id: str
    """The id of the OAuth client, which begins with `client_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class CreateOauthResourceRequest(TypedDict):
    """CreateOauthResourceRequest """

    audience: str
    """The URL of the API, which is the `aud` of its tokens. Clients may add or omit a slash at the end. """
    name: str
    """A name that users and operators recognise. """
    scopes: list[str]
    """The scopes of the API. """
    token_seconds: NotRequired[int]
    """The life of access tokens for the API, in seconds. """


class OauthResourceResponse(TypedDict):
    """The resource. """

    id: str
    """The id of the resource, which begins with `resource_`. """
    audience: str
    """The URL of the API, as it was registered. """
    name: str
    """The name that users and operators recognise. """
    scopes: list[str]
    """The scopes of the API. """
    token_seconds: int
    """The life of access tokens for the API, in seconds. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class OauthResourceListResponse(TypedDict):
    """A page of the resources. """

    resources: list[OauthResourceResponse]
    """The resources, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class UpdateOauthResourceRequest(TypedDict):
    """UpdateOauthResourceRequest """

    name: NotRequired[str]
    """A name that users and operators recognise. """
    scopes: NotRequired[list[str]]
    """The scopes of the API. Replaces the list. """
    token_seconds: NotRequired[int]
    """The life of access tokens for the API, in seconds. """


class OauthResourceDeletedResponse(TypedDict):
    """The resource was deleted. """

    id: str
    """The id of the resource, which begins with `resource_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class NativeCurrencyResponse(TypedDict):
    """NativeCurrencyResponse """

    symbol: str
    """The symbol, such as `ETH`. """
    decimals: int
    """The digits after the decimal point of an amount. """


class NetworkResponse(TypedDict):
    """NetworkResponse """

    enabled: bool
    """Whether the app may use it. """
    name: str
    """The name by which calls name the network and its coin. """
    id: str
    """The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) id; empty until a node of a Solana network without a configured id has responded. """
    kind: Literal["ethereum", "op", "arbitrum", "polygon", "bnb", "solana"]
    """The kind: `ethereum`, `op`, `arbitrum`, `polygon`, `bnb` or `solana`. """
    wallet_type: Literal["ethereum", "solana"]
    """The type of the wallets that have addresses on it. """
    native_currency: NativeCurrencyResponse
    """The coin in which its fees are paid. """
    explorer: str | None
    """The page of a transaction, with `{hash}` in the place of its hash; null if none is configured. """
    status: Literal["ok", "degraded", "unavailable"]
    """The state of its nodes: `ok`; `degraded` if one of several does not respond, lags or is on another chain; `unavailable` if none can be used. """


class NetworkListResponse(TypedDict):
    """The networks of the service. """

    networks: list[NetworkResponse]
    """All configured networks that have a node. """


class EndpointResponse(TypedDict):
    """EndpointResponse """

    status: Literal["ok", "lags", "differs", "unavailable"]
    """`lags` if it is behind the highest one, `differs` if it is on another chain or fork, `unavailable` if it did not respond. """
    height: int | None
    """The number of its newest block (Solana: the newest final slot); null if it did not respond. """
    fault: str | None
    """Why it cannot be used, in a sentence; null if it can. """


class ManagedNetworkResponse(TypedDict):
    """ManagedNetworkResponse """

    endpoints: list[EndpointResponse]
    """Its nodes in the order of the configuration, at the last comparison; empty before the first one. """
    name: str
    """The name by which calls name the network and its coin. """
    id: str
    """The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) id; empty until a node of a Solana network without a configured id has responded. """
    kind: Literal["ethereum", "op", "arbitrum", "polygon", "bnb", "solana"]
    """The kind: `ethereum`, `op`, `arbitrum`, `polygon`, `bnb` or `solana`. """
    wallet_type: Literal["ethereum", "solana"]
    """The type of the wallets that have addresses on it. """
    native_currency: NativeCurrencyResponse
    """The coin in which its fees are paid. """
    explorer: str | None
    """The page of a transaction, with `{hash}` in the place of its hash; null if none is configured. """
    status: Literal["ok", "degraded", "unavailable"]
    """The state of its nodes: `ok`; `degraded` if one of several does not respond, lags or is on another chain; `unavailable` if none can be used. """


class ManagedNetworkListResponse(TypedDict):
    """The networks of the service, with the state of each node. """

    networks: list[ManagedNetworkResponse]
    """All configured networks that have a node. """


class EventResponse(TypedDict):
    """An event of the app. A webhook delivers the same object. """

    id: str
    """The id of the event, which begins with `evt_`. """
    type: str
    """The name of its type, as in `GET /v1/event_types`. """
    created_at: int
    """The time of creation, in epoch seconds. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    position: int
    """The position of the event in its app: 1, 2, 3, … If one change waited for another, its position is higher. """
    timestamp: str
    """The time in `created_at`, in ISO 8601 with milliseconds. """
    request_id: NotRequired[str]
    """The id of the request that caused the event, as in its header `X-Request-Id`. Absent if no request did. """
    data: dict[str, Any]
    """The ids and states of the event; the schema of the type describes them. """


class ListEventsResponse(TypedDict):
    """The events after the given one. """

    events: list[EventResponse]
    """The events, oldest first, in the order of their positions. """
    has_more: bool
    """Whether more events follow the last one of the list. """
    feed_id: str
    """The feed that the positions belong to. Another id means that the database was restored to an earlier state. """


class EventTypeResponse(TypedDict):
    """EventTypeResponse """

    name: str
    """The name of the type, as events have it in `type`. """
    version: int
    """The version of the schema, which increases if the schema changes incompatibly. """
    description: str
    """The change that events of this type report. """
    schema: dict[str, Any]
    """The JSON Schema of `data`. """


class ListEventTypesResponse(TypedDict):
    """All types of events with their schemas. """

    event_types: list[EventTypeResponse]
    """All types of events, sorted by name. """


class ListManagedEventsResponse(TypedDict):
    """A page of events. """

    events: list[EventResponse]
    """The events, newest first, in the reverse order of their positions. """
    has_more: bool
    """Whether more events follow the last one of the list. """


class StatisticResponse(TypedDict):
    """StatisticResponse """

    at: int
    """The start of the hour or day, in epoch seconds. """
    metric: Literal["logins", "login_failures", "sends", "signatures", "transfers"]
    """The name of the metric that is counted. """
    labels: dict[str, str]
    """The label of the count: `method` of the login that began a session, `class` of login failures, `channel` of sends, `kind` of signatures, `state` that transfers reached. """
    value: int
    """The count, which is at least 1. """


class StatisticsResponse(TypedDict):
    """The counts of each hour or day in the range. """

    statistics: list[StatisticResponse]
    """The counts, oldest first, at most 10 seconds old. """


class CreateUserRequest(TypedDict):
    """CreateUserRequest """

    first_name: NotRequired[str]
    """The first name; may be empty. """
    middle_name: NotRequired[str]
    """The middle name; may be empty. """
    last_name: NotRequired[str]
    """The last name; may be empty. """
    external_id: NotRequired[str]
    """The id of the user in the app's own data, unique in the app. An empty text stands for none. """
    metadata: NotRequired[dict[str, Any]]
    """The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay. """
    email: NotRequired[str]
    """An email address of at most 254 characters. White space around it is removed. """
    phone_number: NotRequired[str]
    """A phone number in E.164 form, such as `+4915112345678`. """
    requires_verification: NotRequired[bool]
    """Whether the user stays pending until the email or phone number is verified. """
    wallet_type: NotRequired[Literal["ethereum", "solana", "none"]]
    """The type of the user's default wallet. If absent, the app's setting applies. """
    include_user: NotRequired[bool]
    """Whether the response contains the whole user under `user`. """


class UserWebauthnCredential(TypedDict):
    """UserWebauthnCredential """

    id: str
    """Begins with `webauthn_`. """
    name: str
    """The name that the app gave the passkey; may be empty. """
    transports: list[str]
    """The transports by which the authenticator says it can be reached, such as `internal` or `usb`. """
    backed_up: bool
    """Whether the passkey is also on other devices of the user, or in their password manager. """
    created_at: int
    """The time of creation, in epoch seconds. """
    last_used_at: int
    """The time of the last sign-in with the passkey, in epoch seconds; `0` if there was none. """


class UserTotp(TypedDict):
    """UserTotp """

    id: str
    """Begins with `totp_`. """
    user_id: str
    """The owner. """
    verified: bool
    """Whether the enrolment was completed. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """


class WalletResponse(TypedDict):
    """The wallet. """

    id: str
    """Begins with `wallet_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The id of the owner, which begins with `user_`. """
    public_address: str
    """The address on the chain: EIP-55 for ethereum, base58 for solana. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain: `ethereum` or `solana`. """
    verified: bool
    """Whether the user is known to hold the key, or the service to hold it for them. """
    is_default: bool
    """Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain. """
    is_read_only: bool
    """Whether the service cannot sign with it. """
    is_imported: bool
    """Whether its key was made outside of the service. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """


class UserEmail(TypedDict):
    """UserEmail """

    id: str
    """Begins with `email_`. """
    verified: bool
    """Whether its user has proved to hold it. """
    email: str
    """The address as it was given. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class UserPhoneNumber(TypedDict):
    """UserPhoneNumber """

    id: str
    """Begins with `pn_`. """
    verified: bool
    """Whether its user has proved to hold it. """
    phone_number: str
    """The phone number in E.164 form. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class UserIdentityAtProvider(TypedDict):
    """UserIdentityAtProvider """

    id: str
    """Begins with `idpuser_`. """
    provider: str
    """The name of the identity provider. """
    idp_type: str
    """The same as `provider`, for older clients. """
    method_id: str
    """The same as `id`, as factors of sessions name it. """
    method_type: Literal["oauth"]
    """The type of the method, always `oauth`. """
    provider_subject: str
    """The user's identifier at the identity provider. """
    connection_id: str
    """The id of the connection to the provider through which the user signed in. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class UserResponse(TypedDict):
    """The user with their addresses and credentials. """

    webauthn_credentials: list[UserWebauthnCredential]
    """The passkeys of the user, the oldest first. """
    totps: list[UserTotp]
    """The authenticator apps of the user, the oldest first. """
    wallets: list[WalletResponse]
    """The wallets of the user, the oldest first. """
    user_id: str
    """Begins with `user_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    active: bool
    """False while the user is pending, and after management deactivated them. """
    status: Literal["pending", "active"]
    """`pending` until an address is verified, if the request required that; otherwise `active`. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    external_id: str
    """The id of the user in the app's own data; empty if the app gave none. """
    metadata: dict[str, Any]
    """The app's data about the user. """
    email_id: str
    """The id of the first of `emails`; empty if there is none. """
    phone_number_id: str
    """The id of the first of `phone_numbers`; empty if there is none. """
    emails: list[UserEmail]
    """The email addresses of the user, the oldest first. """
    phone_numbers: list[UserPhoneNumber]
    """The phone numbers of the user, the oldest first. """
    idp_providers: list[UserIdentityAtProvider]
    """The user's identities at identity providers. """
    first_name: str
    """The first name; may be empty. """
    middle_name: str
    """The middle name; may be empty. """
    last_name: str
    """The last name; may be empty. """


class CreateUserResponse(TypedDict):
    """The new user with the addresses that the request contained. """

    webauthn_credentials: list[UserWebauthnCredential]
    """The passkeys of the user, the oldest first. """
    totps: list[UserTotp]
    """The authenticator apps of the user, the oldest first. """
    wallets: list[WalletResponse]
    """The wallets of the user, the oldest first. """
    user_id: str
    """Begins with `user_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    active: bool
    """False while the user is pending, and after management deactivated them. """
    status: Literal["pending", "active"]
    """`pending` until an address is verified, if the request required that; otherwise `active`. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    external_id: str
    """The id of the user in the app's own data; empty if the app gave none. """
    metadata: dict[str, Any]
    """The app's data about the user. """
    email_id: str
    """The id of the first of `emails`; empty if there is none. """
    phone_number_id: str
    """The id of the first of `phone_numbers`; empty if there is none. """
    emails: list[UserEmail]
    """The email addresses of the user, the oldest first. """
    phone_numbers: list[UserPhoneNumber]
    """The phone numbers of the user, the oldest first. """
    idp_providers: list[UserIdentityAtProvider]
    """The user's identities at identity providers. """
    first_name: str
    """The first name; may be empty. """
    middle_name: str
    """The middle name; may be empty. """
    last_name: str
    """The last name; may be empty. """
    email: str
    """The email as it was given; empty if the user was created without one. """
    phone_number: str
    """The phone number in E.164 form; empty if the user was created without one. """
    requires_verification: bool
    """The value of the request. """
    user: NotRequired[UserResponse]
    """The whole user; present only if `include_user` is true. """


class UserSearchFilter(TypedDict):
    """UserSearchFilter """

    field: Literal["user_id", "status", "full_name_match", "email", "email_id", "email_match", "email_verified", "phone_number", "phone_number_id", "phone_number_match", "phone_number_verified", "idp_provider", "external_id", "totp_id", "totp_verified", "wallet_id", "wallet_public_address"]
    """The field that is compared. `…_match` finds values that contain the text, or begin with it if it has fewer than 3 characters, in any case; the other filters compare whole values. """
    operator: Literal["eq", "in", "lt", "gt", "between"]
    """`user_id` knows all of them: ids sort by time of creation. Every other field knows `eq` and `in`. """
    value: NotRequired[str | bool]
    """The value to compare with; required for every operator except `in`. """
    second_value: NotRequired[str | bool]
    """The upper end of `between`, which is included. """
    values: NotRequired[list[str | bool]]
    """The values of the operator `in`, at least one: a user matches if the field equals any of them. """


class UserSearchFilters(TypedDict):
    """UserSearchFilters """

    operator: NotRequired[Literal["AND", "OR"]]
    """Whether a user must pass all filters or any of them. """
    fields: NotRequired[list[UserSearchFilter]]
    """The filters. If the list is empty or absent, all users are found. """


class SearchUsersRequest(TypedDict):
    """SearchUsersRequest """

    limit: NotRequired[int]
    """The maximum number of users in the response. `has_more` says whether there are more. """
    starting_after: NotRequired[str]
    """The id of the last user of the previous page. """
    filters: NotRequired[UserSearchFilters]
    """The filters that users must pass. If absent, all users are found. """


class SearchUsersResponse(TypedDict):
    """A page of the users that pass the filters, and their number on all pages. """

    users: list[UserResponse]
    """The users of the page, newest first. """
    total_count: int
    """The number of users that pass the filters, on all pages: exact up to 10,000, an estimate beyond. """
    total_count_estimated: bool
    """Whether `total_count` is an estimate. """
    has_more: bool
    """Whether there are more users after this page. """


class EmailToAttach(TypedDict):
    """EmailToAttach """

    email: str
    """An email address of at most 254 characters. White space around it is removed. """


class PhoneNumberToAttach(TypedDict):
    """PhoneNumberToAttach """

    phone_number: str
    """A phone number in E.164 form, such as `+4915112345678`. """


class UpdateUserRequest(TypedDict):
    """UpdateUserRequest """

    first_name: NotRequired[str]
    """The first name; may be empty. """
    middle_name: NotRequired[str]
    """The middle name; may be empty. """
    last_name: NotRequired[str]
    """The last name; may be empty. """
    external_id: NotRequired[str]
    """The id of the user in the app's own data, unique in the app. An empty text stands for none. """
    metadata: NotRequired[dict[str, Any]]
    """The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay. """
    emails: NotRequired[list[EmailToAttach]]
    """The email addresses to attach. The user keeps all present addresses. """
    phone_numbers: NotRequired[list[PhoneNumberToAttach]]
    """The phone numbers to attach. The user keeps all present numbers. """


class UpdateUserResponse(TypedDict):
    """The changed user with the addresses that the request contained. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    emails: list[UserEmail]
    """The emails that the request contained. """
    phone_numbers: list[UserPhoneNumber]
    """The phone numbers that the request contained. """
    user: UserResponse
    """The whole user after the change. """


class UserDeletionResponse(TypedDict):
    """The user, email or phone number was deleted. """

    user_id: str
    """The id of the user who was deleted, or whose email or phone number was deleted. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class RemovalRequest(TypedDict):
    """RemovalRequest """

    session_token: NotRequired[str]
    """The token of a fresh session of the user. An empty string counts as absent. """
    session_jwt: NotRequired[str]
    """A JWT of a fresh session of the user. An empty string counts as absent. """


class CancelledRecoveryResponse(TypedDict):
    """The recovery was cancelled. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class ManagedUserListResponse(TypedDict):
    """A page of the users. """

    users: list[UserResponse]
    """The users of the page, newest first. """
    has_more: bool
    """Whether there are more users after this page. """


class RecoveryOfManagedUser(TypedDict):
    """RecoveryOfManagedUser """

    id: str
    """The id of the user. """
    email: str
    """The new email address; empty if it is a phone number. """
    phone_number: str
    """The new phone number; empty if it is an email address. """
    begun_at: int
    """The time of its beginning, in epoch seconds. """
    ready_at: int
    """The time from which a proof of the new address opens the account, in epoch seconds. """
    expires_at: int
    """The time until which the new address can be proved, in epoch seconds. """


class FactorMethodResponse(TypedDict):
    """FactorMethodResponse """

    pass


class FactorResponse(TypedDict):
    """FactorResponse """

    delivery_channel: Literal["email", "embedded", "sms", "password", "totp_authenticator", "totp_recovery_code", "eth_wallet", "sol_wallet", "webauthn_credential"] | str
    """The channel of the proof. That of an identity provider is its name with `_oauth`, such as `google_oauth`. """
    type: Literal["magic_link", "oauth", "otp", "password", "totp", "wallet", "webauthn"]
    """The kind of proof. """
    method: FactorMethodResponse
    """The credential that was verified. """


class SessionDeviceResponse(TypedDict):
    """SessionDeviceResponse """

    user_agent: str
    """The `User-Agent` of the device; empty if the app gave none. """
    ip: str
    """The IP address of the device; empty if the app gave none. """


class SessionOfManagedUser(TypedDict):
    """SessionOfManagedUser """

    id: str
    """The id of the session, which begins with `sess_`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    started_at: int
    """The time of the start, in epoch seconds. """
    expires_at: int
    """The time after which the session has expired, in epoch seconds. """
    last_active_at: int
    """The time of the last use, in epoch seconds, accurate to the minute. """
    factors: list[FactorResponse]
    """The factors that the user proved in this session, in the order of their last proof. """
    device_fingerprint: SessionDeviceResponse
    """The device from which the session was started. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class FreezeOfManagedUser(TypedDict):
    """FreezeOfManagedUser """

    id: str
    """The id of the frozen user or wallet. """
    wallet_id: str
    """The frozen wallet; empty if the whole user is frozen. """
    frozen_at: int
    """The time since which nothing is signed, in epoch seconds. """


class ManagedUserResponse(TypedDict):
    """The user as operators see them, with their live sessions. """

    webauthn_credentials: list[UserWebauthnCredential]
    """The passkeys of the user, the oldest first. """
    totps: list[UserTotp]
    """The authenticator apps of the user, the oldest first. """
    wallets: list[WalletResponse]
    """The wallets of the user, the oldest first. """
    user_id: str
    """Begins with `user_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    active: bool
    """False while the user is pending, and after management deactivated them. """
    status: Literal["pending", "active"]
    """`pending` until an address is verified, if the request required that; otherwise `active`. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    external_id: str
    """The id of the user in the app's own data; empty if the app gave none. """
    metadata: dict[str, Any]
    """The app's data about the user. """
    email_id: str
    """The id of the first of `emails`; empty if there is none. """
    phone_number_id: str
    """The id of the first of `phone_numbers`; empty if there is none. """
    emails: list[UserEmail]
    """The email addresses of the user, the oldest first. """
    phone_numbers: list[UserPhoneNumber]
    """The phone numbers of the user, the oldest first. """
    idp_providers: list[UserIdentityAtProvider]
    """The user's identities at identity providers. """
    first_name: str
    """The first name; may be empty. """
    middle_name: str
    """The middle name; may be empty. """
    last_name: str
    """The last name; may be empty. """
    recoveries: list[RecoveryOfManagedUser]
    """The recovery of the account that is under way, or none. """
    sessions: list[SessionOfManagedUser]
    """The live sessions of the user. """
    freezes: list[FreezeOfManagedUser]
    """The freezes of the user and of the wallets of the user. """


class UpdateManagedUserRequest(TypedDict):
    """UpdateManagedUserRequest """

    first_name: NotRequired[str | None]
    """The first name; `null` clears it. """
    middle_name: NotRequired[str | None]
    """The middle name; `null` clears it. """
    last_name: NotRequired[str | None]
    """The last name; `null` clears it. """
    external_id: NotRequired[str | None]
    """The id of the user in the app's own data, unique in the app; `null` clears it. """
    metadata: NotRequired[dict[str, Any] | None]
    """Members of the app's data about the user, at most 5 levels and 4,096 bytes as JSON in all. They are set; a member that is `null` is removed, and other members stay. `null` instead of the object removes all members. """


class AddEmailRequest(TypedDict):
    """AddEmailRequest """

    email: str
    """An email address of at most 254 characters. White space around it is removed. """


class AddPhoneNumberRequest(TypedDict):
    """AddPhoneNumberRequest """

    phone_number: str
    """A phone number in E.164 form, such as `+4915112345678`. """


class UnlockedUserResponse(TypedDict):
    """The lock after wrong codes has ended. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class ResentMessageResponse(TypedDict):
    """A new message with the same purpose is sent soon. """

    id: str
    """The id of the message that was sent before. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class DeviceFingerprintRequest(TypedDict):
    """DeviceFingerprintRequest """

    ip: NotRequired[str]
    """The IPv4 or IPv6 address of the device, as text. """
    user_agent: NotRequired[str]
    """The `User-Agent` header of the device. """


class LogInByMagicLinkRequest(TypedDict):
    """LogInByMagicLinkRequest """

    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device that the link is for. Each field given here must have the same value when the link is verified. """
    email: str
    """An email address of at most 254 characters. White space around it is removed. """
    requires_verification: NotRequired[bool]
    """Leaves a new user pending until the link is verified. """
    expires_in: NotRequired[int]
    """Lifetime of the link in minutes. """
    login_expires_in: NotRequired[int]
    """Replaces `expires_in` for an existing user. """
    registration_expires_in: NotRequired[int]
    """Replaces `expires_in` for a new user. """
    login_redirect_url: NotRequired[str]
    """The target of the link for an existing user; must be registered. Default: the app's default login URL. """
    registration_redirect_url: NotRequired[str]
    """The target of the link for a new user; must be registered. Default: the app's default registration URL. """


class MailedLinkResponse(TypedDict):
    """The user to whom the link is mailed. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    status: Literal["pending", "active"]
    """The status of the user: `pending` or `active`. """
    user_created: bool
    """Whether this call created the user, because no user held the address. """
    email_id: str
    """The id of the email, which begins with `email_`. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """


class InviteByMagicLinkRequest(TypedDict):
    """InviteByMagicLinkRequest """

    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device that the link is for. Each field given here must have the same value when the link is verified. """
    email: str
    """An email address of at most 254 characters. White space around it is removed. """
    requires_verification: NotRequired[bool]
    """Leaves a new user pending until the link is verified. """
    first_name: NotRequired[str]
    """The first name of a new user. An existing user keeps their name. """
    middle_name: NotRequired[str]
    """The middle name; may be empty. """
    last_name: NotRequired[str]
    """The last name; may be empty. """
    invite_redirect_url: NotRequired[str]
    """The target of the link; must be registered. Default: the app's default invite URL. """
    invite_expires_in: NotRequired[int]
    """Lifetime of the link in minutes. """


class CreateMagicLinkRequest(TypedDict):
    """CreateMagicLinkRequest """

    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device that the link is for. Each field given here must have the same value when the link is verified. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    expires_in: NotRequired[int]
    """Lifetime of the link in minutes. """


class CreateMagicLinkResponse(TypedDict):
    """The token of the new link, which is shown only once. No mail was sent. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    token: str
    """Put it into your own link, and verify it like the token of a mailed link. Shown once. """


class VerifyMagicLinkRequest(TypedDict):
    """VerifyMagicLinkRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    token: str
    """The token of the link. The demo app of a development start accepts the example once within seven days, unless another link is sent first; a reset of the demo data renews it. """


class PreparedAccountResponse(TypedDict):
    """PreparedAccountResponse """

    at: int
    """The time at which the app created the user, in epoch seconds. """
    fields: list[str]
    """The fields that the app had written: names such as `first_name`, and `email` or `phone_number` for a further address, which is not verified. Let the user confirm them. """


class IssuedSessionResponse(TypedDict):
    """IssuedSessionResponse """

    id: str
    """The id of the session, which begins with `sess_`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    started_at: int
    """The time of the start, in epoch seconds. """
    expires_at: int
    """The time after which the session has expired, in epoch seconds. """
    last_active_at: int
    """The time of the last use, in epoch seconds, accurate to the minute. """
    factors: list[FactorResponse]
    """The factors that the user proved in this session, in the order of their last proof. """
    device_fingerprint: SessionDeviceResponse
    """The device from which the session was started. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    session_token: str
    """The token of the session; empty if the request named the session by its JWT, since only the token's hash is stored. """
    session_jwt: str
    """An RS256 JWT with at least half of its life left, to be verified against the app's JWKS. """


class MagicLinkUserResponse(TypedDict):
    """The user who followed the link, and the session if the request asks for one. """

    emails: None
    """Always null here: see `GET /v1/auth/users/{user_id}`. """
    phone_numbers: None
    """Always null here: see `GET /v1/auth/users/{user_id}`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    first_name: str
    """May be empty. """
    middle_name: str
    """May be empty. """
    last_name: str
    """May be empty. """
    active: bool
    """False while the user is pending. """
    status: Literal["pending", "active"]
    """The status of the user: `pending` or `active`. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """
    email_id: str
    """The address that the link was mailed to, which is now verified; for an embedded link the user's first. Empty when there is none. """
    phone_number_id: str
    """The user's first phone number. Empty when there is none. """
    method_id: str
    """The id of the email, or for an embedded link also of the phone number or the user. """
    method_type: Literal["email", "phone_number", "user"]
    """The kind of credential: `email`, `phone_number` or `user`. """
    user_created: bool
    """Whether this call created the user. False for a user whom the app created before. """
    account_prepared: PreparedAccountResponse | None
    """The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response. """
    session: IssuedSessionResponse | None
    """The session that was started or joined; null if the request asks for none. """
    session_token: str
    """The token of the session; empty if there is no session or the request named it by its JWT. """
    session_jwt: str
    """The JWT of the session; empty if there is no session. """


class BeginOauthLoginResponse(TypedDict):
    """The URL of the provider's login page, to which the browser must be sent. """

    redirect_url: str
    """The provider's login page, with the callback, the state and the scopes in its query. """


class OauthCallbackRequest(TypedDict):
    """OauthCallbackRequest """

    state: NotRequired[str]
    """The `state` of the URL to which the login was sent. """
    code: NotRequired[str]
    """The authorization code; present after a login that succeeded. """
    error: NotRequired[str]
    """The error code of OAuth 2.0; present after a login that failed. """
    iss: NotRequired[str]
    """The provider's issuer (RFC 9207). """
    user: NotRequired[str]
    """The name of a user who signs in for the first time, as apple sends it. """


class VerifyOauthTokenRequest(TypedDict):
    """VerifyOauthTokenRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    token: str
    """The token from the query of the login or registration URL. """
    code_verifier: NotRequired[str]
    """The verifier (RFC 7636) of the login's `code_challenge`; required if the login has one. """


class ProviderTokensResponse(TypedDict):
    """ProviderTokensResponse """

    access_token: str
    """The access token that the provider issued. """
    refresh_token: str
    """The refresh token; empty if the provider issued none. """


class ProviderSessionResponse(TypedDict):
    """ProviderSessionResponse """

    idp: ProviderTokensResponse
    """The tokens that the identity provider issued. The service keeps no copy after this response. """
    access_token: str
    """The access token that the provider issued. """
    refresh_token: str
    """The refresh token; empty if the provider issued none. """


class OauthSessionResponse(TypedDict):
    """The user who logged in, and the session if the request asks for one. """

    provider_subject: str
    """The user's identifier at the identity provider. """
    provider: str
    """The name of the identity provider. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    browser_bound: bool
    """Whether the browser that brought the token is the one that began the login: it had the cookie of `redirect=true`, or the `code_verifier` was shown. If false, an attacker may have begun the login, and the user of the browser is then signed in to the account of the attacker. """
    idp_session: ProviderSessionResponse
    """The tokens of the identity provider. """
    user_created: bool
    """Whether this call created the user. False for a user whom the app created before. """
    account_prepared: PreparedAccountResponse | None
    """The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response. """
    session: IssuedSessionResponse | None
    """The session that was started or joined; null if the request asks for none. """
    session_token: str
    """The token of the session; empty if there is no session or the request named it by its JWT. """
    session_jwt: str
    """The JWT of the session; empty if there is no session. """


class ConnectionCheckResponse(TypedDict):
    """ConnectionCheckResponse """

    name: Literal["credentials", "discovery", "keys", "clock", "pkce", "userinfo"]
    """The name of the check. """
    ok: bool
    """Whether the check found no fault. """
    detail: str
    """The result of the check, or the fault that it found. """


class ConnectionTestResponse(TypedDict):
    """The results of all checks. A fault that they found is a result, not an error. """

    checks: list[ConnectionCheckResponse]
    """The checks `credentials`, `discovery`, `keys`, `clock`, `pkce` and `userinfo`, in this order. """


class OperatorSignInResponse(TypedDict):
    """The OpenID provider at which operators sign in. """

    issuer: str
    """The issuer; empty if operators sign in with management keys only. """


class LogInBySmsPasscodeRequest(TypedDict):
    """LogInBySmsPasscodeRequest """

    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The user's device. Sends are limited per `ip`. """
    phone_number: str
    """A phone number in E.164 form, such as `+4915112345678`. """
    expires_in: NotRequired[int]
    """Lifetime of the passcode in minutes. """
    requires_verification: NotRequired[bool]
    """Leaves a new user pending until the passcode is verified. """


class SmsPasscodeLoginResponse(TypedDict):
    """The existing or new user to whom the passcode is sent by SMS. """

    user_created: bool
    """Whether this call created the user, because no user held the number. """
    status: Literal["pending", "active"]
    """The status of the user: `pending` or `active`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    phone_number_id: str
    """The `method_id` to verify the passcode with. """


class LogInByEmailPasscodeRequest(TypedDict):
    """LogInByEmailPasscodeRequest """

    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The user's device. Sends are limited per `ip`. """
    email: str
    """An email address of at most 254 characters. White space around it is removed. """
    expires_in: NotRequired[int]
    """Lifetime of the passcode in minutes. """
    requires_verification: NotRequired[bool]
    """Leaves a new user pending until the passcode is verified. """


class EmailPasscodeLoginResponse(TypedDict):
    """The existing or new user to whom the passcode is mailed. """

    user_created: bool
    """Whether this call created the user, because no user held the address. """
    status: Literal["pending", "active"]
    """The status of the user: `pending` or `active`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    email_id: str
    """The `method_id` to verify the passcode with. """


class SendSmsPasscodeRequest(TypedDict):
    """SendSmsPasscodeRequest """

    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The user's device. Sends are limited per `ip`. """
    phone_number: str
    """A phone number in E.164 form, such as `+4915112345678`. """
    expires_in: NotRequired[int]
    """Lifetime of the passcode in minutes. """


class SmsPasscodeResponse(TypedDict):
    """The user to whom the passcode is sent by SMS. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    phone_number_id: str
    """The `method_id` to verify the passcode with. """


class SendEmailPasscodeRequest(TypedDict):
    """SendEmailPasscodeRequest """

    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The user's device. Sends are limited per `ip`. """
    email: str
    """An email address of at most 254 characters. White space around it is removed. """
    expires_in: NotRequired[int]
    """Lifetime of the passcode in minutes. """


class EmailPasscodeResponse(TypedDict):
    """The user to whom the passcode is mailed. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    email_id: str
    """The `method_id` to verify the passcode with. """


class VerifyPasscodeRequest(TypedDict):
    """VerifyPasscodeRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    method_id: str
    """The `email_id` or `phone_number_id` that the passcode was sent to. """
    otp: str
    """The six digits of the passcode, as text. Send the text as the user typed or pasted it: blanks, hyphens, line ends and invisible characters are dropped, and digits of any script count. The demo app of a development start accepts the example once, unless another passcode is sent first; a reset of the demo data renews it. """


class VerifiedPasscodeResponse(TypedDict):
    """The user who entered the passcode, and the session if the request asks for one. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    method_id: str
    """The `email_id` or `phone_number_id`, which is now verified. """
    method_type: Literal["email", "phone_number"]
    """The kind of address: `email` or `phone_number`. """
    user_created: bool
    """Whether this call created the user. False for a user whom the app created before. """
    account_prepared: PreparedAccountResponse | None
    """The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response. """
    session: IssuedSessionResponse | None
    """The session that was started or joined; null if the request asks for none. """
    session_token: str
    """The token of the session; empty if there is no session or the request named it by its JWT. """
    session_jwt: str
    """The JWT of the session; empty if there is no session. """


class BeginPasskeyRegistrationRequest(TypedDict):
    """BeginPasskeyRegistrationRequest """

    user_id: str
    """The id of the user, which begins with `user_`. """
    domain: NotRequired[str]
    """The domain of the passkey; if given, it must be the app's `rp_id`. """
    authenticator_type: NotRequired[Literal["platform", "cross-platform"]]
    """The kind of authenticator. `platform`: the user's device. `cross-platform`: a security key or another device. Default: any. """


class WebauthnRelyingPartyResponse(TypedDict):
    """WebauthnRelyingPartyResponse """

    id: str
    """The domain that passkeys are bound to: the app's `rp_id`. """
    name: str
    """The name that authenticators show. """


class WebauthnUserResponse(TypedDict):
    """WebauthnUserResponse """

    id: str
    """The user handle in base64url: the encoded user id. """
    name: str
    """The user's email or phone number, by which the user recognises the account. """
    displayName: str
    """The full name of the user, or the same as `name`. """


class WebauthnAlgorithmResponse(TypedDict):
    """WebauthnAlgorithmResponse """

    type: str
    """The type of the credential, always `public-key`. """
    alg: int
    """A COSE algorithm: -7 (ES256), -8 (EdDSA) or -257 (RS256). """


class WebauthnDescriptorResponse(TypedDict):
    """WebauthnDescriptorResponse """

    type: str
    """The type of the credential, always `public-key`. """
    id: str
    """The id of the credential at the authenticator, in base64url. """
    transports: list[str]
    """The transports by which the authenticator can be reached, such as `internal` or `usb`. They are hints for the browser. """


class WebauthnSelectionResponse(TypedDict):
    """WebauthnSelectionResponse """

    authenticatorAttachment: NotRequired[Literal["platform", "cross-platform"]]
    """The `authenticator_type` of the request; absent if the request has none. """
    residentKey: str
    """Whether the authenticator keeps the passkey itself, always `preferred`. """
    requireResidentKey: bool
    """The value for browsers of WebAuthn Level 1, always false. """
    userVerification: str
    """Whether the authenticator checks the user, always `required`. """


class WebauthnCreationOptionsResponse(TypedDict):
    """WebauthnCreationOptionsResponse """

    rp: WebauthnRelyingPartyResponse
    """The app as the relying party. """
    user: WebauthnUserResponse
    """The user for whom the passkey is made. """
    challenge: str
    """The challenge in base64url, valid for one registration. """
    pubKeyCredParams: list[WebauthnAlgorithmResponse]
    """The accepted algorithms, the preferred one first. """
    timeout: int
    """The time that the browser waits for the user, in milliseconds. """
    excludeCredentials: list[WebauthnDescriptorResponse]
    """The user's passkeys: an authenticator that holds one makes no other. """
    authenticatorSelection: WebauthnSelectionResponse
    """The requirements on the authenticator. """
    attestation: str
    """The requested attestation, always `none`. """


class BegunPasskeyRegistrationResponse(TypedDict):
    """The options with which the browser makes the passkey. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    public_key_credential_creation_options: WebauthnCreationOptionsResponse
    """The options for `navigator.credentials.create`. """


class RegisterPasskeyRequest(TypedDict):
    """RegisterPasskeyRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    public_key_credential: dict[str, Any] | str
    """The credential that the browser returned for the options, unchanged: an object or JSON text. """
    name: NotRequired[str]
    """The name by which the user recognises the passkey. """


class VerifiedPasskeyResponse(TypedDict):
    """The user and the passkey, and the session if the request asks for one. """

    webauthn_credential_id: str
    """Begins with `webauthn_`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    user_created: bool
    """Whether this call created the user. False for a user whom the app created before. """
    account_prepared: PreparedAccountResponse | None
    """The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response. """
    session: IssuedSessionResponse | None
    """The session that was started or joined; null if the request asks for none. """
    session_token: str
    """The token of the session; empty if there is no session or the request named it by its JWT. """
    session_jwt: str
    """The JWT of the session; empty if there is no session. """


class BeginPasskeySignInRequest(TypedDict):
    """BeginPasskeySignInRequest """

    user_id: NotRequired[str]
    """The user who signs in. If absent, the user chooses among the passkeys that the authenticator holds for the domain. """


class WebauthnRequestOptionsResponse(TypedDict):
    """WebauthnRequestOptionsResponse """

    challenge: str
    """The challenge in base64url, valid for one sign-in. """
    timeout: int
    """The time that the browser waits for the user, in milliseconds. """
    rpId: str
    """The domain that passkeys are bound to: the app's `rp_id`. """
    allowCredentials: NotRequired[list[WebauthnDescriptorResponse]]
    """The passkeys of the user; absent if the request names no user. A user without passkeys, known or not, gets ones that do not exist. """
    userVerification: str
    """Whether the authenticator checks the user, always `required`. """


class BegunPasskeySignInResponse(TypedDict):
    """The options with which the browser signs in. """

    user_id: str
    """The `user_id` of the request; empty if the request has none. """
    public_key_credential_request_options: WebauthnRequestOptionsResponse
    """The options for `navigator.credentials.get`. """


class VerifyPasskeyRequest(TypedDict):
    """VerifyPasskeyRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    public_key_credential: dict[str, Any] | str
    """The credential that the browser returned for the options, unchanged: an object or JSON text. """


class PasskeyListResponse(TypedDict):
    """The passkeys of the user. """

    webauthn_credentials: list[UserWebauthnCredential]
    """The passkeys, oldest first. """


class PasskeyDeletionResponse(TypedDict):
    """The passkey was deleted. """

    user_id: str
    """The id of the user whose passkey was deleted. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class VerifyPasswordRequest(TypedDict):
    """VerifyPasswordRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    email: NotRequired[str]
    """An email address of at most 254 characters. White space around it is removed. """
    user_id: NotRequired[str]
    """The user, instead of an email address. """
    password: str
    """The password that the user has at the former vendor, as it was typed. """


class VerifiedPasswordResponse(TypedDict):
    """The user whose password is right, and the session if the request asks for one. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    method_id: str
    """The id of the address that named the user, else of the user. """
    method_type: Literal["email", "user"]
    """The kind of the method: `email`, or `user` if an id named the user. """
    user_created: bool
    """Whether this call created the user. False for a user whom the app created before. """
    account_prepared: PreparedAccountResponse | None
    """The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response. """
    session: IssuedSessionResponse | None
    """The session that was started or joined; null if the request asks for none. """
    session_token: str
    """The token of the session; empty if there is no session or the request named it by its JWT. """
    session_jwt: str
    """The JWT of the session; empty if there is no session. """


class FactsMove(TypedDict):
    """Value that the request moves, or lets another account move. """

    network: str
    """The network of the asset; `missing` if the bytes do not show it. """
    token: str
    """The contract or mint; empty for the coin of the network. """
    destination: str
    """The account that receives or may take it; `missing` if the bytes do not show it. """
    amount: str
    """The amount in smallest units; `unlimited`, or `missing` if the bytes do not show it. """


class FactsResponse(TypedDict):
    """The facts that the policies judged, read from the bytes to be signed. """

    network: str
    """The network; `missing` if the bytes do not show it, `not_applicable` if the operation has none. """
    moves: list[FactsMove]
    """The moves; empty if the request moves nothing. Of many, the first ones. """
    more_moves: int
    """The number of further moves, which are not kept. """
    is_delegation: bool
    """Whether it is a signature by which another account takes value or acts for the signer. """


class DecisionResponse(TypedDict):
    """The outcome of one request, as it was decided. """

    id: str
    """The id of the policy decision, which begins with `decision_`. """
    at: int
    """The time of the decision in epoch seconds. """
    outcome: Literal["allow", "deny", "require_approval"]
    """The outcome. """
    policy_id: str | None
    """The version whose rule decided; null if none did. """
    version: int | None
    """The number of that version. """
    rule_id: str | None
    """The rule that decided; null if none did. """
    reason: Literal["", "no_rule", "denied_by_rule", "window_amount", "window_count", "missing_fact", "unlimited", "unknown_network"]
    """The reason of a denial; empty otherwise. """
    operation: Literal["transfer", "sign_message", "sign_typed_data", "sign_transaction", "export"]
    """The use of the key. """
    wallet_id: str
    """The id of the wallet, which begins with `wallet_`. """
    actor: str
    """The id of the key that asked. """
    facts: FactsResponse
    """The facts that the policies judged. """
    calls: int
    """The requests that it stands for: beyond 100 denials of one key by one rule in a minute, the further ones are one decision. """


class DecisionListResponse(TypedDict):
    """A page of decisions. """

    decisions: list[DecisionResponse]
    """The decisions, the newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class ApprovalVote(TypedDict):
    """ApprovalVote """

    user_id: str
    """The id of the user, which begins with `user_`. """
    decision: Literal["approve", "reject"]
    """The decision of the approver. """
    at: int
    """The time of the vote in epoch seconds. """


class ApprovalResponse(TypedDict):
    """A request that a rule of a policy, or the setting `policy_change`, puts to approvers. """

    id: str
    """The id of the approval, which begins with `appr_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    state: Literal["waiting", "approved", "rejected", "expired", "executed", "void"]
    """The state. `waiting`: it needs votes. `approved`: it may be used. `rejected`: an approver has rejected it. `expired`: it was not approved, or not used, in time. `executed`: it was used. `void`: it has lost its subject, see `reason`. """
    reason: Literal["", "expired", "policy_changed", "key_revoked", "user_inactive", "user_claimed", "transfer_ended"]
    """Why it ended without a vote: `expired`, `policy_changed`, `key_revoked`, `user_inactive`, `user_claimed` or `transfer_ended`; otherwise empty. """
    payload: dict[str, Any]
    """The use of the wallet's key that is asked for, with everything that will be signed. Its fields depend on `operation`. With the operation `policy_change` it is a change of policies: `summary` states it in words, `before` and `after` in full. """
    payload_hash: str
    """The SHA-256 of the payload's canonical JSON (RFC 8785), in hexadecimal. The votes are bound to it. """
    policy_id: str | None
    """The version of the policy whose rule asks; `null` for a change of policies. """
    version: int | None
    """The number of that version; `null` for a change of policies. """
    rule_id: str | None
    """The rule that asks; `null` for a change of policies. """
    group: str
    """The group whose members vote. """
    requested_by: str
    """The id of the app's key with which the call came; for a change of policies, of the management key, or `oidc:` and the operator. """
    user_id: str | None
    """The user whom the call named, who must not vote; empty if it named none, `null` for a change of policies. """
    wallet_id: str | None
    """The wallet; `null` for a change of policies. """
    transfer_id: str
    """The transfer that waits for it; empty for a call that is repeated. """
    votes: list[ApprovalVote]
    """The votes, the oldest first. """
    needed: int
    """The number of members who must approve. """
    created_at: int
    """The time of creation, in epoch seconds. """
    expires_at: int
    """The time until which it must be approved, in epoch seconds; except for a transfer, also the time until which it must be used. """
    ended_at: int
    """When it was used or ended otherwise, in epoch seconds; 0 before, and until its transfer ends with it. """


class ApprovalListResponse(TypedDict):
    """A page of the approvals. """

    approvals: list[ApprovalResponse]
    """The approvals, the newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class BeginVoteRequest(TypedDict):
    """BeginVoteRequest """

    user_id: str
    """The approver. """
    decision: Literal["approve", "reject"]
    """The vote that the passkey will sign. """


class VoteRequest(TypedDict):
    """VoteRequest """

    user_id: str
    """The approver. """
    public_key_credential: dict[str, Any] | str
    """The credential that the browser returned for the options, unchanged: an object or JSON text. """


class PolicyScope(TypedDict):
    """PolicyScope """

    kind: Literal["app", "wallet", "user", "key", "client", "grant"]
    """All requests of the app, those of a wallet, of the wallets of a user, by a key of the app, or with access tokens of an OAuth client or of a grant. The consent to a budget makes that of a grant; a request cannot. """
    id: NotRequired[str]
    """The id of the app, wallet, user, key, client or grant. A request may omit that of the app. """


class RuleAmount(TypedDict):
    """RuleAmount """

    min: NotRequired[str]
    """The least amount, as a decimal number of the asset's units. """
    max: NotRequired[str]
    """The most, as a decimal number of the asset's units. """


class RuleMatch(TypedDict):
    """RuleMatch """

    operations: NotRequired[list[Literal["transfer", "sign_message", "sign_typed_data", "sign_transaction", "export"]]]
    """The uses of a wallet's key. """
    networks: NotRequired[list[str]]
    """The networks: names of configured networks, or CAIP-2 ids. """
    assets: NotRequired[list[str]]
    """The currencies by name or symbol: coins of networks, and assets of the app as they are when the version is stored. """
    destinations: NotRequired[list[str]]
    """The addresses that receive, or that may take. """
    amount: NotRequired[RuleAmount]
    """The bounds on each amount that is moved. They need exactly one asset in `assets`. """


class RuleApprovals(TypedDict):
    """RuleApprovals """

    group: str
    """The approver group whose members vote. """
    count: int
    """The number of members who must approve. """
    expires_in: int
    """The number of seconds after which a request that is not approved expires. """


class PolicyRule(TypedDict):
    """PolicyRule """

    id: NotRequired[str]
    """The id of the rule, unique in the version. Windows are counted by the policy's name and this id, so that a new version refills no budget. If it is absent, the service makes one from the place of the rule. """
    effect: Literal["allow", "deny", "require_approval"]
    """The result for a request that matches. """
    match: NotRequired[RuleMatch]
    """The requests that the rule is about. """
    windows: NotRequired[list[RuleWindow]]
    """The budgets. A `deny` rule has none. """
    approvals: NotRequired[RuleApprovals]
    """The approvals that `require_approval` needs. Rules with another effect have none. """


class PolicyResponse(TypedDict):
    """One version of a policy. """

    id: str
    """The id of the policy, which begins with `pol_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    name: str
    """The name, which ties the versions of a policy. """
    version: int
    """The number of the version among those of the name. """
    state: Literal["draft", "active", "retired"]
    """The state: `draft` before the first activation, `active` while it is in force, `retired` afterwards. """
    scope: PolicyScope
    """The requests that the policy judges. """
    rules: list[PolicyRule]
    """The rules, in the order in which they are tried. """
    created_at: int
    """The time of creation, in epoch seconds. """
    activated_at: int
    """The time of the last activation, in epoch seconds; 0 before the first. """
    retired_at: int
    """The time when the version was retired, in epoch seconds; 0 unless it is retired. """


class PolicyListResponse(TypedDict):
    """A page of the versions of policies. """

    policies: list[PolicyResponse]
    """The versions, the newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class PolicyDetailsResponse(TypedDict):
    """One version of a policy, and the effect of its activation. """

    id: str
    """The id of the policy, which begins with `pol_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    name: str
    """The name, which ties the versions of a policy. """
    version: int
    """The number of the version among those of the name. """
    state: Literal["draft", "active", "retired"]
    """The state: `draft` before the first activation, `active` while it is in force, `retired` afterwards. """
    scope: PolicyScope
    """The requests that the policy judges. """
    rules: list[PolicyRule]
    """The rules, in the order in which they are tried. """
    created_at: int
    """The time of creation, in epoch seconds. """
    activated_at: int
    """The time of the last activation, in epoch seconds; 0 before the first. """
    retired_at: int
    """The time when the version was retired, in epoch seconds; 0 unless it is retired. """
    allows_more: bool
    """Whether its activation may allow a request that the active version of its name does not allow. It is `true` where the service cannot prove the contrary. """


class CreatePolicyRequest(TypedDict):
    """CreatePolicyRequest """

    name: str
    """The name, which ties the versions of a policy: the name of an existing policy makes its next version. """
    scope: PolicyScope
    """The requests that the policy judges. """
    rules: list[PolicyRule]
    """The rules, in the order in which they are tried. A version has at most 64 KiB of them. The JSON of the body, without blanks, has at most 80 KiB. """


class ApprovableChange(TypedDict):
    """ApprovableChange """

    approval_id: NotRequired[str]
    """The approval that the refused call (409 `approval_required`) named, once it is approved. """


class ApproverGroupMember(TypedDict):
    """ApproverGroupMember """

    user_id: str
    """The id of the user, which begins with `user_`. """


class CreateApproverGroupRequest(TypedDict):
    """CreateApproverGroupRequest """

    name: str
    """The name, which is for people. """
    members: list[ApproverGroupMember]
    """The users who may approve. """


class ApproverGroupResponse(TypedDict):
    """An approver group. """

    id: str
    """The id of the approver group, which begins with `agrp_`. """
    name: str
    """The name, which is for people. """
    members: list[ApproverGroupMember]
    """The users who may approve. A deleted user is no longer a member. """
    created_at: int
    """The time of creation, in epoch seconds. """
    updated_at: int
    """The time of the last change, in epoch seconds. """


class ApproverGroupListResponse(TypedDict):
    """A page of the approver groups. """

    approver_groups: list[ApproverGroupResponse]
    """The groups, the newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class UpdateApproverGroupRequest(TypedDict):
    """UpdateApproverGroupRequest """

    approval_id: NotRequired[str]
    """The approval that the refused call (409 `approval_required`) named, once it is approved. """
    name: NotRequired[str]
    """The name, which is for people. """
    members: NotRequired[list[ApproverGroupMember]]
    """The users who may approve. The request replaces the list. """


class ApproverGroupDeletedResponse(TypedDict):
    """The approver group was deleted. """

    id: str
    """The id of the approver group, which begins with `agrp_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class BeginPasskeyApprovalRequest(TypedDict):
    """BeginPasskeyApprovalRequest """

    user_id: str
    """The member who approves, not the holder of the passkey. """


class ApprovedPasskeyResponse(TypedDict):
    """A passkey that votes in an approver group, because another member has approved it. """

    approver_group_id: str
    """The id of the approver group, which begins with `agrp_`. """
    webauthn_credential_id: str
    """The id of the passkey, which begins with `webauthn_`. """
    user_id: str
    """The holder of the passkey. """
    approved_by: str
    """The member who has approved it. """
    approved_at: int
    """The time of the first approval, in epoch seconds. """


class FreezeResponse(TypedDict):
    """Whether the wallets of the app sign. """

    app_id: str
    """The id of the app, which begins with `app_`. """
    frozen_at: int
    """The time since which they sign nothing, in epoch seconds; `0` if they sign. """


class UserFreezeResponse(TypedDict):
    """Whether the wallets of the user sign. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    frozen_at: int
    """The time since which they sign nothing, in epoch seconds; `0` if they sign. """


class ApprovableRecoveryRequest(TypedDict):
    """ApprovableRecoveryRequest """

    email: NotRequired[str]
    """An email address of at most 254 characters. White space around it is removed. """
    phone_number: NotRequired[str]
    """A phone number in E.164 form, such as `+4915112345678`. """
    approval_id: NotRequired[str]
    """The id of the approval, which begins with `appr_`. """


class RecoveryResponse(TypedDict):
    """The recovery that is under way. The verified addresses of the user were notified of it. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    email: str
    """The new email address; empty if it is a phone number. """
    phone_number: str
    """The new phone number; empty if it is an email address. """
    begun_at: int
    """The time of its beginning, in epoch seconds. """
    ready_at: int
    """The time from which a proof of the new address opens the account, in epoch seconds. """
    expires_at: int
    """The time until which the new address can be proved, in epoch seconds. """


class ErasureLine(TypedDict):
    """ErasureLine """

    name: str
    """What the rows are: the name of the list in the export of a person, or of what cannot be found by the person. """
    outcome: Literal["removed", "anonymised", "kept"]
    """Whether the rows were removed, lost what they say about the person, or must stay. """
    rows: int | None
    """The number of rows; null where they cannot be found by the person. """
    reason: str
    """Why the rows, or a part of each, must stay; empty if all is removed. """


class ErasureResponse(TypedDict):
    """The receipt of the erasure of a person. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    status: Literal["running", "done"]
    """Whether the erasure still goes on. """
    percent: int
    """How much of the erasure is done, in percent. """
    requested_at: int
    """Epoch seconds. """
    finished_at: int
    """Epoch seconds; 0 while the erasure goes on. """
    lines: list[ErasureLine]
    """What there was about the person, and what became of it. """


class SessionListItem(TypedDict):
    """SessionListItem """

    id: str
    """The id of the session, which begins with `sess_`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    started_at: int
    """The time of the start, in epoch seconds. """
    expires_at: int
    """The time after which the session has expired, in epoch seconds. """
    last_active_at: int
    """The time of the last use, in epoch seconds, accurate to the minute. """
    factors: list[FactorResponse]
    """The factors that the user proved in this session, in the order of their last proof. """
    device_fingerprint: SessionDeviceResponse
    """The device from which the session was started. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class ListSessionsResponse(TypedDict):
    """A page of the user's live sessions. """

    sessions: list[SessionListItem]
    """The live sessions of the page, newest first, never with their tokens. """
    has_more: bool
    """Whether there are more sessions after this page. """


class RequiredProofsRequest(TypedDict):
    """RequiredProofsRequest """

    max_age_seconds: NotRequired[int]
    """The greatest age of the last proof in the session: with `factors`, of the last proof of each of them. """
    factors: NotRequired[list[Literal["magic_link", "oauth", "otp", "totp", "wallet", "webauthn"]]]
    """The kinds of factor of which the session must have a proof: all of them. """


class VerifySessionRequest(TypedDict):
    """VerifySessionRequest """

    session_token: NotRequired[str]
    """The token of the session. An empty string counts as absent. """
    session_jwt: NotRequired[str]
    """A JWT of the session that has not expired. An empty string counts as absent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. It never moves the end to an earlier time; if absent, the end stays. """
    require: NotRequired[RequiredProofsRequest]
    """The proofs that the session must have seen, else the response is 401 `step_up_required`. An embedded link or a password is no proof. """


class VerifySessionResponse(TypedDict):
    """The session is live. The response has its current factors and a valid JWT. """

    session: IssuedSessionResponse
    """The verified session. """
    session_token: str
    """The token of the request; empty if the session was verified by its JWT. """
    session_jwt: str
    """A JWT with at least half of its life left; a new one whenever the session changed. """


class DeleteSessionRequest(TypedDict):
    """DeleteSessionRequest """

    session_id: NotRequired[str]
    """The id of the session to delete. """
    session_token: NotRequired[str]
    """The token of the session to delete. """
    session_jwt: NotRequired[str]
    """A JWT of the session to delete. """


class DeleteSessionResponse(TypedDict):
    """The session has ended. """

    message: str
    """The result as a sentence for people. Its wording may change. """


class ManagedSession(TypedDict):
    """ManagedSession """

    id: str
    """The id of the session, which begins with `sess_`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    started_at: int
    """The time of the start, in epoch seconds. """
    expires_at: int
    """The time after which the session has expired, in epoch seconds. """
    last_active_at: int
    """The time of the last use, in epoch seconds, accurate to the minute. """
    factors: list[FactorResponse]
    """The factors that the user proved in this session, in the order of their last proof. """
    device_fingerprint: SessionDeviceResponse
    """The device from which the session was started. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    status: Literal["active", "expired", "revoked"]
    """The status: `active`, `expired` at `expires_at`, or `revoked` before it. """
    revoked_at: int
    """The time at which the session was revoked, in epoch seconds; `0` if it was not revoked. """


class ManagedSessionListResponse(TypedDict):
    """A page of the sessions, without their tokens. """

    sessions: list[ManagedSession]
    """The sessions of the page, newest first. A session is kept for 30 days after its end. """
    has_more: bool
    """Whether there are more sessions after this page. """


class EndedSessionResponse(TypedDict):
    """The session has ended. """

    id: str
    """The id of the session, which begins with `sess_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class EndedSessionsResponse(TypedDict):
    """All sessions of the user have ended. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class JsonWebKeyResponse(TypedDict):
    """JsonWebKeyResponse """

    kty: Literal["RSA"]
    """The type of the key, always `RSA`. """
    n: str
    """The modulus in base64url. """
    e: str
    """The public exponent in base64url. """
    kid: str
    """The id of the key, which is `kid` in the header of a JWT that it signed. """
    alg: Literal["RS256"]
    """The algorithm of the signatures, always `RS256`. """
    use: Literal["sig"]
    """The use of the key, always `sig`: it verifies signatures. """
    key_ops: list[Literal["verify"]]
    """The same as `use`, in the words some clients require. """


class JsonWebKeySetResponse(TypedDict):
    """The public keys that verify the app's session JWTs. """

    keys: list[JsonWebKeyResponse]
    """The next key, the current one, and those retired in the last hour. """


class CreateTotpRequest(TypedDict):
    """CreateTotpRequest """

    user_id: str
    """The id of the user, which begins with `user_`. """
    expires_in: NotRequired[int]
    """Minutes within which the enrolment must be verified. """


class CreateTotpResponse(TypedDict):
    """The enrolment. Its secret and its recovery codes are shown only once. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    secret: str
    """Shared secret in base32, for an authenticator app that cannot scan. """
    totp_id: str
    """Begins with `totp_`. """
    recovery_codes: list[str]
    """The 16 recovery codes, each valid for one login without the authenticator. """
    qr_base64: str
    """PNG image of the QR code to scan, as a data URL. """


class VerifyTotpRequest(TypedDict):
    """VerifyTotpRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    totp: str
    """The code that the authenticator app shows. Send the text as the user typed it, see the field `otp` of passcodes. """


class VerifiedTotpResponse(TypedDict):
    """The user whose code is right, and the session if the request asks for one. """

    totp_id: str
    """Begins with `totp_`. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    user_created: bool
    """Whether this call created the user. False for a user whom the app created before. """
    account_prepared: PreparedAccountResponse | None
    """The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response. """
    session: IssuedSessionResponse | None
    """The session that was started or joined; null if the request asks for none. """
    session_token: str
    """The token of the session; empty if there is no session or the request named it by its JWT. """
    session_jwt: str
    """The JWT of the session; empty if there is no session. """


class VerifyRecoveryCodeRequest(TypedDict):
    """VerifyRecoveryCodeRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    user_id: str
    """The id of the user, which begins with `user_`. """
    recovery_code: NotRequired[str]
    """A recovery code. Upper case, blanks and missing hyphens are accepted. """
    totp: NotRequired[str]
    """The recovery code under the name that existing clients use. Ignored when `recovery_code` is given. """


class ListRecoveryCodesRequest(TypedDict):
    """ListRecoveryCodesRequest """

    user_id: str
    """The id of the user, which begins with `user_`. """
    session_token: NotRequired[str]
    """The token of a fresh session of the user. Without a session the call acts for the app. An empty string counts as absent. """
    session_jwt: NotRequired[str]
    """A JWT of a fresh session of the user. An empty string counts as absent. """


class TotpRecoveryCodes(TypedDict):
    """TotpRecoveryCodes """

    id: str
    """Begins with `totp_`. """
    verified: bool
    """Whether the enrolment is complete. The codes work only then. """
    recovery_codes: list[str]
    """The unused codes. """


class ListRecoveryCodesResponse(TypedDict):
    """The unused recovery codes of the user. """

    user_id: str
    """The id of the user, which begins with `user_`. """
    totps: list[TotpRecoveryCodes]
    """The user's authenticator, or an empty list. """


class TotpDeletionResponse(TypedDict):
    """The authenticator was deleted. """

    user_id: str
    """The user of the deleted authenticator. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class EvaluateRequest(TypedDict):
    """EvaluateRequest """

    operation: Literal["transfer", "sign_message", "sign_typed_data", "sign_transaction", "export"]
    """The use of the key. It decides which of the fields below are read. """
    wallet_id: str
    """The wallet whose key is used. """
    user_id: NotRequired[str]
    """The required owner of the wallet. """
    key_id: NotRequired[str]
    """The key of the app that asks. Without it, no policy of a key applies. """
    dest: NotRequired[str]
    """The address to pay, of a `transfer`. """
    source_amount: NotRequired[str]
    """The amount of a `transfer`: a decimal number in digits. """
    source_currency: NotRequired[str]
    """The currency of a `transfer`: a coin or an asset of the app, by name or symbol. """
    network: NotRequired[str]
    """The network of a `transfer`. """
    message: NotRequired[str]
    """The message of `sign_message`. """
    typed_data: NotRequired[dict[str, Any]]
    """The typed data of `sign_typed_data` (EIP-712). """
    eth_transaction: NotRequired[dict[str, Any]]
    """The transaction of `sign_transaction` (EIP-1559). """


class WindowResponse(TypedDict):
    """The sum of a window, which the request would add to. """

    policy_id: str
    """The id of the policy, which begins with `pol_`. """
    rule_id: str
    """The rule. """
    seconds: int
    """The length of the period. """
    bounds: Literal["amount", "count"]
    """Whether it bounds the amount or the number of requests. """
    destination: str
    """The destination that it counts apart; empty if it counts all together. """
    used: str
    """The spent part: a decimal number of the asset's units, or a number of requests. """
    held: str
    """The part of requests whose end is not known, as `used`. """
    limit: str
    """The limit, as `used`. """
    ends_at: int
    """The time at which the oldest spent amount leaves the window, in epoch seconds; `0` if nothing is spent. """


class EvaluateResponse(TypedDict):
    """The outcome that a request would have by the settings and policies. Nothing is decided or stored. """

    outcome: Literal["allow", "deny", "require_approval"]
    """The outcome. """
    policy_id: str | None
    """The version whose rule decides; null if none does. """
    version: int | None
    """The number of that version. """
    rule_id: str | None
    """The rule that decides; null if none does. """
    reason: Literal["", "no_rule", "denied_by_rule", "window_amount", "window_count", "missing_fact", "unlimited", "unknown_network", "destination_not_allowed", "transfer_limit_exceeded", "fee_limit_exceeded", "transaction_not_allowed", "message_not_allowed", "typed_data_not_allowed", "wallet_export_not_allowed"]
    """The reason of a denial; empty otherwise. Of a denial by the app's settings, the type of the error of the call. """
    windows: list[WindowResponse]
    """The windows of the rules that would let it pass. """


class CreateTransferRequest(TypedDict):
    """CreateTransferRequest """

    source: str
    """The wallet that pays. """
    network: NotRequired[str]
    """The network to pay on. Without it the currency decides: `base` is paid on `base`, `ETH` on `ethereum`. """
    dest: str
    """The address to pay. Ethereum: checksummed (EIP-55) or all lower case; Solana: base58. """
    source_amount: str
    """A decimal number in digits, such as `0.25`; or `max`: everything that no open transfer of the wallet may still take, from which the fees of a coin payment are taken. On Solana it leaves the rent-exempt minimum while other transfers are open. """
    source_currency: str
    """The currency of the source: the name of a network for its coin, or an asset of the app. With `network` a symbol means one of that network; alone, `ETH` and `SOL` mean `ethereum` and `solana`. """
    dest_currency: NotRequired[str]
    """Must equal `source_currency`, which is the default: currencies are not exchanged. """
    amount_includes_fees: NotRequired[bool]
    """Whether the fees are taken out of the amount, so that less arrives. Otherwise they are added to it. """
    allow_high_fee: NotRequired[bool]
    """Whether to pay in the chain's own coin even when the quoted fee exceeds the amount that arrives. """
    custom_id: NotRequired[str | int | None]
    """The caller's own id, permanently unique within the app. A number is converted to text. """
    notes: NotRequired[str]
    """A text of your own, which the service only stores and returns. """
    user_id: NotRequired[str]
    """The required owner of the source. """


class TransferFeesResponse(TypedDict):
    """TransferFeesResponse """

    network: str
    """The fee for the gas; on Solana for signatures, priority and rent. """
    l1: str
    """The fee for the data on the chain below, on networks of the OP stack; otherwise `0`. """
    operator: str
    """The fee of the operator, on networks of the OP stack; otherwise `0`. """


class TransferAttemptResponse(TypedDict):
    """TransferAttemptResponse """

    hash: str
    """Ethereum: the transaction's hash; Solana: its signature. """
    kind: Literal["payment", "cancellation"]
    """The kind: `payment`, or `cancellation`, which is a zero-value self-transfer that replaces it. """
    nonce: int | None
    """The nonce of the transaction; Ethereum only, otherwise null. """
    blockhash: str | None
    """The blockhash to which the transaction is bound; Solana only, otherwise null. """
    max_fee: str
    """The highest possible fee, as decimal text in the coin of the chain. On networks of the OP stack it contains the reserve for the L1 and operator fee. """
    accepted_at: int
    """When a node first accepted it, in epoch seconds; 0 before. """
    created_at: int
    """The time of creation in epoch seconds. """


class TransferFailureResponse(TypedDict):
    """TransferFailureResponse """

    code: str
    """The reason of the failure, such as `insufficient_funds`. """
    retry_safe: bool
    """Whether it is proven that paying again does not pay twice. """
    used_by: str
    """The hash of the transaction that used the nonce, for `nonce_used_elsewhere` and `paid_elsewhere`; empty where it cannot be named, and for every other code. """


class TransferResponse(TypedDict):
    """The transfer in its current state. """

    id: str
    """Begins with `transfer_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The owner of the source. """
    status: Literal["unconfirmed", "awaiting_approval", "pending", "completed", "failed", "rejected", "expired", "cancelled"]
    """The status: `unconfirmed`, `awaiting_approval` (a policy puts it to approvers, see `approval_id`), `pending`, `completed`, `failed`, `rejected`, `expired` or `cancelled`. """
    stage: Literal["", "queued", "signed", "submitted", "mined"]
    """The progress of a pending transfer: `queued`, `signed`, `submitted` or `mined`; otherwise empty. """
    source: str
    """The wallet that pays. """
    network: str
    """The network that it is paid on. """
    source_amount: str
    """The amount that leaves the wallet when the transfer completes. For the chain's own coin it includes `total_fees`. """
    dest: str
    """The address to pay. """
    dest_amount: str
    """The amount that arrives. """
    source_currency: str
    """The name of the currency that is paid. """
    dest_currency: str
    """The same as `source_currency`, because currencies are not exchanged. """
    batch_id: str | None
    """The batch that it is confirmed with; null if it is in none. """
    custom_id: str | None
    """The caller's own id, as text; null if the transfer has none. """
    total_fees: str
    """The fees that were paid, in the coin of the chain. Until they are known, and when nothing was carried out: the quoted upper bound. """
    fees: TransferFeesResponse
    """The parts of `total_fees`: those that are reserved, and once the fees are known those that were paid. """
    notes: str
    """The text of the request; may be empty. """
    blockchain_tx_hash: str
    """Empty until signed. May change while the transfer is pending. """
    attempts: list[TransferAttemptResponse]
    """The transactions that were signed for the transfer, the oldest first. It is empty until the first one is signed. """
    failure: TransferFailureResponse | None
    """The reason of the end; null unless it failed, was rejected, or was not approved in time. """
    approval_id: str | None
    """The approval that was requested last; null if policies put it to no approvers. """
    stuck_since: int
    """When it was marked stuck, because it was pending for too long, in epoch seconds; otherwise 0. """
    stuck_reason: Literal["", "books_behind_chain", "waits_in_queue", "user_inactive", "app_frozen", "wallet_frozen", "row_altered", "not_in_a_block", "not_final", "node_lacks_history", "history_too_long", "nodes_disagree", "fee_above_ceiling", "another_chain", "network_not_configured", "sequencer_or_node_down"]
    """The reason when `stuck_since` is set: `books_behind_chain` (the chain shows payments that the database does not know, since it was restored or lost commits: nothing is signed from the wallet until both are compared), `waits_in_queue`, `user_inactive`, `app_frozen`, `wallet_frozen`, `row_altered`, `not_in_a_block`, `not_final`, `node_lacks_history`, `history_too_long` (many transactions name the wallet, and are still being read: nothing is signed or cancelled until then), `nodes_disagree`, `fee_above_ceiling`, `another_chain`, `network_not_configured`, `sequencer_or_node_down`; otherwise empty. """
    confirmed_at: int
    """The time of the block that contains the payment, in epoch seconds; 0 while none does. A reorganisation of the chain may make it 0 again before `completed_at` is set. """
    completed_at: int
    """The time of completion in epoch seconds; 0 unless completed. """
    cancelled_at: int
    """The time of cancellation in epoch seconds; 0 unless cancelled. """
    cancel_requested_at: int
    """When its cancellation was requested, in epoch seconds; otherwise 0. It is cancelled once that is proven to be safe. """
    expires_at: int
    """The time until which it can be confirmed, in epoch seconds. The status changes to `expired` as a rule within 20 seconds after it, and later while a confirmation that began in time is being stored. Until then the transfer may still be paid: do not conclude from the clock that it is not. """
    created_at: int
    """The time of creation in epoch seconds. """
    updated_at: int
    """The time of the last change in epoch seconds. """


class BatchItemRequest(TypedDict):
    """BatchItemRequest """

    dest: str
    """The address to pay. """
    source_amount: str
    """A decimal number in digits; not `max`. """
    custom_id: NotRequired[str | int | None]
    """The caller's own id, permanently unique within the app. """
    notes: NotRequired[str]
    """A text that is only stored and returned. """


class CreateBatchRequest(TypedDict):
    """CreateBatchRequest """

    source: str
    """The wallet that pays. """
    network: NotRequired[str]
    """The network to pay on, as for one transfer. """
    source_currency: str
    """The currency of all payments, named as for one transfer. """
    items: list[BatchItemRequest]
    """The payments. """
    allow_high_fee: NotRequired[bool]
    """Whether to pay in the coin even when quoted fees exceed an amount. """
    user_id: NotRequired[str]
    """The required owner of the source. """


class BatchResponse(TypedDict):
    """The transfers of a batch. """

    batch_id: str
    """Begins with `batch_`. """
    transfers: list[TransferResponse]
    """The transfers, in the order of the items. """
    total_fees: str
    """The sum of their `total_fees`. """


class ConfirmBatchRequest(TypedDict):
    """ConfirmBatchRequest """

    batch_id: str
    """The batch. """
    user_id: NotRequired[str]
    """The required owner of the source. """


class ListTransfersResponse(TypedDict):
    """A page of the transfers, and their number on all pages. """

    transfers: list[TransferResponse]
    """The transfers, newest first. """
    count: int
    """The number of transfers on all pages: exact up to 10,000, an estimate beyond. """
    count_estimated: bool
    """Whether `count` is an estimate. """
    limit: int
    """The `limit` of the request, or its default. """
    offset: int
    """The `offset` of the request, or its default. """


class ConfirmTransferRequest(TypedDict):
    """ConfirmTransferRequest """

    user_id: NotRequired[str]
    """The required owner of the source: a protection against mistakes. """


class ManagedTransferResponse(TypedDict):
    """The transfer with the step that it waits for. """

    id: str
    """Begins with `transfer_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The owner of the source. """
    status: Literal["unconfirmed", "awaiting_approval", "pending", "completed", "failed", "rejected", "expired", "cancelled"]
    """The status: `unconfirmed`, `awaiting_approval` (a policy puts it to approvers, see `approval_id`), `pending`, `completed`, `failed`, `rejected`, `expired` or `cancelled`. """
    stage: Literal["", "queued", "signed", "submitted", "mined"]
    """The progress of a pending transfer: `queued`, `signed`, `submitted` or `mined`; otherwise empty. """
    source: str
    """The wallet that pays. """
    network: str
    """The network that it is paid on. """
    source_amount: str
    """The amount that leaves the wallet when the transfer completes. For the chain's own coin it includes `total_fees`. """
    dest: str
    """The address to pay. """
    dest_amount: str
    """The amount that arrives. """
    source_currency: str
    """The name of the currency that is paid. """
    dest_currency: str
    """The same as `source_currency`, because currencies are not exchanged. """
    batch_id: str | None
    """The batch that it is confirmed with; null if it is in none. """
    custom_id: str | None
    """The caller's own id, as text; null if the transfer has none. """
    total_fees: str
    """The fees that were paid, in the coin of the chain. Until they are known, and when nothing was carried out: the quoted upper bound. """
    fees: TransferFeesResponse
    """The parts of `total_fees`: those that are reserved, and once the fees are known those that were paid. """
    notes: str
    """The text of the request; may be empty. """
    blockchain_tx_hash: str
    """Empty until signed. May change while the transfer is pending. """
    attempts: list[TransferAttemptResponse]
    """The transactions that were signed for the transfer, the oldest first. It is empty until the first one is signed. """
    failure: TransferFailureResponse | None
    """The reason of the end; null unless it failed, was rejected, or was not approved in time. """
    approval_id: str | None
    """The approval that was requested last; null if policies put it to no approvers. """
    stuck_since: int
    """When it was marked stuck, because it was pending for too long, in epoch seconds; otherwise 0. """
    stuck_reason: Literal["", "books_behind_chain", "waits_in_queue", "user_inactive", "app_frozen", "wallet_frozen", "row_altered", "not_in_a_block", "not_final", "node_lacks_history", "history_too_long", "nodes_disagree", "fee_above_ceiling", "another_chain", "network_not_configured", "sequencer_or_node_down"]
    """The reason when `stuck_since` is set: `books_behind_chain` (the chain shows payments that the database does not know, since it was restored or lost commits: nothing is signed from the wallet until both are compared), `waits_in_queue`, `user_inactive`, `app_frozen`, `wallet_frozen`, `row_altered`, `not_in_a_block`, `not_final`, `node_lacks_history`, `history_too_long` (many transactions name the wallet, and are still being read: nothing is signed or cancelled until then), `nodes_disagree`, `fee_above_ceiling`, `another_chain`, `network_not_configured`, `sequencer_or_node_down`; otherwise empty. """
    confirmed_at: int
    """The time of the block that contains the payment, in epoch seconds; 0 while none does. A reorganisation of the chain may make it 0 again before `completed_at` is set. """
    completed_at: int
    """The time of completion in epoch seconds; 0 unless completed. """
    cancelled_at: int
    """The time of cancellation in epoch seconds; 0 unless cancelled. """
    cancel_requested_at: int
    """When its cancellation was requested, in epoch seconds; otherwise 0. It is cancelled once that is proven to be safe. """
    expires_at: int
    """The time until which it can be confirmed, in epoch seconds. The status changes to `expired` as a rule within 20 seconds after it, and later while a confirmation that began in time is being stored. Until then the transfer may still be paid: do not conclude from the clock that it is not. """
    created_at: int
    """The time of creation in epoch seconds. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    network_id: str
    """The network that it is paid on, and no other, as a [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) chain id. Ethereum: `eip155:` and the chain id of the service's node, such as `eip155:1`. Solana: `solana:` and the first 32 characters of the genesis hash of its cluster, such as `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp` for mainnet. """
    next_step: Literal["confirmation", "approval", "place_in_queue", "broadcast", "block", "finality", "cancellation", "none"]
    """The step that the transfer waits for: `confirmation` by the app, `approval` by approvers, `place_in_queue` of its wallet, `broadcast`, a `block`, `finality`, or the `cancellation` that was requested; `none` once it has ended. `stuck_reason` says why that takes too long. """
    next_check_at: int
    """When the service looks at it next, in epoch seconds; 0 when it waits for the app or has ended. """


class ManagedTransferListResponse(TypedDict):
    """A page of the transfers. """

    transfers: list[ManagedTransferResponse]
    """The transfers, newest first. """
    has_more: bool
    """Whether there are more after the last of these. """


class WalletBalanceRequest(TypedDict):
    """WalletBalanceRequest """

    wallet_id: str
    """The id of the wallet, which begins with `wallet_`. """
    token_symbol: str
    """The symbol of the asset: `ETH`, `SOL` or that of an asset of the app; names such as `ethereum` are accepted too. """
    network: NotRequired[str]
    """The network. Without it the asset decides, as in `transfers/create`. """


class WalletBalanceResponse(TypedDict):
    """The current balance on the chain. """

    balance: str
    """The balance as decimal text, in whole units of the asset. """
    token_symbol: str
    """The symbol of the asset. """
    network: str
    """The network of the balance. """
    wallet: WalletResponse
    """The wallet that holds the balance. """


DepositResponse = TypedDict(
    "DepositResponse",
    {
        "id": "str",
        "network": "str",
        "currency": "str",
        "amount": "str",
        "from": "str",
        "blockchain_tx_hash": "str",
        "block_number": "int",
        "at": "int",
    },
)


class ListDepositsResponse(TypedDict):
    """The deposits of a wallet. """

    deposits: list[DepositResponse]
    """The deposits, the most recently found first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


ManagedDepositResponse = TypedDict(
    "ManagedDepositResponse",
    {
        "id": "str",
        "network": "str",
        "currency": "str",
        "amount": "str",
        "from": "str",
        "blockchain_tx_hash": "str",
        "block_number": "int",
        "at": "int",
        "network_id": "str",
    },
)


class ManagedDepositListResponse(TypedDict):
    """The deposits of a wallet. """

    deposits: list[ManagedDepositResponse]
    """The deposits, the most recently found first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class ManagedBalanceResponse(TypedDict):
    """ManagedBalanceResponse """

    token_symbol: str
    """The symbol of the asset. """
    network: str
    """The network of the balance. """
    balance: str
    """The balance as decimal text, in whole units of the asset; empty if the chain does not return it. """
    error_type: str
    """The error type of the chain's refusal, such as `chain_unavailable`; empty if there is a balance. """


class ManagedWalletResponse(TypedDict):
    """The wallet with its current balances. """

    id: str
    """Begins with `wallet_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The id of the owner, which begins with `user_`. """
    public_address: str
    """The address on the chain: EIP-55 for ethereum, base58 for solana. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain: `ethereum` or `solana`. """
    verified: bool
    """Whether the user is known to hold the key, or the service to hold it for them. """
    is_default: bool
    """Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain. """
    is_read_only: bool
    """Whether the service cannot sign with it. """
    is_imported: bool
    """Whether its key was made outside of the service. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """
    balances: list[ManagedBalanceResponse]
    """The current balances of the coins and of the app's tokens on the networks that the app may use. """
    frozen_at: int
    """The time since which the wallet itself is frozen and signs nothing, in epoch seconds; `0` if it is not. """


class CreateWalletRequest(TypedDict):
    """CreateWalletRequest """

    user_id: str
    """The user who will own the wallet. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain; `ETH` and `SOL` mean the same. """


class ListWalletsResponse(TypedDict):
    """A page of the wallets. """

    wallets: list[WalletResponse]
    """The wallets, newest first. """
    has_more: bool
    """Whether there are more after the last of these. """


class WalletFreezeResponse(TypedDict):
    """Whether the wallet signs. """

    wallet_id: str
    """The id of the wallet, which begins with `wallet_`. """
    frozen_at: int
    """The time since which it signs nothing, in epoch seconds; `0` if it signs, as far as its user and its app are not frozen. """


class SignMessageRequest(TypedDict):
    """SignMessageRequest """

    approval_id: NotRequired[str]
    """The approval that the refused call (409 `approval_required`) named, once it is approved. """
    message: str
    """Signed exactly as given, as UTF-8, also if the text looks like hexadecimal. """


class SignatureResponse(TypedDict):
    """The signature, and the wallet that made it. """

    id: str
    """Begins with `wallet_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The id of the owner, which begins with `user_`. """
    public_address: str
    """The address on the chain: EIP-55 for ethereum, base58 for solana. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain: `ethereum` or `solana`. """
    verified: bool
    """Whether the user is known to hold the key, or the service to hold it for them. """
    is_default: bool
    """Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain. """
    is_read_only: bool
    """Whether the service cannot sign with it. """
    is_imported: bool
    """Whether its key was made outside of the service. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """
    wallet_id: str
    """The id of the wallet, which begins with `wallet_`. """
    wallet: WalletResponse
    """The wallet that signed. """
    signature: str
    """Ethereum: 65 bytes in 0x-hexadecimal, v 27 or 28. Solana: base58. """


class SignTypedDataRequest(TypedDict):
    """SignTypedDataRequest """

    approval_id: NotRequired[str]
    """The approval that the refused call (409 `approval_required`) named, once it is approved. """
    typed_data: dict[str, Any]
    """The typed data of EIP-712: `domain`, `types`, `primaryType` and `message`, with at most 1,000 values, 50 types and 250 fields; the body may be nested 20 levels deep. Names of types may have a namespace, such as `Exchange:Order`. """


class SignTransactionRequest(TypedDict):
    """SignTransactionRequest """

    approval_id: NotRequired[str]
    """The approval that the refused call (409 `approval_required`) named, once it is approved. """
    eth_transaction: dict[str, Any]
    """The transaction of EIP-1559: `to`, `value`, `nonce`, `gas`, `maxFeePerGas`, `maxPriorityFeePerGas`, `chainId`, `data` (or `input`). Numbers are decimal or 0x-hexadecimal text, or whole JSON numbers; amounts are in wei. `data` has at most 65,536 bytes, which are 128 KiB of hexadecimal. Exactly the given transaction is signed: another `type` than 2, a `from` that is not the wallet, `gasPrice`, `accessList`, `authorizationList` and blob fields are refused. """


class SignedTransactionResponse(TypedDict):
    """The signed transaction. It was not sent to the chain. """

    id: str
    """Begins with `wallet_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The id of the owner, which begins with `user_`. """
    public_address: str
    """The address on the chain: EIP-55 for ethereum, base58 for solana. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain: `ethereum` or `solana`. """
    verified: bool
    """Whether the user is known to hold the key, or the service to hold it for them. """
    is_default: bool
    """Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain. """
    is_read_only: bool
    """Whether the service cannot sign with it. """
    is_imported: bool
    """Whether its key was made outside of the service. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """
    wallet_id: str
    """The id of the wallet, which begins with `wallet_`. """
    wallet: WalletResponse
    """The wallet that signed. """
    signature: str
    """Ethereum: 65 bytes in 0x-hexadecimal, v 27 or 28. Solana: base58. """
    signed_transaction: str
    """The signed transaction in 0x-hexadecimal, as `eth_sendRawTransaction` takes it. """
    transaction_hash: str
    """The hash it will have on the chain. """


class BeginImportRequest(TypedDict):
    """BeginImportRequest """

    user_id: str
    """The user who will own the wallet. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain; `ETH` and `SOL` mean the same. """


class BeginImportResponse(TypedDict):
    """The import that has begun, with the public key to which the private key must be encrypted. """

    id: str
    """Begins with `walletimp_`. """
    encryption_type: str
    """The encryption, always `HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM`: RFC 9180, base mode, no info, no associated data. """
    encryption_public_key: str
    """The public key to which the private key must be encrypted, once: 65 bytes, a point of P-256 uncompressed, in base64. """
    expires_at: int
    """The time of expiry in epoch seconds. """


class ImportWalletRequest(TypedDict):
    """ImportWalletRequest """

    id: str
    """The `walletimp_` id of the import that was begun. """
    encapsulated_key: str
    """The sender's encapsulated key (`enc`): 65 bytes, in base64. """
    ciphertext: str
    """The encrypted private key, in base64. Ethereum: hexadecimal text, or the 32 bytes. Solana: base58 text of the 64 bytes of the key pair, or those bytes, or the 32 bytes of the seed. """


class ExportWalletRequest(TypedDict):
    """ExportWalletRequest """

    approval_id: NotRequired[str]
    """The approval that the refused call (409 `approval_required`) named, once it is approved. """
    encryption_public_key: str
    """The public key to which the private key is encrypted: 65 bytes, a point of P-256 uncompressed, in base64. """


class ExportWalletResponse(TypedDict):
    """The private key, encrypted to the public key of the request. """

    wallet_id: str
    """The id of the wallet, which begins with `wallet_`. """
    wallet: WalletResponse
    """The wallet whose key was exported. """
    encryption_type: str
    """The encryption, always `HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM`: RFC 9180, base mode, no info, no associated data. """
    encapsulated_key: str
    """The encapsulated key (`enc`): 65 bytes, in base64. """
    ciphertext: str
    """The encrypted private key, in base64. Ethereum: 0x-hexadecimal text. Solana: base58 text of the 64 bytes of the key pair. """


class BeginRegistrationRequest(TypedDict):
    """BeginRegistrationRequest """

    wallet_type: Literal["ethereum", "solana"]
    """The chain; `ETH` and `SOL` mean the same. """
    public_address: str
    """The address on the chain: for ethereum checksummed (EIP-55) or all in lower case, for solana base58. """
    user_id: NotRequired[str]
    """The user to attach the wallet to. Without it: the user who logs in with the address, else a new user. """


class ChallengeResponse(TypedDict):
    """The registration, with the text that the wallet must sign. """

    challenge: str
    """The text that the wallet must sign, unchanged: by EIP-191 (`personal_sign`) for ethereum, its bytes for solana. """
    id: str
    """Begins with `walletrr_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The user who will own the wallet once a signature is verified. """
    user_created: bool
    """Whether the address had no owner, so that this call created a user for the person who proves it. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain of the address: `ethereum` or `solana`. """
    public_address: str
    """The address that must sign, in canonical form. """
    expires_at: int
    """The time of expiry in epoch seconds. """
    updated_at: int
    """The same as `created_at`, in epoch seconds, because a registration never changes. """
    created_at: int
    """The time of creation in epoch seconds. """


class NonceResponse(TypedDict):
    """The registration, with the nonce for a text of your own that the wallet must sign. """

    nonce: str
    """Letters and digits, for the `Nonce` of a sign-in text. """
    id: str
    """Begins with `walletrr_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The user who will own the wallet once a signature is verified. """
    user_created: bool
    """Whether the address had no owner, so that this call created a user for the person who proves it. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain of the address: `ethereum` or `solana`. """
    public_address: str
    """The address that must sign, in canonical form. """
    expires_at: int
    """The time of expiry in epoch seconds. """
    updated_at: int
    """The same as `created_at`, in epoch seconds, because a registration never changes. """
    created_at: int
    """The time of creation in epoch seconds. """


class VerifyWalletRequest(TypedDict):
    """VerifyWalletRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    signature: str
    """The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58, of the text or of an off-chain message with it, as hardware wallets sign. """
    id: NotRequired[str]
    """The registration that the signature is for. """
    wallet_type: NotRequired[Literal["ethereum", "solana"]]
    """The chain; `ETH` and `SOL` mean the same. """
    public_address: NotRequired[str]
    """The address that signed. """


class VerifiedWalletResponse(TypedDict):
    """The wallet of the user who signed in, and the session if the request asks for one. """

    id: str
    """Begins with `wallet_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    user_id: str
    """The id of the owner, which begins with `user_`. """
    public_address: str
    """The address on the chain: EIP-55 for ethereum, base58 for solana. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain: `ethereum` or `solana`. """
    verified: bool
    """Whether the user is known to hold the key, or the service to hold it for them. """
    is_default: bool
    """Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain. """
    is_read_only: bool
    """Whether the service cannot sign with it. """
    is_imported: bool
    """Whether its key was made outside of the service. """
    updated_at: int
    """The time of the last change in epoch seconds. """
    created_at: int
    """The time of creation in epoch seconds. """
    user_created: bool
    """Whether this call created the user. False for the user whom the beginning of the registration named. """
    account_prepared: PreparedAccountResponse | None
    """The account as the app had prepared it, if the user got it by this call; otherwise null. """
    session: IssuedSessionResponse | None
    """Null if the request asks for no session. """
    session_token: str
    """Empty when there is no session, or it was named by its JWT. """
    session_jwt: str
    """Empty when there is no session. """


class VerifySiweRequest(TypedDict):
    """VerifySiweRequest """

    expected_user_id: NotRequired[str]
    """The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent. """
    session_expires_in: NotRequired[int]
    """The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time. """
    session_token: NotRequired[str]
    """The token of a live session of the same user, to which the factor is added. An empty string means none. """
    session_jwt: NotRequired[str]
    """The JWT of a live session of the same user, to which the factor is added. An empty string means none. """
    device_fingerprint: NotRequired[DeviceFingerprintRequest]
    """The device from which the user signs in. It is stored with the session that this call starts. """
    signature: str
    """The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58, of the text or of an off-chain message with it, as hardware wallets sign. """
    id: NotRequired[str]
    """The registration that the signature is for. """
    wallet_type: NotRequired[Literal["ethereum", "solana"]]
    """The chain; `ETH` and `SOL` mean the same. """
    public_address: NotRequired[str]
    """The address that signed. """
    siwe_challenge: str
    """The text that was signed: EIP-4361, or Sign-In With Solana, with the nonce of a registration. """


class WalletDeletionResponse(TypedDict):
    """The wallet was taken from the user. """

    user_id: str
    """The user from whom the wallet was taken. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class CreateWebhookEndpointRequest(TypedDict):
    """CreateWebhookEndpointRequest """

    url: str
    """The URL that events are sent to by POST: https with a public address, without credentials and fragment. With `ALLOW_PRIVATE_NETWORKS`, the default outside production, also http and private addresses. """
    event_types: NotRequired[list[str]]
    """The names of event types, or `*`. If the list is empty or absent, the endpoint gets all types, also those of later releases. """
    description: NotRequired[str]
    """A description, which the service only stores. """
    ordered: NotRequired[bool]
    """Whether the events of one user follow one another: the next one waits until the previous one is delivered or has failed. """


class WebhookEndpointWithSecretResponse(TypedDict):
    """The endpoint with its secret, which is shown only once. """

    id: str
    """The id of the webhook endpoint, which begins with `whk_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    key_id: str
    """The restricted key that made the endpoint and manages it beside the app; empty if it belongs to the app alone. When the key ends, the endpoint is disabled and passes to the app. """
    url: str
    """The URL that events are sent to by POST. """
    event_types: list[str]
    """The names of event types; an empty list stands for all types. """
    description: str
    """The description that the app gave; may be empty. """
    ordered: bool
    """Whether the events of one user follow one another. """
    disabled_at: int
    """The time when the endpoint was disabled, in epoch seconds; 0 while events are sent. """
    disabled_reason: Literal["", "gone", "failing", "by_app", "key_ended"]
    """The reason why the endpoint is disabled. `gone`: the receiver responded with 410; `failing`: every attempt of 5 days failed; `by_app`: a client disabled it; `key_ended`: the restricted key that made it has ended. Empty while events are sent. """
    failing_since: int
    """The time since which every attempt has failed, in epoch seconds; 0 after a success, and before the first attempt. """
    previous_secret_ends_at: int
    """The time until which the previous secret signs too, in epoch seconds; 0 if there is none. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """
    secret: str
    """The secret that signs the events. It is shown only once. """


class WebhookEndpointResponse(TypedDict):
    """The endpoint without its secret. """

    id: str
    """The id of the webhook endpoint, which begins with `whk_`. """
    app_id: str
    """The id of the app, which begins with `app_`. """
    key_id: str
    """The restricted key that made the endpoint and manages it beside the app; empty if it belongs to the app alone. When the key ends, the endpoint is disabled and passes to the app. """
    url: str
    """The URL that events are sent to by POST. """
    event_types: list[str]
    """The names of event types; an empty list stands for all types. """
    description: str
    """The description that the app gave; may be empty. """
    ordered: bool
    """Whether the events of one user follow one another. """
    disabled_at: int
    """The time when the endpoint was disabled, in epoch seconds; 0 while events are sent. """
    disabled_reason: Literal["", "gone", "failing", "by_app", "key_ended"]
    """The reason why the endpoint is disabled. `gone`: the receiver responded with 410; `failing`: every attempt of 5 days failed; `by_app`: a client disabled it; `key_ended`: the restricted key that made it has ended. Empty while events are sent. """
    failing_since: int
    """The time since which every attempt has failed, in epoch seconds; 0 after a success, and before the first attempt. """
    previous_secret_ends_at: int
    """The time until which the previous secret signs too, in epoch seconds; 0 if there is none. """
    updated_at: int
    """The time of the last change, in epoch seconds. """
    created_at: int
    """The time of creation, in epoch seconds. """


class WebhookEndpointListResponse(TypedDict):
    """A page of the endpoints, without their secrets. """

    webhook_endpoints: list[WebhookEndpointResponse]
    """The endpoints, newest first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class UpdateWebhookEndpointRequest(TypedDict):
    """UpdateWebhookEndpointRequest """

    url: NotRequired[str]
    """The URL that events are sent to by POST. Events that wait are sent there too. """
    event_types: NotRequired[list[str] | None]
    """The names of event types, or `*`. If the list is empty or `null`, the endpoint gets all types. """
    description: NotRequired[str | None]
    """A description, which the service only stores. """
    ordered: NotRequired[bool]
    """Whether the events of one user follow one another. A change applies to later events only. """
    disabled: NotRequired[bool]
    """Whether no events are sent. `false` begins the sending again, also after the service has disabled the endpoint. """


class WebhookEndpointDeletedResponse(TypedDict):
    """The endpoint was deleted. """

    id: str
    """The id of the webhook endpoint, which begins with `whk_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class RotateWebhookSecretRequest(TypedDict):
    """RotateWebhookSecretRequest """

    overlap_minutes: NotRequired[int]
    """The number of minutes for which the current secret signs beside the new one. """


class WebhookTestQueuedResponse(TypedDict):
    """The test event is sent soon. """

    event_id: str
    """The id of the event, which begins with `evt_`. """
    delivery_id: str
    """The id of the webhook delivery, which begins with `whd_`. """
    message: str
    """The result as a sentence for people. Its wording may change. """


class RecoverWebhooksRequest(TypedDict):
    """RecoverWebhooksRequest """

    since: int
    """The start of the range, in epoch seconds. """
    until: NotRequired[int]
    """The end of the range, in epoch seconds, at most 14 days after `since`. If it is absent, the range lasts until the work runs. """


class WebhookQueuedResponse(TypedDict):
    """The events are sent soon. """

    message: str
    """The result as a sentence for people. Its wording may change. """


class WebhookAttemptResponse(TypedDict):
    """WebhookAttemptResponse """

    at: int
    """The time of the attempt, in epoch seconds. """
    status_code: int | None
    """The HTTP status of the response; `null` if there was none. """
    error: str | None
    """The reason why there was no response, e.g. `timeout`; `null` if there was one. """
    duration_ms: int
    """The duration of the attempt, in milliseconds. """
    response: str | None
    """The first kilobyte of the response as text; `null` if there was none. """


class WebhookDeliveryResponse(TypedDict):
    """WebhookDeliveryResponse """

    id: str
    """The id of the webhook delivery, which begins with `whd_`. """
    event_id: str
    """The id of the event, which begins with `evt_`. """
    event_type: str
    """The name of the type of the event. """
    status: Literal["pending", "delivered", "failed"]
    """The status of the delivery: `pending`, `delivered` or `failed`. """
    attempts: list[WebhookAttemptResponse]
    """The last 20 attempts, earliest first. """
    next_attempt_at: int
    """The time of the next attempt, in epoch seconds; 0 unless the delivery is pending. """
    created_at: int
    """The time of creation, in epoch seconds. """


class WebhookDeliveryListResponse(TypedDict):
    """A page of the deliveries to the endpoint. """

    deliveries: list[WebhookDeliveryResponse]
    """The deliveries of the newest events first. """
    has_more: bool
    """Whether more items follow the last one of the page. """


class WebhookDeliveryQueuedResponse(TypedDict):
    """The delivery is repeated soon. """

    message: str
    """The result as a sentence for people. Its wording may change. """
    delivery_id: str
    """The id of the webhook delivery, which begins with `whd_`. """


class Problem(TypedDict):
    """RFC 9457 problem details; older clients read the same from `status_code`, `error_type` and `error_message`. """

    type: str
    """The page that explains this error type: `{BASE_URL}/errors/{error_type}`. """
    title: str
    """A short text for people that is the same for each error type. """
    status: int
    """The HTTP status. """
    detail: str
    """A text for people that states the fault, then the remedy. """
    instance: str
    """The id of the request. """
    status_code: int
    """The same as `status`. """
    error_type: str
    """The stable name of the error. Programs should branch on it. """
    error_message: str
    """The same as `detail`. """
    request_id: str
    """The id of the request, as in the header `X-Request-Id`. """
    policy_id: NotRequired[str | None]
    """The version of the policy whose rule decided, of `policy_denied`. """
    rule_id: NotRequired[str | None]
    """The rule that decided, of `policy_denied`. """
    reason: NotRequired[str]
    """The reason of the denial, of `policy_denied`. """
    approval_id: NotRequired[str | None]
    """The approval that must be given first, of `approval_required`, or that has ended, of `approval_ended`. """
    state: NotRequired[str]
    """The state of the approval, of `approval_ended`. """
    errors: NotRequired[list[dict[str, Any]]]
    """The fields that were refused. Present only for validation errors. """


class AppEventData(TypedDict):
    """The data of an event. """

    app_id: str
    """The app. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class ApprovalEventData(TypedDict):
    """The data of an event. """

    approval_id: str
    """The approval. """
    payload_hash: str
    """The SHA-256 of the payload, in hexadecimal. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class ClientEventData(TypedDict):
    """The data of an event. """

    client_id: str
    """The OAuth client. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class GrantEventData(TypedDict):
    """The data of an event. """

    grant_id: str
    """The grant. """
    user_id: str
    """The user who consented. """
    client_id: str
    """The OAuth client. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class OauthConnectionEventData(TypedDict):
    """The data of an event. """

    oauth_connection_id: str
    """The connection to the provider. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class ResourceEventData(TypedDict):
    """The data of an event. """

    resource_id: str
    """The resource. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class TotpEventData(TypedDict):
    """The data of an event. """

    totp_id: str
    """The enrolment of the authenticator. """
    user_id: str
    """The holder of the authenticator. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class TransferEventData(TypedDict):
    """The data of an event. """

    transfer_id: str
    """The transfer. """
    user_id: str
    """The owner of the wallet that pays. """
    source: str
    """The wallet that pays. """
    network: str
    """The name of the network that it is paid on. """
    batch_id: NotRequired[str]
    """The batch that the transfer is part of. """
    status: Literal["unconfirmed", "awaiting_approval", "pending", "completed", "failed", "rejected", "expired", "cancelled"]
    """The status of the transfer after the event. """
    custom_id: str | None
    """The app's own id of the transfer. """
    blockchain_tx_hash: str
    """The hash of the latest signed transaction; empty when none is signed. """
    stuck_reason: NotRequired[str]
    """Why the transfer does not progress, e.g. `not_in_a_block`. """
    failure: NotRequired[dict[str, Any]]
    """The reason of the end, for a transfer that failed, was rejected or was not approved in time. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class UserEventData(TypedDict):
    """The data of an event. """

    user_id: str
    """The user whom the event is about. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class WalletEventData(TypedDict):
    """The data of an event. """

    wallet_id: str
    """The wallet. """
    user_id: str
    """The owner of the wallet. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain of the wallet. """
    public_address: str
    """The address of the wallet on its chain. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class WebauthnCredentialEventData(TypedDict):
    """The data of an event. """

    webauthn_credential_id: str
    """The passkey. """
    user_id: str
    """The holder of the passkey. """
    actor: NotRequired[str]
    """The restricted key whose call it was. """


class EmailFactorMethodResponse(TypedDict):
    """EmailFactorMethodResponse """

    method_id: str
    """The id of the verified method, the same as in its own field. """
    method_type: Literal["email"]
    """The kind of the method, which determines the other fields. """
    last_verified_at: int
    """The time of the last proof by this method in this session, in epoch seconds. """
    email_id: str
    """The id of the email, which begins with `email_`. """
    email: str
    """The email address that was verified. """


class PhoneNumberFactorMethodResponse(TypedDict):
    """PhoneNumberFactorMethodResponse """

    method_id: str
    """The id of the verified method, the same as in its own field. """
    method_type: Literal["phone_number"]
    """The kind of the method, which determines the other fields. """
    last_verified_at: int
    """The time of the last proof by this method in this session, in epoch seconds. """
    phone_number_id: str
    """The id of the phone number, which begins with `pn_`. """
    phone_number: str
    """The phone number that was verified, in E.164 form. """


class UserFactorMethodResponse(TypedDict):
    """UserFactorMethodResponse """

    method_id: str
    """The id of the verified method, the same as in its own field. """
    method_type: Literal["user"]
    """The kind of the method, which determines the other fields. """
    last_verified_at: int
    """The time of the last proof by this method in this session, in epoch seconds. """
    user_id: str
    """The id of the user, which begins with `user_`. """


class OauthFactorMethodResponse(TypedDict):
    """OauthFactorMethodResponse """

    method_id: str
    """The id of the verified method, the same as in its own field. """
    method_type: Literal["oauth"]
    """The kind of the method, which determines the other fields. """
    last_verified_at: int
    """The time of the last proof by this method in this session, in epoch seconds. """
    idp_user_id: str
    """The id of the user's identity at the provider, which begins with `idpuser_`. """
    provider_subject: str
    """The user's identifier at the identity provider. """


class TotpFactorMethodResponse(TypedDict):
    """TotpFactorMethodResponse """

    method_id: str
    """The id of the verified method, the same as in its own field. """
    method_type: Literal["totp"]
    """The kind of the method, which determines the other fields. """
    last_verified_at: int
    """The time of the last proof by this method in this session, in epoch seconds. """
    totp_id: str
    """The id of the authenticator app, which begins with `totp_`. """


class WalletFactorMethodResponse(TypedDict):
    """WalletFactorMethodResponse """

    method_id: str
    """The id of the verified method, the same as in its own field. """
    method_type: Literal["wallet"]
    """The kind of the method, which determines the other fields. """
    last_verified_at: int
    """The time of the last proof by this method in this session, in epoch seconds. """
    wallet_id: str
    """The id of the wallet, which begins with `wallet_`. """
    wallet_type: Literal["ethereum", "solana"]
    """The chain: `ethereum` or `solana`. """
    wallet_public_address: str
    """The address on the chain: EIP-55 for ethereum, base58 for solana. """


class WebauthnFactorMethodResponse(TypedDict):
    """WebauthnFactorMethodResponse """

    method_id: str
    """The id of the verified method, the same as in its own field. """
    method_type: Literal["webauthn"]
    """The kind of the method, which determines the other fields. """
    last_verified_at: int
    """The time of the last proof by this method in this session, in epoch seconds. """
    webauthn_credential_id: str
    """The id of the passkey, which begins with `webauthn_`. """
