# Made from openapi.json by `npm run openapi`.
"""The calls by resource."""

from __future__ import annotations

from typing import Any, Iterator, List, Literal, Optional

from .client import OMIT, CallOptions, Transport
from .models import (
    AnsweredInteractionResponse,
    AppListResponse,
    AppResponse,
    ApprovalListResponse,
    ApprovalResponse,
    ApprovedPasskeyResponse,
    ApproverGroupDeletedResponse,
    ApproverGroupListResponse,
    ApproverGroupMember,
    ApproverGroupResponse,
    AssetRequest,
    AuditEntryResponse,
    AuditLogResponse,
    AuthorizationServerRequest,
    BatchItemRequest,
    BatchResponse,
    BeginImportResponse,
    BeginOauthLoginResponse,
    BegunPasskeyRegistrationResponse,
    BegunPasskeySignInResponse,
    CancelledRecoveryResponse,
    ChallengeResponse,
    ClientSecretResponse,
    ConnectionTestResponse,
    CreateMagicLinkResponse,
    CreateTotpResponse,
    CreateUserResponse,
    CreatedAppResponse,
    CreatedKeyResponse,
    DecisionListResponse,
    DecisionResponse,
    DeleteSessionResponse,
    DeletedResponse,
    DepositResponse,
    DeviceFingerprintRequest,
    EmailPasscodeLoginResponse,
    EmailPasscodeResponse,
    EmailToAttach,
    EndedManagementSessionResponse,
    EndedSessionResponse,
    EndedSessionsResponse,
    ErasureResponse,
    EvaluateResponse,
    EventResponse,
    ExportWalletResponse,
    FreezeResponse,
    GrantListResponse,
    GrantResponse,
    GrantRevokedResponse,
    ImportUsersResponse,
    InteractionResponse,
    JobListResponse,
    JobResponse,
    JsonWebKeySetResponse,
    KeyListResponse,
    KeyResponse,
    KeyStorageResponse,
    LimitsRequest,
    ListDepositsResponse,
    ListEventTypesResponse,
    ListEventsResponse,
    ListManagedEventsResponse,
    ListRecoveryCodesResponse,
    ListSessionsResponse,
    ListTransfersResponse,
    ListWalletsResponse,
    MagicLinkUserResponse,
    MailedLinkResponse,
    ManagedDepositListResponse,
    ManagedDepositResponse,
    ManagedNetworkListResponse,
    ManagedSession,
    ManagedSessionListResponse,
    ManagedTransferListResponse,
    ManagedTransferResponse,
    ManagedUserListResponse,
    ManagedUserResponse,
    ManagedWalletResponse,
    ManagementSessionListResponse,
    ManagementSessionResponse,
    MaxAmountRequest,
    MessageListResponse,
    MessageResponse,
    MessagesRequest,
    NetworkListResponse,
    NonceResponse,
    OauthClientDeletedResponse,
    OauthClientListResponse,
    OauthClientResponse,
    OauthClientWithSecretResponse,
    OauthConnectionListResponse,
    OauthConnectionResponse,
    OauthResourceDeletedResponse,
    OauthResourceListResponse,
    OauthResourceResponse,
    OauthSessionResponse,
    PasskeyDeletionResponse,
    PasskeyListResponse,
    PhoneNumberToAttach,
    PolicyChangeRequest,
    PolicyDetailsResponse,
    PolicyListResponse,
    PolicyResponse,
    PolicyRule,
    PolicyScope,
    RecoveryResponse,
    RedirectUrlListResponse,
    RedirectUrlResponse,
    RefusedCallsOfHourResponse,
    RefusedCallsResponse,
    RequiredProofsRequest,
    ResentMessageResponse,
    SearchUsersResponse,
    SessionListItem,
    SignatureResponse,
    SignedTransactionResponse,
    SigningPolicyRequest,
    SmsPasscodeLoginResponse,
    SmsPasscodeResponse,
    StatisticsResponse,
    TemplatePreviewResponse,
    TotpDeletionResponse,
    TransferPolicyRequest,
    TransferResponse,
    UnlockedUserResponse,
    UpdateUserResponse,
    UserDeletionResponse,
    UserFreezeResponse,
    UserResponse,
    UserRow,
    UserSearchFilters,
    VerifiedPasscodeResponse,
    VerifiedPasskeyResponse,
    VerifiedPasswordResponse,
    VerifiedTotpResponse,
    VerifiedWalletResponse,
    VerifySessionResponse,
    WalletBalanceResponse,
    WalletDeletionResponse,
    WalletFreezeResponse,
    WalletResponse,
    WebauthnSettingsRequest,
    WebhookDeliveryListResponse,
    WebhookDeliveryQueuedResponse,
    WebhookDeliveryResponse,
    WebhookEndpointDeletedResponse,
    WebhookEndpointListResponse,
    WebhookEndpointResponse,
    WebhookEndpointWithSecretResponse,
    WebhookQueuedResponse,
    WebhookTestQueuedResponse,
)


class ManagementAppsUsersEventsCalls:
    """Calls of `management.apps.users.events`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        user_id: str,
        *,
        limit: int = OMIT,
        types: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListManagedEventsResponse:
        """List the events of a user.

        GET /management/v1/apps/{app_id}/users/{user_id}/events
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param types: The types of the listed events, separated by commas. All types if it is absent.
        :param starting_after: The id of the last event of the previous page.
        """
        return self._transport.call("management.apps.users.events.list", [app_id, user_id], {"limit": limit, "types": types, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        user_id: str,
        *,
        limit: int = OMIT,
        types: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[EventResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/users/{user_id}/events
        """
        while True:
            page = self.list(app_id, user_id, limit=limit, types=types, starting_after=starting_after, options=options)
            items = page["events"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class ManagementAppsUsersEmailsCalls:
    """Calls of `management.apps.users.emails`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def add(
        self,
        app_id: str,
        user_id: str,
        *,
        email: str,
        options: Optional[CallOptions] = None,
    ) -> UpdateUserResponse:
        """Add an email to a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/emails
        :param email: An email address of at most 254 characters. White space around it is removed.
        """
        return self._transport.call("management.apps.users.emails.add", [app_id, user_id], {"email": email}, options)

    def remove(
        self,
        app_id: str,
        user_id: str,
        email_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserDeletionResponse:
        """Remove an email from a user.

        DELETE /management/v1/apps/{app_id}/users/{user_id}/emails/{email_id}
        """
        return self._transport.call("management.apps.users.emails.remove", [app_id, user_id, email_id], {}, options)


class ManagementAppsUsersPhoneNumbersCalls:
    """Calls of `management.apps.users.phone_numbers`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def add(
        self,
        app_id: str,
        user_id: str,
        *,
        phone_number: str,
        options: Optional[CallOptions] = None,
    ) -> UpdateUserResponse:
        """Add a phone number to a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/phone_numbers
        :param phone_number: A phone number in E.164 form, such as `+4915112345678`.
        """
        return self._transport.call("management.apps.users.phoneNumbers.add", [app_id, user_id], {"phone_number": phone_number}, options)

    def remove(
        self,
        app_id: str,
        user_id: str,
        phone_number_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserDeletionResponse:
        """Remove a phone number from a user.

        DELETE /management/v1/apps/{app_id}/users/{user_id}/phone_numbers/{phone_number_id}
        """
        return self._transport.call("management.apps.users.phoneNumbers.remove", [app_id, user_id, phone_number_id], {}, options)


class ManagementAppsUsersRecoveryCalls:
    """Calls of `management.apps.users.recovery`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def cancel_recovery(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> CancelledRecoveryResponse:
        """Cancel the recovery of a user.

        DELETE /management/v1/apps/{app_id}/users/{user_id}/recovery
        """
        return self._transport.call("management.apps.users.recovery.cancelRecovery", [app_id, user_id], {}, options)

    def begin(
        self,
        app_id: str,
        user_id: str,
        *,
        email: str = OMIT,
        phone_number: str = OMIT,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> RecoveryResponse:
        """Recover the account of a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/recovery
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param phone_number: A phone number in E.164 form, such as `+4915112345678`.
        :param approval_id: The id of the approval, which begins with `appr_`.
        """
        return self._transport.call("management.apps.users.recovery.begin", [app_id, user_id], {"email": email, "phone_number": phone_number, "approval_id": approval_id}, options)


class ManagementAppsUsersWebauthnCredentialsCalls:
    """Calls of `management.apps.users.webauthn_credentials`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def remove(
        self,
        app_id: str,
        user_id: str,
        webauthn_credential_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> PasskeyDeletionResponse:
        """Remove a passkey from a user.

        DELETE /management/v1/apps/{app_id}/users/{user_id}/webauthn_credentials/{webauthn_credential_id}
        """
        return self._transport.call("management.apps.users.webauthnCredentials.remove", [app_id, user_id, webauthn_credential_id], {}, options)


class ManagementAppsUsersSessionsCalls:
    """Calls of `management.apps.users.sessions`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def end_all(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> EndedSessionsResponse:
        """End all sessions of a user.

        DELETE /management/v1/apps/{app_id}/users/{user_id}/sessions
        """
        return self._transport.call("management.apps.users.sessions.endAll", [app_id, user_id], {}, options)


class ManagementAppsUsersTotpsCalls:
    """Calls of `management.apps.users.totps`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def remove(
        self,
        app_id: str,
        user_id: str,
        totp_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> TotpDeletionResponse:
        """Remove an authenticator from a user.

        DELETE /management/v1/apps/{app_id}/users/{user_id}/totps/{totp_id}
        """
        return self._transport.call("management.apps.users.totps.remove", [app_id, user_id, totp_id], {}, options)


class ManagementAppsUsersCalls:
    """Calls of `management.apps.users`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.events = ManagementAppsUsersEventsCalls(transport)
        self.emails = ManagementAppsUsersEmailsCalls(transport)
        self.phone_numbers = ManagementAppsUsersPhoneNumbersCalls(transport)
        self.recovery = ManagementAppsUsersRecoveryCalls(transport)
        self.webauthn_credentials = ManagementAppsUsersWebauthnCredentialsCalls(transport)
        self.sessions = ManagementAppsUsersSessionsCalls(transport)
        self.totps = ManagementAppsUsersTotpsCalls(transport)

    def import_(
        self,
        app_id: str,
        *,
        users: List[UserRow],
        on_conflict: Literal["skip", "fail"] = OMIT,
        dry_run: bool = OMIT,
        publish: bool = OMIT,
        keep_ids: bool = OMIT,
        revive: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ImportUsersResponse:
        """Import users into an app.

        POST /management/v1/apps/{app_id}/users/import
        :param users: The users to import.
        :param on_conflict: The outcome of a row that shares a verified address, identity, passkey or wallet with a user of the app.
        :param dry_run: Whether the rows are checked only.
        :param publish: Whether events of the imported users are published.
        :param keep_ids: Whether users, addresses and credentials keep the ids that the rows state.
        :param revive: Whether rows are imported whose user was deleted in the last 400 days.
        """
        return self._transport.call("management.apps.users.import", [app_id], {"users": users, "on_conflict": on_conflict, "dry_run": dry_run, "publish": publish, "keep_ids": keep_ids, "revive": revive}, options)

    def create(
        self,
        app_id: str,
        *,
        first_name: str = OMIT,
        middle_name: str = OMIT,
        last_name: str = OMIT,
        external_id: str = OMIT,
        metadata: dict[str, Any] = OMIT,
        email: str = OMIT,
        phone_number: str = OMIT,
        requires_verification: bool = OMIT,
        wallet_type: Literal["ethereum", "solana", "none"] = OMIT,
        include_user: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> CreateUserResponse:
        """Create a user of an app.

        POST /management/v1/apps/{app_id}/users
        :param first_name: The first name; may be empty.
        :param middle_name: The middle name; may be empty.
        :param last_name: The last name; may be empty.
        :param external_id: The id of the user in the app's own data, unique in the app. An empty text stands for none.
        :param metadata: The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay.
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param phone_number: A phone number in E.164 form, such as `+4915112345678`.
        :param requires_verification: Whether the user stays pending until the email or phone number is verified.
        :param wallet_type: The type of the user's default wallet. If absent, the app's setting applies.
        :param include_user: Whether the response contains the whole user under `user`.
        """
        return self._transport.call("management.apps.users.create", [app_id], {"first_name": first_name, "middle_name": middle_name, "last_name": last_name, "external_id": external_id, "metadata": metadata, "email": email, "phone_number": phone_number, "requires_verification": requires_verification, "wallet_type": wallet_type, "include_user": include_user}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ManagedUserListResponse:
        """List an app's users.

        GET /management/v1/apps/{app_id}/users
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last user of the previous page.
        """
        return self._transport.call("management.apps.users.list", [app_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[UserResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/users
        """
        while True:
            page = self.list(app_id, limit=limit, starting_after=starting_after, options=options)
            items = page["users"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["user_id"]

    def search(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        filters: UserSearchFilters = OMIT,
        options: Optional[CallOptions] = None,
    ) -> SearchUsersResponse:
        """Search an app's users.

        POST /management/v1/apps/{app_id}/users/search
        :param limit: The maximum number of users in the response. `has_more` says whether there are more.
        :param starting_after: The id of the last user of the previous page.
        :param filters: The filters that users must pass. If absent, all users are found.
        """
        return self._transport.call("management.apps.users.search", [app_id], {"limit": limit, "starting_after": starting_after, "filters": filters}, options)

    def search_all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        filters: UserSearchFilters = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[UserResponse]:
        """All elements, page by page.

        POST /management/v1/apps/{app_id}/users/search
        """
        while True:
            page = self.search(app_id, limit=limit, starting_after=starting_after, filters=filters, options=options)
            items = page["users"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["user_id"]

    def get(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagedUserResponse:
        """Get a user of an app.

        GET /management/v1/apps/{app_id}/users/{user_id}
        """
        return self._transport.call("management.apps.users.get", [app_id, user_id], {}, options)

    def update(
        self,
        app_id: str,
        user_id: str,
        *,
        first_name: str | None = OMIT,
        middle_name: str | None = OMIT,
        last_name: str | None = OMIT,
        external_id: str | None = OMIT,
        metadata: dict[str, Any] | None = OMIT,
        options: Optional[CallOptions] = None,
    ) -> UserResponse:
        """Change a user of an app.

        PATCH /management/v1/apps/{app_id}/users/{user_id}
        :param first_name: The first name; `null` clears it.
        :param middle_name: The middle name; `null` clears it.
        :param last_name: The last name; `null` clears it.
        :param external_id: The id of the user in the app's own data, unique in the app; `null` clears it.
        :param metadata: Members of the app's data about the user, at most 5 levels and 4,096 bytes as JSON in all. They are set; a member that is `null` is removed, and other members stay. `null` instead of the object removes all members.
        """
        return self._transport.call("management.apps.users.update", [app_id, user_id], {"first_name": first_name, "middle_name": middle_name, "last_name": last_name, "external_id": external_id, "metadata": metadata}, options)

    def delete(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserDeletionResponse:
        """Delete a user of an app.

        DELETE /management/v1/apps/{app_id}/users/{user_id}
        """
        return self._transport.call("management.apps.users.delete", [app_id, user_id], {}, options)

    def unlock(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UnlockedUserResponse:
        """Unlock the codes of a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/unlock
        """
        return self._transport.call("management.apps.users.unlock", [app_id, user_id], {}, options)

    def deactivate(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserResponse:
        """Deactivate a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/deactivate
        """
        return self._transport.call("management.apps.users.deactivate", [app_id, user_id], {}, options)

    def reactivate(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserResponse:
        """Reactivate a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/reactivate
        """
        return self._transport.call("management.apps.users.reactivate", [app_id, user_id], {}, options)

    def invite(
        self,
        app_id: str,
        *,
        email: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        requires_verification: bool = OMIT,
        first_name: str = OMIT,
        middle_name: str = OMIT,
        last_name: str = OMIT,
        invite_redirect_url: str = OMIT,
        invite_expires_in: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> MailedLinkResponse:
        """Invite a user to an app.

        POST /management/v1/apps/{app_id}/users/invite
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param device_fingerprint: The device that the link is for. Each field given here must have the same value when the link is verified.
        :param requires_verification: Leaves a new user pending until the link is verified.
        :param first_name: The first name of a new user. An existing user keeps their name.
        :param middle_name: The middle name; may be empty.
        :param last_name: The last name; may be empty.
        :param invite_redirect_url: The target of the link; must be registered. Default: the app's default invite URL.
        :param invite_expires_in: Lifetime of the link in minutes.
        """
        return self._transport.call("management.apps.users.invite", [app_id], {"device_fingerprint": device_fingerprint, "email": email, "requires_verification": requires_verification, "first_name": first_name, "middle_name": middle_name, "last_name": last_name, "invite_redirect_url": invite_redirect_url, "invite_expires_in": invite_expires_in}, options)

    def freeze(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserFreezeResponse:
        """Freeze a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/freeze
        """
        return self._transport.call("management.apps.users.freeze", [app_id, user_id], {}, options)

    def thaw(
        self,
        app_id: str,
        user_id: str,
        *,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> UserFreezeResponse:
        """Thaw a user.

        POST /management/v1/apps/{app_id}/users/{user_id}/thaw
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("management.apps.users.thaw", [app_id, user_id], {"approval_id": approval_id}, options)

    def export(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> dict[str, Any]:
        """Export all about one person.

        GET /management/v1/apps/{app_id}/users/{user_id}/export
        """
        return self._transport.call("management.apps.users.export", [app_id, user_id], {}, options)

    def erase(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ErasureResponse:
        """Erase a person.

        POST /management/v1/apps/{app_id}/users/{user_id}/erase
        """
        return self._transport.call("management.apps.users.erase", [app_id, user_id], {}, options)

    def erase_receipt(
        self,
        app_id: str,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ErasureResponse:
        """Get the receipt of an erasure.

        GET /management/v1/apps/{app_id}/users/{user_id}/erase
        """
        return self._transport.call("management.apps.users.erase.receipt", [app_id, user_id], {}, options)


class ManagementAppsKeysCalls:
    """Calls of `management.apps.keys`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        app_id: str,
        *,
        kind: Literal["secret", "public", "restricted"],
        name: str = OMIT,
        expires_at: int = OMIT,
        scopes: List[Literal["users:read", "users:write", "sessions:read", "sessions:write", "login:write", "wallets:read", "wallets:sign", "transfers:read", "transfers:write", "events:read", "webhooks:write", "policies:read", "approvals:vote"]] = OMIT,
        user_id: str = OMIT,
        wallet_ids: List[str] = OMIT,
        ip_ranges: List[str] = OMIT,
        rate: int = OMIT,
        replaces: str = OMIT,
        overlap_minutes: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> CreatedKeyResponse:
        """Create a key.

        POST /management/v1/apps/{app_id}/keys
        :param kind: The kind of key: `secret` for a backend, `public` for the start of a login in a browser, `restricted` for a program that needs only some calls or only some objects.
        :param name: A name by which operators recognise the key.
        :param expires_at: The time from which the key is refused, in epoch seconds. If it is `0` or absent, the key is valid until it is revoked.
        :param scopes: The calls that a restricted key may make, by their scopes in this document. No scope includes another one.
        :param user_id: The only user whom a restricted key sees. Another object is treated as unknown.
        :param wallet_ids: The only wallets that a restricted key sees. With `user_id` they must belong to that user.
        :param ip_ranges: The networks from which a restricted key may be used, in CIDR notation. If absent, from every network.
        :param rate: The maximum number of calls per second with a restricted key, counted by each replica beside the limit of the app.
        :param replaces: The key of the same kind that the new one replaces. It ends after `overlap_minutes`, unless it ends earlier. Nothing of it passes to the new one: its policies do not apply to that, open approvals that it asked for become void, and its webhook endpoints pass to the app, disabled.
        :param overlap_minutes: The number of minutes for which the key in `replaces` is accepted beside the new one, 1440 if absent.
        """
        return self._transport.call("management.apps.keys.create", [app_id], {"kind": kind, "name": name, "expires_at": expires_at, "scopes": scopes, "user_id": user_id, "wallet_ids": wallet_ids, "ip_ranges": ip_ranges, "rate": rate, "replaces": replaces, "overlap_minutes": overlap_minutes}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        kind: Literal["secret", "public", "restricted"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> KeyListResponse:
        """List an app's keys.

        GET /management/v1/apps/{app_id}/keys
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param kind: Lists only keys of this kind.
        :param starting_after: The id of the last key of the previous page.
        """
        return self._transport.call("management.apps.keys.list", [app_id], {"limit": limit, "kind": kind, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        kind: Literal["secret", "public", "restricted"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[KeyResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/keys
        """
        while True:
            page = self.list(app_id, limit=limit, kind=kind, starting_after=starting_after, options=options)
            items = page["keys"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def revoke(
        self,
        app_id: str,
        key_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DeletedResponse:
        """Revoke a key.

        DELETE /management/v1/apps/{app_id}/keys/{key_id}
        """
        return self._transport.call("management.apps.keys.revoke", [app_id, key_id], {}, options)


class ManagementAppsRedirectUrlsCalls:
    """Calls of `management.apps.redirect_urls`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def register(
        self,
        app_id: str,
        *,
        url: str,
        kind: Literal["login", "registration", "invite"],
        is_default: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> RedirectUrlResponse:
        """Register a redirect URL.

        POST /management/v1/apps/{app_id}/redirect_urls
        :param url: The URL uses https, or http on loopback and for test apps. It has no credentials and no fragment, and is compared in full.
        :param kind: The users who are sent to the URL: those who log in, those who register, or those who were invited.
        :param is_default: Whether the URL applies if a request names none. It replaces the earlier default.
        """
        return self._transport.call("management.apps.redirectUrls.register", [app_id], {"url": url, "kind": kind, "is_default": is_default}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        kind: Literal["login", "registration", "invite"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> RedirectUrlListResponse:
        """List an app's redirect URLs.

        GET /management/v1/apps/{app_id}/redirect_urls
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param kind: Lists only redirect URLs of this kind.
        :param starting_after: The id of the last redirect URL of the previous page.
        """
        return self._transport.call("management.apps.redirectUrls.list", [app_id], {"limit": limit, "kind": kind, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        kind: Literal["login", "registration", "invite"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[RedirectUrlResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/redirect_urls
        """
        while True:
            page = self.list(app_id, limit=limit, kind=kind, starting_after=starting_after, options=options)
            items = page["redirect_urls"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def remove(
        self,
        app_id: str,
        rurl_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DeletedResponse:
        """Remove a redirect URL.

        DELETE /management/v1/apps/{app_id}/redirect_urls/{rurl_id}
        """
        return self._transport.call("management.apps.redirectUrls.remove", [app_id, rurl_id], {}, options)


class ManagementAppsOauthConnectionsCalls:
    """Calls of `management.apps.oauth_connections`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        app_id: str,
        *,
        provider: str,
        client_id: str,
        issuer: str | None = OMIT,
        team_id: str | None = OMIT,
        key_id: str | None = OMIT,
        private_key: str = OMIT,
        trusts_email: bool = OMIT,
        email_domains: List[str] | None = OMIT,
        pkce: bool = OMIT,
        userinfo: Literal["required", "optional"] = OMIT,
        client_secret: str = OMIT,
        domain: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionResponse:
        """Connect an app with an identity provider.

        POST /management/v1/apps/{app_id}/oauth_connections
        :param provider: The provider's name: google, microsoft, apple, github, discord, slack, facebook, okta, linkedin, gitlab, twitch, or a name of your choice for the OpenID Connect provider of `issuer` or `domain`.
        :param client_id: The app's id at the provider.
        :param issuer: The issuer URL of an OpenID Connect provider, exactly as its tokens spell it.
        :param team_id: The id of the developer team, for Apple only.
        :param key_id: The id of the signing key, for Apple only.
        :param private_key: The signing key (PKCS #8 in PEM), for Apple only. It is never returned.
        :param trusts_email: Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook.
        :param email_domains: The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it.
        :param pkce: Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app.
        :param userinfo: With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user.
        :param client_secret: The app's secret at the provider. It is never returned.
        :param domain: The host of an OpenID Connect provider, in place of `issuer`: the issuer is `https://{domain}`.
        """
        return self._transport.call("management.apps.oauthConnections.create", [app_id], {"issuer": issuer, "team_id": team_id, "key_id": key_id, "private_key": private_key, "trusts_email": trusts_email, "email_domains": email_domains, "pkce": pkce, "userinfo": userinfo, "provider": provider, "client_id": client_id, "client_secret": client_secret, "domain": domain}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionListResponse:
        """List the connections of an app.

        GET /management/v1/apps/{app_id}/oauth_connections
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last connection of the previous page.
        """
        return self._transport.call("management.apps.oauthConnections.list", [app_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[OauthConnectionResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/oauth_connections
        """
        while True:
            page = self.list(app_id, limit=limit, starting_after=starting_after, options=options)
            items = page["oauth_connections"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        oauthconn_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionResponse:
        """Get a connection of an app.

        GET /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}
        """
        return self._transport.call("management.apps.oauthConnections.get", [app_id, oauthconn_id], {}, options)

    def update(
        self,
        app_id: str,
        oauthconn_id: str,
        *,
        issuer: str | None = OMIT,
        team_id: str | None = OMIT,
        key_id: str | None = OMIT,
        private_key: str = OMIT,
        trusts_email: bool = OMIT,
        email_domains: List[str] | None = OMIT,
        pkce: bool = OMIT,
        userinfo: Literal["required", "optional"] = OMIT,
        client_id: str = OMIT,
        client_secret: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionResponse:
        """Change a connection of an app.

        PATCH /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}
        :param issuer: The issuer URL of an OpenID Connect provider, exactly as its tokens spell it.
        :param team_id: The id of the developer team, for Apple only.
        :param key_id: The id of the signing key, for Apple only.
        :param private_key: The signing key (PKCS #8 in PEM), for Apple only. It is never returned.
        :param trusts_email: Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook.
        :param email_domains: The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it.
        :param pkce: Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app.
        :param userinfo: With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user.
        :param client_id: The app's id at the provider.
        :param client_secret: The app's secret at the provider. It is never returned.
        """
        return self._transport.call("management.apps.oauthConnections.update", [app_id, oauthconn_id], {"issuer": issuer, "team_id": team_id, "key_id": key_id, "private_key": private_key, "trusts_email": trusts_email, "email_domains": email_domains, "pkce": pkce, "userinfo": userinfo, "client_id": client_id, "client_secret": client_secret}, options)

    def delete(
        self,
        app_id: str,
        oauthconn_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DeletedResponse:
        """Delete a connection of an app.

        DELETE /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}
        """
        return self._transport.call("management.apps.oauthConnections.delete", [app_id, oauthconn_id], {}, options)

    def test(
        self,
        app_id: str,
        oauthconn_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ConnectionTestResponse:
        """Test a connection.

        POST /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test
        """
        return self._transport.call("management.apps.oauthConnections.test", [app_id, oauthconn_id], {}, options)


class ManagementAppsMessagesCalls:
    """Calls of `management.apps.messages`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        status: Literal["pending", "sent", "failed"] = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> MessageListResponse:
        """List an app's mails and SMS.

        GET /management/v1/apps/{app_id}/messages
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param status: Lists only messages with this status.
        :param user_id: Lists only messages to the addresses that this user has now.
        :param starting_after: The id of the last message of the previous page.
        """
        return self._transport.call("management.apps.messages.list", [app_id], {"limit": limit, "status": status, "user_id": user_id, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        status: Literal["pending", "sent", "failed"] = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[MessageResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/messages
        """
        while True:
            page = self.list(app_id, limit=limit, status=status, user_id=user_id, starting_after=starting_after, options=options)
            items = page["messages"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def resend(
        self,
        app_id: str,
        message_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ResentMessageResponse:
        """Send a mail or SMS again.

        POST /management/v1/apps/{app_id}/messages/{message_id}/resend
        """
        return self._transport.call("management.apps.messages.resend", [app_id, message_id], {}, options)


class ManagementAppsJobsCalls:
    """Calls of `management.apps.jobs`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        kind: str = OMIT,
        state: Literal["waiting", "running", "retrying", "dead"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> JobListResponse:
        """List an app's background jobs.

        GET /management/v1/apps/{app_id}/jobs
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param kind: Lists only jobs of this kind, such as `mail`.
        :param state: Lists only jobs in this state.
        :param starting_after: The id of the last job of the previous page.
        """
        return self._transport.call("management.apps.jobs.list", [app_id], {"limit": limit, "kind": kind, "state": state, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        kind: str = OMIT,
        state: Literal["waiting", "running", "retrying", "dead"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[JobResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/jobs
        """
        while True:
            page = self.list(app_id, limit=limit, kind=kind, state=state, starting_after=starting_after, options=options)
            items = page["jobs"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def retry(
        self,
        app_id: str,
        job_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> JobResponse:
        """Retry a failed job of an app.

        POST /management/v1/apps/{app_id}/jobs/{job_id}/retry
        """
        return self._transport.call("management.apps.jobs.retry", [app_id, job_id], {}, options)


class ManagementAppsTemplatesCalls:
    """Calls of `management.apps.templates`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def preview(
        self,
        app_id: str,
        *,
        kind: Literal["sign_in_method_added", "sign_in_method_removed", "recovery_begun", "magic_link", "invite", "one_time_code"],
        subject: str = OMIT,
        text: str = OMIT,
        html: str = OMIT,
        name: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> TemplatePreviewResponse:
        """Render a preview of a mail template.

        POST /management/v1/apps/{app_id}/templates/preview
        :param kind: The kind of mail to show.
        :param subject: The subject line. It may contain placeholders.
        :param text: The plain text of the mail. It goes together with `html`.
        :param html: A whole HTML document. Values are escaped where they are put in.
        :param name: The name in the greeting.
        """
        return self._transport.call("management.apps.templates.preview", [app_id], {"subject": subject, "text": text, "html": html, "kind": kind, "name": name}, options)


class ManagementAppsAuditLogCalls:
    """Calls of `management.apps.audit_log`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        actor: str = OMIT,
        action: str = OMIT,
        outcome: Literal["ok", "refused"] = OMIT,
        since: int = OMIT,
        until: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> AuditLogResponse:
        """List the audit log of an app.

        GET /management/v1/apps/{app_id}/audit_log
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last entry of the previous page.
        :param actor: Lists only entries of this actor: the id of a key, `oidc:` and the name of an operator, `cli`, `first_start` or `unknown`.
        :param action: Lists only entries of this action, e.g. `key.created` or `call.refused`.
        :param outcome: Lists only changes (`ok`) or only refused calls (`refused`).
        :param since: Lists only entries from this time on, in epoch seconds.
        :param until: Lists only entries before this time, in epoch seconds.
        """
        return self._transport.call("management.apps.auditLog.list", [app_id], {"limit": limit, "starting_after": starting_after, "actor": actor, "action": action, "outcome": outcome, "since": since, "until": until}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        actor: str = OMIT,
        action: str = OMIT,
        outcome: Literal["ok", "refused"] = OMIT,
        since: int = OMIT,
        until: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[AuditEntryResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/audit_log
        """
        while True:
            page = self.list(app_id, limit=limit, starting_after=starting_after, actor=actor, action=action, outcome=outcome, since=since, until=until, options=options)
            items = page["entries"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class ManagementAppsRefusedCallsCalls:
    """Calls of `management.apps.refused_calls`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        key_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> RefusedCallsResponse:
        """List the refused calls of an app.

        GET /management/v1/apps/{app_id}/refused_calls
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param key_id: Lists only calls with this key.
        :param starting_after: The id of the last item of the previous page.
        """
        return self._transport.call("management.apps.refusedCalls.list", [app_id], {"limit": limit, "key_id": key_id, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        key_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[RefusedCallsOfHourResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/refused_calls
        """
        while True:
            page = self.list(app_id, limit=limit, key_id=key_id, starting_after=starting_after, options=options)
            items = page["refused_calls"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class ManagementAppsOauth2GrantsCalls:
    """Calls of `management.apps.oauth2.grants`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> GrantListResponse:
        """List the grants of an app.

        GET /management/v1/apps/{app_id}/oauth2/grants
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param user_id: The id of a user: only the grants of this user are listed.
        :param starting_after: The id of the last grant of the previous page.
        """
        return self._transport.call("management.apps.oauth2.grants.list", [app_id], {"limit": limit, "user_id": user_id, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[GrantResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/oauth2/grants
        """
        while True:
            page = self.list(app_id, limit=limit, user_id=user_id, starting_after=starting_after, options=options)
            items = page["grants"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def revoke(
        self,
        app_id: str,
        grant_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> GrantRevokedResponse:
        """Revoke a grant of a user.

        DELETE /management/v1/apps/{app_id}/oauth2/grants/{grant_id}
        """
        return self._transport.call("management.apps.oauth2.grants.revoke", [app_id, grant_id], {}, options)


class ManagementAppsOauth2Calls:
    """Calls of `management.apps.oauth2`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.grants = ManagementAppsOauth2GrantsCalls(transport)


class ManagementAppsOauthClientsCalls:
    """Calls of `management.apps.oauth_clients`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        app_id: str,
        *,
        name: str,
        type: Literal["confidential", "public"],
        grant_types: List[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]],
        redirect_uris: List[str] = OMIT,
        post_logout_redirect_uris: List[str] = OMIT,
        pkce: Literal["required", "optional"] = OMIT,
        claims_in_id_token: bool = OMIT,
        logo_uri: str = OMIT,
        scopes: List[str] = OMIT,
        resources: List[str] = OMIT,
        default_resource: str = OMIT,
        token_endpoint_auth_method: Literal["client_secret_basic", "private_key_jwt", "none"] = OMIT,
        jwks: dict[str, Any] = OMIT,
        jwks_uri: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthClientWithSecretResponse:
        """Create an OAuth client.

        POST /management/v1/apps/{app_id}/oauth_clients
        :param name: A name that users and operators recognise.
        :param type: Whether the client keeps a secret.
        :param grant_types: The grants that the client may use at the token endpoint.
        :param redirect_uris: The URLs to which users are sent back: https, http on loopback with any port, and for public clients a scheme in reverse-domain form. Compared exactly.
        :param post_logout_redirect_uris: The URLs to which users may be sent after a logout.
        :param pkce: Whether authorization requests need a challenge (RFC 7636). `optional` is for confidential programs that cannot send one.
        :param claims_in_id_token: Whether the id_token has the claims of the scopes too, which userinfo gives.
        :param logo_uri: The logo that the login page shows.
        :param scopes: The scopes that the client may get. Others that it asks for are left out. `openid`, `profile`, `email`, `phone`, `wallets` and `offline_access` are about the user.
        :param resources: The audiences of the resources for which the client may get tokens.
        :param default_resource: The audience of tokens for which the client names no resource. One of `resources`.
        :param token_endpoint_auth_method: How the client authenticates: by its secret or by a key of its own. Never changes.
        :param jwks: The public keys of a client with `private_key_jwt` (RFC 7517).
        :param jwks_uri: Where a client with `private_key_jwt` publishes its keys, instead of `jwks`.
        """
        return self._transport.call("management.apps.oauthClients.create", [app_id], {"name": name, "type": type, "grant_types": grant_types, "redirect_uris": redirect_uris, "post_logout_redirect_uris": post_logout_redirect_uris, "pkce": pkce, "claims_in_id_token": claims_in_id_token, "logo_uri": logo_uri, "scopes": scopes, "resources": resources, "default_resource": default_resource, "token_endpoint_auth_method": token_endpoint_auth_method, "jwks": jwks, "jwks_uri": jwks_uri}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthClientListResponse:
        """List the OAuth clients of an app.

        GET /management/v1/apps/{app_id}/oauth_clients
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last client of the previous page.
        """
        return self._transport.call("management.apps.oauthClients.list", [app_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[OauthClientResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/oauth_clients
        """
        while True:
            page = self.list(app_id, limit=limit, starting_after=starting_after, options=options)
            items = page["oauth_clients"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        client_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> OauthClientResponse:
        """Get an OAuth client.

        GET /management/v1/apps/{app_id}/oauth_clients/{client_id}
        """
        return self._transport.call("management.apps.oauthClients.get", [app_id, client_id], {}, options)

    def update(
        self,
        app_id: str,
        client_id: str,
        *,
        name: str = OMIT,
        grant_types: List[Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:token-exchange"]] = OMIT,
        redirect_uris: List[str] = OMIT,
        post_logout_redirect_uris: List[str] = OMIT,
        pkce: Literal["required", "optional"] = OMIT,
        claims_in_id_token: bool = OMIT,
        logo_uri: str | None = OMIT,
        scopes: List[str] = OMIT,
        resources: List[str] = OMIT,
        default_resource: str | None = OMIT,
        jwks: dict[str, Any] | None = OMIT,
        jwks_uri: str | None = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthClientResponse:
        """Change an OAuth client.

        PATCH /management/v1/apps/{app_id}/oauth_clients/{client_id}
        :param name: A name that users and operators recognise.
        :param grant_types: The grants that the client may use at the token endpoint.
        :param redirect_uris: The URLs to which users are sent back. Replaces the list.
        :param post_logout_redirect_uris: The URLs to which users may be sent after a logout. Replaces the list.
        :param pkce: Whether authorization requests need a challenge.
        :param claims_in_id_token: Whether the id_token has the claims of the scopes too.
        :param logo_uri: The logo that the login page shows; `null` for none.
        :param scopes: The scopes that the client may get. Replaces the list.
        :param resources: The audiences of the resources for which the client may get tokens. Replaces the list.
        :param default_resource: The audience of tokens for which the client names no resource; `null` for none.
        :param jwks: The public keys; `null` for none.
        :param jwks_uri: Where the client publishes its keys; `null` for none.
        """
        return self._transport.call("management.apps.oauthClients.update", [app_id, client_id], {"name": name, "grant_types": grant_types, "redirect_uris": redirect_uris, "post_logout_redirect_uris": post_logout_redirect_uris, "pkce": pkce, "claims_in_id_token": claims_in_id_token, "logo_uri": logo_uri, "scopes": scopes, "resources": resources, "default_resource": default_resource, "jwks": jwks, "jwks_uri": jwks_uri}, options)

    def delete(
        self,
        app_id: str,
        client_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> OauthClientDeletedResponse:
        """Delete an OAuth client.

        DELETE /management/v1/apps/{app_id}/oauth_clients/{client_id}
        """
        return self._transport.call("management.apps.oauthClients.delete", [app_id, client_id], {}, options)

    def rotate_secret(
        self,
        app_id: str,
        client_id: str,
        *,
        overlap_minutes: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ClientSecretResponse:
        """Rotate the secret of an OAuth client.

        POST /management/v1/apps/{app_id}/oauth_clients/{client_id}/rotate_secret
        :param overlap_minutes: The number of minutes for which the current secret is accepted beside the new one.
        """
        return self._transport.call("management.apps.oauthClients.rotateSecret", [app_id, client_id], {"overlap_minutes": overlap_minutes}, options)


class ManagementAppsResourcesCalls:
    """Calls of `management.apps.resources`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        app_id: str,
        *,
        audience: str,
        name: str,
        scopes: List[str],
        token_seconds: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthResourceResponse:
        """Register a resource.

        POST /management/v1/apps/{app_id}/resources
        :param audience: The URL of the API, which is the `aud` of its tokens. Clients may add or omit a slash at the end.
        :param name: A name that users and operators recognise.
        :param scopes: The scopes of the API.
        :param token_seconds: The life of access tokens for the API, in seconds.
        """
        return self._transport.call("management.apps.resources.create", [app_id], {"audience": audience, "name": name, "scopes": scopes, "token_seconds": token_seconds}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthResourceListResponse:
        """List the resources of an app.

        GET /management/v1/apps/{app_id}/resources
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last resource of the previous page.
        """
        return self._transport.call("management.apps.resources.list", [app_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[OauthResourceResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/resources
        """
        while True:
            page = self.list(app_id, limit=limit, starting_after=starting_after, options=options)
            items = page["resources"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        resource_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> OauthResourceResponse:
        """Get a resource.

        GET /management/v1/apps/{app_id}/resources/{resource_id}
        """
        return self._transport.call("management.apps.resources.get", [app_id, resource_id], {}, options)

    def update(
        self,
        app_id: str,
        resource_id: str,
        *,
        name: str = OMIT,
        scopes: List[str] = OMIT,
        token_seconds: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthResourceResponse:
        """Change a resource.

        PATCH /management/v1/apps/{app_id}/resources/{resource_id}
        :param name: A name that users and operators recognise.
        :param scopes: The scopes of the API. Replaces the list.
        :param token_seconds: The life of access tokens for the API, in seconds.
        """
        return self._transport.call("management.apps.resources.update", [app_id, resource_id], {"name": name, "scopes": scopes, "token_seconds": token_seconds}, options)

    def delete(
        self,
        app_id: str,
        resource_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> OauthResourceDeletedResponse:
        """Delete a resource.

        DELETE /management/v1/apps/{app_id}/resources/{resource_id}
        """
        return self._transport.call("management.apps.resources.delete", [app_id, resource_id], {}, options)


class ManagementAppsEventsCalls:
    """Calls of `management.apps.events`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def latest(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        types: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListManagedEventsResponse:
        """List the latest events of an app.

        GET /management/v1/apps/{app_id}/events
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param types: The types of the listed events, separated by commas. All types if it is absent.
        :param starting_after: The id of the last event of the previous page.
        """
        return self._transport.call("management.apps.events.latest", [app_id], {"limit": limit, "types": types, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        types: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[EventResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/events
        """
        while True:
            page = self.latest(app_id, limit=limit, types=types, starting_after=starting_after, options=options)
            items = page["events"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class ManagementAppsStatisticsCalls:
    """Calls of `management.apps.statistics`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        metric: Literal["logins", "login_failures", "sends", "signatures", "transfers"] = OMIT,
        since: int = OMIT,
        until: int = OMIT,
        step: Literal["hour", "day"] = OMIT,
        options: Optional[CallOptions] = None,
    ) -> StatisticsResponse:
        """Get statistics of an app.

        GET /management/v1/apps/{app_id}/statistics
        :param metric: The metric that is counted. All metrics if it is absent.
        :param since: A time in the first hour or day, in epoch seconds. The default is a day before `until`.
        :param until: The end of the range, in epoch seconds: hours and days that begin at this time or later are left out. The default is now.
        :param step: The unit of the counts, in UTC. A call may cover at most 31 days by hour, or 366 days by day.
        """
        return self._transport.call("management.apps.statistics.list", [app_id], {"metric": metric, "since": since, "until": until, "step": step}, options)


class ManagementAppsPoliciesDecisionsCalls:
    """Calls of `management.apps.policies.decisions`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        outcome: Literal["allow", "deny", "require_approval"] = OMIT,
        wallet_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> DecisionListResponse:
        """List the decisions of policies.

        GET /management/v1/apps/{app_id}/policies/decisions
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param outcome: Lists only decisions with this outcome.
        :param wallet_id: Lists only decisions about this wallet.
        :param starting_after: The id of the last decision of the previous page.
        """
        return self._transport.call("management.apps.policies.decisions.list", [app_id], {"limit": limit, "outcome": outcome, "wallet_id": wallet_id, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        outcome: Literal["allow", "deny", "require_approval"] = OMIT,
        wallet_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[DecisionResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/policies/decisions
        """
        while True:
            page = self.list(app_id, limit=limit, outcome=outcome, wallet_id=wallet_id, starting_after=starting_after, options=options)
            items = page["decisions"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class ManagementAppsPoliciesCalls:
    """Calls of `management.apps.policies`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.decisions = ManagementAppsPoliciesDecisionsCalls(transport)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        state: Literal["draft", "active", "retired"] = OMIT,
        name: str = OMIT,
        scope: Literal["app", "wallet", "user", "key", "client", "grant"] = OMIT,
        scope_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> PolicyListResponse:
        """List the policies of an app.

        GET /management/v1/apps/{app_id}/policies
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param state: Lists only versions in this state.
        :param name: Lists only versions with this name.
        :param scope: Lists only versions whose scope is of this kind.
        :param scope_id: Lists only versions whose scope has this id.
        :param starting_after: The id of the last version of the previous page.
        """
        return self._transport.call("management.apps.policies.list", [app_id], {"limit": limit, "state": state, "name": name, "scope": scope, "scope_id": scope_id, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        state: Literal["draft", "active", "retired"] = OMIT,
        name: str = OMIT,
        scope: Literal["app", "wallet", "user", "key", "client", "grant"] = OMIT,
        scope_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[PolicyResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/policies
        """
        while True:
            page = self.list(app_id, limit=limit, state=state, name=name, scope=scope, scope_id=scope_id, starting_after=starting_after, options=options)
            items = page["policies"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def create(
        self,
        app_id: str,
        *,
        name: str,
        scope: PolicyScope,
        rules: List[PolicyRule],
        options: Optional[CallOptions] = None,
    ) -> PolicyResponse:
        """Create a version of a policy.

        POST /management/v1/apps/{app_id}/policies
        :param name: The name, which ties the versions of a policy: the name of an existing policy makes its next version.
        :param scope: The requests that the policy judges.
        :param rules: The rules, in the order in which they are tried. A version has at most 64 KiB of them. The JSON of the body, without blanks, has at most 80 KiB.
        """
        return self._transport.call("management.apps.policies.create", [app_id], {"name": name, "scope": scope, "rules": rules}, options)

    def get(
        self,
        app_id: str,
        policy_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> PolicyDetailsResponse:
        """Get a policy.

        GET /management/v1/apps/{app_id}/policies/{policy_id}
        """
        return self._transport.call("management.apps.policies.get", [app_id, policy_id], {}, options)

    def activate(
        self,
        app_id: str,
        policy_id: str,
        *,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> PolicyResponse:
        """Activate a version of a policy.

        POST /management/v1/apps/{app_id}/policies/{policy_id}/activate
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("management.apps.policies.activate", [app_id, policy_id], {"approval_id": approval_id}, options)

    def retire(
        self,
        app_id: str,
        policy_id: str,
        *,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> PolicyResponse:
        """Retire a version of a policy.

        POST /management/v1/apps/{app_id}/policies/{policy_id}/retire
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("management.apps.policies.retire", [app_id, policy_id], {"approval_id": approval_id}, options)

    def evaluate(
        self,
        app_id: str,
        *,
        operation: Literal["transfer", "sign_message", "sign_typed_data", "sign_transaction", "export"],
        wallet_id: str,
        user_id: str = OMIT,
        key_id: str = OMIT,
        dest: str = OMIT,
        source_amount: str = OMIT,
        source_currency: str = OMIT,
        network: str = OMIT,
        message: str = OMIT,
        typed_data: dict[str, Any] = OMIT,
        eth_transaction: dict[str, Any] = OMIT,
        options: Optional[CallOptions] = None,
    ) -> EvaluateResponse:
        """Evaluate the policies.

        POST /management/v1/apps/{app_id}/policies/evaluate
        :param operation: The use of the key. It decides which of the fields below are read.
        :param wallet_id: The wallet whose key is used.
        :param user_id: The required owner of the wallet.
        :param key_id: The key of the app that asks. Without it, no policy of a key applies.
        :param dest: The address to pay, of a `transfer`.
        :param source_amount: The amount of a `transfer`: a decimal number in digits.
        :param source_currency: The currency of a `transfer`: a coin or an asset of the app, by name or symbol.
        :param network: The network of a `transfer`.
        :param message: The message of `sign_message`.
        :param typed_data: The typed data of `sign_typed_data` (EIP-712).
        :param eth_transaction: The transaction of `sign_transaction` (EIP-1559).
        """
        return self._transport.call("management.apps.policies.evaluate", [app_id], {"operation": operation, "wallet_id": wallet_id, "user_id": user_id, "key_id": key_id, "dest": dest, "source_amount": source_amount, "source_currency": source_currency, "network": network, "message": message, "typed_data": typed_data, "eth_transaction": eth_transaction}, options)


class ManagementAppsApprovalsCalls:
    """Calls of `management.apps.approvals`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        state: Literal["waiting", "approved", "rejected", "expired", "executed", "void"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ApprovalListResponse:
        """List the approvals of an app.

        GET /management/v1/apps/{app_id}/approvals
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param state: Lists only approvals in this state.
        :param starting_after: The id of the last approval of the previous page.
        """
        return self._transport.call("management.apps.approvals.list", [app_id], {"limit": limit, "state": state, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        state: Literal["waiting", "approved", "rejected", "expired", "executed", "void"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[ApprovalResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/approvals
        """
        while True:
            page = self.list(app_id, limit=limit, state=state, starting_after=starting_after, options=options)
            items = page["approvals"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        appr_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ApprovalResponse:
        """Get an approval.

        GET /management/v1/apps/{app_id}/approvals/{appr_id}
        """
        return self._transport.call("management.apps.approvals.get", [app_id, appr_id], {}, options)

    def begin(
        self,
        app_id: str,
        appr_id: str,
        *,
        user_id: str,
        decision: Literal["approve", "reject"],
        options: Optional[CallOptions] = None,
    ) -> BegunPasskeySignInResponse:
        """Begin a vote.

        POST /management/v1/apps/{app_id}/approvals/{appr_id}/begin
        :param user_id: The approver.
        :param decision: The vote that the passkey will sign.
        """
        return self._transport.call("management.apps.approvals.begin", [app_id, appr_id], {"user_id": user_id, "decision": decision}, options)

    def approve(
        self,
        app_id: str,
        appr_id: str,
        *,
        user_id: str,
        public_key_credential: dict[str, Any] | str,
        options: Optional[CallOptions] = None,
    ) -> ApprovalResponse:
        """Approve a request.

        POST /management/v1/apps/{app_id}/approvals/{appr_id}/approve
        :param user_id: The approver.
        :param public_key_credential: The credential that the browser returned for the options, unchanged: an object or JSON text.
        """
        return self._transport.call("management.apps.approvals.approve", [app_id, appr_id], {"user_id": user_id, "public_key_credential": public_key_credential}, options)

    def reject(
        self,
        app_id: str,
        appr_id: str,
        *,
        user_id: str,
        public_key_credential: dict[str, Any] | str,
        options: Optional[CallOptions] = None,
    ) -> ApprovalResponse:
        """Reject a request.

        POST /management/v1/apps/{app_id}/approvals/{appr_id}/reject
        :param user_id: The approver.
        :param public_key_credential: The credential that the browser returned for the options, unchanged: an object or JSON text.
        """
        return self._transport.call("management.apps.approvals.reject", [app_id, appr_id], {"user_id": user_id, "public_key_credential": public_key_credential}, options)


class ManagementAppsApproverGroupsPasskeysCalls:
    """Calls of `management.apps.approver_groups.passkeys`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def begin(
        self,
        app_id: str,
        agrp_id: str,
        webauthn_id: str,
        *,
        user_id: str,
        options: Optional[CallOptions] = None,
    ) -> BegunPasskeySignInResponse:
        """Begin the approval of a passkey.

        POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/begin
        :param user_id: The member who approves, not the holder of the passkey.
        """
        return self._transport.call("management.apps.approverGroups.passkeys.begin", [app_id, agrp_id, webauthn_id], {"user_id": user_id}, options)

    def approve(
        self,
        app_id: str,
        agrp_id: str,
        webauthn_id: str,
        *,
        user_id: str,
        public_key_credential: dict[str, Any] | str,
        options: Optional[CallOptions] = None,
    ) -> ApprovedPasskeyResponse:
        """Approve a passkey.

        POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/approve
        :param user_id: The approver.
        :param public_key_credential: The credential that the browser returned for the options, unchanged: an object or JSON text.
        """
        return self._transport.call("management.apps.approverGroups.passkeys.approve", [app_id, agrp_id, webauthn_id], {"user_id": user_id, "public_key_credential": public_key_credential}, options)


class ManagementAppsApproverGroupsCalls:
    """Calls of `management.apps.approver_groups`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.passkeys = ManagementAppsApproverGroupsPasskeysCalls(transport)

    def create(
        self,
        app_id: str,
        *,
        name: str,
        members: List[ApproverGroupMember],
        options: Optional[CallOptions] = None,
    ) -> ApproverGroupResponse:
        """Create an approver group.

        POST /management/v1/apps/{app_id}/approver_groups
        :param name: The name, which is for people.
        :param members: The users who may approve.
        """
        return self._transport.call("management.apps.approverGroups.create", [app_id], {"name": name, "members": members}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ApproverGroupListResponse:
        """List the approver groups of an app.

        GET /management/v1/apps/{app_id}/approver_groups
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last group of the previous page.
        """
        return self._transport.call("management.apps.approverGroups.list", [app_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[ApproverGroupResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/approver_groups
        """
        while True:
            page = self.list(app_id, limit=limit, starting_after=starting_after, options=options)
            items = page["approver_groups"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        agrp_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ApproverGroupResponse:
        """Get an approver group.

        GET /management/v1/apps/{app_id}/approver_groups/{agrp_id}
        """
        return self._transport.call("management.apps.approverGroups.get", [app_id, agrp_id], {}, options)

    def update(
        self,
        app_id: str,
        agrp_id: str,
        *,
        approval_id: str = OMIT,
        name: str = OMIT,
        members: List[ApproverGroupMember] = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ApproverGroupResponse:
        """Change an approver group.

        PATCH /management/v1/apps/{app_id}/approver_groups/{agrp_id}
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        :param name: The name, which is for people.
        :param members: The users who may approve. The request replaces the list.
        """
        return self._transport.call("management.apps.approverGroups.update", [app_id, agrp_id], {"approval_id": approval_id, "name": name, "members": members}, options)

    def delete(
        self,
        app_id: str,
        agrp_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ApproverGroupDeletedResponse:
        """Delete an approver group.

        DELETE /management/v1/apps/{app_id}/approver_groups/{agrp_id}
        """
        return self._transport.call("management.apps.approverGroups.delete", [app_id, agrp_id], {}, options)


class ManagementAppsSessionsCalls:
    """Calls of `management.apps.sessions`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ManagedSessionListResponse:
        """List an app's sessions.

        GET /management/v1/apps/{app_id}/sessions
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param user_id: The id of a user: only the live sessions of this user are listed.
        :param starting_after: The id of the last session of the previous page.
        """
        return self._transport.call("management.apps.sessions.list", [app_id], {"limit": limit, "user_id": user_id, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[ManagedSession]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/sessions
        """
        while True:
            page = self.list(app_id, limit=limit, user_id=user_id, starting_after=starting_after, options=options)
            items = page["sessions"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def end(
        self,
        app_id: str,
        sess_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> EndedSessionResponse:
        """End a session.

        DELETE /management/v1/apps/{app_id}/sessions/{sess_id}
        """
        return self._transport.call("management.apps.sessions.end", [app_id, sess_id], {}, options)


class ManagementAppsTransfersCalls:
    """Calls of `management.apps.transfers`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        source: str = OMIT,
        status: Literal["unconfirmed", "awaiting_approval", "pending", "completed", "failed", "rejected", "expired", "cancelled"] = OMIT,
        stuck: bool = OMIT,
        blockchain_tx_hash: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ManagedTransferListResponse:
        """List an app's transfers.

        GET /management/v1/apps/{app_id}/transfers
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param user_id: Lists only transfers of this user.
        :param source: Only transfers from this wallet.
        :param status: Only transfers with this status. A quote becomes `expired` as a rule within 20 seconds after its end.
        :param stuck: Only transfers that are marked stuck (`stuck_since`). The only value is `true`.
        :param blockchain_tx_hash: Only the transfer that was sent by the transaction with this hash.
        :param starting_after: The id of the last transfer of the previous page.
        """
        return self._transport.call("management.apps.transfers.list", [app_id], {"limit": limit, "user_id": user_id, "source": source, "status": status, "stuck": stuck, "blockchain_tx_hash": blockchain_tx_hash, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        source: str = OMIT,
        status: Literal["unconfirmed", "awaiting_approval", "pending", "completed", "failed", "rejected", "expired", "cancelled"] = OMIT,
        stuck: bool = OMIT,
        blockchain_tx_hash: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[ManagedTransferResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/transfers
        """
        while True:
            page = self.list(app_id, limit=limit, user_id=user_id, source=source, status=status, stuck=stuck, blockchain_tx_hash=blockchain_tx_hash, starting_after=starting_after, options=options)
            items = page["transfers"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        transfer_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagedTransferResponse:
        """Get a transfer of an app.

        GET /management/v1/apps/{app_id}/transfers/{transfer_id}
        """
        return self._transport.call("management.apps.transfers.get", [app_id, transfer_id], {}, options)

    def cancel(
        self,
        app_id: str,
        transfer_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagedTransferResponse:
        """Cancel a transfer of an app.

        POST /management/v1/apps/{app_id}/transfers/{transfer_id}/cancel
        """
        return self._transport.call("management.apps.transfers.cancel", [app_id, transfer_id], {}, options)


class ManagementAppsWalletsDepositsCalls:
    """Calls of `management.apps.wallets.deposits`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        wallet_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ManagedDepositListResponse:
        """List the deposits of a wallet of an app.

        GET /management/v1/apps/{app_id}/wallets/{wallet_id}/deposits
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last item of the previous page.
        """
        return self._transport.call("management.apps.wallets.deposits.list", [app_id, wallet_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        wallet_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[ManagedDepositResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/wallets/{wallet_id}/deposits
        """
        while True:
            page = self.list(app_id, wallet_id, limit=limit, starting_after=starting_after, options=options)
            items = page["deposits"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class ManagementAppsWalletsCalls:
    """Calls of `management.apps.wallets`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.deposits = ManagementAppsWalletsDepositsCalls(transport)

    def get(
        self,
        app_id: str,
        wallet_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagedWalletResponse:
        """Get a wallet of an app.

        GET /management/v1/apps/{app_id}/wallets/{wallet_id}
        """
        return self._transport.call("management.apps.wallets.get", [app_id, wallet_id], {}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListWalletsResponse:
        """List an app's wallets.

        GET /management/v1/apps/{app_id}/wallets
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param user_id: Only wallets of this user.
        :param starting_after: The id of the last wallet of the previous page.
        """
        return self._transport.call("management.apps.wallets.list", [app_id], {"limit": limit, "user_id": user_id, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        user_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WalletResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/wallets
        """
        while True:
            page = self.list(app_id, limit=limit, user_id=user_id, starting_after=starting_after, options=options)
            items = page["wallets"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def freeze(
        self,
        app_id: str,
        wallet_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WalletFreezeResponse:
        """Freeze a wallet.

        POST /management/v1/apps/{app_id}/wallets/{wallet_id}/freeze
        """
        return self._transport.call("management.apps.wallets.freeze", [app_id, wallet_id], {}, options)

    def thaw(
        self,
        app_id: str,
        wallet_id: str,
        *,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WalletFreezeResponse:
        """Thaw a wallet.

        POST /management/v1/apps/{app_id}/wallets/{wallet_id}/thaw
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("management.apps.wallets.thaw", [app_id, wallet_id], {"approval_id": approval_id}, options)


class ManagementAppsWebhookEndpointsDeliveriesCalls:
    """Calls of `management.apps.webhook_endpoints.deliveries`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        app_id: str,
        whk_id: str,
        *,
        status: Literal["pending", "delivered", "failed"] = OMIT,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookDeliveryListResponse:
        """List the deliveries to a webhook endpoint.

        GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries
        :param status: Lists only deliveries with this status.
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last delivery of the previous page.
        """
        return self._transport.call("management.apps.webhookEndpoints.deliveries.list", [app_id, whk_id], {"status": status, "limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        whk_id: str,
        *,
        status: Literal["pending", "delivered", "failed"] = OMIT,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookDeliveryResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries
        """
        while True:
            page = self.list(app_id, whk_id, status=status, limit=limit, starting_after=starting_after, options=options)
            items = page["deliveries"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def resend(
        self,
        app_id: str,
        whk_id: str,
        whd_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookDeliveryQueuedResponse:
        """Send an event again.

        POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries/{whd_id}/resend
        """
        return self._transport.call("management.apps.webhookEndpoints.deliveries.resend", [app_id, whk_id, whd_id], {}, options)


class ManagementAppsWebhookEndpointsCalls:
    """Calls of `management.apps.webhook_endpoints`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.deliveries = ManagementAppsWebhookEndpointsDeliveriesCalls(transport)

    def create(
        self,
        app_id: str,
        *,
        url: str,
        event_types: List[str] = OMIT,
        description: str = OMIT,
        ordered: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointWithSecretResponse:
        """Create a webhook endpoint.

        POST /management/v1/apps/{app_id}/webhook_endpoints
        :param url: The URL that events are sent to by POST: https with a public address, without credentials and fragment. With `ALLOW_PRIVATE_NETWORKS`, the default outside production, also http and private addresses.
        :param event_types: The names of event types, or `*`. If the list is empty or absent, the endpoint gets all types, also those of later releases.
        :param description: A description, which the service only stores.
        :param ordered: Whether the events of one user follow one another: the next one waits until the previous one is delivered or has failed.
        """
        return self._transport.call("management.apps.webhookEndpoints.create", [app_id], {"url": url, "event_types": event_types, "description": description, "ordered": ordered}, options)

    def list(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointListResponse:
        """List the webhook endpoints of an app.

        GET /management/v1/apps/{app_id}/webhook_endpoints
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last endpoint of the previous page.
        """
        return self._transport.call("management.apps.webhookEndpoints.list", [app_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        app_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookEndpointResponse]:
        """All elements, page by page.

        GET /management/v1/apps/{app_id}/webhook_endpoints
        """
        while True:
            page = self.list(app_id, limit=limit, starting_after=starting_after, options=options)
            items = page["webhook_endpoints"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        whk_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointResponse:
        """Get a webhook endpoint.

        GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}
        """
        return self._transport.call("management.apps.webhookEndpoints.get", [app_id, whk_id], {}, options)

    def update(
        self,
        app_id: str,
        whk_id: str,
        *,
        url: str = OMIT,
        event_types: List[str] | None = OMIT,
        description: str | None = OMIT,
        ordered: bool = OMIT,
        disabled: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointResponse:
        """Change a webhook endpoint.

        PATCH /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}
        :param url: The URL that events are sent to by POST. Events that wait are sent there too.
        :param event_types: The names of event types, or `*`. If the list is empty or `null`, the endpoint gets all types.
        :param description: A description, which the service only stores.
        :param ordered: Whether the events of one user follow one another. A change applies to later events only.
        :param disabled: Whether no events are sent. `false` begins the sending again, also after the service has disabled the endpoint.
        """
        return self._transport.call("management.apps.webhookEndpoints.update", [app_id, whk_id], {"url": url, "event_types": event_types, "description": description, "ordered": ordered, "disabled": disabled}, options)

    def delete(
        self,
        app_id: str,
        whk_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointDeletedResponse:
        """Delete a webhook endpoint.

        DELETE /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}
        """
        return self._transport.call("management.apps.webhookEndpoints.delete", [app_id, whk_id], {}, options)

    def rotate_secret(
        self,
        app_id: str,
        whk_id: str,
        *,
        overlap_minutes: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointWithSecretResponse:
        """Replace the secret of a webhook endpoint.

        POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/rotate_secret
        :param overlap_minutes: The number of minutes for which the current secret signs beside the new one.
        """
        return self._transport.call("management.apps.webhookEndpoints.rotateSecret", [app_id, whk_id], {"overlap_minutes": overlap_minutes}, options)

    def test(
        self,
        app_id: str,
        whk_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookTestQueuedResponse:
        """Test a webhook endpoint.

        POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/test
        """
        return self._transport.call("management.apps.webhookEndpoints.test", [app_id, whk_id], {}, options)

    def recover(
        self,
        app_id: str,
        whk_id: str,
        *,
        since: int,
        until: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookQueuedResponse:
        """Send missed events again.

        POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/recover
        :param since: The start of the range, in epoch seconds.
        :param until: The end of the range, in epoch seconds, at most 14 days after `since`. If it is absent, the range lasts until the work runs.
        """
        return self._transport.call("management.apps.webhookEndpoints.recover", [app_id, whk_id], {"since": since, "until": until}, options)


class ManagementAppsCalls:
    """Calls of `management.apps`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.users = ManagementAppsUsersCalls(transport)
        self.keys = ManagementAppsKeysCalls(transport)
        self.redirect_urls = ManagementAppsRedirectUrlsCalls(transport)
        self.oauth_connections = ManagementAppsOauthConnectionsCalls(transport)
        self.messages = ManagementAppsMessagesCalls(transport)
        self.jobs = ManagementAppsJobsCalls(transport)
        self.templates = ManagementAppsTemplatesCalls(transport)
        self.audit_log = ManagementAppsAuditLogCalls(transport)
        self.refused_calls = ManagementAppsRefusedCallsCalls(transport)
        self.oauth2 = ManagementAppsOauth2Calls(transport)
        self.oauth_clients = ManagementAppsOauthClientsCalls(transport)
        self.resources = ManagementAppsResourcesCalls(transport)
        self.events = ManagementAppsEventsCalls(transport)
        self.statistics = ManagementAppsStatisticsCalls(transport)
        self.policies = ManagementAppsPoliciesCalls(transport)
        self.approvals = ManagementAppsApprovalsCalls(transport)
        self.approver_groups = ManagementAppsApproverGroupsCalls(transport)
        self.sessions = ManagementAppsSessionsCalls(transport)
        self.transfers = ManagementAppsTransfersCalls(transport)
        self.wallets = ManagementAppsWalletsCalls(transport)
        self.webhook_endpoints = ManagementAppsWebhookEndpointsCalls(transport)

    def create(
        self,
        *,
        name: str,
        default_wallet_type: Literal["ethereum", "solana", "none"] = OMIT,
        allowed_origins: List[str] | None = OMIT,
        limits: LimitsRequest = OMIT,
        messages: MessagesRequest | None = OMIT,
        assets: List[AssetRequest] | None = OMIT,
        networks: List[str] | None = OMIT,
        transfer_policy: TransferPolicyRequest | None = OMIT,
        accept_confirmed: List[MaxAmountRequest] | None = OMIT,
        signing_policy: SigningPolicyRequest = OMIT,
        oauth_begin: Literal["any", "bound"] | None = OMIT,
        step_up: Literal["sessions", "always"] | None = OMIT,
        step_up_method_age_hours: int | None = OMIT,
        removal_needs_session: bool | None = OMIT,
        sign_in_method_messages: bool | None = OMIT,
        approver_passkey_hours: int | None = OMIT,
        recovery_wait_hours: int | None = OMIT,
        mode: Literal["test", "live"] = OMIT,
        session_idle_minutes: int | None = OMIT,
        session_max_minutes: int | None = OMIT,
        session_claims: List[str] | None = OMIT,
        webauthn: WebauthnSettingsRequest | None = OMIT,
        policy_change: PolicyChangeRequest | None = OMIT,
        authorization_server: AuthorizationServerRequest | None = OMIT,
        password_login_until: int | None = OMIT,
        options: Optional[CallOptions] = None,
    ) -> CreatedAppResponse:
        """Create an app.

        POST /management/v1/apps
        :param name: The name that users read in mails, and as the issuer in authenticator apps.
        :param default_wallet_type: The wallet a new user gets.
        :param allowed_origins: The exact origins whose pages may call the public endpoints and sign in with a wallet. The request replaces the list; `null` empties it.
        :param limits: The limits to change.
        :param messages: The appearance of mails and SMS; `null` restores the standard in everything.
        :param assets: The tokens that the app's wallets may pay with, besides the chains' own coins. The request replaces the list; `null` empties it.
        :param networks: The networks that the app may use, by name. `null` restores the standard, `ethereum` and `solana`.
        :param transfer_policy: The bounds on payments; `null` removes all of them.
        :param accept_confirmed: The largest payments for which a confirmation returns at the first block (`pending`, with `confirmed_at`). The request replaces the list; `null` empties it.
        :param signing_policy: The rules for signatures that move no funds by a transfer.
        :param oauth_begin: With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`, so that no login ends in another browser than the one that began it. `null` restores the default, `any`.
        :param step_up: The calls that need a fresh session where the user has a verified sign-in method and gains or loses one: `sessions`, those that carry a session of the user; `always`, also those by the key of the app alone. `null` restores the default, `sessions`.
        :param step_up_method_age_hours: The hours since the first proof of a sign-in method after which its proof makes a session fresh; the first method of an account does so at once. `0` lets every method do so at once. `null` restores the default, 24.
        :param removal_needs_session: Whether the app removes a sign-in method of a user only with a session of the user. `null` restores the default, false.
        :param sign_in_method_messages: Whether the user is notified by mail, or by SMS where only a number is verified, when their account gains or loses a sign-in method. `null` restores the default, true.
        :param approver_passkey_hours: The hours after which a passkey that an approver has made after becoming a member of a group votes. `0` only in test apps; `null` restores the default, 24. If the app has `policy_change`, fewer hours need an approval.
        :param recovery_wait_hours: The hours from the beginning of a recovery of a user until the new address signs the user in. Meanwhile the user and operators can cancel it. `null` restores the default, 48.
        :param mode: The mode, which never changes: keys of the two modes belong to different apps.
        :param session_idle_minutes: The minutes without a verify call after which a session has expired, at most a minute later; `null` removes the bound. It holds for sessions that have begun too.
        :param session_max_minutes: The minutes from its start after which a session has expired, however often it is extended; `null` removes the bound. It holds for sessions that have begun too.
        :param session_claims: The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. The request replaces the list; `null` empties it.
        :param webauthn: The settings of passkeys; null if the app does not use passkeys.
        :param policy_change: The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone.
        :param authorization_server: The authorization server of the app; null while it is switched off.
        :param password_login_until: The time until which imported passwords sign in, in epoch seconds; `null` ends it.
        """
        return self._transport.call("management.apps.create", [], {"default_wallet_type": default_wallet_type, "allowed_origins": allowed_origins, "limits": limits, "messages": messages, "assets": assets, "networks": networks, "transfer_policy": transfer_policy, "accept_confirmed": accept_confirmed, "signing_policy": signing_policy, "oauth_begin": oauth_begin, "step_up": step_up, "step_up_method_age_hours": step_up_method_age_hours, "removal_needs_session": removal_needs_session, "sign_in_method_messages": sign_in_method_messages, "approver_passkey_hours": approver_passkey_hours, "recovery_wait_hours": recovery_wait_hours, "name": name, "mode": mode, "session_idle_minutes": session_idle_minutes, "session_max_minutes": session_max_minutes, "session_claims": session_claims, "webauthn": webauthn, "policy_change": policy_change, "authorization_server": authorization_server, "password_login_until": password_login_until}, options)

    def list(
        self,
        *,
        limit: int = OMIT,
        name: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> AppListResponse:
        """List apps.

        GET /management/v1/apps
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param name: Lists only apps whose name contains this text, in upper or lower case.
        :param starting_after: The id of the last app of the previous page.
        """
        return self._transport.call("management.apps.list", [], {"limit": limit, "name": name, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        name: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[AppResponse]:
        """All elements, page by page.

        GET /management/v1/apps
        """
        while True:
            page = self.list(limit=limit, name=name, starting_after=starting_after, options=options)
            items = page["apps"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        app_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> AppResponse:
        """Get an app.

        GET /management/v1/apps/{app_id}
        """
        return self._transport.call("management.apps.get", [app_id], {}, options)

    def update(
        self,
        app_id: str,
        *,
        default_wallet_type: Literal["ethereum", "solana", "none"] = OMIT,
        allowed_origins: List[str] | None = OMIT,
        limits: LimitsRequest = OMIT,
        messages: MessagesRequest | None = OMIT,
        assets: List[AssetRequest] | None = OMIT,
        networks: List[str] | None = OMIT,
        transfer_policy: TransferPolicyRequest | None = OMIT,
        accept_confirmed: List[MaxAmountRequest] | None = OMIT,
        signing_policy: SigningPolicyRequest = OMIT,
        oauth_begin: Literal["any", "bound"] | None = OMIT,
        step_up: Literal["sessions", "always"] | None = OMIT,
        step_up_method_age_hours: int | None = OMIT,
        removal_needs_session: bool | None = OMIT,
        sign_in_method_messages: bool | None = OMIT,
        approver_passkey_hours: int | None = OMIT,
        recovery_wait_hours: int | None = OMIT,
        name: str = OMIT,
        approval_id: str = OMIT,
        session_idle_minutes: int | None = OMIT,
        session_max_minutes: int | None = OMIT,
        session_claims: List[str] | None = OMIT,
        webauthn: WebauthnSettingsRequest | None = OMIT,
        policy_change: PolicyChangeRequest | None = OMIT,
        authorization_server: AuthorizationServerRequest | None = OMIT,
        password_login_until: int | None = OMIT,
        options: Optional[CallOptions] = None,
    ) -> AppResponse:
        """Change an app's settings.

        PATCH /management/v1/apps/{app_id}
        :param default_wallet_type: The wallet a new user gets.
        :param allowed_origins: The exact origins whose pages may call the public endpoints and sign in with a wallet. The request replaces the list; `null` empties it.
        :param limits: The limits to change.
        :param messages: The appearance of mails and SMS; `null` restores the standard in everything.
        :param assets: The tokens that the app's wallets may pay with, besides the chains' own coins. The request replaces the list; `null` empties it.
        :param networks: The networks that the app may use, by name. `null` restores the standard, `ethereum` and `solana`.
        :param transfer_policy: The bounds on payments; `null` removes all of them.
        :param accept_confirmed: The largest payments for which a confirmation returns at the first block (`pending`, with `confirmed_at`). The request replaces the list; `null` empties it.
        :param signing_policy: The rules for signatures that move no funds by a transfer.
        :param oauth_begin: With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`, so that no login ends in another browser than the one that began it. `null` restores the default, `any`.
        :param step_up: The calls that need a fresh session where the user has a verified sign-in method and gains or loses one: `sessions`, those that carry a session of the user; `always`, also those by the key of the app alone. `null` restores the default, `sessions`.
        :param step_up_method_age_hours: The hours since the first proof of a sign-in method after which its proof makes a session fresh; the first method of an account does so at once. `0` lets every method do so at once. `null` restores the default, 24.
        :param removal_needs_session: Whether the app removes a sign-in method of a user only with a session of the user. `null` restores the default, false.
        :param sign_in_method_messages: Whether the user is notified by mail, or by SMS where only a number is verified, when their account gains or loses a sign-in method. `null` restores the default, true.
        :param approver_passkey_hours: The hours after which a passkey that an approver has made after becoming a member of a group votes. `0` only in test apps; `null` restores the default, 24. If the app has `policy_change`, fewer hours need an approval.
        :param recovery_wait_hours: The hours from the beginning of a recovery of a user until the new address signs the user in. Meanwhile the user and operators can cancel it. `null` restores the default, 48.
        :param name: The name that users read in mails, and as the issuer in authenticator apps.
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved. Only a change of `policy_change` needs one.
        :param session_idle_minutes: The minutes without a verify call after which a session has expired, at most a minute later; `null` removes the bound. It holds for sessions that have begun too.
        :param session_max_minutes: The minutes from its start after which a session has expired, however often it is extended; `null` removes the bound. It holds for sessions that have begun too.
        :param session_claims: The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. The request replaces the list; `null` empties it.
        :param webauthn: The settings of passkeys; null if the app does not use passkeys.
        :param policy_change: The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone.
        :param authorization_server: The authorization server of the app; null while it is switched off.
        :param password_login_until: The time until which imported passwords sign in, in epoch seconds; `null` ends it.
        """
        return self._transport.call("management.apps.update", [app_id], {"default_wallet_type": default_wallet_type, "allowed_origins": allowed_origins, "limits": limits, "messages": messages, "assets": assets, "networks": networks, "transfer_policy": transfer_policy, "accept_confirmed": accept_confirmed, "signing_policy": signing_policy, "oauth_begin": oauth_begin, "step_up": step_up, "step_up_method_age_hours": step_up_method_age_hours, "removal_needs_session": removal_needs_session, "sign_in_method_messages": sign_in_method_messages, "approver_passkey_hours": approver_passkey_hours, "recovery_wait_hours": recovery_wait_hours, "name": name, "approval_id": approval_id, "session_idle_minutes": session_idle_minutes, "session_max_minutes": session_max_minutes, "session_claims": session_claims, "webauthn": webauthn, "policy_change": policy_change, "authorization_server": authorization_server, "password_login_until": password_login_until}, options)

    def delete(
        self,
        app_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DeletedResponse:
        """Delete an app.

        DELETE /management/v1/apps/{app_id}
        """
        return self._transport.call("management.apps.delete", [app_id], {}, options)

    def freeze(
        self,
        app_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> FreezeResponse:
        """Freeze an app.

        POST /management/v1/apps/{app_id}/freeze
        """
        return self._transport.call("management.apps.freeze", [app_id], {}, options)

    def thaw(
        self,
        app_id: str,
        *,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> FreezeResponse:
        """Thaw an app.

        POST /management/v1/apps/{app_id}/thaw
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("management.apps.thaw", [app_id], {"approval_id": approval_id}, options)


class ManagementSessionCalls:
    """Calls of `management.session`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def begin(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagementSessionResponse:
        """Sign a browser in.

        POST /management/v1/session
        """
        return self._transport.call("management.session.begin", [], {}, options)

    def get(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagementSessionResponse:
        """Get the current session.

        GET /management/v1/session
        """
        return self._transport.call("management.session.get", [], {}, options)

    def end(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> EndedManagementSessionResponse:
        """Sign a browser out.

        DELETE /management/v1/session
        """
        return self._transport.call("management.session.end", [], {}, options)


class ManagementSessionsCalls:
    """Calls of `management.sessions`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagementSessionListResponse:
        """List the browser sessions of operators.

        GET /management/v1/sessions
        """
        return self._transport.call("management.sessions.list", [], {}, options)


class ManagementKeyStorageCalls:
    """Calls of `management.key_storage`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def get(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> KeyStorageResponse:
        """Get the key storage of the service.

        GET /management/v1/key_storage
        """
        return self._transport.call("management.keyStorage.get", [], {}, options)


class ManagementAuditLogCalls:
    """Calls of `management.audit_log`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        actor: str = OMIT,
        action: str = OMIT,
        outcome: Literal["ok", "refused"] = OMIT,
        since: int = OMIT,
        until: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> AuditLogResponse:
        """List the audit log of the service.

        GET /management/v1/audit_log
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last entry of the previous page.
        :param actor: Lists only entries of this actor: the id of a key, `oidc:` and the name of an operator, `cli`, `first_start` or `unknown`.
        :param action: Lists only entries of this action, e.g. `key.created` or `call.refused`.
        :param outcome: Lists only changes (`ok`) or only refused calls (`refused`).
        :param since: Lists only entries from this time on, in epoch seconds.
        :param until: Lists only entries before this time, in epoch seconds.
        """
        return self._transport.call("management.auditLog.list", [], {"limit": limit, "starting_after": starting_after, "actor": actor, "action": action, "outcome": outcome, "since": since, "until": until}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        actor: str = OMIT,
        action: str = OMIT,
        outcome: Literal["ok", "refused"] = OMIT,
        since: int = OMIT,
        until: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[AuditEntryResponse]:
        """All elements, page by page.

        GET /management/v1/audit_log
        """
        while True:
            page = self.list(limit=limit, starting_after=starting_after, actor=actor, action=action, outcome=outcome, since=since, until=until, options=options)
            items = page["entries"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class ManagementNetworksCalls:
    """Calls of `management.networks`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> ManagedNetworkListResponse:
        """List the networks of the service.

        GET /management/v1/networks
        """
        return self._transport.call("management.networks.list", [], {}, options)


class ManagementCalls:
    """Calls of `management`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.apps = ManagementAppsCalls(transport)
        self.session = ManagementSessionCalls(transport)
        self.sessions = ManagementSessionsCalls(transport)
        self.key_storage = ManagementKeyStorageCalls(transport)
        self.audit_log = ManagementAuditLogCalls(transport)
        self.networks = ManagementNetworksCalls(transport)


class OauthConnectionsCalls:
    """Calls of `oauth_connections`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        *,
        provider: str,
        client_id: str,
        issuer: str | None = OMIT,
        team_id: str | None = OMIT,
        key_id: str | None = OMIT,
        private_key: str = OMIT,
        trusts_email: bool = OMIT,
        email_domains: List[str] | None = OMIT,
        pkce: bool = OMIT,
        userinfo: Literal["required", "optional"] = OMIT,
        client_secret: str = OMIT,
        domain: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionResponse:
        """Connect an app with an identity provider.

        POST /v1/auth/oauth_connections/create
        :param provider: The provider's name: google, microsoft, apple, github, discord, slack, facebook, okta, linkedin, gitlab, twitch, or a name of your choice for the OpenID Connect provider of `issuer` or `domain`.
        :param client_id: The app's id at the provider.
        :param issuer: The issuer URL of an OpenID Connect provider, exactly as its tokens spell it.
        :param team_id: The id of the developer team, for Apple only.
        :param key_id: The id of the signing key, for Apple only.
        :param private_key: The signing key (PKCS #8 in PEM), for Apple only. It is never returned.
        :param trusts_email: Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook.
        :param email_domains: The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it.
        :param pkce: Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app.
        :param userinfo: With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user.
        :param client_secret: The app's secret at the provider. It is never returned.
        :param domain: The host of an OpenID Connect provider, in place of `issuer`: the issuer is `https://{domain}`.
        """
        return self._transport.call("oauthConnections.create", [], {"issuer": issuer, "team_id": team_id, "key_id": key_id, "private_key": private_key, "trusts_email": trusts_email, "email_domains": email_domains, "pkce": pkce, "userinfo": userinfo, "provider": provider, "client_id": client_id, "client_secret": client_secret, "domain": domain}, options)

    def list(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionListResponse:
        """List the connections of an app.

        GET /v1/auth/oauth_connections/list
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last connection of the previous page.
        """
        return self._transport.call("oauthConnections.list", [], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[OauthConnectionResponse]:
        """All elements, page by page.

        GET /v1/auth/oauth_connections/list
        """
        while True:
            page = self.list(limit=limit, starting_after=starting_after, options=options)
            items = page["oauth_connections"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        oauthconn_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionResponse:
        """Get a connection of an app.

        GET /v1/auth/oauth_connections/{oauthconn_id}
        """
        return self._transport.call("oauthConnections.get", [oauthconn_id], {}, options)

    def update(
        self,
        oauthconn_id: str,
        *,
        issuer: str | None = OMIT,
        team_id: str | None = OMIT,
        key_id: str | None = OMIT,
        private_key: str = OMIT,
        trusts_email: bool = OMIT,
        email_domains: List[str] | None = OMIT,
        pkce: bool = OMIT,
        userinfo: Literal["required", "optional"] = OMIT,
        client_id: str = OMIT,
        client_secret: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthConnectionResponse:
        """Change a connection of an app.

        PUT /v1/auth/oauth_connections/{oauthconn_id}/update
        :param issuer: The issuer URL of an OpenID Connect provider, exactly as its tokens spell it.
        :param team_id: The id of the developer team, for Apple only.
        :param key_id: The id of the signing key, for Apple only.
        :param private_key: The signing key (PKCS #8 in PEM), for Apple only. It is never returned.
        :param trusts_email: Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook.
        :param email_domains: The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it.
        :param pkce: Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app.
        :param userinfo: With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user.
        :param client_id: The app's id at the provider.
        :param client_secret: The app's secret at the provider. It is never returned.
        """
        return self._transport.call("oauthConnections.update", [oauthconn_id], {"issuer": issuer, "team_id": team_id, "key_id": key_id, "private_key": private_key, "trusts_email": trusts_email, "email_domains": email_domains, "pkce": pkce, "userinfo": userinfo, "client_id": client_id, "client_secret": client_secret}, options)

    def delete(
        self,
        oauthconn_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> DeletedResponse:
        """Delete a connection of an app.

        DELETE /v1/auth/oauth_connections/{oauthconn_id}/delete
        """
        return self._transport.call("oauthConnections.delete", [oauthconn_id], {}, options)


class Oauth2InteractionsCalls:
    """Calls of `oauth2.interactions`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def get(
        self,
        interaction: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> InteractionResponse:
        """Get an interaction.

        GET /v1/oauth2/interactions/{interaction}
        """
        return self._transport.call("oauth2.interactions.get", [interaction], {}, options)

    def accept(
        self,
        interaction: str,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        granted_scopes: List[str] = OMIT,
        remember: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> AnsweredInteractionResponse:
        """Accept an interaction.

        POST /v1/oauth2/interactions/{interaction}/accept
        :param session_token: The token of a live session of the user. An empty string counts as absent.
        :param session_jwt: A JWT of the session that has not expired. An empty string counts as absent.
        :param granted_scopes: The scopes to which the user consents, among those of the interaction; all of them if the list is absent.
        :param remember: Whether the browser keeps login and consent until the session ends, so that the next request of the client needs no page. Never for clients on the user's device.
        """
        return self._transport.call("oauth2.interactions.accept", [interaction], {"session_token": session_token, "session_jwt": session_jwt, "granted_scopes": granted_scopes, "remember": remember}, options)

    def reject(
        self,
        interaction: str,
        *,
        error: Literal["access_denied", "login_required", "interaction_required", "consent_required", "temporarily_unavailable"],
        options: Optional[CallOptions] = None,
    ) -> AnsweredInteractionResponse:
        """Reject an interaction.

        POST /v1/oauth2/interactions/{interaction}/reject
        :param error: The error that the client gets.
        """
        return self._transport.call("oauth2.interactions.reject", [interaction], {"error": error}, options)


class Oauth2GrantsCalls:
    """Calls of `oauth2.grants`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        user_id: str,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> GrantListResponse:
        """List the grants of a user.

        GET /v1/oauth2/grants
        :param user_id: The user whose grants are listed.
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last grant of the previous page.
        """
        return self._transport.call("oauth2.grants.list", [], {"limit": limit, "user_id": user_id, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        user_id: str,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[GrantResponse]:
        """All elements, page by page.

        GET /v1/oauth2/grants
        """
        while True:
            page = self.list(user_id=user_id, limit=limit, starting_after=starting_after, options=options)
            items = page["grants"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def revoke(
        self,
        grant_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> GrantRevokedResponse:
        """Revoke a grant.

        DELETE /v1/oauth2/grants/{grant_id}
        """
        return self._transport.call("oauth2.grants.revoke", [grant_id], {}, options)


class Oauth2Calls:
    """Calls of `oauth2`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.interactions = Oauth2InteractionsCalls(transport)
        self.grants = Oauth2GrantsCalls(transport)


class NetworksCalls:
    """Calls of `networks`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> NetworkListResponse:
        """List networks (beta).

        GET /v1/networks
        """
        return self._transport.call("networks.list", [], {}, options)


class EventsCalls:
    """Calls of `events`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        after: str = OMIT,
        feed_id: str = OMIT,
        types: str = OMIT,
        user_id: str = OMIT,
        limit: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListEventsResponse:
        """List the events of the app.

        GET /v1/events
        :param after: The id or the position of the last event that the caller has handled. If it is absent, the list begins with the oldest event.
        :param feed_id: The `feed_id` of the response in which the caller found its position. If the feed is another one now, because the database was restored to an earlier state, the response is a 409 that names the last position that both feeds have.
        :param types: The types of the listed events, separated by commas. All types if it is absent.
        :param user_id: Lists only events about this user.
        :param limit: The maximum number of items. `has_more` says whether there are more.
        """
        return self._transport.call("events.list", [], {"after": after, "feed_id": feed_id, "types": types, "user_id": user_id, "limit": limit}, options)

    def all(
        self,
        *,
        after: str = OMIT,
        feed_id: str = OMIT,
        types: str = OMIT,
        user_id: str = OMIT,
        limit: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[EventResponse]:
        """All elements, page by page.

        GET /v1/events
        """
        while True:
            page = self.list(after=after, feed_id=feed_id, types=types, user_id=user_id, limit=limit, options=options)
            items = page["events"]
            yield from items
            if not items or not page["has_more"]:
                return
            after = items[-1]["id"]

    def get(
        self,
        event_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> EventResponse:
        """Get an event.

        GET /v1/events/{event_id}
        """
        return self._transport.call("events.get", [event_id], {}, options)


class EventTypesCalls:
    """Calls of `event_types`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> ListEventTypesResponse:
        """List the types of events.

        GET /v1/event_types
        """
        return self._transport.call("eventTypes.list", [], {}, options)


class UsersRecoveryCalls:
    """Calls of `users.recovery`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def cancel_recovery(
        self,
        user_id: str,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> CancelledRecoveryResponse:
        """Cancel the recovery of a user.

        DELETE /v1/auth/users/{user_id}/recovery
        :param session_token: The token of a fresh session of the user. An empty string counts as absent.
        :param session_jwt: A JWT of a fresh session of the user. An empty string counts as absent.
        """
        return self._transport.call("users.recovery.cancelRecovery", [user_id], {"session_token": session_token, "session_jwt": session_jwt}, options)


class UsersEmailsCalls:
    """Calls of `users.emails`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def delete(
        self,
        email_id: str,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> UserDeletionResponse:
        """Delete an email.

        DELETE /v1/auth/users/emails/{email_id}/delete
        :param session_token: The token of a fresh session of the user. An empty string counts as absent.
        :param session_jwt: A JWT of a fresh session of the user. An empty string counts as absent.
        """
        return self._transport.call("users.emails.delete", [email_id], {"session_token": session_token, "session_jwt": session_jwt}, options)


class UsersPhoneNumbersCalls:
    """Calls of `users.phone_numbers`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def delete(
        self,
        phone_number_id: str,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> UserDeletionResponse:
        """Delete a phone number.

        DELETE /v1/auth/users/phone_numbers/{phone_number_id}/delete
        :param session_token: The token of a fresh session of the user. An empty string counts as absent.
        :param session_jwt: A JWT of a fresh session of the user. An empty string counts as absent.
        """
        return self._transport.call("users.phoneNumbers.delete", [phone_number_id], {"session_token": session_token, "session_jwt": session_jwt}, options)


class UsersWebauthnCredentialsCalls:
    """Calls of `users.webauthn_credentials`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def delete(
        self,
        webauthn_credential_id: str,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> PasskeyDeletionResponse:
        """Delete a passkey (beta).

        DELETE /v1/auth/users/webauthn_credentials/{webauthn_credential_id}/delete
        :param session_token: The token of a fresh session of the user. An empty string counts as absent.
        :param session_jwt: A JWT of a fresh session of the user. An empty string counts as absent.
        """
        return self._transport.call("users.webauthnCredentials.delete", [webauthn_credential_id], {"session_token": session_token, "session_jwt": session_jwt}, options)


class UsersTotpsCalls:
    """Calls of `users.totps`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def delete(
        self,
        totp_id: str,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> TotpDeletionResponse:
        """Delete a TOTP.

        DELETE /v1/auth/users/totps/{totp_id}/delete
        :param session_token: The token of a fresh session of the user. An empty string counts as absent.
        :param session_jwt: A JWT of a fresh session of the user. An empty string counts as absent.
        """
        return self._transport.call("users.totps.delete", [totp_id], {"session_token": session_token, "session_jwt": session_jwt}, options)


class UsersWalletsCalls:
    """Calls of `users.wallets`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def delete(
        self,
        wallet_id: str,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WalletDeletionResponse:
        """Delete a wallet.

        DELETE /v1/auth/users/wallets/{wallet_id}/delete
        :param session_token: The token of a fresh session of the user. An empty string counts as absent.
        :param session_jwt: A JWT of a fresh session of the user. An empty string counts as absent.
        """
        return self._transport.call("users.wallets.delete", [wallet_id], {"session_token": session_token, "session_jwt": session_jwt}, options)


class UsersCalls:
    """Calls of `users`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.recovery = UsersRecoveryCalls(transport)
        self.emails = UsersEmailsCalls(transport)
        self.phone_numbers = UsersPhoneNumbersCalls(transport)
        self.webauthn_credentials = UsersWebauthnCredentialsCalls(transport)
        self.totps = UsersTotpsCalls(transport)
        self.wallets = UsersWalletsCalls(transport)

    def create(
        self,
        *,
        first_name: str = OMIT,
        middle_name: str = OMIT,
        last_name: str = OMIT,
        external_id: str = OMIT,
        metadata: dict[str, Any] = OMIT,
        email: str = OMIT,
        phone_number: str = OMIT,
        requires_verification: bool = OMIT,
        wallet_type: Literal["ethereum", "solana", "none"] = OMIT,
        include_user: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> CreateUserResponse:
        """Create a user.

        POST /v1/auth/users/create
        :param first_name: The first name; may be empty.
        :param middle_name: The middle name; may be empty.
        :param last_name: The last name; may be empty.
        :param external_id: The id of the user in the app's own data, unique in the app. An empty text stands for none.
        :param metadata: The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay.
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param phone_number: A phone number in E.164 form, such as `+4915112345678`.
        :param requires_verification: Whether the user stays pending until the email or phone number is verified.
        :param wallet_type: The type of the user's default wallet. If absent, the app's setting applies.
        :param include_user: Whether the response contains the whole user under `user`.
        """
        return self._transport.call("users.create", [], {"first_name": first_name, "middle_name": middle_name, "last_name": last_name, "external_id": external_id, "metadata": metadata, "email": email, "phone_number": phone_number, "requires_verification": requires_verification, "wallet_type": wallet_type, "include_user": include_user}, options)

    def search(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        filters: UserSearchFilters = OMIT,
        options: Optional[CallOptions] = None,
    ) -> SearchUsersResponse:
        """Search users.

        POST /v1/auth/users/search
        :param limit: The maximum number of users in the response. `has_more` says whether there are more.
        :param starting_after: The id of the last user of the previous page.
        :param filters: The filters that users must pass. If absent, all users are found.
        """
        return self._transport.call("users.search", [], {"limit": limit, "starting_after": starting_after, "filters": filters}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        filters: UserSearchFilters = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[UserResponse]:
        """All elements, page by page.

        POST /v1/auth/users/search
        """
        while True:
            page = self.search(limit=limit, starting_after=starting_after, filters=filters, options=options)
            items = page["users"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["user_id"]

    def get(
        self,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserResponse:
        """Get a user.

        GET /v1/auth/users/{user_id}
        """
        return self._transport.call("users.get", [user_id], {}, options)

    def update(
        self,
        user_id: str,
        *,
        first_name: str = OMIT,
        middle_name: str = OMIT,
        last_name: str = OMIT,
        external_id: str = OMIT,
        metadata: dict[str, Any] = OMIT,
        emails: List[EmailToAttach] = OMIT,
        phone_numbers: List[PhoneNumberToAttach] = OMIT,
        options: Optional[CallOptions] = None,
    ) -> UpdateUserResponse:
        """Update a user.

        PUT /v1/auth/users/{user_id}/update
        :param first_name: The first name; may be empty.
        :param middle_name: The middle name; may be empty.
        :param last_name: The last name; may be empty.
        :param external_id: The id of the user in the app's own data, unique in the app. An empty text stands for none.
        :param metadata: The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay.
        :param emails: The email addresses to attach. The user keeps all present addresses.
        :param phone_numbers: The phone numbers to attach. The user keeps all present numbers.
        """
        return self._transport.call("users.update", [user_id], {"first_name": first_name, "middle_name": middle_name, "last_name": last_name, "external_id": external_id, "metadata": metadata, "emails": emails, "phone_numbers": phone_numbers}, options)

    def delete(
        self,
        user_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> UserDeletionResponse:
        """Delete a user.

        DELETE /v1/auth/users/{user_id}/delete
        """
        return self._transport.call("users.delete", [user_id], {}, options)


class MagicLinksEmailCalls:
    """Calls of `magic_links.email`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def login_or_create(
        self,
        *,
        email: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        requires_verification: bool = OMIT,
        expires_in: int = OMIT,
        login_expires_in: int = OMIT,
        registration_expires_in: int = OMIT,
        login_redirect_url: str = OMIT,
        registration_redirect_url: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> MailedLinkResponse:
        """Log in or create a user by magic link.

        POST /v1/auth/magic_links/email/login_or_create
        Deprecated: use otps.email.login_or_create.
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param device_fingerprint: The device that the link is for. Each field given here must have the same value when the link is verified.
        :param requires_verification: Leaves a new user pending until the link is verified.
        :param expires_in: Lifetime of the link in minutes.
        :param login_expires_in: Replaces `expires_in` for an existing user.
        :param registration_expires_in: Replaces `expires_in` for a new user.
        :param login_redirect_url: The target of the link for an existing user; must be registered. Default: the app's default login URL.
        :param registration_redirect_url: The target of the link for a new user; must be registered. Default: the app's default registration URL.
        """
        return self._transport.call("magicLinks.email.loginOrCreate", [], {"device_fingerprint": device_fingerprint, "email": email, "requires_verification": requires_verification, "expires_in": expires_in, "login_expires_in": login_expires_in, "registration_expires_in": registration_expires_in, "login_redirect_url": login_redirect_url, "registration_redirect_url": registration_redirect_url}, options)

    def invite(
        self,
        *,
        email: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        requires_verification: bool = OMIT,
        first_name: str = OMIT,
        middle_name: str = OMIT,
        last_name: str = OMIT,
        invite_redirect_url: str = OMIT,
        invite_expires_in: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> MailedLinkResponse:
        """Invite a user by magic link.

        POST /v1/auth/magic_links/email/invite
        Deprecated: use otps.email.login_or_create.
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param device_fingerprint: The device that the link is for. Each field given here must have the same value when the link is verified.
        :param requires_verification: Leaves a new user pending until the link is verified.
        :param first_name: The first name of a new user. An existing user keeps their name.
        :param middle_name: The middle name; may be empty.
        :param last_name: The last name; may be empty.
        :param invite_redirect_url: The target of the link; must be registered. Default: the app's default invite URL.
        :param invite_expires_in: Lifetime of the link in minutes.
        """
        return self._transport.call("magicLinks.email.invite", [], {"device_fingerprint": device_fingerprint, "email": email, "requires_verification": requires_verification, "first_name": first_name, "middle_name": middle_name, "last_name": last_name, "invite_redirect_url": invite_redirect_url, "invite_expires_in": invite_expires_in}, options)


class MagicLinksCalls:
    """Calls of `magic_links`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.email = MagicLinksEmailCalls(transport)

    def create(
        self,
        *,
        user_id: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        expires_in: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> CreateMagicLinkResponse:
        """Create an embeddable magic link.

        POST /v1/auth/magic_links/create
        Deprecated: use otps.email.send.
        :param user_id: The id of the user, which begins with `user_`.
        :param device_fingerprint: The device that the link is for. Each field given here must have the same value when the link is verified.
        :param expires_in: Lifetime of the link in minutes.
        """
        return self._transport.call("magicLinks.create", [], {"device_fingerprint": device_fingerprint, "user_id": user_id, "expires_in": expires_in}, options)

    def verify(
        self,
        *,
        token: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        options: Optional[CallOptions] = None,
    ) -> MagicLinkUserResponse:
        """Verify a magic link.

        POST /v1/auth/magic_links/verify
        Deprecated: use otps.verify.
        :param token: The token of the link. The demo app of a development start accepts the example once within seven days, unless another link is sent first; a reset of the demo data renews it.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        """
        return self._transport.call("magicLinks.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "token": token}, options)


class OauthCalls:
    """Calls of `oauth`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def begin(
        self,
        provider: str,
        *,
        redirect: bool = OMIT,
        login_redirect_url: str = OMIT,
        registration_redirect_url: str = OMIT,
        code_challenge: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> BeginOauthLoginResponse:
        """Begin a login through an identity provider.

        GET /v1/auth/oauth/{provider}/begin
        :param redirect: Whether to redirect the browser to the provider instead of returning the URL, so that a login button can link here.
        :param login_redirect_url: The registered URL to which existing users of the app are sent; by default the app's default login URL.
        :param registration_redirect_url: The registered URL to which new users of the app are sent; by default the app's default registration URL.
        :param code_challenge: An S256 code challenge (RFC 7636), with or without `redirect`. Verifying the token then requires the `code_verifier`. Required without `redirect=true` if `oauth_begin` of the app is `bound`.
        """
        return self._transport.call("oauth.begin", [provider], {"redirect": redirect, "login_redirect_url": login_redirect_url, "registration_redirect_url": registration_redirect_url, "code_challenge": code_challenge}, options)

    def verify(
        self,
        *,
        token: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        code_verifier: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> OauthSessionResponse:
        """Verify an OAuth token.

        POST /v1/auth/oauth/verify
        :param token: The token from the query of the login or registration URL.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        :param code_verifier: The verifier (RFC 7636) of the login's `code_challenge`; required if the login has one.
        """
        return self._transport.call("oauth.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "token": token, "code_verifier": code_verifier}, options)


class OtpsSmsCalls:
    """Calls of `otps.sms`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def login_or_create(
        self,
        *,
        phone_number: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        expires_in: int = OMIT,
        requires_verification: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> SmsPasscodeLoginResponse:
        """Log in or create a user by an SMS passcode.

        POST /v1/auth/otps/sms/login_or_create
        :param phone_number: A phone number in E.164 form, such as `+4915112345678`.
        :param device_fingerprint: The user's device. Sends are limited per `ip`.
        :param expires_in: Lifetime of the passcode in minutes.
        :param requires_verification: Leaves a new user pending until the passcode is verified.
        """
        return self._transport.call("otps.sms.loginOrCreate", [], {"device_fingerprint": device_fingerprint, "phone_number": phone_number, "expires_in": expires_in, "requires_verification": requires_verification}, options)

    def send(
        self,
        *,
        phone_number: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        expires_in: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> SmsPasscodeResponse:
        """Send an SMS passcode.

        POST /v1/auth/otps/sms/send
        :param phone_number: A phone number in E.164 form, such as `+4915112345678`.
        :param device_fingerprint: The user's device. Sends are limited per `ip`.
        :param expires_in: Lifetime of the passcode in minutes.
        """
        return self._transport.call("otps.sms.send", [], {"device_fingerprint": device_fingerprint, "phone_number": phone_number, "expires_in": expires_in}, options)


class OtpsEmailCalls:
    """Calls of `otps.email`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def login_or_create(
        self,
        *,
        email: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        expires_in: int = OMIT,
        requires_verification: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> EmailPasscodeLoginResponse:
        """Log in or create a user by an email passcode.

        POST /v1/auth/otps/email/login_or_create
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param device_fingerprint: The user's device. Sends are limited per `ip`.
        :param expires_in: Lifetime of the passcode in minutes.
        :param requires_verification: Leaves a new user pending until the passcode is verified.
        """
        return self._transport.call("otps.email.loginOrCreate", [], {"device_fingerprint": device_fingerprint, "email": email, "expires_in": expires_in, "requires_verification": requires_verification}, options)

    def send(
        self,
        *,
        email: str,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        expires_in: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> EmailPasscodeResponse:
        """Send an email passcode.

        POST /v1/auth/otps/email/send
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param device_fingerprint: The user's device. Sends are limited per `ip`.
        :param expires_in: Lifetime of the passcode in minutes.
        """
        return self._transport.call("otps.email.send", [], {"device_fingerprint": device_fingerprint, "email": email, "expires_in": expires_in}, options)


class OtpsCalls:
    """Calls of `otps`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.sms = OtpsSmsCalls(transport)
        self.email = OtpsEmailCalls(transport)

    def verify(
        self,
        *,
        method_id: str,
        otp: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedPasscodeResponse:
        """Verify a passcode.

        POST /v1/auth/otps/verify
        :param method_id: The `email_id` or `phone_number_id` that the passcode was sent to.
        :param otp: The six digits of the passcode, as text. Send the text as the user typed or pasted it: blanks, hyphens, line ends and invisible characters are dropped, and digits of any script count. The demo app of a development start accepts the example once, unless another passcode is sent first; a reset of the demo data renews it.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        """
        return self._transport.call("otps.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "method_id": method_id, "otp": otp}, options)


class WebauthnRegistrationsCalls:
    """Calls of `webauthn.registrations`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def begin(
        self,
        *,
        user_id: str,
        domain: str = OMIT,
        authenticator_type: Literal["platform", "cross-platform"] = OMIT,
        options: Optional[CallOptions] = None,
    ) -> BegunPasskeyRegistrationResponse:
        """Begin the registration of a passkey (beta).

        POST /v1/auth/webauthn/registrations/begin
        :param user_id: The id of the user, which begins with `user_`.
        :param domain: The domain of the passkey; if given, it must be the app's `rp_id`.
        :param authenticator_type: The kind of authenticator. `platform`: the user's device. `cross-platform`: a security key or another device. Default: any.
        """
        return self._transport.call("webauthn.registrations.begin", [], {"user_id": user_id, "domain": domain, "authenticator_type": authenticator_type}, options)

    def create(
        self,
        *,
        user_id: str,
        public_key_credential: dict[str, Any] | str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        name: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedPasskeyResponse:
        """Register a passkey (beta).

        POST /v1/auth/webauthn/registrations/create
        :param user_id: The id of the user, which begins with `user_`.
        :param public_key_credential: The credential that the browser returned for the options, unchanged: an object or JSON text.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        :param name: The name by which the user recognises the passkey.
        """
        return self._transport.call("webauthn.registrations.create", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "user_id": user_id, "public_key_credential": public_key_credential, "name": name}, options)


class WebauthnAuthenticationCalls:
    """Calls of `webauthn.authentication`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def begin(
        self,
        *,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> BegunPasskeySignInResponse:
        """Begin a sign-in with a passkey (beta).

        POST /v1/auth/webauthn/authentication/begin
        :param user_id: The user who signs in. If absent, the user chooses among the passkeys that the authenticator holds for the domain.
        """
        return self._transport.call("webauthn.authentication.begin", [], {"user_id": user_id}, options)


class WebauthnCredentialsCalls:
    """Calls of `webauthn.credentials`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        user_id: str,
        options: Optional[CallOptions] = None,
    ) -> PasskeyListResponse:
        """List the passkeys of a user (beta).

        GET /v1/auth/webauthn/credentials
        :param user_id: The owner of the passkeys.
        """
        return self._transport.call("webauthn.credentials.list", [], {"user_id": user_id}, options)


class WebauthnCalls:
    """Calls of `webauthn`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.registrations = WebauthnRegistrationsCalls(transport)
        self.authentication = WebauthnAuthenticationCalls(transport)
        self.credentials = WebauthnCredentialsCalls(transport)

    def verify(
        self,
        *,
        public_key_credential: dict[str, Any] | str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedPasskeyResponse:
        """Verify a passkey (beta).

        POST /v1/auth/webauthn/verify
        :param public_key_credential: The credential that the browser returned for the options, unchanged: an object or JSON text.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        """
        return self._transport.call("webauthn.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "public_key_credential": public_key_credential}, options)


class PasswordsCalls:
    """Calls of `passwords`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def verify(
        self,
        *,
        password: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        email: str = OMIT,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedPasswordResponse:
        """Verify an imported password.

        POST /v1/auth/passwords/verify
        :param password: The password that the user has at the former vendor, as it was typed.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        :param email: An email address of at most 254 characters. White space around it is removed.
        :param user_id: The user, instead of an email address.
        """
        return self._transport.call("passwords.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "email": email, "user_id": user_id, "password": password}, options)


class PoliciesDecisionsCalls:
    """Calls of `policies.decisions`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        limit: int = OMIT,
        outcome: Literal["allow", "deny", "require_approval"] = OMIT,
        wallet_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> DecisionListResponse:
        """List the decisions of policies.

        GET /v1/policies/decisions
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param outcome: Lists only decisions with this outcome.
        :param wallet_id: Lists only decisions about this wallet.
        :param starting_after: The id of the last decision of the previous page.
        """
        return self._transport.call("policies.decisions.list", [], {"limit": limit, "outcome": outcome, "wallet_id": wallet_id, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        outcome: Literal["allow", "deny", "require_approval"] = OMIT,
        wallet_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[DecisionResponse]:
        """All elements, page by page.

        GET /v1/policies/decisions
        """
        while True:
            page = self.list(limit=limit, outcome=outcome, wallet_id=wallet_id, starting_after=starting_after, options=options)
            items = page["decisions"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class PoliciesCalls:
    """Calls of `policies`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.decisions = PoliciesDecisionsCalls(transport)

    def list(
        self,
        *,
        limit: int = OMIT,
        state: Literal["draft", "active", "retired"] = OMIT,
        name: str = OMIT,
        scope: Literal["app", "wallet", "user", "key", "client", "grant"] = OMIT,
        scope_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> PolicyListResponse:
        """List the policies of an app.

        GET /v1/policies
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param state: Lists only versions in this state.
        :param name: Lists only versions with this name.
        :param scope: Lists only versions whose scope is of this kind.
        :param scope_id: Lists only versions whose scope has this id.
        :param starting_after: The id of the last version of the previous page.
        """
        return self._transport.call("policies.list", [], {"limit": limit, "state": state, "name": name, "scope": scope, "scope_id": scope_id, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        state: Literal["draft", "active", "retired"] = OMIT,
        name: str = OMIT,
        scope: Literal["app", "wallet", "user", "key", "client", "grant"] = OMIT,
        scope_id: str = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[PolicyResponse]:
        """All elements, page by page.

        GET /v1/policies
        """
        while True:
            page = self.list(limit=limit, state=state, name=name, scope=scope, scope_id=scope_id, starting_after=starting_after, options=options)
            items = page["policies"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        policy_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> PolicyDetailsResponse:
        """Get a policy.

        GET /v1/policies/{policy_id}
        """
        return self._transport.call("policies.get", [policy_id], {}, options)


class ApprovalsCalls:
    """Calls of `approvals`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        limit: int = OMIT,
        state: Literal["waiting", "approved", "rejected", "expired", "executed", "void"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ApprovalListResponse:
        """List the approvals of an app.

        GET /v1/approvals
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param state: Lists only approvals in this state.
        :param starting_after: The id of the last approval of the previous page.
        """
        return self._transport.call("approvals.list", [], {"limit": limit, "state": state, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        state: Literal["waiting", "approved", "rejected", "expired", "executed", "void"] = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[ApprovalResponse]:
        """All elements, page by page.

        GET /v1/approvals
        """
        while True:
            page = self.list(limit=limit, state=state, starting_after=starting_after, options=options)
            items = page["approvals"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        appr_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ApprovalResponse:
        """Get an approval.

        GET /v1/approvals/{appr_id}
        """
        return self._transport.call("approvals.get", [appr_id], {}, options)

    def begin(
        self,
        appr_id: str,
        *,
        user_id: str,
        decision: Literal["approve", "reject"],
        options: Optional[CallOptions] = None,
    ) -> BegunPasskeySignInResponse:
        """Begin a vote.

        POST /v1/approvals/{appr_id}/begin
        :param user_id: The approver.
        :param decision: The vote that the passkey will sign.
        """
        return self._transport.call("approvals.begin", [appr_id], {"user_id": user_id, "decision": decision}, options)

    def approve(
        self,
        appr_id: str,
        *,
        user_id: str,
        public_key_credential: dict[str, Any] | str,
        options: Optional[CallOptions] = None,
    ) -> ApprovalResponse:
        """Approve a request.

        POST /v1/approvals/{appr_id}/approve
        :param user_id: The approver.
        :param public_key_credential: The credential that the browser returned for the options, unchanged: an object or JSON text.
        """
        return self._transport.call("approvals.approve", [appr_id], {"user_id": user_id, "public_key_credential": public_key_credential}, options)

    def reject(
        self,
        appr_id: str,
        *,
        user_id: str,
        public_key_credential: dict[str, Any] | str,
        options: Optional[CallOptions] = None,
    ) -> ApprovalResponse:
        """Reject a request.

        POST /v1/approvals/{appr_id}/reject
        :param user_id: The approver.
        :param public_key_credential: The credential that the browser returned for the options, unchanged: an object or JSON text.
        """
        return self._transport.call("approvals.reject", [appr_id], {"user_id": user_id, "public_key_credential": public_key_credential}, options)


class SessionsCalls:
    """Calls of `sessions`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        *,
        user_id: str,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListSessionsResponse:
        """List a user's active sessions.

        GET /v1/auth/sessions/list
        :param user_id: The user whose live sessions are listed.
        :param limit: The maximum number of sessions in the response. `has_more` says whether there are more.
        :param starting_after: The id of the last session of the previous page.
        """
        return self._transport.call("sessions.list", [], {"user_id": user_id, "limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        user_id: str,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[SessionListItem]:
        """All elements, page by page.

        GET /v1/auth/sessions/list
        """
        while True:
            page = self.list(user_id=user_id, limit=limit, starting_after=starting_after, options=options)
            items = page["sessions"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def verify(
        self,
        *,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        session_expires_in: int = OMIT,
        require: RequiredProofsRequest = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifySessionResponse:
        """Verify a session.

        POST /v1/auth/sessions/verify
        :param session_token: The token of the session. An empty string counts as absent.
        :param session_jwt: A JWT of the session that has not expired. An empty string counts as absent.
        :param session_expires_in: The minutes from now until the session ends. It never moves the end to an earlier time; if absent, the end stays.
        :param require: The proofs that the session must have seen, else the response is 401 `step_up_required`. An embedded link or a password is no proof.
        """
        return self._transport.call("sessions.verify", [], {"session_token": session_token, "session_jwt": session_jwt, "session_expires_in": session_expires_in, "require": require}, options)

    def delete(
        self,
        *,
        session_id: str = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> DeleteSessionResponse:
        """Delete a session.

        DELETE /v1/auth/sessions/delete
        :param session_id: The id of the session to delete.
        :param session_token: The token of the session to delete.
        :param session_jwt: A JWT of the session to delete.
        """
        return self._transport.call("sessions.delete", [], {"session_id": session_id, "session_token": session_token, "session_jwt": session_jwt}, options)


class JwksCalls:
    """Calls of `jwks`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def default(
        self,
        *,
        api_key: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> JsonWebKeySetResponse:
        """The JWKS of the key's app.

        GET /v1/auth/jwks/default
        :param api_key: The secret key. For existing clients only; new clients send it as a bearer token.
        """
        return self._transport.call("jwks.default", [], {"api_key": api_key}, options)

    def get(
        self,
        app_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> JsonWebKeySetResponse:
        """The JWKS of an app.

        GET /v1/auth/jwks/{app_id}
        """
        return self._transport.call("jwks.get", [app_id], {}, options)


class TotpsCalls:
    """Calls of `totps`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        *,
        user_id: str,
        expires_in: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> CreateTotpResponse:
        """Create a TOTP (beta).

        POST /v1/auth/totps/create
        :param user_id: The id of the user, which begins with `user_`.
        :param expires_in: Minutes within which the enrolment must be verified.
        """
        return self._transport.call("totps.create", [], {"user_id": user_id, "expires_in": expires_in}, options)

    def verify(
        self,
        *,
        user_id: str,
        totp: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedTotpResponse:
        """Verify a TOTP (beta).

        POST /v1/auth/totps/verify
        :param user_id: The id of the user, which begins with `user_`.
        :param totp: The code that the authenticator app shows. Send the text as the user typed it, see the field `otp` of passcodes.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        """
        return self._transport.call("totps.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "user_id": user_id, "totp": totp}, options)

    def recovery(
        self,
        *,
        user_id: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        recovery_code: str = OMIT,
        totp: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedTotpResponse:
        """Verify a recovery code (beta).

        POST /v1/auth/totps/recovery
        :param user_id: The id of the user, which begins with `user_`.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        :param recovery_code: A recovery code. Upper case, blanks and missing hyphens are accepted.
        :param totp: The recovery code under the name that existing clients use. Ignored when `recovery_code` is given.
        """
        return self._transport.call("totps.recovery", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "user_id": user_id, "recovery_code": recovery_code, "totp": totp}, options)

    def recovery_codes(
        self,
        *,
        user_id: str,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListRecoveryCodesResponse:
        """List unused recovery codes (beta).

        POST /v1/auth/totps/recovery_codes
        :param user_id: The id of the user, which begins with `user_`.
        :param session_token: The token of a fresh session of the user. Without a session the call acts for the app. An empty string counts as absent.
        :param session_jwt: A JWT of a fresh session of the user. An empty string counts as absent.
        """
        return self._transport.call("totps.recoveryCodes", [], {"user_id": user_id, "session_token": session_token, "session_jwt": session_jwt}, options)


class TransfersCalls:
    """Calls of `transfers`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def create(
        self,
        *,
        source: str,
        dest: str,
        source_amount: str,
        source_currency: str,
        network: str = OMIT,
        dest_currency: str = OMIT,
        amount_includes_fees: bool = OMIT,
        allow_high_fee: bool = OMIT,
        custom_id: str | int | None = OMIT,
        notes: str = OMIT,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> TransferResponse:
        """Create a transfer (beta).

        POST /v1/transfers/create
        :param source: The wallet that pays.
        :param dest: The address to pay. Ethereum: checksummed (EIP-55) or all lower case; Solana: base58.
        :param source_amount: A decimal number in digits, such as `0.25`; or `max`: everything that no open transfer of the wallet may still take, from which the fees of a coin payment are taken. On Solana it leaves the rent-exempt minimum while other transfers are open.
        :param source_currency: The currency of the source: the name of a network for its coin, or an asset of the app. With `network` a symbol means one of that network; alone, `ETH` and `SOL` mean `ethereum` and `solana`.
        :param network: The network to pay on. Without it the currency decides: `base` is paid on `base`, `ETH` on `ethereum`.
        :param dest_currency: Must equal `source_currency`, which is the default: currencies are not exchanged.
        :param amount_includes_fees: Whether the fees are taken out of the amount, so that less arrives. Otherwise they are added to it.
        :param allow_high_fee: Whether to pay in the chain's own coin even when the quoted fee exceeds the amount that arrives.
        :param custom_id: The caller's own id, permanently unique within the app. A number is converted to text.
        :param notes: A text of your own, which the service only stores and returns.
        :param user_id: The required owner of the source.
        """
        return self._transport.call("transfers.create", [], {"source": source, "network": network, "dest": dest, "source_amount": source_amount, "source_currency": source_currency, "dest_currency": dest_currency, "amount_includes_fees": amount_includes_fees, "allow_high_fee": allow_high_fee, "custom_id": custom_id, "notes": notes, "user_id": user_id}, options)

    def create_batch(
        self,
        *,
        source: str,
        source_currency: str,
        items: List[BatchItemRequest],
        network: str = OMIT,
        allow_high_fee: bool = OMIT,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> BatchResponse:
        """Create a batch of transfers (beta).

        POST /v1/transfers/create_batch
        :param source: The wallet that pays.
        :param source_currency: The currency of all payments, named as for one transfer.
        :param items: The payments.
        :param network: The network to pay on, as for one transfer.
        :param allow_high_fee: Whether to pay in the coin even when quoted fees exceed an amount.
        :param user_id: The required owner of the source.
        """
        return self._transport.call("transfers.createBatch", [], {"source": source, "network": network, "source_currency": source_currency, "items": items, "allow_high_fee": allow_high_fee, "user_id": user_id}, options)

    def confirm_batch(
        self,
        *,
        batch_id: str,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> BatchResponse:
        """Confirm a batch of transfers (beta).

        POST /v1/transfers/confirm_batch
        :param batch_id: The batch.
        :param user_id: The required owner of the source.
        """
        return self._transport.call("transfers.confirmBatch", [], {"batch_id": batch_id, "user_id": user_id}, options)

    def list(
        self,
        *,
        user_id: str = OMIT,
        source: str = OMIT,
        limit: int = OMIT,
        offset: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListTransfersResponse:
        """List transfers (beta).

        GET /v1/transfers/list
        :param user_id: Lists only transfers of this user.
        :param source: Lists only transfers from this wallet.
        :param limit: The maximum number of transfers.
        :param offset: The number of transfers to leave out, beginning with the newest.
        """
        return self._transport.call("transfers.list", [], {"user_id": user_id, "source": source, "limit": limit, "offset": offset}, options)

    def all(
        self,
        *,
        user_id: str = OMIT,
        source: str = OMIT,
        limit: int = OMIT,
        offset: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[TransferResponse]:
        """All elements, page by page.

        GET /v1/transfers/list
        """
        while True:
            page = self.list(user_id=user_id, source=source, limit=limit, offset=offset, options=options)
            items = page["transfers"]
            yield from items
            if not items or not len(items) == page["limit"]:
                return
            offset = page["offset"] + len(items)

    def get(
        self,
        transfer_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> TransferResponse:
        """Get a transfer (beta).

        GET /v1/transfers/{transfer_id}
        """
        return self._transport.call("transfers.get", [transfer_id], {}, options)

    def confirm(
        self,
        transfer_id: str,
        *,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> TransferResponse:
        """Confirm a transfer (beta).

        POST /v1/transfers/{transfer_id}/confirm
        :param user_id: The required owner of the source: a protection against mistakes.
        """
        return self._transport.call("transfers.confirm", [transfer_id], {"user_id": user_id}, options)

    def cancel(
        self,
        transfer_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> TransferResponse:
        """Cancel a transfer (beta).

        POST /v1/transfers/{transfer_id}/cancel
        """
        return self._transport.call("transfers.cancel", [transfer_id], {}, options)


class WalletsDepositsCalls:
    """Calls of `wallets.deposits`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        wallet_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListDepositsResponse:
        """List a wallet's deposits (beta).

        GET /v1/wallets/{wallet_id}/deposits
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last item of the previous page.
        """
        return self._transport.call("wallets.deposits.list", [wallet_id], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        wallet_id: str,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[DepositResponse]:
        """All elements, page by page.

        GET /v1/wallets/{wallet_id}/deposits
        """
        while True:
            page = self.list(wallet_id, limit=limit, starting_after=starting_after, options=options)
            items = page["deposits"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]


class WalletsRegistrationsCalls:
    """Calls of `wallets.registrations`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def begin(
        self,
        *,
        wallet_type: Literal["ethereum", "solana"],
        public_address: str,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ChallengeResponse:
        """Begin a wallet registration (beta).

        POST /v1/auth/wallets/registrations/begin
        :param wallet_type: The chain; `ETH` and `SOL` mean the same.
        :param public_address: The address on the chain: for ethereum checksummed (EIP-55) or all in lower case, for solana base58.
        :param user_id: The user to attach the wallet to. Without it: the user who logs in with the address, else a new user.
        """
        return self._transport.call("wallets.registrations.begin", [], {"wallet_type": wallet_type, "public_address": public_address, "user_id": user_id}, options)

    def nonce(
        self,
        *,
        wallet_type: Literal["ethereum", "solana"],
        public_address: str,
        user_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> NonceResponse:
        """Begin a wallet registration by a sign-in text (beta).

        POST /v1/auth/wallets/registrations/nonce
        :param wallet_type: The chain; `ETH` and `SOL` mean the same.
        :param public_address: The address on the chain: for ethereum checksummed (EIP-55) or all in lower case, for solana base58.
        :param user_id: The user to attach the wallet to. Without it: the user who logs in with the address, else a new user.
        """
        return self._transport.call("wallets.registrations.nonce", [], {"wallet_type": wallet_type, "public_address": public_address, "user_id": user_id}, options)


class WalletsSiweCalls:
    """Calls of `wallets.siwe`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def verify(
        self,
        *,
        signature: str,
        siwe_challenge: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        id: str = OMIT,
        wallet_type: Literal["ethereum", "solana"] = OMIT,
        public_address: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedWalletResponse:
        """Verify a signed sign-in text (beta).

        POST /v1/auth/wallets/siwe/verify
        :param signature: The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58, of the text or of an off-chain message with it, as hardware wallets sign.
        :param siwe_challenge: The text that was signed: EIP-4361, or Sign-In With Solana, with the nonce of a registration.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        :param id: The registration that the signature is for.
        :param wallet_type: The chain; `ETH` and `SOL` mean the same.
        :param public_address: The address that signed.
        """
        return self._transport.call("wallets.siwe.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "signature": signature, "id": id, "wallet_type": wallet_type, "public_address": public_address, "siwe_challenge": siwe_challenge}, options)


class WalletsCalls:
    """Calls of `wallets`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.deposits = WalletsDepositsCalls(transport)
        self.registrations = WalletsRegistrationsCalls(transport)
        self.siwe = WalletsSiweCalls(transport)

    def balance(
        self,
        *,
        wallet_id: str,
        token_symbol: str,
        network: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WalletBalanceResponse:
        """Get a wallet's balance (beta).

        POST /v1/wallets/balance
        :param wallet_id: The id of the wallet, which begins with `wallet_`.
        :param token_symbol: The symbol of the asset: `ETH`, `SOL` or that of an asset of the app; names such as `ethereum` are accepted too.
        :param network: The network. Without it the asset decides, as in `transfers/create`.
        """
        return self._transport.call("wallets.balance", [], {"wallet_id": wallet_id, "token_symbol": token_symbol, "network": network}, options)

    def create(
        self,
        *,
        user_id: str,
        wallet_type: Literal["ethereum", "solana"],
        options: Optional[CallOptions] = None,
    ) -> WalletResponse:
        """Create a wallet (beta).

        POST /v1/wallets/create
        :param user_id: The user who will own the wallet.
        :param wallet_type: The chain; `ETH` and `SOL` mean the same.
        """
        return self._transport.call("wallets.create", [], {"user_id": user_id, "wallet_type": wallet_type}, options)

    def list(
        self,
        *,
        user_id: str = OMIT,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ListWalletsResponse:
        """List wallets (beta).

        GET /v1/wallets/list
        :param user_id: Only wallets of this user.
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last wallet of the previous page.
        """
        return self._transport.call("wallets.list", [], {"user_id": user_id, "limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        user_id: str = OMIT,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WalletResponse]:
        """All elements, page by page.

        GET /v1/wallets/list
        """
        while True:
            page = self.list(user_id=user_id, limit=limit, starting_after=starting_after, options=options)
            items = page["wallets"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        wallet_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WalletResponse:
        """Get a wallet (beta).

        GET /v1/wallets/{wallet_id}
        """
        return self._transport.call("wallets.get", [wallet_id], {}, options)

    def sign_message(
        self,
        wallet_id: str,
        *,
        message: str,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> SignatureResponse:
        """Sign a message (beta).

        POST /v1/wallets/{wallet_id}/sign_message
        :param message: Signed exactly as given, as UTF-8, also if the text looks like hexadecimal.
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("wallets.signMessage", [wallet_id], {"approval_id": approval_id, "message": message}, options)

    def sign_typed_data(
        self,
        wallet_id: str,
        *,
        typed_data: dict[str, Any],
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> SignatureResponse:
        """Sign typed data (beta).

        POST /v1/wallets/{wallet_id}/sign_typed_data
        :param typed_data: The typed data of EIP-712: `domain`, `types`, `primaryType` and `message`, with at most 1,000 values, 50 types and 250 fields; the body may be nested 20 levels deep. Names of types may have a namespace, such as `Exchange:Order`.
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("wallets.signTypedData", [wallet_id], {"approval_id": approval_id, "typed_data": typed_data}, options)

    def sign_transaction(
        self,
        wallet_id: str,
        *,
        eth_transaction: dict[str, Any],
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> SignedTransactionResponse:
        """Sign a transaction (beta).

        POST /v1/wallets/{wallet_id}/sign_transaction
        :param eth_transaction: The transaction of EIP-1559: `to`, `value`, `nonce`, `gas`, `maxFeePerGas`, `maxPriorityFeePerGas`, `chainId`, `data` (or `input`). Numbers are decimal or 0x-hexadecimal text, or whole JSON numbers; amounts are in wei. `data` has at most 65,536 bytes, which are 128 KiB of hexadecimal. Exactly the given transaction is signed: another `type` than 2, a `from` that is not the wallet, `gasPrice`, `accessList`, `authorizationList` and blob fields are refused.
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("wallets.signTransaction", [wallet_id], {"approval_id": approval_id, "eth_transaction": eth_transaction}, options)

    def import_(
        self,
        *,
        id: str,
        encapsulated_key: str,
        ciphertext: str,
        options: Optional[CallOptions] = None,
    ) -> WalletResponse:
        """Import a wallet (beta).

        POST /v1/wallets/import
        :param id: The `walletimp_` id of the import that was begun.
        :param encapsulated_key: The sender's encapsulated key (`enc`): 65 bytes, in base64.
        :param ciphertext: The encrypted private key, in base64. Ethereum: hexadecimal text, or the 32 bytes. Solana: base58 text of the 64 bytes of the key pair, or those bytes, or the 32 bytes of the seed.
        """
        return self._transport.call("wallets.import", [], {"id": id, "encapsulated_key": encapsulated_key, "ciphertext": ciphertext}, options)

    def export(
        self,
        wallet_id: str,
        *,
        encryption_public_key: str,
        approval_id: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> ExportWalletResponse:
        """Export a wallet (beta).

        POST /v1/wallets/{wallet_id}/export
        :param encryption_public_key: The public key to which the private key is encrypted: 65 bytes, a point of P-256 uncompressed, in base64.
        :param approval_id: The approval that the refused call (409 `approval_required`) named, once it is approved.
        """
        return self._transport.call("wallets.export", [wallet_id], {"approval_id": approval_id, "encryption_public_key": encryption_public_key}, options)

    def verify(
        self,
        *,
        signature: str,
        expected_user_id: str = OMIT,
        session_expires_in: int = OMIT,
        session_token: str = OMIT,
        session_jwt: str = OMIT,
        device_fingerprint: DeviceFingerprintRequest = OMIT,
        id: str = OMIT,
        wallet_type: Literal["ethereum", "solana"] = OMIT,
        public_address: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> VerifiedWalletResponse:
        """Verify a signed challenge (beta).

        POST /v1/auth/wallets/verify
        :param signature: The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58, of the text or of an off-chain message with it, as hardware wallets sign.
        :param expected_user_id: The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
        :param session_expires_in: The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
        :param session_token: The token of a live session of the same user, to which the factor is added. An empty string means none.
        :param session_jwt: The JWT of a live session of the same user, to which the factor is added. An empty string means none.
        :param device_fingerprint: The device from which the user signs in. It is stored with the session that this call starts.
        :param id: The registration that the signature is for.
        :param wallet_type: The chain; `ETH` and `SOL` mean the same.
        :param public_address: The address that signed.
        """
        return self._transport.call("wallets.verify", [], {"expected_user_id": expected_user_id, "session_expires_in": session_expires_in, "session_token": session_token, "session_jwt": session_jwt, "device_fingerprint": device_fingerprint, "signature": signature, "id": id, "wallet_type": wallet_type, "public_address": public_address}, options)

    def import_begin(
        self,
        *,
        user_id: str,
        wallet_type: Literal["ethereum", "solana"],
        options: Optional[CallOptions] = None,
    ) -> BeginImportResponse:
        """Begin the import of a wallet (beta).

        POST /v1/wallets/import/begin
        :param user_id: The user who will own the wallet.
        :param wallet_type: The chain; `ETH` and `SOL` mean the same.
        """
        return self._transport.call("wallets.import.begin", [], {"user_id": user_id, "wallet_type": wallet_type}, options)


class WebhookEndpointsDeliveriesCalls:
    """Calls of `webhook_endpoints.deliveries`."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(
        self,
        whk_id: str,
        *,
        status: Literal["pending", "delivered", "failed"] = OMIT,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookDeliveryListResponse:
        """List the deliveries to a webhook endpoint.

        GET /v1/webhook_endpoints/{whk_id}/deliveries
        :param status: Lists only deliveries with this status.
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last delivery of the previous page.
        """
        return self._transport.call("webhookEndpoints.deliveries.list", [whk_id], {"status": status, "limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        whk_id: str,
        *,
        status: Literal["pending", "delivered", "failed"] = OMIT,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookDeliveryResponse]:
        """All elements, page by page.

        GET /v1/webhook_endpoints/{whk_id}/deliveries
        """
        while True:
            page = self.list(whk_id, status=status, limit=limit, starting_after=starting_after, options=options)
            items = page["deliveries"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def resend(
        self,
        whk_id: str,
        whd_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookDeliveryQueuedResponse:
        """Send an event again.

        POST /v1/webhook_endpoints/{whk_id}/deliveries/{whd_id}/resend
        """
        return self._transport.call("webhookEndpoints.deliveries.resend", [whk_id, whd_id], {}, options)


class WebhookEndpointsCalls:
    """Calls of `webhook_endpoints`."""

    def __init__(self, transport: Transport):
        self._transport = transport
        self.deliveries = WebhookEndpointsDeliveriesCalls(transport)

    def create(
        self,
        *,
        url: str,
        event_types: List[str] = OMIT,
        description: str = OMIT,
        ordered: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointWithSecretResponse:
        """Create a webhook endpoint.

        POST /v1/webhook_endpoints
        :param url: The URL that events are sent to by POST: https with a public address, without credentials and fragment. With `ALLOW_PRIVATE_NETWORKS`, the default outside production, also http and private addresses.
        :param event_types: The names of event types, or `*`. If the list is empty or absent, the endpoint gets all types, also those of later releases.
        :param description: A description, which the service only stores.
        :param ordered: Whether the events of one user follow one another: the next one waits until the previous one is delivered or has failed.
        """
        return self._transport.call("webhookEndpoints.create", [], {"url": url, "event_types": event_types, "description": description, "ordered": ordered}, options)

    def list(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointListResponse:
        """List the webhook endpoints of an app.

        GET /v1/webhook_endpoints
        :param limit: The maximum number of items. `has_more` says whether there are more.
        :param starting_after: The id of the last endpoint of the previous page.
        """
        return self._transport.call("webhookEndpoints.list", [], {"limit": limit, "starting_after": starting_after}, options)

    def all(
        self,
        *,
        limit: int = OMIT,
        starting_after: str = OMIT,
        options: Optional[CallOptions] = None,
    ) -> Iterator[WebhookEndpointResponse]:
        """All elements, page by page.

        GET /v1/webhook_endpoints
        """
        while True:
            page = self.list(limit=limit, starting_after=starting_after, options=options)
            items = page["webhook_endpoints"]
            yield from items
            if not items or not page["has_more"]:
                return
            starting_after = items[-1]["id"]

    def get(
        self,
        whk_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointResponse:
        """Get a webhook endpoint.

        GET /v1/webhook_endpoints/{whk_id}
        """
        return self._transport.call("webhookEndpoints.get", [whk_id], {}, options)

    def update(
        self,
        whk_id: str,
        *,
        url: str = OMIT,
        event_types: List[str] | None = OMIT,
        description: str | None = OMIT,
        ordered: bool = OMIT,
        disabled: bool = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointResponse:
        """Change a webhook endpoint.

        PATCH /v1/webhook_endpoints/{whk_id}
        :param url: The URL that events are sent to by POST. Events that wait are sent there too.
        :param event_types: The names of event types, or `*`. If the list is empty or `null`, the endpoint gets all types.
        :param description: A description, which the service only stores.
        :param ordered: Whether the events of one user follow one another. A change applies to later events only.
        :param disabled: Whether no events are sent. `false` begins the sending again, also after the service has disabled the endpoint.
        """
        return self._transport.call("webhookEndpoints.update", [whk_id], {"url": url, "event_types": event_types, "description": description, "ordered": ordered, "disabled": disabled}, options)

    def delete(
        self,
        whk_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointDeletedResponse:
        """Delete a webhook endpoint.

        DELETE /v1/webhook_endpoints/{whk_id}
        """
        return self._transport.call("webhookEndpoints.delete", [whk_id], {}, options)

    def rotate_secret(
        self,
        whk_id: str,
        *,
        overlap_minutes: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookEndpointWithSecretResponse:
        """Replace the secret of a webhook endpoint.

        POST /v1/webhook_endpoints/{whk_id}/rotate_secret
        :param overlap_minutes: The number of minutes for which the current secret signs beside the new one.
        """
        return self._transport.call("webhookEndpoints.rotateSecret", [whk_id], {"overlap_minutes": overlap_minutes}, options)

    def test(
        self,
        whk_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> WebhookTestQueuedResponse:
        """Test a webhook endpoint.

        POST /v1/webhook_endpoints/{whk_id}/test
        """
        return self._transport.call("webhookEndpoints.test", [whk_id], {}, options)

    def recover(
        self,
        whk_id: str,
        *,
        since: int,
        until: int = OMIT,
        options: Optional[CallOptions] = None,
    ) -> WebhookQueuedResponse:
        """Send missed events again.

        POST /v1/webhook_endpoints/{whk_id}/recover
        :param since: The start of the range, in epoch seconds.
        :param until: The end of the range, in epoch seconds, at most 14 days after `since`. If it is absent, the range lasts until the work runs.
        """
        return self._transport.call("webhookEndpoints.recover", [whk_id], {"since": since, "until": until}, options)


class Client(Transport):
    """The calls of one service by resource, such as `client.users.create(email=…)`."""

    def __init__(self, base_url: str, **settings: Any):
        super().__init__(base_url, **settings)
        transport = self
        self.management = ManagementCalls(transport)
        self.oauth_connections = OauthConnectionsCalls(transport)
        self.oauth2 = Oauth2Calls(transport)
        self.networks = NetworksCalls(transport)
        self.events = EventsCalls(transport)
        self.event_types = EventTypesCalls(transport)
        self.users = UsersCalls(transport)
        self.magic_links = MagicLinksCalls(transport)
        self.oauth = OauthCalls(transport)
        self.otps = OtpsCalls(transport)
        self.webauthn = WebauthnCalls(transport)
        self.passwords = PasswordsCalls(transport)
        self.policies = PoliciesCalls(transport)
        self.approvals = ApprovalsCalls(transport)
        self.sessions = SessionsCalls(transport)
        self.jwks = JwksCalls(transport)
        self.totps = TotpsCalls(transport)
        self.transfers = TransfersCalls(transport)
        self.wallets = WalletsCalls(transport)
        self.webhook_endpoints = WebhookEndpointsCalls(transport)
