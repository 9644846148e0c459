// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.

package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// routes are the method, the path and the key of each call, by its name.
var routes = map[string]struct{ method, path, key string }{
	"management.apps.users.import": {"POST", "/management/v1/apps/%s/users/import", "management_key"},

	"management.apps.create": {"POST", "/management/v1/apps", "management_key"},

	"management.apps.list": {"GET", "/management/v1/apps", "management_key"},

	"management.apps.get": {"GET", "/management/v1/apps/%s", "management_key"},

	"management.apps.update": {"PATCH", "/management/v1/apps/%s", "management_key"},

	"management.apps.delete": {"DELETE", "/management/v1/apps/%s", "management_key"},

	"management.apps.keys.create": {"POST", "/management/v1/apps/%s/keys", "management_key"},

	"management.apps.keys.list": {"GET", "/management/v1/apps/%s/keys", "management_key"},

	"management.apps.keys.revoke": {"DELETE", "/management/v1/apps/%s/keys/%s", "management_key"},

	"management.apps.redirectUrls.register": {"POST", "/management/v1/apps/%s/redirect_urls", "management_key"},

	"management.apps.redirectUrls.list": {"GET", "/management/v1/apps/%s/redirect_urls", "management_key"},

	"management.apps.redirectUrls.remove": {"DELETE", "/management/v1/apps/%s/redirect_urls/%s", "management_key"},

	"management.apps.oauthConnections.create": {"POST", "/management/v1/apps/%s/oauth_connections", "management_key"},

	"management.apps.oauthConnections.list": {"GET", "/management/v1/apps/%s/oauth_connections", "management_key"},

	"management.apps.oauthConnections.get": {"GET", "/management/v1/apps/%s/oauth_connections/%s", "management_key"},

	"management.apps.oauthConnections.update": {"PATCH", "/management/v1/apps/%s/oauth_connections/%s", "management_key"},

	"management.apps.oauthConnections.delete": {"DELETE", "/management/v1/apps/%s/oauth_connections/%s", "management_key"},

	"oauthConnections.create": {"POST", "/v1/auth/oauth_connections/create", "secret_key"},

	"oauthConnections.list": {"GET", "/v1/auth/oauth_connections/list", "secret_key"},

	"oauthConnections.get": {"GET", "/v1/auth/oauth_connections/%s", "secret_key"},

	"oauthConnections.update": {"PUT", "/v1/auth/oauth_connections/%s/update", "secret_key"},

	"oauthConnections.delete": {"DELETE", "/v1/auth/oauth_connections/%s/delete", "secret_key"},

	"management.session.begin": {"POST", "/management/v1/session", "management_key"},

	"management.session.get": {"GET", "/management/v1/session", "management_key"},

	"management.session.end": {"DELETE", "/management/v1/session", "management_key"},

	"management.sessions.list": {"GET", "/management/v1/sessions", "management_key"},

	"management.apps.messages.list": {"GET", "/management/v1/apps/%s/messages", "management_key"},

	"management.apps.jobs.list": {"GET", "/management/v1/apps/%s/jobs", "management_key"},

	"management.apps.jobs.retry": {"POST", "/management/v1/apps/%s/jobs/%s/retry", "management_key"},

	"management.keyStorage.get": {"GET", "/management/v1/key_storage", "management_key"},

	"management.apps.templates.preview": {"POST", "/management/v1/apps/%s/templates/preview", "management_key"},

	"management.apps.auditLog.list": {"GET", "/management/v1/apps/%s/audit_log", "management_key"},

	"management.auditLog.list": {"GET", "/management/v1/audit_log", "management_key"},

	"management.apps.refusedCalls.list": {"GET", "/management/v1/apps/%s/refused_calls", "management_key"},

	"oauth2.interactions.get": {"GET", "/v1/oauth2/interactions/%s", "secret_key"},

	"oauth2.interactions.accept": {"POST", "/v1/oauth2/interactions/%s/accept", "secret_key"},

	"oauth2.interactions.reject": {"POST", "/v1/oauth2/interactions/%s/reject", "secret_key"},

	"oauth2.grants.list": {"GET", "/v1/oauth2/grants", "secret_key"},

	"oauth2.grants.revoke": {"DELETE", "/v1/oauth2/grants/%s", "secret_key"},

	"management.apps.oauth2.grants.list": {"GET", "/management/v1/apps/%s/oauth2/grants", "management_key"},

	"management.apps.oauth2.grants.revoke": {"DELETE", "/management/v1/apps/%s/oauth2/grants/%s", "management_key"},

	"management.apps.oauthClients.create": {"POST", "/management/v1/apps/%s/oauth_clients", "management_key"},

	"management.apps.oauthClients.list": {"GET", "/management/v1/apps/%s/oauth_clients", "management_key"},

	"management.apps.oauthClients.get": {"GET", "/management/v1/apps/%s/oauth_clients/%s", "management_key"},

	"management.apps.oauthClients.update": {"PATCH", "/management/v1/apps/%s/oauth_clients/%s", "management_key"},

	"management.apps.oauthClients.delete": {"DELETE", "/management/v1/apps/%s/oauth_clients/%s", "management_key"},

	"management.apps.oauthClients.rotateSecret": {"POST", "/management/v1/apps/%s/oauth_clients/%s/rotate_secret", "management_key"},

	"management.apps.resources.create": {"POST", "/management/v1/apps/%s/resources", "management_key"},

	"management.apps.resources.list": {"GET", "/management/v1/apps/%s/resources", "management_key"},

	"management.apps.resources.get": {"GET", "/management/v1/apps/%s/resources/%s", "management_key"},

	"management.apps.resources.update": {"PATCH", "/management/v1/apps/%s/resources/%s", "management_key"},

	"management.apps.resources.delete": {"DELETE", "/management/v1/apps/%s/resources/%s", "management_key"},

	"networks.list": {"GET", "/v1/networks", "secret_key"},

	"management.networks.list": {"GET", "/management/v1/networks", "management_key"},

	"events.list": {"GET", "/v1/events", "secret_key"},

	"events.get": {"GET", "/v1/events/%s", "secret_key"},

	"eventTypes.list": {"GET", "/v1/event_types", "secret_key"},

	"management.apps.events.latest": {"GET", "/management/v1/apps/%s/events", "management_key"},

	"management.apps.users.events.list": {"GET", "/management/v1/apps/%s/users/%s/events", "management_key"},

	"management.apps.statistics.list": {"GET", "/management/v1/apps/%s/statistics", "management_key"},

	"users.create": {"POST", "/v1/auth/users/create", "secret_key"},

	"users.search": {"POST", "/v1/auth/users/search", "secret_key"},

	"users.get": {"GET", "/v1/auth/users/%s", "secret_key"},

	"users.update": {"PUT", "/v1/auth/users/%s/update", "secret_key"},

	"users.delete": {"DELETE", "/v1/auth/users/%s/delete", "secret_key"},

	"users.recovery.cancelRecovery": {"DELETE", "/v1/auth/users/%s/recovery", "secret_key"},

	"users.emails.delete": {"DELETE", "/v1/auth/users/emails/%s/delete", "secret_key"},

	"users.phoneNumbers.delete": {"DELETE", "/v1/auth/users/phone_numbers/%s/delete", "secret_key"},

	"management.apps.users.create": {"POST", "/management/v1/apps/%s/users", "management_key"},

	"management.apps.users.list": {"GET", "/management/v1/apps/%s/users", "management_key"},

	"management.apps.users.search": {"POST", "/management/v1/apps/%s/users/search", "management_key"},

	"management.apps.users.get": {"GET", "/management/v1/apps/%s/users/%s", "management_key"},

	"management.apps.users.update": {"PATCH", "/management/v1/apps/%s/users/%s", "management_key"},

	"management.apps.users.delete": {"DELETE", "/management/v1/apps/%s/users/%s", "management_key"},

	"management.apps.users.emails.add": {"POST", "/management/v1/apps/%s/users/%s/emails", "management_key"},

	"management.apps.users.phoneNumbers.add": {"POST", "/management/v1/apps/%s/users/%s/phone_numbers", "management_key"},

	"management.apps.users.emails.remove": {"DELETE", "/management/v1/apps/%s/users/%s/emails/%s", "management_key"},

	"management.apps.users.phoneNumbers.remove": {"DELETE", "/management/v1/apps/%s/users/%s/phone_numbers/%s", "management_key"},

	"management.apps.users.recovery.cancelRecovery": {"DELETE", "/management/v1/apps/%s/users/%s/recovery", "management_key"},

	"management.apps.users.recovery.begin": {"POST", "/management/v1/apps/%s/users/%s/recovery", "management_key"},

	"management.apps.users.unlock": {"POST", "/management/v1/apps/%s/users/%s/unlock", "management_key"},

	"management.apps.users.deactivate": {"POST", "/management/v1/apps/%s/users/%s/deactivate", "management_key"},

	"management.apps.users.reactivate": {"POST", "/management/v1/apps/%s/users/%s/reactivate", "management_key"},

	"management.apps.messages.resend": {"POST", "/management/v1/apps/%s/messages/%s/resend", "management_key"},

	"magicLinks.email.loginOrCreate": {"POST", "/v1/auth/magic_links/email/login_or_create", "secret_key"},

	"magicLinks.email.invite": {"POST", "/v1/auth/magic_links/email/invite", "secret_key"},

	"magicLinks.create": {"POST", "/v1/auth/magic_links/create", "secret_key"},

	"magicLinks.verify": {"POST", "/v1/auth/magic_links/verify", "secret_key"},

	"management.apps.users.invite": {"POST", "/management/v1/apps/%s/users/invite", "management_key"},

	"oauth.begin": {"GET", "/v1/auth/oauth/%s/begin", "public_token"},

	"oauth.verify": {"POST", "/v1/auth/oauth/verify", "secret_key"},

	"management.apps.oauthConnections.test": {"POST", "/management/v1/apps/%s/oauth_connections/%s/test", "management_key"},

	"otps.sms.loginOrCreate": {"POST", "/v1/auth/otps/sms/login_or_create", "secret_key"},

	"otps.email.loginOrCreate": {"POST", "/v1/auth/otps/email/login_or_create", "secret_key"},

	"otps.sms.send": {"POST", "/v1/auth/otps/sms/send", "secret_key"},

	"otps.email.send": {"POST", "/v1/auth/otps/email/send", "secret_key"},

	"otps.verify": {"POST", "/v1/auth/otps/verify", "secret_key"},

	"webauthn.registrations.begin": {"POST", "/v1/auth/webauthn/registrations/begin", "secret_key"},

	"webauthn.registrations.create": {"POST", "/v1/auth/webauthn/registrations/create", "secret_key"},

	"webauthn.authentication.begin": {"POST", "/v1/auth/webauthn/authentication/begin", "secret_key"},

	"webauthn.verify": {"POST", "/v1/auth/webauthn/verify", "secret_key"},

	"webauthn.credentials.list": {"GET", "/v1/auth/webauthn/credentials", "secret_key"},

	"users.webauthnCredentials.delete": {"DELETE", "/v1/auth/users/webauthn_credentials/%s/delete", "secret_key"},

	"management.apps.users.webauthnCredentials.remove": {"DELETE", "/management/v1/apps/%s/users/%s/webauthn_credentials/%s", "management_key"},

	"passwords.verify": {"POST", "/v1/auth/passwords/verify", "secret_key"},

	"management.apps.policies.decisions.list": {"GET", "/management/v1/apps/%s/policies/decisions", "management_key"},

	"policies.decisions.list": {"GET", "/v1/policies/decisions", "secret_key"},

	"management.apps.approvals.list": {"GET", "/management/v1/apps/%s/approvals", "management_key"},

	"management.apps.approvals.get": {"GET", "/management/v1/apps/%s/approvals/%s", "management_key"},

	"management.apps.approvals.begin": {"POST", "/management/v1/apps/%s/approvals/%s/begin", "management_key"},

	"management.apps.approvals.approve": {"POST", "/management/v1/apps/%s/approvals/%s/approve", "management_key"},

	"management.apps.approvals.reject": {"POST", "/management/v1/apps/%s/approvals/%s/reject", "management_key"},

	"approvals.list": {"GET", "/v1/approvals", "secret_key"},

	"approvals.get": {"GET", "/v1/approvals/%s", "secret_key"},

	"approvals.begin": {"POST", "/v1/approvals/%s/begin", "secret_key"},

	"approvals.approve": {"POST", "/v1/approvals/%s/approve", "secret_key"},

	"approvals.reject": {"POST", "/v1/approvals/%s/reject", "secret_key"},

	"management.apps.policies.list": {"GET", "/management/v1/apps/%s/policies", "management_key"},

	"management.apps.policies.create": {"POST", "/management/v1/apps/%s/policies", "management_key"},

	"management.apps.policies.get": {"GET", "/management/v1/apps/%s/policies/%s", "management_key"},

	"policies.list": {"GET", "/v1/policies", "secret_key"},

	"policies.get": {"GET", "/v1/policies/%s", "secret_key"},

	"management.apps.policies.activate": {"POST", "/management/v1/apps/%s/policies/%s/activate", "management_key"},

	"management.apps.policies.retire": {"POST", "/management/v1/apps/%s/policies/%s/retire", "management_key"},

	"management.apps.approverGroups.create": {"POST", "/management/v1/apps/%s/approver_groups", "management_key"},

	"management.apps.approverGroups.list": {"GET", "/management/v1/apps/%s/approver_groups", "management_key"},

	"management.apps.approverGroups.get": {"GET", "/management/v1/apps/%s/approver_groups/%s", "management_key"},

	"management.apps.approverGroups.update": {"PATCH", "/management/v1/apps/%s/approver_groups/%s", "management_key"},

	"management.apps.approverGroups.delete": {"DELETE", "/management/v1/apps/%s/approver_groups/%s", "management_key"},

	"management.apps.approverGroups.passkeys.begin": {"POST", "/management/v1/apps/%s/approver_groups/%s/passkeys/%s/begin", "management_key"},

	"management.apps.approverGroups.passkeys.approve": {"POST", "/management/v1/apps/%s/approver_groups/%s/passkeys/%s/approve", "management_key"},

	"management.apps.freeze": {"POST", "/management/v1/apps/%s/freeze", "management_key"},

	"management.apps.thaw": {"POST", "/management/v1/apps/%s/thaw", "management_key"},

	"management.apps.users.freeze": {"POST", "/management/v1/apps/%s/users/%s/freeze", "management_key"},

	"management.apps.users.thaw": {"POST", "/management/v1/apps/%s/users/%s/thaw", "management_key"},

	"management.apps.users.export": {"GET", "/management/v1/apps/%s/users/%s/export", "management_key"},

	"management.apps.users.erase": {"POST", "/management/v1/apps/%s/users/%s/erase", "management_key"},

	"management.apps.users.erase.receipt": {"GET", "/management/v1/apps/%s/users/%s/erase", "management_key"},

	"sessions.list": {"GET", "/v1/auth/sessions/list", "secret_key"},

	"sessions.verify": {"POST", "/v1/auth/sessions/verify", "secret_key"},

	"sessions.delete": {"DELETE", "/v1/auth/sessions/delete", "secret_key"},

	"management.apps.sessions.list": {"GET", "/management/v1/apps/%s/sessions", "management_key"},

	"management.apps.sessions.end": {"DELETE", "/management/v1/apps/%s/sessions/%s", "management_key"},

	"management.apps.users.sessions.endAll": {"DELETE", "/management/v1/apps/%s/users/%s/sessions", "management_key"},

	"jwks.default": {"GET", "/v1/auth/jwks/default", "secret_key"},

	"jwks.get": {"GET", "/v1/auth/jwks/%s", ""},

	"totps.create": {"POST", "/v1/auth/totps/create", "secret_key"},

	"totps.verify": {"POST", "/v1/auth/totps/verify", "secret_key"},

	"totps.recovery": {"POST", "/v1/auth/totps/recovery", "secret_key"},

	"totps.recoveryCodes": {"POST", "/v1/auth/totps/recovery_codes", "secret_key"},

	"users.totps.delete": {"DELETE", "/v1/auth/users/totps/%s/delete", "secret_key"},

	"management.apps.users.totps.remove": {"DELETE", "/management/v1/apps/%s/users/%s/totps/%s", "management_key"},

	"management.apps.policies.evaluate": {"POST", "/management/v1/apps/%s/policies/evaluate", "management_key"},

	"transfers.create": {"POST", "/v1/transfers/create", "secret_key"},

	"transfers.createBatch": {"POST", "/v1/transfers/create_batch", "secret_key"},

	"transfers.confirmBatch": {"POST", "/v1/transfers/confirm_batch", "secret_key"},

	"transfers.list": {"GET", "/v1/transfers/list", "secret_key"},

	"transfers.get": {"GET", "/v1/transfers/%s", "secret_key"},

	"transfers.confirm": {"POST", "/v1/transfers/%s/confirm", "secret_key"},

	"transfers.cancel": {"POST", "/v1/transfers/%s/cancel", "secret_key"},

	"management.apps.transfers.list": {"GET", "/management/v1/apps/%s/transfers", "management_key"},

	"management.apps.transfers.get": {"GET", "/management/v1/apps/%s/transfers/%s", "management_key"},

	"management.apps.transfers.cancel": {"POST", "/management/v1/apps/%s/transfers/%s/cancel", "management_key"},

	"wallets.balance": {"POST", "/v1/wallets/balance", "secret_key"},

	"wallets.deposits.list": {"GET", "/v1/wallets/%s/deposits", "secret_key"},

	"management.apps.wallets.deposits.list": {"GET", "/management/v1/apps/%s/wallets/%s/deposits", "management_key"},

	"management.apps.wallets.get": {"GET", "/management/v1/apps/%s/wallets/%s", "management_key"},

	"wallets.create": {"POST", "/v1/wallets/create", "secret_key"},

	"wallets.list": {"GET", "/v1/wallets/list", "secret_key"},

	"wallets.get": {"GET", "/v1/wallets/%s", "secret_key"},

	"management.apps.wallets.list": {"GET", "/management/v1/apps/%s/wallets", "management_key"},

	"management.apps.wallets.freeze": {"POST", "/management/v1/apps/%s/wallets/%s/freeze", "management_key"},

	"management.apps.wallets.thaw": {"POST", "/management/v1/apps/%s/wallets/%s/thaw", "management_key"},

	"wallets.signMessage": {"POST", "/v1/wallets/%s/sign_message", "secret_key"},

	"wallets.signTypedData": {"POST", "/v1/wallets/%s/sign_typed_data", "secret_key"},

	"wallets.signTransaction": {"POST", "/v1/wallets/%s/sign_transaction", "secret_key"},

	"wallets.import.begin": {"POST", "/v1/wallets/import/begin", "secret_key"},

	"wallets.import": {"POST", "/v1/wallets/import", "secret_key"},

	"wallets.export": {"POST", "/v1/wallets/%s/export", "secret_key"},

	"wallets.registrations.begin": {"POST", "/v1/auth/wallets/registrations/begin", "secret_key"},

	"wallets.registrations.nonce": {"POST", "/v1/auth/wallets/registrations/nonce", "secret_key"},

	"wallets.verify": {"POST", "/v1/auth/wallets/verify", "secret_key"},

	"wallets.siwe.verify": {"POST", "/v1/auth/wallets/siwe/verify", "secret_key"},

	"users.wallets.delete": {"DELETE", "/v1/auth/users/wallets/%s/delete", "secret_key"},

	"management.apps.webhookEndpoints.create": {"POST", "/management/v1/apps/%s/webhook_endpoints", "management_key"},

	"management.apps.webhookEndpoints.list": {"GET", "/management/v1/apps/%s/webhook_endpoints", "management_key"},

	"management.apps.webhookEndpoints.get": {"GET", "/management/v1/apps/%s/webhook_endpoints/%s", "management_key"},

	"management.apps.webhookEndpoints.update": {"PATCH", "/management/v1/apps/%s/webhook_endpoints/%s", "management_key"},

	"management.apps.webhookEndpoints.delete": {"DELETE", "/management/v1/apps/%s/webhook_endpoints/%s", "management_key"},

	"management.apps.webhookEndpoints.rotateSecret": {"POST", "/management/v1/apps/%s/webhook_endpoints/%s/rotate_secret", "management_key"},

	"management.apps.webhookEndpoints.test": {"POST", "/management/v1/apps/%s/webhook_endpoints/%s/test", "management_key"},

	"management.apps.webhookEndpoints.recover": {"POST", "/management/v1/apps/%s/webhook_endpoints/%s/recover", "management_key"},

	"management.apps.webhookEndpoints.deliveries.list": {"GET", "/management/v1/apps/%s/webhook_endpoints/%s/deliveries", "management_key"},

	"management.apps.webhookEndpoints.deliveries.resend": {"POST", "/management/v1/apps/%s/webhook_endpoints/%s/deliveries/%s/resend", "management_key"},

	"webhookEndpoints.create": {"POST", "/v1/webhook_endpoints", "secret_key"},

	"webhookEndpoints.list": {"GET", "/v1/webhook_endpoints", "secret_key"},

	"webhookEndpoints.get": {"GET", "/v1/webhook_endpoints/%s", "secret_key"},

	"webhookEndpoints.update": {"PATCH", "/v1/webhook_endpoints/%s", "secret_key"},

	"webhookEndpoints.delete": {"DELETE", "/v1/webhook_endpoints/%s", "secret_key"},

	"webhookEndpoints.rotateSecret": {"POST", "/v1/webhook_endpoints/%s/rotate_secret", "secret_key"},

	"webhookEndpoints.test": {"POST", "/v1/webhook_endpoints/%s/test", "secret_key"},

	"webhookEndpoints.recover": {"POST", "/v1/webhook_endpoints/%s/recover", "secret_key"},

	"webhookEndpoints.deliveries.list": {"GET", "/v1/webhook_endpoints/%s/deliveries", "secret_key"},

	"webhookEndpoints.deliveries.resend": {"POST", "/v1/webhook_endpoints/%s/deliveries/%s/resend", "secret_key"},
}

// authorize sends the key that a call needs.
func (o *Options) authorize(request *http.Request, scheme string) {
	switch {
	case scheme == "secret_key" && o.SecretKey != "":
		request.Header.Set("Authorization", "Bearer "+o.SecretKey)
	case scheme == "public_token" && o.PublicToken != "":
		query := request.URL.Query()
		query.Set("public_token", o.PublicToken)
		request.URL.RawQuery = query.Encode()
	case scheme == "management_key" && o.ManagementKey != "":
		request.Header.Set("Authorization", "Bearer "+o.ManagementKey)
	}
}

// ErrorType is the stable name of an error.
type ErrorType string

func (t ErrorType) Error() string { return string(t) }

// The types of errors, for errors.Is.
const (
	// ErrAccountExists is `account_exists`.
	ErrAccountExists ErrorType = "account_exists"

	// ErrAccountTaken is `account_taken`.
	ErrAccountTaken ErrorType = "account_taken"

	// ErrActiveTotpExists is `active_totp_exists`.
	ErrActiveTotpExists ErrorType = "active_totp_exists"

	// ErrAddressOfOtherAccount is `address_of_other_account`.
	ErrAddressOfOtherAccount ErrorType = "address_of_other_account"

	// ErrAddressUnverified is `address_unverified`.
	ErrAddressUnverified ErrorType = "address_unverified"

	// ErrAlreadyVoted is `already_voted`.
	ErrAlreadyVoted ErrorType = "already_voted"

	// ErrAppFrozen is `app_frozen`.
	ErrAppFrozen ErrorType = "app_frozen"

	// ErrAppInUse is `app_in_use`.
	ErrAppInUse ErrorType = "app_in_use"

	// ErrAppNotFound is `app_not_found`.
	ErrAppNotFound ErrorType = "app_not_found"

	// ErrApprovalEnded is `approval_ended`.
	ErrApprovalEnded ErrorType = "approval_ended"

	// ErrApprovalMismatch is `approval_mismatch`.
	ErrApprovalMismatch ErrorType = "approval_mismatch"

	// ErrApprovalNotFound is `approval_not_found`.
	ErrApprovalNotFound ErrorType = "approval_not_found"

	// ErrApprovalRequired is `approval_required`.
	ErrApprovalRequired ErrorType = "approval_required"

	// ErrApproverGroupInUse is `approver_group_in_use`.
	ErrApproverGroupInUse ErrorType = "approver_group_in_use"

	// ErrApproverGroupNotFound is `approver_group_not_found`.
	ErrApproverGroupNotFound ErrorType = "approver_group_not_found"

	// ErrApproverGroupTooSmall is `approver_group_too_small`.
	ErrApproverGroupTooSmall ErrorType = "approver_group_too_small"

	// ErrBatchNotFound is `batch_not_found`.
	ErrBatchNotFound ErrorType = "batch_not_found"

	// ErrBatchTooLarge is `batch_too_large`.
	ErrBatchTooLarge ErrorType = "batch_too_large"

	// ErrBelowRentMinimum is `below_rent_minimum`.
	ErrBelowRentMinimum ErrorType = "below_rent_minimum"

	// ErrBooksBehindChain is `books_behind_chain`.
	ErrBooksBehindChain ErrorType = "books_behind_chain"

	// ErrChainNotConfigured is `chain_not_configured`.
	ErrChainNotConfigured ErrorType = "chain_not_configured"

	// ErrChainUnavailable is `chain_unavailable`.
	ErrChainUnavailable ErrorType = "chain_unavailable"

	// ErrClientNotFound is `client_not_found`.
	ErrClientNotFound ErrorType = "client_not_found"

	// ErrClientWithoutSecret is `client_without_secret`.
	ErrClientWithoutSecret ErrorType = "client_without_secret"

	// ErrCursorExpired is `cursor_expired`.
	ErrCursorExpired ErrorType = "cursor_expired"

	// ErrDeliveryNotConfigured is `delivery_not_configured`.
	ErrDeliveryNotConfigured ErrorType = "delivery_not_configured"

	// ErrDestinationNotAllowed is `destination_not_allowed`.
	ErrDestinationNotAllowed ErrorType = "destination_not_allowed"

	// ErrDeviceMismatch is `device_mismatch`.
	ErrDeviceMismatch ErrorType = "device_mismatch"

	// ErrDuplicateAudience is `duplicate_audience`.
	ErrDuplicateAudience ErrorType = "duplicate_audience"

	// ErrDuplicateCustomID is `duplicate_custom_id`.
	ErrDuplicateCustomID ErrorType = "duplicate_custom_id"

	// ErrDuplicateEmail is `duplicate_email`.
	ErrDuplicateEmail ErrorType = "duplicate_email"

	// ErrDuplicateExternalID is `duplicate_external_id`.
	ErrDuplicateExternalID ErrorType = "duplicate_external_id"

	// ErrDuplicateOauthConnection is `duplicate_oauth_connection`.
	ErrDuplicateOauthConnection ErrorType = "duplicate_oauth_connection"

	// ErrDuplicatePhoneNumber is `duplicate_phone_number`.
	ErrDuplicatePhoneNumber ErrorType = "duplicate_phone_number"

	// ErrDuplicateRedirectURL is `duplicate_redirect_url`.
	ErrDuplicateRedirectURL ErrorType = "duplicate_redirect_url"

	// ErrDuplicateWallet is `duplicate_wallet`.
	ErrDuplicateWallet ErrorType = "duplicate_wallet"

	// ErrDuplicateWebauthnCredential is `duplicate_webauthn_credential`.
	ErrDuplicateWebauthnCredential ErrorType = "duplicate_webauthn_credential"

	// ErrEmailNotFound is `email_not_found`.
	ErrEmailNotFound ErrorType = "email_not_found"

	// ErrErasureNotFound is `erasure_not_found`.
	ErrErasureNotFound ErrorType = "erasure_not_found"

	// ErrEthereumNodeUnavailable is `ethereum_node_unavailable`.
	ErrEthereumNodeUnavailable ErrorType = "ethereum_node_unavailable"

	// ErrEventNotFound is `event_not_found`.
	ErrEventNotFound ErrorType = "event_not_found"

	// ErrFeeLimitExceeded is `fee_limit_exceeded`.
	ErrFeeLimitExceeded ErrorType = "fee_limit_exceeded"

	// ErrFeeTooHigh is `fee_too_high`.
	ErrFeeTooHigh ErrorType = "fee_too_high"

	// ErrFeedWasReset is `feed_was_reset`.
	ErrFeedWasReset ErrorType = "feed_was_reset"

	// ErrFeesAboveQuote is `fees_above_quote`.
	ErrFeesAboveQuote ErrorType = "fees_above_quote"

	// ErrGrantNotFound is `grant_not_found`.
	ErrGrantNotFound ErrorType = "grant_not_found"

	// ErrIdempotencyKeyReused is `idempotency_key_reused`.
	ErrIdempotencyKeyReused ErrorType = "idempotency_key_reused"

	// ErrInsufficientFunds is `insufficient_funds`.
	ErrInsufficientFunds ErrorType = "insufficient_funds"

	// ErrInteractionNotFound is `interaction_not_found`.
	ErrInteractionNotFound ErrorType = "interaction_not_found"

	// ErrInternalError is `internal_error`.
	ErrInternalError ErrorType = "internal_error"

	// ErrInvalidAddress is `invalid_address`.
	ErrInvalidAddress ErrorType = "invalid_address"

	// ErrInvalidAllowedOrigin is `invalid_allowed_origin`.
	ErrInvalidAllowedOrigin ErrorType = "invalid_allowed_origin"

	// ErrInvalidAmount is `invalid_amount`.
	ErrInvalidAmount ErrorType = "invalid_amount"

	// ErrInvalidAsset is `invalid_asset`.
	ErrInvalidAsset ErrorType = "invalid_asset"

	// ErrInvalidCursor is `invalid_cursor`.
	ErrInvalidCursor ErrorType = "invalid_cursor"

	// ErrInvalidDestination is `invalid_destination`.
	ErrInvalidDestination ErrorType = "invalid_destination"

	// ErrInvalidEmail is `invalid_email`.
	ErrInvalidEmail ErrorType = "invalid_email"

	// ErrInvalidEncryptionKey is `invalid_encryption_key`.
	ErrInvalidEncryptionKey ErrorType = "invalid_encryption_key"

	// ErrInvalidExpiresAt is `invalid_expires_at`.
	ErrInvalidExpiresAt ErrorType = "invalid_expires_at"

	// ErrInvalidJson is `invalid_json`.
	ErrInvalidJson ErrorType = "invalid_json"

	// ErrInvalidMagicToken is `invalid_magic_token`.
	ErrInvalidMagicToken ErrorType = "invalid_magic_token"

	// ErrInvalidMessage is `invalid_message`.
	ErrInvalidMessage ErrorType = "invalid_message"

	// ErrInvalidOauthConnection is `invalid_oauth_connection`.
	ErrInvalidOauthConnection ErrorType = "invalid_oauth_connection"

	// ErrInvalidOauthToken is `invalid_oauth_token`.
	ErrInvalidOauthToken ErrorType = "invalid_oauth_token"

	// ErrInvalidOtp is `invalid_otp`.
	ErrInvalidOtp ErrorType = "invalid_otp"

	// ErrInvalidPassword is `invalid_password`.
	ErrInvalidPassword ErrorType = "invalid_password"

	// ErrInvalidPhoneNumber is `invalid_phone_number`.
	ErrInvalidPhoneNumber ErrorType = "invalid_phone_number"

	// ErrInvalidPrivateKey is `invalid_private_key`.
	ErrInvalidPrivateKey ErrorType = "invalid_private_key"

	// ErrInvalidPublicAddress is `invalid_public_address`.
	ErrInvalidPublicAddress ErrorType = "invalid_public_address"

	// ErrInvalidRecoveryCode is `invalid_recovery_code`.
	ErrInvalidRecoveryCode ErrorType = "invalid_recovery_code"

	// ErrInvalidRedirectURL is `invalid_redirect_url`.
	ErrInvalidRedirectURL ErrorType = "invalid_redirect_url"

	// ErrInvalidRequest is `invalid_request`.
	ErrInvalidRequest ErrorType = "invalid_request"

	// ErrInvalidSearch is `invalid_search`.
	ErrInvalidSearch ErrorType = "invalid_search"

	// ErrInvalidSession is `invalid_session`.
	ErrInvalidSession ErrorType = "invalid_session"

	// ErrInvalidSiweChallenge is `invalid_siwe_challenge`.
	ErrInvalidSiweChallenge ErrorType = "invalid_siwe_challenge"

	// ErrInvalidTemplate is `invalid_template`.
	ErrInvalidTemplate ErrorType = "invalid_template"

	// ErrInvalidTotp is `invalid_totp`.
	ErrInvalidTotp ErrorType = "invalid_totp"

	// ErrInvalidTransaction is `invalid_transaction`.
	ErrInvalidTransaction ErrorType = "invalid_transaction"

	// ErrInvalidTypedData is `invalid_typed_data`.
	ErrInvalidTypedData ErrorType = "invalid_typed_data"

	// ErrInvalidWalletImport is `invalid_wallet_import`.
	ErrInvalidWalletImport ErrorType = "invalid_wallet_import"

	// ErrInvalidWalletSignature is `invalid_wallet_signature`.
	ErrInvalidWalletSignature ErrorType = "invalid_wallet_signature"

	// ErrInvalidWebauthnCredential is `invalid_webauthn_credential`.
	ErrInvalidWebauthnCredential ErrorType = "invalid_webauthn_credential"

	// ErrIPNotAllowed is `ip_not_allowed`.
	ErrIPNotAllowed ErrorType = "ip_not_allowed"

	// ErrJobNotFound is `job_not_found`.
	ErrJobNotFound ErrorType = "job_not_found"

	// ErrKeyInUse is `key_in_use`.
	ErrKeyInUse ErrorType = "key_in_use"

	// ErrKeyNotFound is `key_not_found`.
	ErrKeyNotFound ErrorType = "key_not_found"

	// ErrKeysUnavailable is `keys_unavailable`.
	ErrKeysUnavailable ErrorType = "keys_unavailable"

	// ErrLastWayToSignIn is `last_way_to_sign_in`.
	ErrLastWayToSignIn ErrorType = "last_way_to_sign_in"

	// ErrListTooBroad is `list_too_broad`.
	ErrListTooBroad ErrorType = "list_too_broad"

	// ErrMagicLinkExpired is `magic_link_expired`.
	ErrMagicLinkExpired ErrorType = "magic_link_expired"

	// ErrMessageNotAllowed is `message_not_allowed`.
	ErrMessageNotAllowed ErrorType = "message_not_allowed"

	// ErrMessageNotFound is `message_not_found`.
	ErrMessageNotFound ErrorType = "message_not_found"

	// ErrMissingRole is `missing_role`.
	ErrMissingRole ErrorType = "missing_role"

	// ErrMissingScope is `missing_scope`.
	ErrMissingScope ErrorType = "missing_scope"

	// ErrNetworkChanged is `network_changed`.
	ErrNetworkChanged ErrorType = "network_changed"

	// ErrNetworkNotEnabled is `network_not_enabled`.
	ErrNetworkNotEnabled ErrorType = "network_not_enabled"

	// ErrNoDefaultRedirectURL is `no_default_redirect_url`.
	ErrNoDefaultRedirectURL ErrorType = "no_default_redirect_url"

	// ErrNonceUsed is `nonce_used`.
	ErrNonceUsed ErrorType = "nonce_used"

	// ErrNotAnApprover is `not_an_approver`.
	ErrNotAnApprover ErrorType = "not_an_approver"

	// ErrOauthConnectionNotFound is `oauth_connection_not_found`.
	ErrOauthConnectionNotFound ErrorType = "oauth_connection_not_found"

	// ErrOauthProviderNotFound is `oauth_provider_not_found`.
	ErrOauthProviderNotFound ErrorType = "oauth_provider_not_found"

	// ErrOtpAttemptsExceeded is `otp_attempts_exceeded`.
	ErrOtpAttemptsExceeded ErrorType = "otp_attempts_exceeded"

	// ErrOutsideBinding is `outside_binding`.
	ErrOutsideBinding ErrorType = "outside_binding"

	// ErrOverloaded is `overloaded`.
	ErrOverloaded ErrorType = "overloaded"

	// ErrPasskeyMayNotVote is `passkey_may_not_vote`.
	ErrPasskeyMayNotVote ErrorType = "passkey_may_not_vote"

	// ErrPasswordLoginClosed is `password_login_closed`.
	ErrPasswordLoginClosed ErrorType = "password_login_closed"

	// ErrPayloadTooLarge is `payload_too_large`.
	ErrPayloadTooLarge ErrorType = "payload_too_large"

	// ErrPaymentRefusedByChain is `payment_refused_by_chain`.
	ErrPaymentRefusedByChain ErrorType = "payment_refused_by_chain"

	// ErrPhoneNumberNotFound is `phone_number_not_found`.
	ErrPhoneNumberNotFound ErrorType = "phone_number_not_found"

	// ErrPolicyDenied is `policy_denied`.
	ErrPolicyDenied ErrorType = "policy_denied"

	// ErrPolicyNotFound is `policy_not_found`.
	ErrPolicyNotFound ErrorType = "policy_not_found"

	// ErrProviderError is `provider_error`.
	ErrProviderError ErrorType = "provider_error"

	// ErrProviderUnavailable is `provider_unavailable`.
	ErrProviderUnavailable ErrorType = "provider_unavailable"

	// ErrReadOnly is `read_only`.
	ErrReadOnly ErrorType = "read_only"

	// ErrRecoveryNotFound is `recovery_not_found`.
	ErrRecoveryNotFound ErrorType = "recovery_not_found"

	// ErrRecoveryNotNeeded is `recovery_not_needed`.
	ErrRecoveryNotNeeded ErrorType = "recovery_not_needed"

	// ErrRedirectURLNotFound is `redirect_url_not_found`.
	ErrRedirectURLNotFound ErrorType = "redirect_url_not_found"

	// ErrResourceNotFound is `resource_not_found`.
	ErrResourceNotFound ErrorType = "resource_not_found"

	// ErrSealBroken is `seal_broken`.
	ErrSealBroken ErrorType = "seal_broken"

	// ErrSealedValueUnavailable is `sealed_value_unavailable`.
	ErrSealedValueUnavailable ErrorType = "sealed_value_unavailable"

	// ErrSearchTooBroad is `search_too_broad`.
	ErrSearchTooBroad ErrorType = "search_too_broad"

	// ErrServiceUnavailable is `service_unavailable`.
	ErrServiceUnavailable ErrorType = "service_unavailable"

	// ErrSessionMismatch is `session_mismatch`.
	ErrSessionMismatch ErrorType = "session_mismatch"

	// ErrSessionNotFound is `session_not_found`.
	ErrSessionNotFound ErrorType = "session_not_found"

	// ErrSigningKeyUnavailable is `signing_key_unavailable`.
	ErrSigningKeyUnavailable ErrorType = "signing_key_unavailable"

	// ErrSmsCountryNotAllowed is `sms_country_not_allowed`.
	ErrSmsCountryNotAllowed ErrorType = "sms_country_not_allowed"

	// ErrStepUpRequired is `step_up_required`.
	ErrStepUpRequired ErrorType = "step_up_required"

	// ErrStoredAnswersFull is `stored_answers_full`.
	ErrStoredAnswersFull ErrorType = "stored_answers_full"

	// ErrTooManyAddresses is `too_many_addresses`.
	ErrTooManyAddresses ErrorType = "too_many_addresses"

	// ErrTooManyApprovals is `too_many_approvals`.
	ErrTooManyApprovals ErrorType = "too_many_approvals"

	// ErrTooManyApproverGroups is `too_many_approver_groups`.
	ErrTooManyApproverGroups ErrorType = "too_many_approver_groups"

	// ErrTooManyClients is `too_many_clients`.
	ErrTooManyClients ErrorType = "too_many_clients"

	// ErrTooManyMoves is `too_many_moves`.
	ErrTooManyMoves ErrorType = "too_many_moves"

	// ErrTooManyPolicies is `too_many_policies`.
	ErrTooManyPolicies ErrorType = "too_many_policies"

	// ErrTooManyRequests is `too_many_requests`.
	ErrTooManyRequests ErrorType = "too_many_requests"

	// ErrTooManyResources is `too_many_resources`.
	ErrTooManyResources ErrorType = "too_many_resources"

	// ErrTooManyUnverifiedAddresses is `too_many_unverified_addresses`.
	ErrTooManyUnverifiedAddresses ErrorType = "too_many_unverified_addresses"

	// ErrTooManyWallets is `too_many_wallets`.
	ErrTooManyWallets ErrorType = "too_many_wallets"

	// ErrTooManyWebauthnCredentials is `too_many_webauthn_credentials`.
	ErrTooManyWebauthnCredentials ErrorType = "too_many_webauthn_credentials"

	// ErrTooManyWebhookEndpoints is `too_many_webhook_endpoints`.
	ErrTooManyWebhookEndpoints ErrorType = "too_many_webhook_endpoints"

	// ErrTotpNotFound is `totp_not_found`.
	ErrTotpNotFound ErrorType = "totp_not_found"

	// ErrTransactionNotAllowed is `transaction_not_allowed`.
	ErrTransactionNotAllowed ErrorType = "transaction_not_allowed"

	// ErrTransferAlreadyConfirmed is `transfer_already_confirmed`.
	ErrTransferAlreadyConfirmed ErrorType = "transfer_already_confirmed"

	// ErrTransferCancelled is `transfer_cancelled`.
	ErrTransferCancelled ErrorType = "transfer_cancelled"

	// ErrTransferExpired is `transfer_expired`.
	ErrTransferExpired ErrorType = "transfer_expired"

	// ErrTransferInBatch is `transfer_in_batch`.
	ErrTransferInBatch ErrorType = "transfer_in_batch"

	// ErrTransferLimitExceeded is `transfer_limit_exceeded`.
	ErrTransferLimitExceeded ErrorType = "transfer_limit_exceeded"

	// ErrTransferNotFound is `transfer_not_found`.
	ErrTransferNotFound ErrorType = "transfer_not_found"

	// ErrTypedDataNotAllowed is `typed_data_not_allowed`.
	ErrTypedDataNotAllowed ErrorType = "typed_data_not_allowed"

	// ErrUnauthorizedCredentials is `unauthorized_credentials`.
	ErrUnauthorizedCredentials ErrorType = "unauthorized_credentials"

	// ErrUnsupportedCurrency is `unsupported_currency`.
	ErrUnsupportedCurrency ErrorType = "unsupported_currency"

	// ErrUnsupportedMediaType is `unsupported_media_type`.
	ErrUnsupportedMediaType ErrorType = "unsupported_media_type"

	// ErrUnsupportedWalletType is `unsupported_wallet_type`.
	ErrUnsupportedWalletType ErrorType = "unsupported_wallet_type"

	// ErrURLNotAllowed is `url_not_allowed`.
	ErrURLNotAllowed ErrorType = "url_not_allowed"

	// ErrUserInUse is `user_in_use`.
	ErrUserInUse ErrorType = "user_in_use"

	// ErrUserInactive is `user_inactive`.
	ErrUserInactive ErrorType = "user_inactive"

	// ErrUserNotFound is `user_not_found`.
	ErrUserNotFound ErrorType = "user_not_found"

	// ErrVoteNotCarried is `vote_not_carried`.
	ErrVoteNotCarried ErrorType = "vote_not_carried"

	// ErrWalletExportNotAllowed is `wallet_export_not_allowed`.
	ErrWalletExportNotAllowed ErrorType = "wallet_export_not_allowed"

	// ErrWalletFrozen is `wallet_frozen`.
	ErrWalletFrozen ErrorType = "wallet_frozen"

	// ErrWalletHasOpenTransfers is `wallet_has_open_transfers`.
	ErrWalletHasOpenTransfers ErrorType = "wallet_has_open_transfers"

	// ErrWalletIsManaged is `wallet_is_managed`.
	ErrWalletIsManaged ErrorType = "wallet_is_managed"

	// ErrWalletNotFound is `wallet_not_found`.
	ErrWalletNotFound ErrorType = "wallet_not_found"

	// ErrWalletNotOwnedByUser is `wallet_not_owned_by_user`.
	ErrWalletNotOwnedByUser ErrorType = "wallet_not_owned_by_user"

	// ErrWalletReadOnly is `wallet_read_only`.
	ErrWalletReadOnly ErrorType = "wallet_read_only"

	// ErrWebauthnCredentialNotFound is `webauthn_credential_not_found`.
	ErrWebauthnCredentialNotFound ErrorType = "webauthn_credential_not_found"

	// ErrWebauthnNotConfigured is `webauthn_not_configured`.
	ErrWebauthnNotConfigured ErrorType = "webauthn_not_configured"

	// ErrWebhookDeliveryNotFound is `webhook_delivery_not_found`.
	ErrWebhookDeliveryNotFound ErrorType = "webhook_delivery_not_found"

	// ErrWebhookEndpointDisabled is `webhook_endpoint_disabled`.
	ErrWebhookEndpointDisabled ErrorType = "webhook_endpoint_disabled"

	// ErrWebhookEndpointNotFound is `webhook_endpoint_not_found`.
	ErrWebhookEndpointNotFound ErrorType = "webhook_endpoint_not_found"

	// ErrWrongKeyKind is `wrong_key_kind`.
	ErrWrongKeyKind ErrorType = "wrong_key_kind"
)

// ManagementAppsUsersEventsCalls are the calls of management.apps.users.events.
type ManagementAppsUsersEventsCalls struct {
	client *Client
}

func newManagementAppsUsersEventsCalls(c *Client) *ManagementAppsUsersEventsCalls {
	calls := &ManagementAppsUsersEventsCalls{client: c}
	return calls
}

// ManagementAppsUsersEmailsCalls are the calls of management.apps.users.emails.
type ManagementAppsUsersEmailsCalls struct {
	client *Client
}

func newManagementAppsUsersEmailsCalls(c *Client) *ManagementAppsUsersEmailsCalls {
	calls := &ManagementAppsUsersEmailsCalls{client: c}
	return calls
}

// ManagementAppsUsersPhoneNumbersCalls are the calls of management.apps.users.phoneNumbers.
type ManagementAppsUsersPhoneNumbersCalls struct {
	client *Client
}

func newManagementAppsUsersPhoneNumbersCalls(c *Client) *ManagementAppsUsersPhoneNumbersCalls {
	calls := &ManagementAppsUsersPhoneNumbersCalls{client: c}
	return calls
}

// ManagementAppsUsersRecoveryCalls are the calls of management.apps.users.recovery.
type ManagementAppsUsersRecoveryCalls struct {
	client *Client
}

func newManagementAppsUsersRecoveryCalls(c *Client) *ManagementAppsUsersRecoveryCalls {
	calls := &ManagementAppsUsersRecoveryCalls{client: c}
	return calls
}

// ManagementAppsUsersWebauthnCredentialsCalls are the calls of management.apps.users.webauthnCredentials.
type ManagementAppsUsersWebauthnCredentialsCalls struct {
	client *Client
}

func newManagementAppsUsersWebauthnCredentialsCalls(c *Client) *ManagementAppsUsersWebauthnCredentialsCalls {
	calls := &ManagementAppsUsersWebauthnCredentialsCalls{client: c}
	return calls
}

// ManagementAppsUsersSessionsCalls are the calls of management.apps.users.sessions.
type ManagementAppsUsersSessionsCalls struct {
	client *Client
}

func newManagementAppsUsersSessionsCalls(c *Client) *ManagementAppsUsersSessionsCalls {
	calls := &ManagementAppsUsersSessionsCalls{client: c}
	return calls
}

// ManagementAppsUsersTotpsCalls are the calls of management.apps.users.totps.
type ManagementAppsUsersTotpsCalls struct {
	client *Client
}

func newManagementAppsUsersTotpsCalls(c *Client) *ManagementAppsUsersTotpsCalls {
	calls := &ManagementAppsUsersTotpsCalls{client: c}
	return calls
}

// ManagementAppsUsersCalls are the calls of management.apps.users.
type ManagementAppsUsersCalls struct {
	client *Client

	Events *ManagementAppsUsersEventsCalls

	Emails *ManagementAppsUsersEmailsCalls

	PhoneNumbers *ManagementAppsUsersPhoneNumbersCalls

	Recovery *ManagementAppsUsersRecoveryCalls

	WebauthnCredentials *ManagementAppsUsersWebauthnCredentialsCalls

	Sessions *ManagementAppsUsersSessionsCalls

	Totps *ManagementAppsUsersTotpsCalls
}

func newManagementAppsUsersCalls(c *Client) *ManagementAppsUsersCalls {
	calls := &ManagementAppsUsersCalls{client: c}
	calls.Events = newManagementAppsUsersEventsCalls(c)
	calls.Emails = newManagementAppsUsersEmailsCalls(c)
	calls.PhoneNumbers = newManagementAppsUsersPhoneNumbersCalls(c)
	calls.Recovery = newManagementAppsUsersRecoveryCalls(c)
	calls.WebauthnCredentials = newManagementAppsUsersWebauthnCredentialsCalls(c)
	calls.Sessions = newManagementAppsUsersSessionsCalls(c)
	calls.Totps = newManagementAppsUsersTotpsCalls(c)
	return calls
}

// ManagementAppsKeysCalls are the calls of management.apps.keys.
type ManagementAppsKeysCalls struct {
	client *Client
}

func newManagementAppsKeysCalls(c *Client) *ManagementAppsKeysCalls {
	calls := &ManagementAppsKeysCalls{client: c}
	return calls
}

// ManagementAppsRedirectUrlsCalls are the calls of management.apps.redirectUrls.
type ManagementAppsRedirectUrlsCalls struct {
	client *Client
}

func newManagementAppsRedirectUrlsCalls(c *Client) *ManagementAppsRedirectUrlsCalls {
	calls := &ManagementAppsRedirectUrlsCalls{client: c}
	return calls
}

// ManagementAppsOauthConnectionsCalls are the calls of management.apps.oauthConnections.
type ManagementAppsOauthConnectionsCalls struct {
	client *Client
}

func newManagementAppsOauthConnectionsCalls(c *Client) *ManagementAppsOauthConnectionsCalls {
	calls := &ManagementAppsOauthConnectionsCalls{client: c}
	return calls
}

// ManagementAppsMessagesCalls are the calls of management.apps.messages.
type ManagementAppsMessagesCalls struct {
	client *Client
}

func newManagementAppsMessagesCalls(c *Client) *ManagementAppsMessagesCalls {
	calls := &ManagementAppsMessagesCalls{client: c}
	return calls
}

// ManagementAppsJobsCalls are the calls of management.apps.jobs.
type ManagementAppsJobsCalls struct {
	client *Client
}

func newManagementAppsJobsCalls(c *Client) *ManagementAppsJobsCalls {
	calls := &ManagementAppsJobsCalls{client: c}
	return calls
}

// ManagementAppsTemplatesCalls are the calls of management.apps.templates.
type ManagementAppsTemplatesCalls struct {
	client *Client
}

func newManagementAppsTemplatesCalls(c *Client) *ManagementAppsTemplatesCalls {
	calls := &ManagementAppsTemplatesCalls{client: c}
	return calls
}

// ManagementAppsAuditLogCalls are the calls of management.apps.auditLog.
type ManagementAppsAuditLogCalls struct {
	client *Client
}

func newManagementAppsAuditLogCalls(c *Client) *ManagementAppsAuditLogCalls {
	calls := &ManagementAppsAuditLogCalls{client: c}
	return calls
}

// ManagementAppsRefusedCallsCalls are the calls of management.apps.refusedCalls.
type ManagementAppsRefusedCallsCalls struct {
	client *Client
}

func newManagementAppsRefusedCallsCalls(c *Client) *ManagementAppsRefusedCallsCalls {
	calls := &ManagementAppsRefusedCallsCalls{client: c}
	return calls
}

// ManagementAppsOauth2GrantsCalls are the calls of management.apps.oauth2.grants.
type ManagementAppsOauth2GrantsCalls struct {
	client *Client
}

func newManagementAppsOauth2GrantsCalls(c *Client) *ManagementAppsOauth2GrantsCalls {
	calls := &ManagementAppsOauth2GrantsCalls{client: c}
	return calls
}

// ManagementAppsOauth2Calls are the calls of management.apps.oauth2.
type ManagementAppsOauth2Calls struct {
	client *Client

	Grants *ManagementAppsOauth2GrantsCalls
}

func newManagementAppsOauth2Calls(c *Client) *ManagementAppsOauth2Calls {
	calls := &ManagementAppsOauth2Calls{client: c}
	calls.Grants = newManagementAppsOauth2GrantsCalls(c)
	return calls
}

// ManagementAppsOauthClientsCalls are the calls of management.apps.oauthClients.
type ManagementAppsOauthClientsCalls struct {
	client *Client
}

func newManagementAppsOauthClientsCalls(c *Client) *ManagementAppsOauthClientsCalls {
	calls := &ManagementAppsOauthClientsCalls{client: c}
	return calls
}

// ManagementAppsResourcesCalls are the calls of management.apps.resources.
type ManagementAppsResourcesCalls struct {
	client *Client
}

func newManagementAppsResourcesCalls(c *Client) *ManagementAppsResourcesCalls {
	calls := &ManagementAppsResourcesCalls{client: c}
	return calls
}

// ManagementAppsEventsCalls are the calls of management.apps.events.
type ManagementAppsEventsCalls struct {
	client *Client
}

func newManagementAppsEventsCalls(c *Client) *ManagementAppsEventsCalls {
	calls := &ManagementAppsEventsCalls{client: c}
	return calls
}

// ManagementAppsStatisticsCalls are the calls of management.apps.statistics.
type ManagementAppsStatisticsCalls struct {
	client *Client
}

func newManagementAppsStatisticsCalls(c *Client) *ManagementAppsStatisticsCalls {
	calls := &ManagementAppsStatisticsCalls{client: c}
	return calls
}

// ManagementAppsPoliciesDecisionsCalls are the calls of management.apps.policies.decisions.
type ManagementAppsPoliciesDecisionsCalls struct {
	client *Client
}

func newManagementAppsPoliciesDecisionsCalls(c *Client) *ManagementAppsPoliciesDecisionsCalls {
	calls := &ManagementAppsPoliciesDecisionsCalls{client: c}
	return calls
}

// ManagementAppsPoliciesCalls are the calls of management.apps.policies.
type ManagementAppsPoliciesCalls struct {
	client *Client

	Decisions *ManagementAppsPoliciesDecisionsCalls
}

func newManagementAppsPoliciesCalls(c *Client) *ManagementAppsPoliciesCalls {
	calls := &ManagementAppsPoliciesCalls{client: c}
	calls.Decisions = newManagementAppsPoliciesDecisionsCalls(c)
	return calls
}

// ManagementAppsApprovalsCalls are the calls of management.apps.approvals.
type ManagementAppsApprovalsCalls struct {
	client *Client
}

func newManagementAppsApprovalsCalls(c *Client) *ManagementAppsApprovalsCalls {
	calls := &ManagementAppsApprovalsCalls{client: c}
	return calls
}

// ManagementAppsApproverGroupsPasskeysCalls are the calls of management.apps.approverGroups.passkeys.
type ManagementAppsApproverGroupsPasskeysCalls struct {
	client *Client
}

func newManagementAppsApproverGroupsPasskeysCalls(c *Client) *ManagementAppsApproverGroupsPasskeysCalls {
	calls := &ManagementAppsApproverGroupsPasskeysCalls{client: c}
	return calls
}

// ManagementAppsApproverGroupsCalls are the calls of management.apps.approverGroups.
type ManagementAppsApproverGroupsCalls struct {
	client *Client

	Passkeys *ManagementAppsApproverGroupsPasskeysCalls
}

func newManagementAppsApproverGroupsCalls(c *Client) *ManagementAppsApproverGroupsCalls {
	calls := &ManagementAppsApproverGroupsCalls{client: c}
	calls.Passkeys = newManagementAppsApproverGroupsPasskeysCalls(c)
	return calls
}

// ManagementAppsSessionsCalls are the calls of management.apps.sessions.
type ManagementAppsSessionsCalls struct {
	client *Client
}

func newManagementAppsSessionsCalls(c *Client) *ManagementAppsSessionsCalls {
	calls := &ManagementAppsSessionsCalls{client: c}
	return calls
}

// ManagementAppsTransfersCalls are the calls of management.apps.transfers.
type ManagementAppsTransfersCalls struct {
	client *Client
}

func newManagementAppsTransfersCalls(c *Client) *ManagementAppsTransfersCalls {
	calls := &ManagementAppsTransfersCalls{client: c}
	return calls
}

// ManagementAppsWalletsDepositsCalls are the calls of management.apps.wallets.deposits.
type ManagementAppsWalletsDepositsCalls struct {
	client *Client
}

func newManagementAppsWalletsDepositsCalls(c *Client) *ManagementAppsWalletsDepositsCalls {
	calls := &ManagementAppsWalletsDepositsCalls{client: c}
	return calls
}

// ManagementAppsWalletsCalls are the calls of management.apps.wallets.
type ManagementAppsWalletsCalls struct {
	client *Client

	Deposits *ManagementAppsWalletsDepositsCalls
}

func newManagementAppsWalletsCalls(c *Client) *ManagementAppsWalletsCalls {
	calls := &ManagementAppsWalletsCalls{client: c}
	calls.Deposits = newManagementAppsWalletsDepositsCalls(c)
	return calls
}

// ManagementAppsWebhookEndpointsDeliveriesCalls are the calls of management.apps.webhookEndpoints.deliveries.
type ManagementAppsWebhookEndpointsDeliveriesCalls struct {
	client *Client
}

func newManagementAppsWebhookEndpointsDeliveriesCalls(c *Client) *ManagementAppsWebhookEndpointsDeliveriesCalls {
	calls := &ManagementAppsWebhookEndpointsDeliveriesCalls{client: c}
	return calls
}

// ManagementAppsWebhookEndpointsCalls are the calls of management.apps.webhookEndpoints.
type ManagementAppsWebhookEndpointsCalls struct {
	client *Client

	Deliveries *ManagementAppsWebhookEndpointsDeliveriesCalls
}

func newManagementAppsWebhookEndpointsCalls(c *Client) *ManagementAppsWebhookEndpointsCalls {
	calls := &ManagementAppsWebhookEndpointsCalls{client: c}
	calls.Deliveries = newManagementAppsWebhookEndpointsDeliveriesCalls(c)
	return calls
}

// ManagementAppsCalls are the calls of management.apps.
type ManagementAppsCalls struct {
	client *Client

	Users *ManagementAppsUsersCalls

	Keys *ManagementAppsKeysCalls

	RedirectUrls *ManagementAppsRedirectUrlsCalls

	OauthConnections *ManagementAppsOauthConnectionsCalls

	Messages *ManagementAppsMessagesCalls

	Jobs *ManagementAppsJobsCalls

	Templates *ManagementAppsTemplatesCalls

	AuditLog *ManagementAppsAuditLogCalls

	RefusedCalls *ManagementAppsRefusedCallsCalls

	Oauth2 *ManagementAppsOauth2Calls

	OauthClients *ManagementAppsOauthClientsCalls

	Resources *ManagementAppsResourcesCalls

	Events *ManagementAppsEventsCalls

	Statistics *ManagementAppsStatisticsCalls

	Policies *ManagementAppsPoliciesCalls

	Approvals *ManagementAppsApprovalsCalls

	ApproverGroups *ManagementAppsApproverGroupsCalls

	Sessions *ManagementAppsSessionsCalls

	Transfers *ManagementAppsTransfersCalls

	Wallets *ManagementAppsWalletsCalls

	WebhookEndpoints *ManagementAppsWebhookEndpointsCalls
}

func newManagementAppsCalls(c *Client) *ManagementAppsCalls {
	calls := &ManagementAppsCalls{client: c}
	calls.Users = newManagementAppsUsersCalls(c)
	calls.Keys = newManagementAppsKeysCalls(c)
	calls.RedirectUrls = newManagementAppsRedirectUrlsCalls(c)
	calls.OauthConnections = newManagementAppsOauthConnectionsCalls(c)
	calls.Messages = newManagementAppsMessagesCalls(c)
	calls.Jobs = newManagementAppsJobsCalls(c)
	calls.Templates = newManagementAppsTemplatesCalls(c)
	calls.AuditLog = newManagementAppsAuditLogCalls(c)
	calls.RefusedCalls = newManagementAppsRefusedCallsCalls(c)
	calls.Oauth2 = newManagementAppsOauth2Calls(c)
	calls.OauthClients = newManagementAppsOauthClientsCalls(c)
	calls.Resources = newManagementAppsResourcesCalls(c)
	calls.Events = newManagementAppsEventsCalls(c)
	calls.Statistics = newManagementAppsStatisticsCalls(c)
	calls.Policies = newManagementAppsPoliciesCalls(c)
	calls.Approvals = newManagementAppsApprovalsCalls(c)
	calls.ApproverGroups = newManagementAppsApproverGroupsCalls(c)
	calls.Sessions = newManagementAppsSessionsCalls(c)
	calls.Transfers = newManagementAppsTransfersCalls(c)
	calls.Wallets = newManagementAppsWalletsCalls(c)
	calls.WebhookEndpoints = newManagementAppsWebhookEndpointsCalls(c)
	return calls
}

// ManagementSessionCalls are the calls of management.session.
type ManagementSessionCalls struct {
	client *Client
}

func newManagementSessionCalls(c *Client) *ManagementSessionCalls {
	calls := &ManagementSessionCalls{client: c}
	return calls
}

// ManagementSessionsCalls are the calls of management.sessions.
type ManagementSessionsCalls struct {
	client *Client
}

func newManagementSessionsCalls(c *Client) *ManagementSessionsCalls {
	calls := &ManagementSessionsCalls{client: c}
	return calls
}

// ManagementKeyStorageCalls are the calls of management.keyStorage.
type ManagementKeyStorageCalls struct {
	client *Client
}

func newManagementKeyStorageCalls(c *Client) *ManagementKeyStorageCalls {
	calls := &ManagementKeyStorageCalls{client: c}
	return calls
}

// ManagementAuditLogCalls are the calls of management.auditLog.
type ManagementAuditLogCalls struct {
	client *Client
}

func newManagementAuditLogCalls(c *Client) *ManagementAuditLogCalls {
	calls := &ManagementAuditLogCalls{client: c}
	return calls
}

// ManagementNetworksCalls are the calls of management.networks.
type ManagementNetworksCalls struct {
	client *Client
}

func newManagementNetworksCalls(c *Client) *ManagementNetworksCalls {
	calls := &ManagementNetworksCalls{client: c}
	return calls
}

// ManagementCalls are the calls of management.
type ManagementCalls struct {
	client *Client

	Apps *ManagementAppsCalls

	Session *ManagementSessionCalls

	Sessions *ManagementSessionsCalls

	KeyStorage *ManagementKeyStorageCalls

	AuditLog *ManagementAuditLogCalls

	Networks *ManagementNetworksCalls
}

func newManagementCalls(c *Client) *ManagementCalls {
	calls := &ManagementCalls{client: c}
	calls.Apps = newManagementAppsCalls(c)
	calls.Session = newManagementSessionCalls(c)
	calls.Sessions = newManagementSessionsCalls(c)
	calls.KeyStorage = newManagementKeyStorageCalls(c)
	calls.AuditLog = newManagementAuditLogCalls(c)
	calls.Networks = newManagementNetworksCalls(c)
	return calls
}

// OauthConnectionsCalls are the calls of oauthConnections.
type OauthConnectionsCalls struct {
	client *Client
}

func newOauthConnectionsCalls(c *Client) *OauthConnectionsCalls {
	calls := &OauthConnectionsCalls{client: c}
	return calls
}

// Oauth2InteractionsCalls are the calls of oauth2.interactions.
type Oauth2InteractionsCalls struct {
	client *Client
}

func newOauth2InteractionsCalls(c *Client) *Oauth2InteractionsCalls {
	calls := &Oauth2InteractionsCalls{client: c}
	return calls
}

// Oauth2GrantsCalls are the calls of oauth2.grants.
type Oauth2GrantsCalls struct {
	client *Client
}

func newOauth2GrantsCalls(c *Client) *Oauth2GrantsCalls {
	calls := &Oauth2GrantsCalls{client: c}
	return calls
}

// Oauth2Calls are the calls of oauth2.
type Oauth2Calls struct {
	client *Client

	Interactions *Oauth2InteractionsCalls

	Grants *Oauth2GrantsCalls
}

func newOauth2Calls(c *Client) *Oauth2Calls {
	calls := &Oauth2Calls{client: c}
	calls.Interactions = newOauth2InteractionsCalls(c)
	calls.Grants = newOauth2GrantsCalls(c)
	return calls
}

// NetworksCalls are the calls of networks.
type NetworksCalls struct {
	client *Client
}

func newNetworksCalls(c *Client) *NetworksCalls {
	calls := &NetworksCalls{client: c}
	return calls
}

// EventsCalls are the calls of events.
type EventsCalls struct {
	client *Client
}

func newEventsCalls(c *Client) *EventsCalls {
	calls := &EventsCalls{client: c}
	return calls
}

// EventTypesCalls are the calls of eventTypes.
type EventTypesCalls struct {
	client *Client
}

func newEventTypesCalls(c *Client) *EventTypesCalls {
	calls := &EventTypesCalls{client: c}
	return calls
}

// UsersRecoveryCalls are the calls of users.recovery.
type UsersRecoveryCalls struct {
	client *Client
}

func newUsersRecoveryCalls(c *Client) *UsersRecoveryCalls {
	calls := &UsersRecoveryCalls{client: c}
	return calls
}

// UsersEmailsCalls are the calls of users.emails.
type UsersEmailsCalls struct {
	client *Client
}

func newUsersEmailsCalls(c *Client) *UsersEmailsCalls {
	calls := &UsersEmailsCalls{client: c}
	return calls
}

// UsersPhoneNumbersCalls are the calls of users.phoneNumbers.
type UsersPhoneNumbersCalls struct {
	client *Client
}

func newUsersPhoneNumbersCalls(c *Client) *UsersPhoneNumbersCalls {
	calls := &UsersPhoneNumbersCalls{client: c}
	return calls
}

// UsersWebauthnCredentialsCalls are the calls of users.webauthnCredentials.
type UsersWebauthnCredentialsCalls struct {
	client *Client
}

func newUsersWebauthnCredentialsCalls(c *Client) *UsersWebauthnCredentialsCalls {
	calls := &UsersWebauthnCredentialsCalls{client: c}
	return calls
}

// UsersTotpsCalls are the calls of users.totps.
type UsersTotpsCalls struct {
	client *Client
}

func newUsersTotpsCalls(c *Client) *UsersTotpsCalls {
	calls := &UsersTotpsCalls{client: c}
	return calls
}

// UsersWalletsCalls are the calls of users.wallets.
type UsersWalletsCalls struct {
	client *Client
}

func newUsersWalletsCalls(c *Client) *UsersWalletsCalls {
	calls := &UsersWalletsCalls{client: c}
	return calls
}

// UsersCalls are the calls of users.
type UsersCalls struct {
	client *Client

	Recovery *UsersRecoveryCalls

	Emails *UsersEmailsCalls

	PhoneNumbers *UsersPhoneNumbersCalls

	WebauthnCredentials *UsersWebauthnCredentialsCalls

	Totps *UsersTotpsCalls

	Wallets *UsersWalletsCalls
}

func newUsersCalls(c *Client) *UsersCalls {
	calls := &UsersCalls{client: c}
	calls.Recovery = newUsersRecoveryCalls(c)
	calls.Emails = newUsersEmailsCalls(c)
	calls.PhoneNumbers = newUsersPhoneNumbersCalls(c)
	calls.WebauthnCredentials = newUsersWebauthnCredentialsCalls(c)
	calls.Totps = newUsersTotpsCalls(c)
	calls.Wallets = newUsersWalletsCalls(c)
	return calls
}

// MagicLinksEmailCalls are the calls of magicLinks.email.
type MagicLinksEmailCalls struct {
	client *Client
}

func newMagicLinksEmailCalls(c *Client) *MagicLinksEmailCalls {
	calls := &MagicLinksEmailCalls{client: c}
	return calls
}

// MagicLinksCalls are the calls of magicLinks.
type MagicLinksCalls struct {
	client *Client

	Email *MagicLinksEmailCalls
}

func newMagicLinksCalls(c *Client) *MagicLinksCalls {
	calls := &MagicLinksCalls{client: c}
	calls.Email = newMagicLinksEmailCalls(c)
	return calls
}

// OauthCalls are the calls of oauth.
type OauthCalls struct {
	client *Client
}

func newOauthCalls(c *Client) *OauthCalls {
	calls := &OauthCalls{client: c}
	return calls
}

// OtpsSmsCalls are the calls of otps.sms.
type OtpsSmsCalls struct {
	client *Client
}

func newOtpsSmsCalls(c *Client) *OtpsSmsCalls {
	calls := &OtpsSmsCalls{client: c}
	return calls
}

// OtpsEmailCalls are the calls of otps.email.
type OtpsEmailCalls struct {
	client *Client
}

func newOtpsEmailCalls(c *Client) *OtpsEmailCalls {
	calls := &OtpsEmailCalls{client: c}
	return calls
}

// OtpsCalls are the calls of otps.
type OtpsCalls struct {
	client *Client

	Sms *OtpsSmsCalls

	Email *OtpsEmailCalls
}

func newOtpsCalls(c *Client) *OtpsCalls {
	calls := &OtpsCalls{client: c}
	calls.Sms = newOtpsSmsCalls(c)
	calls.Email = newOtpsEmailCalls(c)
	return calls
}

// WebauthnRegistrationsCalls are the calls of webauthn.registrations.
type WebauthnRegistrationsCalls struct {
	client *Client
}

func newWebauthnRegistrationsCalls(c *Client) *WebauthnRegistrationsCalls {
	calls := &WebauthnRegistrationsCalls{client: c}
	return calls
}

// WebauthnAuthenticationCalls are the calls of webauthn.authentication.
type WebauthnAuthenticationCalls struct {
	client *Client
}

func newWebauthnAuthenticationCalls(c *Client) *WebauthnAuthenticationCalls {
	calls := &WebauthnAuthenticationCalls{client: c}
	return calls
}

// WebauthnCredentialsCalls are the calls of webauthn.credentials.
type WebauthnCredentialsCalls struct {
	client *Client
}

func newWebauthnCredentialsCalls(c *Client) *WebauthnCredentialsCalls {
	calls := &WebauthnCredentialsCalls{client: c}
	return calls
}

// WebauthnCalls are the calls of webauthn.
type WebauthnCalls struct {
	client *Client

	Registrations *WebauthnRegistrationsCalls

	Authentication *WebauthnAuthenticationCalls

	Credentials *WebauthnCredentialsCalls
}

func newWebauthnCalls(c *Client) *WebauthnCalls {
	calls := &WebauthnCalls{client: c}
	calls.Registrations = newWebauthnRegistrationsCalls(c)
	calls.Authentication = newWebauthnAuthenticationCalls(c)
	calls.Credentials = newWebauthnCredentialsCalls(c)
	return calls
}

// PasswordsCalls are the calls of passwords.
type PasswordsCalls struct {
	client *Client
}

func newPasswordsCalls(c *Client) *PasswordsCalls {
	calls := &PasswordsCalls{client: c}
	return calls
}

// PoliciesDecisionsCalls are the calls of policies.decisions.
type PoliciesDecisionsCalls struct {
	client *Client
}

func newPoliciesDecisionsCalls(c *Client) *PoliciesDecisionsCalls {
	calls := &PoliciesDecisionsCalls{client: c}
	return calls
}

// PoliciesCalls are the calls of policies.
type PoliciesCalls struct {
	client *Client

	Decisions *PoliciesDecisionsCalls
}

func newPoliciesCalls(c *Client) *PoliciesCalls {
	calls := &PoliciesCalls{client: c}
	calls.Decisions = newPoliciesDecisionsCalls(c)
	return calls
}

// ApprovalsCalls are the calls of approvals.
type ApprovalsCalls struct {
	client *Client
}

func newApprovalsCalls(c *Client) *ApprovalsCalls {
	calls := &ApprovalsCalls{client: c}
	return calls
}

// SessionsCalls are the calls of sessions.
type SessionsCalls struct {
	client *Client
}

func newSessionsCalls(c *Client) *SessionsCalls {
	calls := &SessionsCalls{client: c}
	return calls
}

// JwksCalls are the calls of jwks.
type JwksCalls struct {
	client *Client
}

func newJwksCalls(c *Client) *JwksCalls {
	calls := &JwksCalls{client: c}
	return calls
}

// TotpsCalls are the calls of totps.
type TotpsCalls struct {
	client *Client
}

func newTotpsCalls(c *Client) *TotpsCalls {
	calls := &TotpsCalls{client: c}
	return calls
}

// TransfersCalls are the calls of transfers.
type TransfersCalls struct {
	client *Client
}

func newTransfersCalls(c *Client) *TransfersCalls {
	calls := &TransfersCalls{client: c}
	return calls
}

// WalletsDepositsCalls are the calls of wallets.deposits.
type WalletsDepositsCalls struct {
	client *Client
}

func newWalletsDepositsCalls(c *Client) *WalletsDepositsCalls {
	calls := &WalletsDepositsCalls{client: c}
	return calls
}

// WalletsRegistrationsCalls are the calls of wallets.registrations.
type WalletsRegistrationsCalls struct {
	client *Client
}

func newWalletsRegistrationsCalls(c *Client) *WalletsRegistrationsCalls {
	calls := &WalletsRegistrationsCalls{client: c}
	return calls
}

// WalletsSiweCalls are the calls of wallets.siwe.
type WalletsSiweCalls struct {
	client *Client
}

func newWalletsSiweCalls(c *Client) *WalletsSiweCalls {
	calls := &WalletsSiweCalls{client: c}
	return calls
}

// WalletsCalls are the calls of wallets.
type WalletsCalls struct {
	client *Client

	Deposits *WalletsDepositsCalls

	Registrations *WalletsRegistrationsCalls

	Siwe *WalletsSiweCalls
}

func newWalletsCalls(c *Client) *WalletsCalls {
	calls := &WalletsCalls{client: c}
	calls.Deposits = newWalletsDepositsCalls(c)
	calls.Registrations = newWalletsRegistrationsCalls(c)
	calls.Siwe = newWalletsSiweCalls(c)
	return calls
}

// WebhookEndpointsDeliveriesCalls are the calls of webhookEndpoints.deliveries.
type WebhookEndpointsDeliveriesCalls struct {
	client *Client
}

func newWebhookEndpointsDeliveriesCalls(c *Client) *WebhookEndpointsDeliveriesCalls {
	calls := &WebhookEndpointsDeliveriesCalls{client: c}
	return calls
}

// WebhookEndpointsCalls are the calls of webhookEndpoints.
type WebhookEndpointsCalls struct {
	client *Client

	Deliveries *WebhookEndpointsDeliveriesCalls
}

func newWebhookEndpointsCalls(c *Client) *WebhookEndpointsCalls {
	calls := &WebhookEndpointsCalls{client: c}
	calls.Deliveries = newWebhookEndpointsDeliveriesCalls(c)
	return calls
}

// Client has the calls of one service by resource, such as client.Users.Create.
type Client struct {
	options Options

	Management *ManagementCalls

	OauthConnections *OauthConnectionsCalls

	Oauth2 *Oauth2Calls

	Networks *NetworksCalls

	Events *EventsCalls

	EventTypes *EventTypesCalls

	Users *UsersCalls

	MagicLinks *MagicLinksCalls

	Oauth *OauthCalls

	Otps *OtpsCalls

	Webauthn *WebauthnCalls

	Passwords *PasswordsCalls

	Policies *PoliciesCalls

	Approvals *ApprovalsCalls

	Sessions *SessionsCalls

	Jwks *JwksCalls

	Totps *TotpsCalls

	Transfers *TransfersCalls

	Wallets *WalletsCalls

	WebhookEndpoints *WebhookEndpointsCalls
}

func newClient(options Options) *Client {
	calls := &Client{options: options}
	calls.Management = newManagementCalls(calls)
	calls.OauthConnections = newOauthConnectionsCalls(calls)
	calls.Oauth2 = newOauth2Calls(calls)
	calls.Networks = newNetworksCalls(calls)
	calls.Events = newEventsCalls(calls)
	calls.EventTypes = newEventTypesCalls(calls)
	calls.Users = newUsersCalls(calls)
	calls.MagicLinks = newMagicLinksCalls(calls)
	calls.Oauth = newOauthCalls(calls)
	calls.Otps = newOtpsCalls(calls)
	calls.Webauthn = newWebauthnCalls(calls)
	calls.Passwords = newPasswordsCalls(calls)
	calls.Policies = newPoliciesCalls(calls)
	calls.Approvals = newApprovalsCalls(calls)
	calls.Sessions = newSessionsCalls(calls)
	calls.Jwks = newJwksCalls(calls)
	calls.Totps = newTotpsCalls(calls)
	calls.Transfers = newTransfersCalls(calls)
	calls.Wallets = newWalletsCalls(calls)
	calls.WebhookEndpoints = newWebhookEndpointsCalls(calls)
	return calls
}

// Create: Create an app. POST /management/v1/apps
func (r *ManagementAppsCalls) Create(ctx context.Context, fields *CreateAppRequest, options ...CallOption) (*CreatedAppResponse, error) {
	var result CreatedAppResponse
	err := r.client.Call(ctx, "management.apps.create", nil, fields, &result, options...)
	return &result, err
}

// List: List apps. GET /management/v1/apps
func (r *ManagementAppsCalls) List(ctx context.Context, fields *ManagementAppsListQuery, options ...CallOption) (*AppListResponse, error) {
	var result AppListResponse
	err := r.client.Call(ctx, "management.apps.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps
func (r *ManagementAppsCalls) All(ctx context.Context, fields *ManagementAppsListQuery, options ...CallOption) func(yield func(AppResponse, error) bool) {
	return func(yield func(AppResponse, error) bool) {
		var next ManagementAppsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none AppResponse
				yield(none, err)
				return
			}
			for _, each := range page.Apps {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Apps)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Apps[count-1].ID
			}
		}
	}
}

// Get: Get an app. GET /management/v1/apps/{app_id}
func (r *ManagementAppsCalls) Get(ctx context.Context, appID string, options ...CallOption) (*AppResponse, error) {
	var result AppResponse
	err := r.client.Call(ctx, "management.apps.get", []string{appID}, nil, &result, options...)
	return &result, err
}

// Update: Change an app's settings. PATCH /management/v1/apps/{app_id}
func (r *ManagementAppsCalls) Update(ctx context.Context, appID string, fields *UpdateAppRequest, options ...CallOption) (*AppResponse, error) {
	var result AppResponse
	err := r.client.Call(ctx, "management.apps.update", []string{appID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete an app. DELETE /management/v1/apps/{app_id}
func (r *ManagementAppsCalls) Delete(ctx context.Context, appID string, options ...CallOption) (*DeletedResponse, error) {
	var result DeletedResponse
	err := r.client.Call(ctx, "management.apps.delete", []string{appID}, nil, &result, options...)
	return &result, err
}

// Freeze: Freeze an app. POST /management/v1/apps/{app_id}/freeze
func (r *ManagementAppsCalls) Freeze(ctx context.Context, appID string, options ...CallOption) (*FreezeResponse, error) {
	var result FreezeResponse
	err := r.client.Call(ctx, "management.apps.freeze", []string{appID}, nil, &result, options...)
	return &result, err
}

// Thaw: Thaw an app. POST /management/v1/apps/{app_id}/thaw
func (r *ManagementAppsCalls) Thaw(ctx context.Context, appID string, fields *ApprovableChange, options ...CallOption) (*FreezeResponse, error) {
	var result FreezeResponse
	err := r.client.Call(ctx, "management.apps.thaw", []string{appID}, fields, &result, options...)
	return &result, err
}

// Import: Import users into an app. POST /management/v1/apps/{app_id}/users/import
func (r *ManagementAppsUsersCalls) Import(ctx context.Context, appID string, fields *ImportUsersRequest, options ...CallOption) (*ImportUsersResponse, error) {
	var result ImportUsersResponse
	err := r.client.Call(ctx, "management.apps.users.import", []string{appID}, fields, &result, options...)
	return &result, err
}

// Create: Create a user of an app. POST /management/v1/apps/{app_id}/users
func (r *ManagementAppsUsersCalls) Create(ctx context.Context, appID string, fields *CreateUserRequest, options ...CallOption) (*CreateUserResponse, error) {
	var result CreateUserResponse
	err := r.client.Call(ctx, "management.apps.users.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List an app's users. GET /management/v1/apps/{app_id}/users
func (r *ManagementAppsUsersCalls) List(ctx context.Context, appID string, fields *ManagementAppsUsersListQuery, options ...CallOption) (*ManagedUserListResponse, error) {
	var result ManagedUserListResponse
	err := r.client.Call(ctx, "management.apps.users.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/users
func (r *ManagementAppsUsersCalls) All(ctx context.Context, appID string, fields *ManagementAppsUsersListQuery, options ...CallOption) func(yield func(UserResponse, error) bool) {
	return func(yield func(UserResponse, error) bool) {
		var next ManagementAppsUsersListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none UserResponse
				yield(none, err)
				return
			}
			for _, each := range page.Users {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Users)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Users[count-1].UserID
			}
		}
	}
}

// Search: Search an app's users. POST /management/v1/apps/{app_id}/users/search
func (r *ManagementAppsUsersCalls) Search(ctx context.Context, appID string, fields *SearchUsersRequest, options ...CallOption) (*SearchUsersResponse, error) {
	var result SearchUsersResponse
	err := r.client.Call(ctx, "management.apps.users.search", []string{appID}, fields, &result, options...)
	return &result, err
}

// SearchAll goes through all elements, page by page. POST /management/v1/apps/{app_id}/users/search
func (r *ManagementAppsUsersCalls) SearchAll(ctx context.Context, appID string, fields *SearchUsersRequest, options ...CallOption) func(yield func(UserResponse, error) bool) {
	return func(yield func(UserResponse, error) bool) {
		var next SearchUsersRequest
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.Search(ctx, appID, &next, options...)
			if err != nil {
				var none UserResponse
				yield(none, err)
				return
			}
			for _, each := range page.Users {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Users)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Users[count-1].UserID
			}
		}
	}
}

// Get: Get a user of an app. GET /management/v1/apps/{app_id}/users/{user_id}
func (r *ManagementAppsUsersCalls) Get(ctx context.Context, appID string, userID string, options ...CallOption) (*ManagedUserResponse, error) {
	var result ManagedUserResponse
	err := r.client.Call(ctx, "management.apps.users.get", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Update: Change a user of an app. PATCH /management/v1/apps/{app_id}/users/{user_id}
func (r *ManagementAppsUsersCalls) Update(ctx context.Context, appID string, userID string, fields *UpdateManagedUserRequest, options ...CallOption) (*UserResponse, error) {
	var result UserResponse
	err := r.client.Call(ctx, "management.apps.users.update", []string{appID, userID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a user of an app. DELETE /management/v1/apps/{app_id}/users/{user_id}
func (r *ManagementAppsUsersCalls) Delete(ctx context.Context, appID string, userID string, options ...CallOption) (*UserDeletionResponse, error) {
	var result UserDeletionResponse
	err := r.client.Call(ctx, "management.apps.users.delete", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Unlock: Unlock the codes of a user. POST /management/v1/apps/{app_id}/users/{user_id}/unlock
func (r *ManagementAppsUsersCalls) Unlock(ctx context.Context, appID string, userID string, options ...CallOption) (*UnlockedUserResponse, error) {
	var result UnlockedUserResponse
	err := r.client.Call(ctx, "management.apps.users.unlock", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Deactivate: Deactivate a user. POST /management/v1/apps/{app_id}/users/{user_id}/deactivate
func (r *ManagementAppsUsersCalls) Deactivate(ctx context.Context, appID string, userID string, options ...CallOption) (*UserResponse, error) {
	var result UserResponse
	err := r.client.Call(ctx, "management.apps.users.deactivate", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Reactivate: Reactivate a user. POST /management/v1/apps/{app_id}/users/{user_id}/reactivate
func (r *ManagementAppsUsersCalls) Reactivate(ctx context.Context, appID string, userID string, options ...CallOption) (*UserResponse, error) {
	var result UserResponse
	err := r.client.Call(ctx, "management.apps.users.reactivate", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Invite: Invite a user to an app. POST /management/v1/apps/{app_id}/users/invite
func (r *ManagementAppsUsersCalls) Invite(ctx context.Context, appID string, fields *InviteByMagicLinkRequest, options ...CallOption) (*MailedLinkResponse, error) {
	var result MailedLinkResponse
	err := r.client.Call(ctx, "management.apps.users.invite", []string{appID}, fields, &result, options...)
	return &result, err
}

// Freeze: Freeze a user. POST /management/v1/apps/{app_id}/users/{user_id}/freeze
func (r *ManagementAppsUsersCalls) Freeze(ctx context.Context, appID string, userID string, options ...CallOption) (*UserFreezeResponse, error) {
	var result UserFreezeResponse
	err := r.client.Call(ctx, "management.apps.users.freeze", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Thaw: Thaw a user. POST /management/v1/apps/{app_id}/users/{user_id}/thaw
func (r *ManagementAppsUsersCalls) Thaw(ctx context.Context, appID string, userID string, fields *ApprovableChange, options ...CallOption) (*UserFreezeResponse, error) {
	var result UserFreezeResponse
	err := r.client.Call(ctx, "management.apps.users.thaw", []string{appID, userID}, fields, &result, options...)
	return &result, err
}

// Export: Export all about one person. GET /management/v1/apps/{app_id}/users/{user_id}/export
func (r *ManagementAppsUsersCalls) Export(ctx context.Context, appID string, userID string, options ...CallOption) (*map[string]any, error) {
	var result map[string]any
	err := r.client.Call(ctx, "management.apps.users.export", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Erase: Erase a person. POST /management/v1/apps/{app_id}/users/{user_id}/erase
func (r *ManagementAppsUsersCalls) Erase(ctx context.Context, appID string, userID string, options ...CallOption) (*ErasureResponse, error) {
	var result ErasureResponse
	err := r.client.Call(ctx, "management.apps.users.erase", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// List: List the events of a user. GET /management/v1/apps/{app_id}/users/{user_id}/events
func (r *ManagementAppsUsersEventsCalls) List(ctx context.Context, appID string, userID string, fields *ManagementAppsUsersEventsListQuery, options ...CallOption) (*ListManagedEventsResponse, error) {
	var result ListManagedEventsResponse
	err := r.client.Call(ctx, "management.apps.users.events.list", []string{appID, userID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/users/{user_id}/events
func (r *ManagementAppsUsersEventsCalls) All(ctx context.Context, appID string, userID string, fields *ManagementAppsUsersEventsListQuery, options ...CallOption) func(yield func(EventResponse, error) bool) {
	return func(yield func(EventResponse, error) bool) {
		var next ManagementAppsUsersEventsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, userID, &next, options...)
			if err != nil {
				var none EventResponse
				yield(none, err)
				return
			}
			for _, each := range page.Events {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Events)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Events[count-1].ID
			}
		}
	}
}

// Add: Add an email to a user. POST /management/v1/apps/{app_id}/users/{user_id}/emails
func (r *ManagementAppsUsersEmailsCalls) Add(ctx context.Context, appID string, userID string, fields *AddEmailRequest, options ...CallOption) (*UpdateUserResponse, error) {
	var result UpdateUserResponse
	err := r.client.Call(ctx, "management.apps.users.emails.add", []string{appID, userID}, fields, &result, options...)
	return &result, err
}

// Remove: Remove an email from a user. DELETE /management/v1/apps/{app_id}/users/{user_id}/emails/{email_id}
func (r *ManagementAppsUsersEmailsCalls) Remove(ctx context.Context, appID string, userID string, emailID string, options ...CallOption) (*UserDeletionResponse, error) {
	var result UserDeletionResponse
	err := r.client.Call(ctx, "management.apps.users.emails.remove", []string{appID, userID, emailID}, nil, &result, options...)
	return &result, err
}

// Add: Add a phone number to a user. POST /management/v1/apps/{app_id}/users/{user_id}/phone_numbers
func (r *ManagementAppsUsersPhoneNumbersCalls) Add(ctx context.Context, appID string, userID string, fields *AddPhoneNumberRequest, options ...CallOption) (*UpdateUserResponse, error) {
	var result UpdateUserResponse
	err := r.client.Call(ctx, "management.apps.users.phoneNumbers.add", []string{appID, userID}, fields, &result, options...)
	return &result, err
}

// Remove: Remove a phone number from a user. DELETE /management/v1/apps/{app_id}/users/{user_id}/phone_numbers/{phone_number_id}
func (r *ManagementAppsUsersPhoneNumbersCalls) Remove(ctx context.Context, appID string, userID string, phoneNumberID string, options ...CallOption) (*UserDeletionResponse, error) {
	var result UserDeletionResponse
	err := r.client.Call(ctx, "management.apps.users.phoneNumbers.remove", []string{appID, userID, phoneNumberID}, nil, &result, options...)
	return &result, err
}

// CancelRecovery: Cancel the recovery of a user. DELETE /management/v1/apps/{app_id}/users/{user_id}/recovery
func (r *ManagementAppsUsersRecoveryCalls) CancelRecovery(ctx context.Context, appID string, userID string, options ...CallOption) (*CancelledRecoveryResponse, error) {
	var result CancelledRecoveryResponse
	err := r.client.Call(ctx, "management.apps.users.recovery.cancelRecovery", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Begin: Recover the account of a user. POST /management/v1/apps/{app_id}/users/{user_id}/recovery
func (r *ManagementAppsUsersRecoveryCalls) Begin(ctx context.Context, appID string, userID string, fields *ApprovableRecoveryRequest, options ...CallOption) (*RecoveryResponse, error) {
	var result RecoveryResponse
	err := r.client.Call(ctx, "management.apps.users.recovery.begin", []string{appID, userID}, fields, &result, options...)
	return &result, err
}

// Remove: Remove a passkey from a user. DELETE /management/v1/apps/{app_id}/users/{user_id}/webauthn_credentials/{webauthn_credential_id}
func (r *ManagementAppsUsersWebauthnCredentialsCalls) Remove(ctx context.Context, appID string, userID string, webauthnCredentialID string, options ...CallOption) (*PasskeyDeletionResponse, error) {
	var result PasskeyDeletionResponse
	err := r.client.Call(ctx, "management.apps.users.webauthnCredentials.remove", []string{appID, userID, webauthnCredentialID}, nil, &result, options...)
	return &result, err
}

// EraseReceipt: Get the receipt of an erasure. GET /management/v1/apps/{app_id}/users/{user_id}/erase
func (r *ManagementAppsUsersCalls) EraseReceipt(ctx context.Context, appID string, userID string, options ...CallOption) (*ErasureResponse, error) {
	var result ErasureResponse
	err := r.client.Call(ctx, "management.apps.users.erase.receipt", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// EndAll: End all sessions of a user. DELETE /management/v1/apps/{app_id}/users/{user_id}/sessions
func (r *ManagementAppsUsersSessionsCalls) EndAll(ctx context.Context, appID string, userID string, options ...CallOption) (*EndedSessionsResponse, error) {
	var result EndedSessionsResponse
	err := r.client.Call(ctx, "management.apps.users.sessions.endAll", []string{appID, userID}, nil, &result, options...)
	return &result, err
}

// Remove: Remove an authenticator from a user. DELETE /management/v1/apps/{app_id}/users/{user_id}/totps/{totp_id}
func (r *ManagementAppsUsersTotpsCalls) Remove(ctx context.Context, appID string, userID string, totpID string, options ...CallOption) (*TotpDeletionResponse, error) {
	var result TotpDeletionResponse
	err := r.client.Call(ctx, "management.apps.users.totps.remove", []string{appID, userID, totpID}, nil, &result, options...)
	return &result, err
}

// Create: Create a key. POST /management/v1/apps/{app_id}/keys
func (r *ManagementAppsKeysCalls) Create(ctx context.Context, appID string, fields *CreateKeyRequest, options ...CallOption) (*CreatedKeyResponse, error) {
	var result CreatedKeyResponse
	err := r.client.Call(ctx, "management.apps.keys.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List an app's keys. GET /management/v1/apps/{app_id}/keys
func (r *ManagementAppsKeysCalls) List(ctx context.Context, appID string, fields *ManagementAppsKeysListQuery, options ...CallOption) (*KeyListResponse, error) {
	var result KeyListResponse
	err := r.client.Call(ctx, "management.apps.keys.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/keys
func (r *ManagementAppsKeysCalls) All(ctx context.Context, appID string, fields *ManagementAppsKeysListQuery, options ...CallOption) func(yield func(KeyResponse, error) bool) {
	return func(yield func(KeyResponse, error) bool) {
		var next ManagementAppsKeysListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none KeyResponse
				yield(none, err)
				return
			}
			for _, each := range page.Keys {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Keys)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Keys[count-1].ID
			}
		}
	}
}

// Revoke: Revoke a key. DELETE /management/v1/apps/{app_id}/keys/{key_id}
func (r *ManagementAppsKeysCalls) Revoke(ctx context.Context, appID string, keyID string, options ...CallOption) (*DeletedResponse, error) {
	var result DeletedResponse
	err := r.client.Call(ctx, "management.apps.keys.revoke", []string{appID, keyID}, nil, &result, options...)
	return &result, err
}

// Register: Register a redirect URL. POST /management/v1/apps/{app_id}/redirect_urls
func (r *ManagementAppsRedirectUrlsCalls) Register(ctx context.Context, appID string, fields *RegisterRedirectUrlRequest, options ...CallOption) (*RedirectUrlResponse, error) {
	var result RedirectUrlResponse
	err := r.client.Call(ctx, "management.apps.redirectUrls.register", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List an app's redirect URLs. GET /management/v1/apps/{app_id}/redirect_urls
func (r *ManagementAppsRedirectUrlsCalls) List(ctx context.Context, appID string, fields *ManagementAppsRedirectUrlsListQuery, options ...CallOption) (*RedirectUrlListResponse, error) {
	var result RedirectUrlListResponse
	err := r.client.Call(ctx, "management.apps.redirectUrls.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/redirect_urls
func (r *ManagementAppsRedirectUrlsCalls) All(ctx context.Context, appID string, fields *ManagementAppsRedirectUrlsListQuery, options ...CallOption) func(yield func(RedirectUrlResponse, error) bool) {
	return func(yield func(RedirectUrlResponse, error) bool) {
		var next ManagementAppsRedirectUrlsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none RedirectUrlResponse
				yield(none, err)
				return
			}
			for _, each := range page.RedirectUrls {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.RedirectUrls)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.RedirectUrls[count-1].ID
			}
		}
	}
}

// Remove: Remove a redirect URL. DELETE /management/v1/apps/{app_id}/redirect_urls/{rurl_id}
func (r *ManagementAppsRedirectUrlsCalls) Remove(ctx context.Context, appID string, rurlID string, options ...CallOption) (*DeletedResponse, error) {
	var result DeletedResponse
	err := r.client.Call(ctx, "management.apps.redirectUrls.remove", []string{appID, rurlID}, nil, &result, options...)
	return &result, err
}

// Create: Connect an app with an identity provider. POST /management/v1/apps/{app_id}/oauth_connections
func (r *ManagementAppsOauthConnectionsCalls) Create(ctx context.Context, appID string, fields *CreateOauthConnectionRequest, options ...CallOption) (*OauthConnectionResponse, error) {
	var result OauthConnectionResponse
	err := r.client.Call(ctx, "management.apps.oauthConnections.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List the connections of an app. GET /management/v1/apps/{app_id}/oauth_connections
func (r *ManagementAppsOauthConnectionsCalls) List(ctx context.Context, appID string, fields *ManagementAppsOauthConnectionsListQuery, options ...CallOption) (*OauthConnectionListResponse, error) {
	var result OauthConnectionListResponse
	err := r.client.Call(ctx, "management.apps.oauthConnections.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/oauth_connections
func (r *ManagementAppsOauthConnectionsCalls) All(ctx context.Context, appID string, fields *ManagementAppsOauthConnectionsListQuery, options ...CallOption) func(yield func(OauthConnectionResponse, error) bool) {
	return func(yield func(OauthConnectionResponse, error) bool) {
		var next ManagementAppsOauthConnectionsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none OauthConnectionResponse
				yield(none, err)
				return
			}
			for _, each := range page.OauthConnections {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.OauthConnections)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.OauthConnections[count-1].ID
			}
		}
	}
}

// Get: Get a connection of an app. GET /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}
func (r *ManagementAppsOauthConnectionsCalls) Get(ctx context.Context, appID string, oauthconnID string, options ...CallOption) (*OauthConnectionResponse, error) {
	var result OauthConnectionResponse
	err := r.client.Call(ctx, "management.apps.oauthConnections.get", []string{appID, oauthconnID}, nil, &result, options...)
	return &result, err
}

// Update: Change a connection of an app. PATCH /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}
func (r *ManagementAppsOauthConnectionsCalls) Update(ctx context.Context, appID string, oauthconnID string, fields *UpdateOauthConnectionRequest, options ...CallOption) (*OauthConnectionResponse, error) {
	var result OauthConnectionResponse
	err := r.client.Call(ctx, "management.apps.oauthConnections.update", []string{appID, oauthconnID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a connection of an app. DELETE /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}
func (r *ManagementAppsOauthConnectionsCalls) Delete(ctx context.Context, appID string, oauthconnID string, options ...CallOption) (*DeletedResponse, error) {
	var result DeletedResponse
	err := r.client.Call(ctx, "management.apps.oauthConnections.delete", []string{appID, oauthconnID}, nil, &result, options...)
	return &result, err
}

// Test: Test a connection. POST /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test
func (r *ManagementAppsOauthConnectionsCalls) Test(ctx context.Context, appID string, oauthconnID string, options ...CallOption) (*ConnectionTestResponse, error) {
	var result ConnectionTestResponse
	err := r.client.Call(ctx, "management.apps.oauthConnections.test", []string{appID, oauthconnID}, nil, &result, options...)
	return &result, err
}

// List: List an app's mails and SMS. GET /management/v1/apps/{app_id}/messages
func (r *ManagementAppsMessagesCalls) List(ctx context.Context, appID string, fields *ManagementAppsMessagesListQuery, options ...CallOption) (*MessageListResponse, error) {
	var result MessageListResponse
	err := r.client.Call(ctx, "management.apps.messages.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/messages
func (r *ManagementAppsMessagesCalls) All(ctx context.Context, appID string, fields *ManagementAppsMessagesListQuery, options ...CallOption) func(yield func(MessageResponse, error) bool) {
	return func(yield func(MessageResponse, error) bool) {
		var next ManagementAppsMessagesListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none MessageResponse
				yield(none, err)
				return
			}
			for _, each := range page.Messages {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Messages)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Messages[count-1].ID
			}
		}
	}
}

// Resend: Send a mail or SMS again. POST /management/v1/apps/{app_id}/messages/{message_id}/resend
func (r *ManagementAppsMessagesCalls) Resend(ctx context.Context, appID string, messageID string, options ...CallOption) (*ResentMessageResponse, error) {
	var result ResentMessageResponse
	err := r.client.Call(ctx, "management.apps.messages.resend", []string{appID, messageID}, nil, &result, options...)
	return &result, err
}

// List: List an app's background jobs. GET /management/v1/apps/{app_id}/jobs
func (r *ManagementAppsJobsCalls) List(ctx context.Context, appID string, fields *ManagementAppsJobsListQuery, options ...CallOption) (*JobListResponse, error) {
	var result JobListResponse
	err := r.client.Call(ctx, "management.apps.jobs.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/jobs
func (r *ManagementAppsJobsCalls) All(ctx context.Context, appID string, fields *ManagementAppsJobsListQuery, options ...CallOption) func(yield func(JobResponse, error) bool) {
	return func(yield func(JobResponse, error) bool) {
		var next ManagementAppsJobsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none JobResponse
				yield(none, err)
				return
			}
			for _, each := range page.Jobs {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Jobs)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Jobs[count-1].ID
			}
		}
	}
}

// Retry: Retry a failed job of an app. POST /management/v1/apps/{app_id}/jobs/{job_id}/retry
func (r *ManagementAppsJobsCalls) Retry(ctx context.Context, appID string, jobID string, options ...CallOption) (*JobResponse, error) {
	var result JobResponse
	err := r.client.Call(ctx, "management.apps.jobs.retry", []string{appID, jobID}, nil, &result, options...)
	return &result, err
}

// Preview: Render a preview of a mail template. POST /management/v1/apps/{app_id}/templates/preview
func (r *ManagementAppsTemplatesCalls) Preview(ctx context.Context, appID string, fields *PreviewTemplateRequest, options ...CallOption) (*TemplatePreviewResponse, error) {
	var result TemplatePreviewResponse
	err := r.client.Call(ctx, "management.apps.templates.preview", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List the audit log of an app. GET /management/v1/apps/{app_id}/audit_log
func (r *ManagementAppsAuditLogCalls) List(ctx context.Context, appID string, fields *ManagementAppsAuditLogListQuery, options ...CallOption) (*AuditLogResponse, error) {
	var result AuditLogResponse
	err := r.client.Call(ctx, "management.apps.auditLog.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/audit_log
func (r *ManagementAppsAuditLogCalls) All(ctx context.Context, appID string, fields *ManagementAppsAuditLogListQuery, options ...CallOption) func(yield func(AuditEntryResponse, error) bool) {
	return func(yield func(AuditEntryResponse, error) bool) {
		var next ManagementAppsAuditLogListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none AuditEntryResponse
				yield(none, err)
				return
			}
			for _, each := range page.Entries {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Entries)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Entries[count-1].ID
			}
		}
	}
}

// List: List the refused calls of an app. GET /management/v1/apps/{app_id}/refused_calls
func (r *ManagementAppsRefusedCallsCalls) List(ctx context.Context, appID string, fields *ManagementAppsRefusedCallsListQuery, options ...CallOption) (*RefusedCallsResponse, error) {
	var result RefusedCallsResponse
	err := r.client.Call(ctx, "management.apps.refusedCalls.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/refused_calls
func (r *ManagementAppsRefusedCallsCalls) All(ctx context.Context, appID string, fields *ManagementAppsRefusedCallsListQuery, options ...CallOption) func(yield func(RefusedCallsOfHourResponse, error) bool) {
	return func(yield func(RefusedCallsOfHourResponse, error) bool) {
		var next ManagementAppsRefusedCallsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none RefusedCallsOfHourResponse
				yield(none, err)
				return
			}
			for _, each := range page.RefusedCalls {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.RefusedCalls)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.RefusedCalls[count-1].ID
			}
		}
	}
}

// List: List the grants of an app. GET /management/v1/apps/{app_id}/oauth2/grants
func (r *ManagementAppsOauth2GrantsCalls) List(ctx context.Context, appID string, fields *ManagementAppsOauth2GrantsListQuery, options ...CallOption) (*GrantListResponse, error) {
	var result GrantListResponse
	err := r.client.Call(ctx, "management.apps.oauth2.grants.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/oauth2/grants
func (r *ManagementAppsOauth2GrantsCalls) All(ctx context.Context, appID string, fields *ManagementAppsOauth2GrantsListQuery, options ...CallOption) func(yield func(GrantResponse, error) bool) {
	return func(yield func(GrantResponse, error) bool) {
		var next ManagementAppsOauth2GrantsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none GrantResponse
				yield(none, err)
				return
			}
			for _, each := range page.Grants {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Grants)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Grants[count-1].ID
			}
		}
	}
}

// Revoke: Revoke a grant of a user. DELETE /management/v1/apps/{app_id}/oauth2/grants/{grant_id}
func (r *ManagementAppsOauth2GrantsCalls) Revoke(ctx context.Context, appID string, grantID string, options ...CallOption) (*GrantRevokedResponse, error) {
	var result GrantRevokedResponse
	err := r.client.Call(ctx, "management.apps.oauth2.grants.revoke", []string{appID, grantID}, nil, &result, options...)
	return &result, err
}

// Create: Create an OAuth client. POST /management/v1/apps/{app_id}/oauth_clients
func (r *ManagementAppsOauthClientsCalls) Create(ctx context.Context, appID string, fields *CreateOauthClientRequest, options ...CallOption) (*OauthClientWithSecretResponse, error) {
	var result OauthClientWithSecretResponse
	err := r.client.Call(ctx, "management.apps.oauthClients.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List the OAuth clients of an app. GET /management/v1/apps/{app_id}/oauth_clients
func (r *ManagementAppsOauthClientsCalls) List(ctx context.Context, appID string, fields *ManagementAppsOauthClientsListQuery, options ...CallOption) (*OauthClientListResponse, error) {
	var result OauthClientListResponse
	err := r.client.Call(ctx, "management.apps.oauthClients.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/oauth_clients
func (r *ManagementAppsOauthClientsCalls) All(ctx context.Context, appID string, fields *ManagementAppsOauthClientsListQuery, options ...CallOption) func(yield func(OauthClientResponse, error) bool) {
	return func(yield func(OauthClientResponse, error) bool) {
		var next ManagementAppsOauthClientsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none OauthClientResponse
				yield(none, err)
				return
			}
			for _, each := range page.OauthClients {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.OauthClients)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.OauthClients[count-1].ID
			}
		}
	}
}

// Get: Get an OAuth client. GET /management/v1/apps/{app_id}/oauth_clients/{client_id}
func (r *ManagementAppsOauthClientsCalls) Get(ctx context.Context, appID string, clientID string, options ...CallOption) (*OauthClientResponse, error) {
	var result OauthClientResponse
	err := r.client.Call(ctx, "management.apps.oauthClients.get", []string{appID, clientID}, nil, &result, options...)
	return &result, err
}

// Update: Change an OAuth client. PATCH /management/v1/apps/{app_id}/oauth_clients/{client_id}
func (r *ManagementAppsOauthClientsCalls) Update(ctx context.Context, appID string, clientID string, fields *UpdateOauthClientRequest, options ...CallOption) (*OauthClientResponse, error) {
	var result OauthClientResponse
	err := r.client.Call(ctx, "management.apps.oauthClients.update", []string{appID, clientID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete an OAuth client. DELETE /management/v1/apps/{app_id}/oauth_clients/{client_id}
func (r *ManagementAppsOauthClientsCalls) Delete(ctx context.Context, appID string, clientID string, options ...CallOption) (*OauthClientDeletedResponse, error) {
	var result OauthClientDeletedResponse
	err := r.client.Call(ctx, "management.apps.oauthClients.delete", []string{appID, clientID}, nil, &result, options...)
	return &result, err
}

// RotateSecret: Rotate the secret of an OAuth client. POST /management/v1/apps/{app_id}/oauth_clients/{client_id}/rotate_secret
func (r *ManagementAppsOauthClientsCalls) RotateSecret(ctx context.Context, appID string, clientID string, fields *RotateClientSecretRequest, options ...CallOption) (*ClientSecretResponse, error) {
	var result ClientSecretResponse
	err := r.client.Call(ctx, "management.apps.oauthClients.rotateSecret", []string{appID, clientID}, fields, &result, options...)
	return &result, err
}

// Create: Register a resource. POST /management/v1/apps/{app_id}/resources
func (r *ManagementAppsResourcesCalls) Create(ctx context.Context, appID string, fields *CreateOauthResourceRequest, options ...CallOption) (*OauthResourceResponse, error) {
	var result OauthResourceResponse
	err := r.client.Call(ctx, "management.apps.resources.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List the resources of an app. GET /management/v1/apps/{app_id}/resources
func (r *ManagementAppsResourcesCalls) List(ctx context.Context, appID string, fields *ManagementAppsResourcesListQuery, options ...CallOption) (*OauthResourceListResponse, error) {
	var result OauthResourceListResponse
	err := r.client.Call(ctx, "management.apps.resources.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/resources
func (r *ManagementAppsResourcesCalls) All(ctx context.Context, appID string, fields *ManagementAppsResourcesListQuery, options ...CallOption) func(yield func(OauthResourceResponse, error) bool) {
	return func(yield func(OauthResourceResponse, error) bool) {
		var next ManagementAppsResourcesListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none OauthResourceResponse
				yield(none, err)
				return
			}
			for _, each := range page.Resources {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Resources)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Resources[count-1].ID
			}
		}
	}
}

// Get: Get a resource. GET /management/v1/apps/{app_id}/resources/{resource_id}
func (r *ManagementAppsResourcesCalls) Get(ctx context.Context, appID string, resourceID string, options ...CallOption) (*OauthResourceResponse, error) {
	var result OauthResourceResponse
	err := r.client.Call(ctx, "management.apps.resources.get", []string{appID, resourceID}, nil, &result, options...)
	return &result, err
}

// Update: Change a resource. PATCH /management/v1/apps/{app_id}/resources/{resource_id}
func (r *ManagementAppsResourcesCalls) Update(ctx context.Context, appID string, resourceID string, fields *UpdateOauthResourceRequest, options ...CallOption) (*OauthResourceResponse, error) {
	var result OauthResourceResponse
	err := r.client.Call(ctx, "management.apps.resources.update", []string{appID, resourceID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a resource. DELETE /management/v1/apps/{app_id}/resources/{resource_id}
func (r *ManagementAppsResourcesCalls) Delete(ctx context.Context, appID string, resourceID string, options ...CallOption) (*OauthResourceDeletedResponse, error) {
	var result OauthResourceDeletedResponse
	err := r.client.Call(ctx, "management.apps.resources.delete", []string{appID, resourceID}, nil, &result, options...)
	return &result, err
}

// Latest: List the latest events of an app. GET /management/v1/apps/{app_id}/events
func (r *ManagementAppsEventsCalls) Latest(ctx context.Context, appID string, fields *ManagementAppsEventsLatestQuery, options ...CallOption) (*ListManagedEventsResponse, error) {
	var result ListManagedEventsResponse
	err := r.client.Call(ctx, "management.apps.events.latest", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/events
func (r *ManagementAppsEventsCalls) All(ctx context.Context, appID string, fields *ManagementAppsEventsLatestQuery, options ...CallOption) func(yield func(EventResponse, error) bool) {
	return func(yield func(EventResponse, error) bool) {
		var next ManagementAppsEventsLatestQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.Latest(ctx, appID, &next, options...)
			if err != nil {
				var none EventResponse
				yield(none, err)
				return
			}
			for _, each := range page.Events {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Events)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Events[count-1].ID
			}
		}
	}
}

// List: Get statistics of an app. GET /management/v1/apps/{app_id}/statistics
func (r *ManagementAppsStatisticsCalls) List(ctx context.Context, appID string, fields *ManagementAppsStatisticsListQuery, options ...CallOption) (*StatisticsResponse, error) {
	var result StatisticsResponse
	err := r.client.Call(ctx, "management.apps.statistics.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// List: List the policies of an app. GET /management/v1/apps/{app_id}/policies
func (r *ManagementAppsPoliciesCalls) List(ctx context.Context, appID string, fields *ManagementAppsPoliciesListQuery, options ...CallOption) (*PolicyListResponse, error) {
	var result PolicyListResponse
	err := r.client.Call(ctx, "management.apps.policies.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/policies
func (r *ManagementAppsPoliciesCalls) All(ctx context.Context, appID string, fields *ManagementAppsPoliciesListQuery, options ...CallOption) func(yield func(PolicyResponse, error) bool) {
	return func(yield func(PolicyResponse, error) bool) {
		var next ManagementAppsPoliciesListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none PolicyResponse
				yield(none, err)
				return
			}
			for _, each := range page.Policies {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Policies)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Policies[count-1].ID
			}
		}
	}
}

// Create: Create a version of a policy. POST /management/v1/apps/{app_id}/policies
func (r *ManagementAppsPoliciesCalls) Create(ctx context.Context, appID string, fields *CreatePolicyRequest, options ...CallOption) (*PolicyResponse, error) {
	var result PolicyResponse
	err := r.client.Call(ctx, "management.apps.policies.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// Get: Get a policy. GET /management/v1/apps/{app_id}/policies/{policy_id}
func (r *ManagementAppsPoliciesCalls) Get(ctx context.Context, appID string, policyID string, options ...CallOption) (*PolicyDetailsResponse, error) {
	var result PolicyDetailsResponse
	err := r.client.Call(ctx, "management.apps.policies.get", []string{appID, policyID}, nil, &result, options...)
	return &result, err
}

// Activate: Activate a version of a policy. POST /management/v1/apps/{app_id}/policies/{policy_id}/activate
func (r *ManagementAppsPoliciesCalls) Activate(ctx context.Context, appID string, policyID string, fields *ApprovableChange, options ...CallOption) (*PolicyResponse, error) {
	var result PolicyResponse
	err := r.client.Call(ctx, "management.apps.policies.activate", []string{appID, policyID}, fields, &result, options...)
	return &result, err
}

// Retire: Retire a version of a policy. POST /management/v1/apps/{app_id}/policies/{policy_id}/retire
func (r *ManagementAppsPoliciesCalls) Retire(ctx context.Context, appID string, policyID string, fields *ApprovableChange, options ...CallOption) (*PolicyResponse, error) {
	var result PolicyResponse
	err := r.client.Call(ctx, "management.apps.policies.retire", []string{appID, policyID}, fields, &result, options...)
	return &result, err
}

// Evaluate: Evaluate the policies. POST /management/v1/apps/{app_id}/policies/evaluate
func (r *ManagementAppsPoliciesCalls) Evaluate(ctx context.Context, appID string, fields *EvaluateRequest, options ...CallOption) (*EvaluateResponse, error) {
	var result EvaluateResponse
	err := r.client.Call(ctx, "management.apps.policies.evaluate", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List the decisions of policies. GET /management/v1/apps/{app_id}/policies/decisions
func (r *ManagementAppsPoliciesDecisionsCalls) List(ctx context.Context, appID string, fields *ManagementAppsPoliciesDecisionsListQuery, options ...CallOption) (*DecisionListResponse, error) {
	var result DecisionListResponse
	err := r.client.Call(ctx, "management.apps.policies.decisions.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/policies/decisions
func (r *ManagementAppsPoliciesDecisionsCalls) All(ctx context.Context, appID string, fields *ManagementAppsPoliciesDecisionsListQuery, options ...CallOption) func(yield func(DecisionResponse, error) bool) {
	return func(yield func(DecisionResponse, error) bool) {
		var next ManagementAppsPoliciesDecisionsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none DecisionResponse
				yield(none, err)
				return
			}
			for _, each := range page.Decisions {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Decisions)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Decisions[count-1].ID
			}
		}
	}
}

// List: List the approvals of an app. GET /management/v1/apps/{app_id}/approvals
func (r *ManagementAppsApprovalsCalls) List(ctx context.Context, appID string, fields *ManagementAppsApprovalsListQuery, options ...CallOption) (*ApprovalListResponse, error) {
	var result ApprovalListResponse
	err := r.client.Call(ctx, "management.apps.approvals.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/approvals
func (r *ManagementAppsApprovalsCalls) All(ctx context.Context, appID string, fields *ManagementAppsApprovalsListQuery, options ...CallOption) func(yield func(ApprovalResponse, error) bool) {
	return func(yield func(ApprovalResponse, error) bool) {
		var next ManagementAppsApprovalsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none ApprovalResponse
				yield(none, err)
				return
			}
			for _, each := range page.Approvals {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Approvals)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Approvals[count-1].ID
			}
		}
	}
}

// Get: Get an approval. GET /management/v1/apps/{app_id}/approvals/{appr_id}
func (r *ManagementAppsApprovalsCalls) Get(ctx context.Context, appID string, apprID string, options ...CallOption) (*ApprovalResponse, error) {
	var result ApprovalResponse
	err := r.client.Call(ctx, "management.apps.approvals.get", []string{appID, apprID}, nil, &result, options...)
	return &result, err
}

// Begin: Begin a vote. POST /management/v1/apps/{app_id}/approvals/{appr_id}/begin
func (r *ManagementAppsApprovalsCalls) Begin(ctx context.Context, appID string, apprID string, fields *BeginVoteRequest, options ...CallOption) (*BegunPasskeySignInResponse, error) {
	var result BegunPasskeySignInResponse
	err := r.client.Call(ctx, "management.apps.approvals.begin", []string{appID, apprID}, fields, &result, options...)
	return &result, err
}

// Approve: Approve a request. POST /management/v1/apps/{app_id}/approvals/{appr_id}/approve
func (r *ManagementAppsApprovalsCalls) Approve(ctx context.Context, appID string, apprID string, fields *VoteRequest, options ...CallOption) (*ApprovalResponse, error) {
	var result ApprovalResponse
	err := r.client.Call(ctx, "management.apps.approvals.approve", []string{appID, apprID}, fields, &result, options...)
	return &result, err
}

// Reject: Reject a request. POST /management/v1/apps/{app_id}/approvals/{appr_id}/reject
func (r *ManagementAppsApprovalsCalls) Reject(ctx context.Context, appID string, apprID string, fields *VoteRequest, options ...CallOption) (*ApprovalResponse, error) {
	var result ApprovalResponse
	err := r.client.Call(ctx, "management.apps.approvals.reject", []string{appID, apprID}, fields, &result, options...)
	return &result, err
}

// Create: Create an approver group. POST /management/v1/apps/{app_id}/approver_groups
func (r *ManagementAppsApproverGroupsCalls) Create(ctx context.Context, appID string, fields *CreateApproverGroupRequest, options ...CallOption) (*ApproverGroupResponse, error) {
	var result ApproverGroupResponse
	err := r.client.Call(ctx, "management.apps.approverGroups.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List the approver groups of an app. GET /management/v1/apps/{app_id}/approver_groups
func (r *ManagementAppsApproverGroupsCalls) List(ctx context.Context, appID string, fields *ManagementAppsApproverGroupsListQuery, options ...CallOption) (*ApproverGroupListResponse, error) {
	var result ApproverGroupListResponse
	err := r.client.Call(ctx, "management.apps.approverGroups.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/approver_groups
func (r *ManagementAppsApproverGroupsCalls) All(ctx context.Context, appID string, fields *ManagementAppsApproverGroupsListQuery, options ...CallOption) func(yield func(ApproverGroupResponse, error) bool) {
	return func(yield func(ApproverGroupResponse, error) bool) {
		var next ManagementAppsApproverGroupsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none ApproverGroupResponse
				yield(none, err)
				return
			}
			for _, each := range page.ApproverGroups {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.ApproverGroups)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.ApproverGroups[count-1].ID
			}
		}
	}
}

// Get: Get an approver group. GET /management/v1/apps/{app_id}/approver_groups/{agrp_id}
func (r *ManagementAppsApproverGroupsCalls) Get(ctx context.Context, appID string, agrpID string, options ...CallOption) (*ApproverGroupResponse, error) {
	var result ApproverGroupResponse
	err := r.client.Call(ctx, "management.apps.approverGroups.get", []string{appID, agrpID}, nil, &result, options...)
	return &result, err
}

// Update: Change an approver group. PATCH /management/v1/apps/{app_id}/approver_groups/{agrp_id}
func (r *ManagementAppsApproverGroupsCalls) Update(ctx context.Context, appID string, agrpID string, fields *UpdateApproverGroupRequest, options ...CallOption) (*ApproverGroupResponse, error) {
	var result ApproverGroupResponse
	err := r.client.Call(ctx, "management.apps.approverGroups.update", []string{appID, agrpID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete an approver group. DELETE /management/v1/apps/{app_id}/approver_groups/{agrp_id}
func (r *ManagementAppsApproverGroupsCalls) Delete(ctx context.Context, appID string, agrpID string, options ...CallOption) (*ApproverGroupDeletedResponse, error) {
	var result ApproverGroupDeletedResponse
	err := r.client.Call(ctx, "management.apps.approverGroups.delete", []string{appID, agrpID}, nil, &result, options...)
	return &result, err
}

// Begin: Begin the approval of a passkey. POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/begin
func (r *ManagementAppsApproverGroupsPasskeysCalls) Begin(ctx context.Context, appID string, agrpID string, webauthnID string, fields *BeginPasskeyApprovalRequest, options ...CallOption) (*BegunPasskeySignInResponse, error) {
	var result BegunPasskeySignInResponse
	err := r.client.Call(ctx, "management.apps.approverGroups.passkeys.begin", []string{appID, agrpID, webauthnID}, fields, &result, options...)
	return &result, err
}

// Approve: Approve a passkey. POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/approve
func (r *ManagementAppsApproverGroupsPasskeysCalls) Approve(ctx context.Context, appID string, agrpID string, webauthnID string, fields *VoteRequest, options ...CallOption) (*ApprovedPasskeyResponse, error) {
	var result ApprovedPasskeyResponse
	err := r.client.Call(ctx, "management.apps.approverGroups.passkeys.approve", []string{appID, agrpID, webauthnID}, fields, &result, options...)
	return &result, err
}

// List: List an app's sessions. GET /management/v1/apps/{app_id}/sessions
func (r *ManagementAppsSessionsCalls) List(ctx context.Context, appID string, fields *ManagementAppsSessionsListQuery, options ...CallOption) (*ManagedSessionListResponse, error) {
	var result ManagedSessionListResponse
	err := r.client.Call(ctx, "management.apps.sessions.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/sessions
func (r *ManagementAppsSessionsCalls) All(ctx context.Context, appID string, fields *ManagementAppsSessionsListQuery, options ...CallOption) func(yield func(ManagedSession, error) bool) {
	return func(yield func(ManagedSession, error) bool) {
		var next ManagementAppsSessionsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none ManagedSession
				yield(none, err)
				return
			}
			for _, each := range page.Sessions {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Sessions)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Sessions[count-1].ID
			}
		}
	}
}

// End: End a session. DELETE /management/v1/apps/{app_id}/sessions/{sess_id}
func (r *ManagementAppsSessionsCalls) End(ctx context.Context, appID string, sessID string, options ...CallOption) (*EndedSessionResponse, error) {
	var result EndedSessionResponse
	err := r.client.Call(ctx, "management.apps.sessions.end", []string{appID, sessID}, nil, &result, options...)
	return &result, err
}

// List: List an app's transfers. GET /management/v1/apps/{app_id}/transfers
func (r *ManagementAppsTransfersCalls) List(ctx context.Context, appID string, fields *ManagementAppsTransfersListQuery, options ...CallOption) (*ManagedTransferListResponse, error) {
	var result ManagedTransferListResponse
	err := r.client.Call(ctx, "management.apps.transfers.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/transfers
func (r *ManagementAppsTransfersCalls) All(ctx context.Context, appID string, fields *ManagementAppsTransfersListQuery, options ...CallOption) func(yield func(ManagedTransferResponse, error) bool) {
	return func(yield func(ManagedTransferResponse, error) bool) {
		var next ManagementAppsTransfersListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none ManagedTransferResponse
				yield(none, err)
				return
			}
			for _, each := range page.Transfers {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Transfers)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Transfers[count-1].ID
			}
		}
	}
}

// Get: Get a transfer of an app. GET /management/v1/apps/{app_id}/transfers/{transfer_id}
func (r *ManagementAppsTransfersCalls) Get(ctx context.Context, appID string, transferID string, options ...CallOption) (*ManagedTransferResponse, error) {
	var result ManagedTransferResponse
	err := r.client.Call(ctx, "management.apps.transfers.get", []string{appID, transferID}, nil, &result, options...)
	return &result, err
}

// Cancel: Cancel a transfer of an app. POST /management/v1/apps/{app_id}/transfers/{transfer_id}/cancel
func (r *ManagementAppsTransfersCalls) Cancel(ctx context.Context, appID string, transferID string, options ...CallOption) (*ManagedTransferResponse, error) {
	var result ManagedTransferResponse
	err := r.client.Call(ctx, "management.apps.transfers.cancel", []string{appID, transferID}, nil, &result, options...)
	return &result, err
}

// Get: Get a wallet of an app. GET /management/v1/apps/{app_id}/wallets/{wallet_id}
func (r *ManagementAppsWalletsCalls) Get(ctx context.Context, appID string, walletID string, options ...CallOption) (*ManagedWalletResponse, error) {
	var result ManagedWalletResponse
	err := r.client.Call(ctx, "management.apps.wallets.get", []string{appID, walletID}, nil, &result, options...)
	return &result, err
}

// List: List an app's wallets. GET /management/v1/apps/{app_id}/wallets
func (r *ManagementAppsWalletsCalls) List(ctx context.Context, appID string, fields *ManagementAppsWalletsListQuery, options ...CallOption) (*ListWalletsResponse, error) {
	var result ListWalletsResponse
	err := r.client.Call(ctx, "management.apps.wallets.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/wallets
func (r *ManagementAppsWalletsCalls) All(ctx context.Context, appID string, fields *ManagementAppsWalletsListQuery, options ...CallOption) func(yield func(WalletResponse, error) bool) {
	return func(yield func(WalletResponse, error) bool) {
		var next ManagementAppsWalletsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none WalletResponse
				yield(none, err)
				return
			}
			for _, each := range page.Wallets {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Wallets)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Wallets[count-1].ID
			}
		}
	}
}

// Freeze: Freeze a wallet. POST /management/v1/apps/{app_id}/wallets/{wallet_id}/freeze
func (r *ManagementAppsWalletsCalls) Freeze(ctx context.Context, appID string, walletID string, options ...CallOption) (*WalletFreezeResponse, error) {
	var result WalletFreezeResponse
	err := r.client.Call(ctx, "management.apps.wallets.freeze", []string{appID, walletID}, nil, &result, options...)
	return &result, err
}

// Thaw: Thaw a wallet. POST /management/v1/apps/{app_id}/wallets/{wallet_id}/thaw
func (r *ManagementAppsWalletsCalls) Thaw(ctx context.Context, appID string, walletID string, fields *ApprovableChange, options ...CallOption) (*WalletFreezeResponse, error) {
	var result WalletFreezeResponse
	err := r.client.Call(ctx, "management.apps.wallets.thaw", []string{appID, walletID}, fields, &result, options...)
	return &result, err
}

// List: List the deposits of a wallet of an app. GET /management/v1/apps/{app_id}/wallets/{wallet_id}/deposits
func (r *ManagementAppsWalletsDepositsCalls) List(ctx context.Context, appID string, walletID string, fields *ManagementAppsWalletsDepositsListQuery, options ...CallOption) (*ManagedDepositListResponse, error) {
	var result ManagedDepositListResponse
	err := r.client.Call(ctx, "management.apps.wallets.deposits.list", []string{appID, walletID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/wallets/{wallet_id}/deposits
func (r *ManagementAppsWalletsDepositsCalls) All(ctx context.Context, appID string, walletID string, fields *ManagementAppsWalletsDepositsListQuery, options ...CallOption) func(yield func(ManagedDepositResponse, error) bool) {
	return func(yield func(ManagedDepositResponse, error) bool) {
		var next ManagementAppsWalletsDepositsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, walletID, &next, options...)
			if err != nil {
				var none ManagedDepositResponse
				yield(none, err)
				return
			}
			for _, each := range page.Deposits {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Deposits)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Deposits[count-1].ID
			}
		}
	}
}

// Create: Create a webhook endpoint. POST /management/v1/apps/{app_id}/webhook_endpoints
func (r *ManagementAppsWebhookEndpointsCalls) Create(ctx context.Context, appID string, fields *CreateWebhookEndpointRequest, options ...CallOption) (*WebhookEndpointWithSecretResponse, error) {
	var result WebhookEndpointWithSecretResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.create", []string{appID}, fields, &result, options...)
	return &result, err
}

// List: List the webhook endpoints of an app. GET /management/v1/apps/{app_id}/webhook_endpoints
func (r *ManagementAppsWebhookEndpointsCalls) List(ctx context.Context, appID string, fields *ManagementAppsWebhookEndpointsListQuery, options ...CallOption) (*WebhookEndpointListResponse, error) {
	var result WebhookEndpointListResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.list", []string{appID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/webhook_endpoints
func (r *ManagementAppsWebhookEndpointsCalls) All(ctx context.Context, appID string, fields *ManagementAppsWebhookEndpointsListQuery, options ...CallOption) func(yield func(WebhookEndpointResponse, error) bool) {
	return func(yield func(WebhookEndpointResponse, error) bool) {
		var next ManagementAppsWebhookEndpointsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, &next, options...)
			if err != nil {
				var none WebhookEndpointResponse
				yield(none, err)
				return
			}
			for _, each := range page.WebhookEndpoints {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.WebhookEndpoints)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.WebhookEndpoints[count-1].ID
			}
		}
	}
}

// Get: Get a webhook endpoint. GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}
func (r *ManagementAppsWebhookEndpointsCalls) Get(ctx context.Context, appID string, whkID string, options ...CallOption) (*WebhookEndpointResponse, error) {
	var result WebhookEndpointResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.get", []string{appID, whkID}, nil, &result, options...)
	return &result, err
}

// Update: Change a webhook endpoint. PATCH /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}
func (r *ManagementAppsWebhookEndpointsCalls) Update(ctx context.Context, appID string, whkID string, fields *UpdateWebhookEndpointRequest, options ...CallOption) (*WebhookEndpointResponse, error) {
	var result WebhookEndpointResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.update", []string{appID, whkID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a webhook endpoint. DELETE /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}
func (r *ManagementAppsWebhookEndpointsCalls) Delete(ctx context.Context, appID string, whkID string, options ...CallOption) (*WebhookEndpointDeletedResponse, error) {
	var result WebhookEndpointDeletedResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.delete", []string{appID, whkID}, nil, &result, options...)
	return &result, err
}

// RotateSecret: Replace the secret of a webhook endpoint. POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/rotate_secret
func (r *ManagementAppsWebhookEndpointsCalls) RotateSecret(ctx context.Context, appID string, whkID string, fields *RotateWebhookSecretRequest, options ...CallOption) (*WebhookEndpointWithSecretResponse, error) {
	var result WebhookEndpointWithSecretResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.rotateSecret", []string{appID, whkID}, fields, &result, options...)
	return &result, err
}

// Test: Test a webhook endpoint. POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/test
func (r *ManagementAppsWebhookEndpointsCalls) Test(ctx context.Context, appID string, whkID string, options ...CallOption) (*WebhookTestQueuedResponse, error) {
	var result WebhookTestQueuedResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.test", []string{appID, whkID}, nil, &result, options...)
	return &result, err
}

// Recover: Send missed events again. POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/recover
func (r *ManagementAppsWebhookEndpointsCalls) Recover(ctx context.Context, appID string, whkID string, fields *RecoverWebhooksRequest, options ...CallOption) (*WebhookQueuedResponse, error) {
	var result WebhookQueuedResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.recover", []string{appID, whkID}, fields, &result, options...)
	return &result, err
}

// List: List the deliveries to a webhook endpoint. GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries
func (r *ManagementAppsWebhookEndpointsDeliveriesCalls) List(ctx context.Context, appID string, whkID string, fields *ManagementAppsWebhookEndpointsDeliveriesListQuery, options ...CallOption) (*WebhookDeliveryListResponse, error) {
	var result WebhookDeliveryListResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.deliveries.list", []string{appID, whkID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries
func (r *ManagementAppsWebhookEndpointsDeliveriesCalls) All(ctx context.Context, appID string, whkID string, fields *ManagementAppsWebhookEndpointsDeliveriesListQuery, options ...CallOption) func(yield func(WebhookDeliveryResponse, error) bool) {
	return func(yield func(WebhookDeliveryResponse, error) bool) {
		var next ManagementAppsWebhookEndpointsDeliveriesListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, appID, whkID, &next, options...)
			if err != nil {
				var none WebhookDeliveryResponse
				yield(none, err)
				return
			}
			for _, each := range page.Deliveries {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Deliveries)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Deliveries[count-1].ID
			}
		}
	}
}

// Resend: Send an event again. POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries/{whd_id}/resend
func (r *ManagementAppsWebhookEndpointsDeliveriesCalls) Resend(ctx context.Context, appID string, whkID string, whdID string, options ...CallOption) (*WebhookDeliveryQueuedResponse, error) {
	var result WebhookDeliveryQueuedResponse
	err := r.client.Call(ctx, "management.apps.webhookEndpoints.deliveries.resend", []string{appID, whkID, whdID}, nil, &result, options...)
	return &result, err
}

// Begin: Sign a browser in. POST /management/v1/session
func (r *ManagementSessionCalls) Begin(ctx context.Context, options ...CallOption) (*ManagementSessionResponse, error) {
	var result ManagementSessionResponse
	err := r.client.Call(ctx, "management.session.begin", nil, nil, &result, options...)
	return &result, err
}

// Get: Get the current session. GET /management/v1/session
func (r *ManagementSessionCalls) Get(ctx context.Context, options ...CallOption) (*ManagementSessionResponse, error) {
	var result ManagementSessionResponse
	err := r.client.Call(ctx, "management.session.get", nil, nil, &result, options...)
	return &result, err
}

// End: Sign a browser out. DELETE /management/v1/session
func (r *ManagementSessionCalls) End(ctx context.Context, options ...CallOption) (*EndedManagementSessionResponse, error) {
	var result EndedManagementSessionResponse
	err := r.client.Call(ctx, "management.session.end", nil, nil, &result, options...)
	return &result, err
}

// List: List the browser sessions of operators. GET /management/v1/sessions
func (r *ManagementSessionsCalls) List(ctx context.Context, options ...CallOption) (*ManagementSessionListResponse, error) {
	var result ManagementSessionListResponse
	err := r.client.Call(ctx, "management.sessions.list", nil, nil, &result, options...)
	return &result, err
}

// Get: Get the key storage of the service. GET /management/v1/key_storage
func (r *ManagementKeyStorageCalls) Get(ctx context.Context, options ...CallOption) (*KeyStorageResponse, error) {
	var result KeyStorageResponse
	err := r.client.Call(ctx, "management.keyStorage.get", nil, nil, &result, options...)
	return &result, err
}

// List: List the audit log of the service. GET /management/v1/audit_log
func (r *ManagementAuditLogCalls) List(ctx context.Context, fields *ManagementAuditLogListQuery, options ...CallOption) (*AuditLogResponse, error) {
	var result AuditLogResponse
	err := r.client.Call(ctx, "management.auditLog.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /management/v1/audit_log
func (r *ManagementAuditLogCalls) All(ctx context.Context, fields *ManagementAuditLogListQuery, options ...CallOption) func(yield func(AuditEntryResponse, error) bool) {
	return func(yield func(AuditEntryResponse, error) bool) {
		var next ManagementAuditLogListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none AuditEntryResponse
				yield(none, err)
				return
			}
			for _, each := range page.Entries {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Entries)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Entries[count-1].ID
			}
		}
	}
}

// List: List the networks of the service. GET /management/v1/networks
func (r *ManagementNetworksCalls) List(ctx context.Context, options ...CallOption) (*ManagedNetworkListResponse, error) {
	var result ManagedNetworkListResponse
	err := r.client.Call(ctx, "management.networks.list", nil, nil, &result, options...)
	return &result, err
}

// Create: Connect an app with an identity provider. POST /v1/auth/oauth_connections/create
func (r *OauthConnectionsCalls) Create(ctx context.Context, fields *CreateOauthConnectionRequest, options ...CallOption) (*OauthConnectionResponse, error) {
	var result OauthConnectionResponse
	err := r.client.Call(ctx, "oauthConnections.create", nil, fields, &result, options...)
	return &result, err
}

// List: List the connections of an app. GET /v1/auth/oauth_connections/list
func (r *OauthConnectionsCalls) List(ctx context.Context, fields *OauthConnectionsListQuery, options ...CallOption) (*OauthConnectionListResponse, error) {
	var result OauthConnectionListResponse
	err := r.client.Call(ctx, "oauthConnections.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/auth/oauth_connections/list
func (r *OauthConnectionsCalls) All(ctx context.Context, fields *OauthConnectionsListQuery, options ...CallOption) func(yield func(OauthConnectionResponse, error) bool) {
	return func(yield func(OauthConnectionResponse, error) bool) {
		var next OauthConnectionsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none OauthConnectionResponse
				yield(none, err)
				return
			}
			for _, each := range page.OauthConnections {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.OauthConnections)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.OauthConnections[count-1].ID
			}
		}
	}
}

// Get: Get a connection of an app. GET /v1/auth/oauth_connections/{oauthconn_id}
func (r *OauthConnectionsCalls) Get(ctx context.Context, oauthconnID string, options ...CallOption) (*OauthConnectionResponse, error) {
	var result OauthConnectionResponse
	err := r.client.Call(ctx, "oauthConnections.get", []string{oauthconnID}, nil, &result, options...)
	return &result, err
}

// Update: Change a connection of an app. PUT /v1/auth/oauth_connections/{oauthconn_id}/update
func (r *OauthConnectionsCalls) Update(ctx context.Context, oauthconnID string, fields *UpdateOauthConnectionRequest, options ...CallOption) (*OauthConnectionResponse, error) {
	var result OauthConnectionResponse
	err := r.client.Call(ctx, "oauthConnections.update", []string{oauthconnID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a connection of an app. DELETE /v1/auth/oauth_connections/{oauthconn_id}/delete
func (r *OauthConnectionsCalls) Delete(ctx context.Context, oauthconnID string, options ...CallOption) (*DeletedResponse, error) {
	var result DeletedResponse
	err := r.client.Call(ctx, "oauthConnections.delete", []string{oauthconnID}, nil, &result, options...)
	return &result, err
}

// Get: Get an interaction. GET /v1/oauth2/interactions/{interaction}
func (r *Oauth2InteractionsCalls) Get(ctx context.Context, interaction string, options ...CallOption) (*InteractionResponse, error) {
	var result InteractionResponse
	err := r.client.Call(ctx, "oauth2.interactions.get", []string{interaction}, nil, &result, options...)
	return &result, err
}

// Accept: Accept an interaction. POST /v1/oauth2/interactions/{interaction}/accept
func (r *Oauth2InteractionsCalls) Accept(ctx context.Context, interaction string, fields *AcceptInteractionRequest, options ...CallOption) (*AnsweredInteractionResponse, error) {
	var result AnsweredInteractionResponse
	err := r.client.Call(ctx, "oauth2.interactions.accept", []string{interaction}, fields, &result, options...)
	return &result, err
}

// Reject: Reject an interaction. POST /v1/oauth2/interactions/{interaction}/reject
func (r *Oauth2InteractionsCalls) Reject(ctx context.Context, interaction string, fields *RejectInteractionRequest, options ...CallOption) (*AnsweredInteractionResponse, error) {
	var result AnsweredInteractionResponse
	err := r.client.Call(ctx, "oauth2.interactions.reject", []string{interaction}, fields, &result, options...)
	return &result, err
}

// List: List the grants of a user. GET /v1/oauth2/grants
func (r *Oauth2GrantsCalls) List(ctx context.Context, fields *Oauth2GrantsListQuery, options ...CallOption) (*GrantListResponse, error) {
	var result GrantListResponse
	err := r.client.Call(ctx, "oauth2.grants.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/oauth2/grants
func (r *Oauth2GrantsCalls) All(ctx context.Context, fields *Oauth2GrantsListQuery, options ...CallOption) func(yield func(GrantResponse, error) bool) {
	return func(yield func(GrantResponse, error) bool) {
		var next Oauth2GrantsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none GrantResponse
				yield(none, err)
				return
			}
			for _, each := range page.Grants {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Grants)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Grants[count-1].ID
			}
		}
	}
}

// Revoke: Revoke a grant. DELETE /v1/oauth2/grants/{grant_id}
func (r *Oauth2GrantsCalls) Revoke(ctx context.Context, grantID string, options ...CallOption) (*GrantRevokedResponse, error) {
	var result GrantRevokedResponse
	err := r.client.Call(ctx, "oauth2.grants.revoke", []string{grantID}, nil, &result, options...)
	return &result, err
}

// List: List networks (beta). GET /v1/networks
func (r *NetworksCalls) List(ctx context.Context, options ...CallOption) (*NetworkListResponse, error) {
	var result NetworkListResponse
	err := r.client.Call(ctx, "networks.list", nil, nil, &result, options...)
	return &result, err
}

// List: List the events of the app. GET /v1/events
func (r *EventsCalls) List(ctx context.Context, fields *EventsListQuery, options ...CallOption) (*ListEventsResponse, error) {
	var result ListEventsResponse
	err := r.client.Call(ctx, "events.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/events
func (r *EventsCalls) All(ctx context.Context, fields *EventsListQuery, options ...CallOption) func(yield func(EventResponse, error) bool) {
	return func(yield func(EventResponse, error) bool) {
		var next EventsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none EventResponse
				yield(none, err)
				return
			}
			for _, each := range page.Events {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Events)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.After = &page.Events[count-1].ID
			}
		}
	}
}

// Get: Get an event. GET /v1/events/{event_id}
func (r *EventsCalls) Get(ctx context.Context, eventID string, options ...CallOption) (*EventResponse, error) {
	var result EventResponse
	err := r.client.Call(ctx, "events.get", []string{eventID}, nil, &result, options...)
	return &result, err
}

// List: List the types of events. GET /v1/event_types
func (r *EventTypesCalls) List(ctx context.Context, options ...CallOption) (*ListEventTypesResponse, error) {
	var result ListEventTypesResponse
	err := r.client.Call(ctx, "eventTypes.list", nil, nil, &result, options...)
	return &result, err
}

// Create: Create a user. POST /v1/auth/users/create
func (r *UsersCalls) Create(ctx context.Context, fields *CreateUserRequest, options ...CallOption) (*CreateUserResponse, error) {
	var result CreateUserResponse
	err := r.client.Call(ctx, "users.create", nil, fields, &result, options...)
	return &result, err
}

// Search: Search users. POST /v1/auth/users/search
func (r *UsersCalls) Search(ctx context.Context, fields *SearchUsersRequest, options ...CallOption) (*SearchUsersResponse, error) {
	var result SearchUsersResponse
	err := r.client.Call(ctx, "users.search", nil, fields, &result, options...)
	return &result, err
}

// All goes through all elements, page by page. POST /v1/auth/users/search
func (r *UsersCalls) All(ctx context.Context, fields *SearchUsersRequest, options ...CallOption) func(yield func(UserResponse, error) bool) {
	return func(yield func(UserResponse, error) bool) {
		var next SearchUsersRequest
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.Search(ctx, &next, options...)
			if err != nil {
				var none UserResponse
				yield(none, err)
				return
			}
			for _, each := range page.Users {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Users)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Users[count-1].UserID
			}
		}
	}
}

// Get: Get a user. GET /v1/auth/users/{user_id}
func (r *UsersCalls) Get(ctx context.Context, userID string, options ...CallOption) (*UserResponse, error) {
	var result UserResponse
	err := r.client.Call(ctx, "users.get", []string{userID}, nil, &result, options...)
	return &result, err
}

// Update: Update a user. PUT /v1/auth/users/{user_id}/update
func (r *UsersCalls) Update(ctx context.Context, userID string, fields *UpdateUserRequest, options ...CallOption) (*UpdateUserResponse, error) {
	var result UpdateUserResponse
	err := r.client.Call(ctx, "users.update", []string{userID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a user. DELETE /v1/auth/users/{user_id}/delete
func (r *UsersCalls) Delete(ctx context.Context, userID string, options ...CallOption) (*UserDeletionResponse, error) {
	var result UserDeletionResponse
	err := r.client.Call(ctx, "users.delete", []string{userID}, nil, &result, options...)
	return &result, err
}

// CancelRecovery: Cancel the recovery of a user. DELETE /v1/auth/users/{user_id}/recovery
func (r *UsersRecoveryCalls) CancelRecovery(ctx context.Context, userID string, fields *RemovalRequest, options ...CallOption) (*CancelledRecoveryResponse, error) {
	var result CancelledRecoveryResponse
	err := r.client.Call(ctx, "users.recovery.cancelRecovery", []string{userID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete an email. DELETE /v1/auth/users/emails/{email_id}/delete
func (r *UsersEmailsCalls) Delete(ctx context.Context, emailID string, fields *RemovalRequest, options ...CallOption) (*UserDeletionResponse, error) {
	var result UserDeletionResponse
	err := r.client.Call(ctx, "users.emails.delete", []string{emailID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a phone number. DELETE /v1/auth/users/phone_numbers/{phone_number_id}/delete
func (r *UsersPhoneNumbersCalls) Delete(ctx context.Context, phoneNumberID string, fields *RemovalRequest, options ...CallOption) (*UserDeletionResponse, error) {
	var result UserDeletionResponse
	err := r.client.Call(ctx, "users.phoneNumbers.delete", []string{phoneNumberID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a passkey (beta). DELETE /v1/auth/users/webauthn_credentials/{webauthn_credential_id}/delete
func (r *UsersWebauthnCredentialsCalls) Delete(ctx context.Context, webauthnCredentialID string, fields *RemovalRequest, options ...CallOption) (*PasskeyDeletionResponse, error) {
	var result PasskeyDeletionResponse
	err := r.client.Call(ctx, "users.webauthnCredentials.delete", []string{webauthnCredentialID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a TOTP. DELETE /v1/auth/users/totps/{totp_id}/delete
func (r *UsersTotpsCalls) Delete(ctx context.Context, totpID string, fields *RemovalRequest, options ...CallOption) (*TotpDeletionResponse, error) {
	var result TotpDeletionResponse
	err := r.client.Call(ctx, "users.totps.delete", []string{totpID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a wallet. DELETE /v1/auth/users/wallets/{wallet_id}/delete
func (r *UsersWalletsCalls) Delete(ctx context.Context, walletID string, fields *RemovalRequest, options ...CallOption) (*WalletDeletionResponse, error) {
	var result WalletDeletionResponse
	err := r.client.Call(ctx, "users.wallets.delete", []string{walletID}, fields, &result, options...)
	return &result, err
}

// Create: Create an embeddable magic link. POST /v1/auth/magic_links/create
//
// Deprecated: use Otps.Email.Send.
func (r *MagicLinksCalls) Create(ctx context.Context, fields *CreateMagicLinkRequest, options ...CallOption) (*CreateMagicLinkResponse, error) {
	var result CreateMagicLinkResponse
	err := r.client.Call(ctx, "magicLinks.create", nil, fields, &result, options...)
	return &result, err
}

// Verify: Verify a magic link. POST /v1/auth/magic_links/verify
//
// Deprecated: use Otps.Verify.
func (r *MagicLinksCalls) Verify(ctx context.Context, fields *VerifyMagicLinkRequest, options ...CallOption) (*MagicLinkUserResponse, error) {
	var result MagicLinkUserResponse
	err := r.client.Call(ctx, "magicLinks.verify", nil, fields, &result, options...)
	return &result, err
}

// LoginOrCreate: Log in or create a user by magic link. POST /v1/auth/magic_links/email/login_or_create
//
// Deprecated: use Otps.Email.LoginOrCreate.
func (r *MagicLinksEmailCalls) LoginOrCreate(ctx context.Context, fields *LogInByMagicLinkRequest, options ...CallOption) (*MailedLinkResponse, error) {
	var result MailedLinkResponse
	err := r.client.Call(ctx, "magicLinks.email.loginOrCreate", nil, fields, &result, options...)
	return &result, err
}

// Invite: Invite a user by magic link. POST /v1/auth/magic_links/email/invite
//
// Deprecated: use Otps.Email.LoginOrCreate.
func (r *MagicLinksEmailCalls) Invite(ctx context.Context, fields *InviteByMagicLinkRequest, options ...CallOption) (*MailedLinkResponse, error) {
	var result MailedLinkResponse
	err := r.client.Call(ctx, "magicLinks.email.invite", nil, fields, &result, options...)
	return &result, err
}

// Begin: Begin a login through an identity provider. GET /v1/auth/oauth/{provider}/begin
func (r *OauthCalls) Begin(ctx context.Context, provider string, fields *OauthBeginQuery, options ...CallOption) (*BeginOauthLoginResponse, error) {
	var result BeginOauthLoginResponse
	err := r.client.Call(ctx, "oauth.begin", []string{provider}, fields.query(), &result, options...)
	return &result, err
}

// Verify: Verify an OAuth token. POST /v1/auth/oauth/verify
func (r *OauthCalls) Verify(ctx context.Context, fields *VerifyOauthTokenRequest, options ...CallOption) (*OauthSessionResponse, error) {
	var result OauthSessionResponse
	err := r.client.Call(ctx, "oauth.verify", nil, fields, &result, options...)
	return &result, err
}

// Verify: Verify a passcode. POST /v1/auth/otps/verify
func (r *OtpsCalls) Verify(ctx context.Context, fields *VerifyPasscodeRequest, options ...CallOption) (*VerifiedPasscodeResponse, error) {
	var result VerifiedPasscodeResponse
	err := r.client.Call(ctx, "otps.verify", nil, fields, &result, options...)
	return &result, err
}

// LoginOrCreate: Log in or create a user by an SMS passcode. POST /v1/auth/otps/sms/login_or_create
func (r *OtpsSmsCalls) LoginOrCreate(ctx context.Context, fields *LogInBySmsPasscodeRequest, options ...CallOption) (*SmsPasscodeLoginResponse, error) {
	var result SmsPasscodeLoginResponse
	err := r.client.Call(ctx, "otps.sms.loginOrCreate", nil, fields, &result, options...)
	return &result, err
}

// Send: Send an SMS passcode. POST /v1/auth/otps/sms/send
func (r *OtpsSmsCalls) Send(ctx context.Context, fields *SendSmsPasscodeRequest, options ...CallOption) (*SmsPasscodeResponse, error) {
	var result SmsPasscodeResponse
	err := r.client.Call(ctx, "otps.sms.send", nil, fields, &result, options...)
	return &result, err
}

// LoginOrCreate: Log in or create a user by an email passcode. POST /v1/auth/otps/email/login_or_create
func (r *OtpsEmailCalls) LoginOrCreate(ctx context.Context, fields *LogInByEmailPasscodeRequest, options ...CallOption) (*EmailPasscodeLoginResponse, error) {
	var result EmailPasscodeLoginResponse
	err := r.client.Call(ctx, "otps.email.loginOrCreate", nil, fields, &result, options...)
	return &result, err
}

// Send: Send an email passcode. POST /v1/auth/otps/email/send
func (r *OtpsEmailCalls) Send(ctx context.Context, fields *SendEmailPasscodeRequest, options ...CallOption) (*EmailPasscodeResponse, error) {
	var result EmailPasscodeResponse
	err := r.client.Call(ctx, "otps.email.send", nil, fields, &result, options...)
	return &result, err
}

// Verify: Verify a passkey (beta). POST /v1/auth/webauthn/verify
func (r *WebauthnCalls) Verify(ctx context.Context, fields *VerifyPasskeyRequest, options ...CallOption) (*VerifiedPasskeyResponse, error) {
	var result VerifiedPasskeyResponse
	err := r.client.Call(ctx, "webauthn.verify", nil, fields, &result, options...)
	return &result, err
}

// Begin: Begin the registration of a passkey (beta). POST /v1/auth/webauthn/registrations/begin
func (r *WebauthnRegistrationsCalls) Begin(ctx context.Context, fields *BeginPasskeyRegistrationRequest, options ...CallOption) (*BegunPasskeyRegistrationResponse, error) {
	var result BegunPasskeyRegistrationResponse
	err := r.client.Call(ctx, "webauthn.registrations.begin", nil, fields, &result, options...)
	return &result, err
}

// Create: Register a passkey (beta). POST /v1/auth/webauthn/registrations/create
func (r *WebauthnRegistrationsCalls) Create(ctx context.Context, fields *RegisterPasskeyRequest, options ...CallOption) (*VerifiedPasskeyResponse, error) {
	var result VerifiedPasskeyResponse
	err := r.client.Call(ctx, "webauthn.registrations.create", nil, fields, &result, options...)
	return &result, err
}

// Begin: Begin a sign-in with a passkey (beta). POST /v1/auth/webauthn/authentication/begin
func (r *WebauthnAuthenticationCalls) Begin(ctx context.Context, fields *BeginPasskeySignInRequest, options ...CallOption) (*BegunPasskeySignInResponse, error) {
	var result BegunPasskeySignInResponse
	err := r.client.Call(ctx, "webauthn.authentication.begin", nil, fields, &result, options...)
	return &result, err
}

// List: List the passkeys of a user (beta). GET /v1/auth/webauthn/credentials
func (r *WebauthnCredentialsCalls) List(ctx context.Context, fields *WebauthnCredentialsListQuery, options ...CallOption) (*PasskeyListResponse, error) {
	var result PasskeyListResponse
	err := r.client.Call(ctx, "webauthn.credentials.list", nil, fields.query(), &result, options...)
	return &result, err
}

// Verify: Verify an imported password. POST /v1/auth/passwords/verify
func (r *PasswordsCalls) Verify(ctx context.Context, fields *VerifyPasswordRequest, options ...CallOption) (*VerifiedPasswordResponse, error) {
	var result VerifiedPasswordResponse
	err := r.client.Call(ctx, "passwords.verify", nil, fields, &result, options...)
	return &result, err
}

// List: List the policies of an app. GET /v1/policies
func (r *PoliciesCalls) List(ctx context.Context, fields *PoliciesListQuery, options ...CallOption) (*PolicyListResponse, error) {
	var result PolicyListResponse
	err := r.client.Call(ctx, "policies.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/policies
func (r *PoliciesCalls) All(ctx context.Context, fields *PoliciesListQuery, options ...CallOption) func(yield func(PolicyResponse, error) bool) {
	return func(yield func(PolicyResponse, error) bool) {
		var next PoliciesListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none PolicyResponse
				yield(none, err)
				return
			}
			for _, each := range page.Policies {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Policies)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Policies[count-1].ID
			}
		}
	}
}

// Get: Get a policy. GET /v1/policies/{policy_id}
func (r *PoliciesCalls) Get(ctx context.Context, policyID string, options ...CallOption) (*PolicyDetailsResponse, error) {
	var result PolicyDetailsResponse
	err := r.client.Call(ctx, "policies.get", []string{policyID}, nil, &result, options...)
	return &result, err
}

// List: List the decisions of policies. GET /v1/policies/decisions
func (r *PoliciesDecisionsCalls) List(ctx context.Context, fields *PoliciesDecisionsListQuery, options ...CallOption) (*DecisionListResponse, error) {
	var result DecisionListResponse
	err := r.client.Call(ctx, "policies.decisions.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/policies/decisions
func (r *PoliciesDecisionsCalls) All(ctx context.Context, fields *PoliciesDecisionsListQuery, options ...CallOption) func(yield func(DecisionResponse, error) bool) {
	return func(yield func(DecisionResponse, error) bool) {
		var next PoliciesDecisionsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none DecisionResponse
				yield(none, err)
				return
			}
			for _, each := range page.Decisions {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Decisions)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Decisions[count-1].ID
			}
		}
	}
}

// List: List the approvals of an app. GET /v1/approvals
func (r *ApprovalsCalls) List(ctx context.Context, fields *ApprovalsListQuery, options ...CallOption) (*ApprovalListResponse, error) {
	var result ApprovalListResponse
	err := r.client.Call(ctx, "approvals.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/approvals
func (r *ApprovalsCalls) All(ctx context.Context, fields *ApprovalsListQuery, options ...CallOption) func(yield func(ApprovalResponse, error) bool) {
	return func(yield func(ApprovalResponse, error) bool) {
		var next ApprovalsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none ApprovalResponse
				yield(none, err)
				return
			}
			for _, each := range page.Approvals {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Approvals)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Approvals[count-1].ID
			}
		}
	}
}

// Get: Get an approval. GET /v1/approvals/{appr_id}
func (r *ApprovalsCalls) Get(ctx context.Context, apprID string, options ...CallOption) (*ApprovalResponse, error) {
	var result ApprovalResponse
	err := r.client.Call(ctx, "approvals.get", []string{apprID}, nil, &result, options...)
	return &result, err
}

// Begin: Begin a vote. POST /v1/approvals/{appr_id}/begin
func (r *ApprovalsCalls) Begin(ctx context.Context, apprID string, fields *BeginVoteRequest, options ...CallOption) (*BegunPasskeySignInResponse, error) {
	var result BegunPasskeySignInResponse
	err := r.client.Call(ctx, "approvals.begin", []string{apprID}, fields, &result, options...)
	return &result, err
}

// Approve: Approve a request. POST /v1/approvals/{appr_id}/approve
func (r *ApprovalsCalls) Approve(ctx context.Context, apprID string, fields *VoteRequest, options ...CallOption) (*ApprovalResponse, error) {
	var result ApprovalResponse
	err := r.client.Call(ctx, "approvals.approve", []string{apprID}, fields, &result, options...)
	return &result, err
}

// Reject: Reject a request. POST /v1/approvals/{appr_id}/reject
func (r *ApprovalsCalls) Reject(ctx context.Context, apprID string, fields *VoteRequest, options ...CallOption) (*ApprovalResponse, error) {
	var result ApprovalResponse
	err := r.client.Call(ctx, "approvals.reject", []string{apprID}, fields, &result, options...)
	return &result, err
}

// List: List a user's active sessions. GET /v1/auth/sessions/list
func (r *SessionsCalls) List(ctx context.Context, fields *SessionsListQuery, options ...CallOption) (*ListSessionsResponse, error) {
	var result ListSessionsResponse
	err := r.client.Call(ctx, "sessions.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/auth/sessions/list
func (r *SessionsCalls) All(ctx context.Context, fields *SessionsListQuery, options ...CallOption) func(yield func(SessionListItem, error) bool) {
	return func(yield func(SessionListItem, error) bool) {
		var next SessionsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none SessionListItem
				yield(none, err)
				return
			}
			for _, each := range page.Sessions {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Sessions)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Sessions[count-1].ID
			}
		}
	}
}

// Verify: Verify a session. POST /v1/auth/sessions/verify
func (r *SessionsCalls) Verify(ctx context.Context, fields *VerifySessionRequest, options ...CallOption) (*VerifySessionResponse, error) {
	var result VerifySessionResponse
	err := r.client.Call(ctx, "sessions.verify", nil, fields, &result, options...)
	return &result, err
}

// Delete: Delete a session. DELETE /v1/auth/sessions/delete
func (r *SessionsCalls) Delete(ctx context.Context, fields *DeleteSessionRequest, options ...CallOption) (*DeleteSessionResponse, error) {
	var result DeleteSessionResponse
	err := r.client.Call(ctx, "sessions.delete", nil, fields, &result, options...)
	return &result, err
}

// Default: The JWKS of the key's app. GET /v1/auth/jwks/default
func (r *JwksCalls) Default(ctx context.Context, fields *JwksDefaultQuery, options ...CallOption) (*JsonWebKeySetResponse, error) {
	var result JsonWebKeySetResponse
	err := r.client.Call(ctx, "jwks.default", nil, fields.query(), &result, options...)
	return &result, err
}

// Get: The JWKS of an app. GET /v1/auth/jwks/{app_id}
func (r *JwksCalls) Get(ctx context.Context, appID string, options ...CallOption) (*JsonWebKeySetResponse, error) {
	var result JsonWebKeySetResponse
	err := r.client.Call(ctx, "jwks.get", []string{appID}, nil, &result, options...)
	return &result, err
}

// Create: Create a TOTP (beta). POST /v1/auth/totps/create
func (r *TotpsCalls) Create(ctx context.Context, fields *CreateTotpRequest, options ...CallOption) (*CreateTotpResponse, error) {
	var result CreateTotpResponse
	err := r.client.Call(ctx, "totps.create", nil, fields, &result, options...)
	return &result, err
}

// Verify: Verify a TOTP (beta). POST /v1/auth/totps/verify
func (r *TotpsCalls) Verify(ctx context.Context, fields *VerifyTotpRequest, options ...CallOption) (*VerifiedTotpResponse, error) {
	var result VerifiedTotpResponse
	err := r.client.Call(ctx, "totps.verify", nil, fields, &result, options...)
	return &result, err
}

// Recovery: Verify a recovery code (beta). POST /v1/auth/totps/recovery
func (r *TotpsCalls) Recovery(ctx context.Context, fields *VerifyRecoveryCodeRequest, options ...CallOption) (*VerifiedTotpResponse, error) {
	var result VerifiedTotpResponse
	err := r.client.Call(ctx, "totps.recovery", nil, fields, &result, options...)
	return &result, err
}

// RecoveryCodes: List unused recovery codes (beta). POST /v1/auth/totps/recovery_codes
func (r *TotpsCalls) RecoveryCodes(ctx context.Context, fields *ListRecoveryCodesRequest, options ...CallOption) (*ListRecoveryCodesResponse, error) {
	var result ListRecoveryCodesResponse
	err := r.client.Call(ctx, "totps.recoveryCodes", nil, fields, &result, options...)
	return &result, err
}

// Create: Create a transfer (beta). POST /v1/transfers/create
func (r *TransfersCalls) Create(ctx context.Context, fields *CreateTransferRequest, options ...CallOption) (*TransferResponse, error) {
	var result TransferResponse
	err := r.client.Call(ctx, "transfers.create", nil, fields, &result, options...)
	return &result, err
}

// CreateBatch: Create a batch of transfers (beta). POST /v1/transfers/create_batch
func (r *TransfersCalls) CreateBatch(ctx context.Context, fields *CreateBatchRequest, options ...CallOption) (*BatchResponse, error) {
	var result BatchResponse
	err := r.client.Call(ctx, "transfers.createBatch", nil, fields, &result, options...)
	return &result, err
}

// ConfirmBatch: Confirm a batch of transfers (beta). POST /v1/transfers/confirm_batch
func (r *TransfersCalls) ConfirmBatch(ctx context.Context, fields *ConfirmBatchRequest, options ...CallOption) (*BatchResponse, error) {
	var result BatchResponse
	err := r.client.Call(ctx, "transfers.confirmBatch", nil, fields, &result, options...)
	return &result, err
}

// List: List transfers (beta). GET /v1/transfers/list
func (r *TransfersCalls) List(ctx context.Context, fields *TransfersListQuery, options ...CallOption) (*ListTransfersResponse, error) {
	var result ListTransfersResponse
	err := r.client.Call(ctx, "transfers.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/transfers/list
func (r *TransfersCalls) All(ctx context.Context, fields *TransfersListQuery, options ...CallOption) func(yield func(TransferResponse, error) bool) {
	return func(yield func(TransferResponse, error) bool) {
		var next TransfersListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none TransferResponse
				yield(none, err)
				return
			}
			for _, each := range page.Transfers {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Transfers)
			if hasMore = count > 0 && int64(count) == page.Limit; hasMore {
				next.Offset = Ptr(page.Offset + int64(count))
			}
		}
	}
}

// Get: Get a transfer (beta). GET /v1/transfers/{transfer_id}
func (r *TransfersCalls) Get(ctx context.Context, transferID string, options ...CallOption) (*TransferResponse, error) {
	var result TransferResponse
	err := r.client.Call(ctx, "transfers.get", []string{transferID}, nil, &result, options...)
	return &result, err
}

// Confirm: Confirm a transfer (beta). POST /v1/transfers/{transfer_id}/confirm
func (r *TransfersCalls) Confirm(ctx context.Context, transferID string, fields *ConfirmTransferRequest, options ...CallOption) (*TransferResponse, error) {
	var result TransferResponse
	err := r.client.Call(ctx, "transfers.confirm", []string{transferID}, fields, &result, options...)
	return &result, err
}

// Cancel: Cancel a transfer (beta). POST /v1/transfers/{transfer_id}/cancel
func (r *TransfersCalls) Cancel(ctx context.Context, transferID string, options ...CallOption) (*TransferResponse, error) {
	var result TransferResponse
	err := r.client.Call(ctx, "transfers.cancel", []string{transferID}, nil, &result, options...)
	return &result, err
}

// Balance: Get a wallet's balance (beta). POST /v1/wallets/balance
func (r *WalletsCalls) Balance(ctx context.Context, fields *WalletBalanceRequest, options ...CallOption) (*WalletBalanceResponse, error) {
	var result WalletBalanceResponse
	err := r.client.Call(ctx, "wallets.balance", nil, fields, &result, options...)
	return &result, err
}

// Create: Create a wallet (beta). POST /v1/wallets/create
func (r *WalletsCalls) Create(ctx context.Context, fields *CreateWalletRequest, options ...CallOption) (*WalletResponse, error) {
	var result WalletResponse
	err := r.client.Call(ctx, "wallets.create", nil, fields, &result, options...)
	return &result, err
}

// List: List wallets (beta). GET /v1/wallets/list
func (r *WalletsCalls) List(ctx context.Context, fields *WalletsListQuery, options ...CallOption) (*ListWalletsResponse, error) {
	var result ListWalletsResponse
	err := r.client.Call(ctx, "wallets.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/wallets/list
func (r *WalletsCalls) All(ctx context.Context, fields *WalletsListQuery, options ...CallOption) func(yield func(WalletResponse, error) bool) {
	return func(yield func(WalletResponse, error) bool) {
		var next WalletsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none WalletResponse
				yield(none, err)
				return
			}
			for _, each := range page.Wallets {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Wallets)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Wallets[count-1].ID
			}
		}
	}
}

// Get: Get a wallet (beta). GET /v1/wallets/{wallet_id}
func (r *WalletsCalls) Get(ctx context.Context, walletID string, options ...CallOption) (*WalletResponse, error) {
	var result WalletResponse
	err := r.client.Call(ctx, "wallets.get", []string{walletID}, nil, &result, options...)
	return &result, err
}

// SignMessage: Sign a message (beta). POST /v1/wallets/{wallet_id}/sign_message
func (r *WalletsCalls) SignMessage(ctx context.Context, walletID string, fields *SignMessageRequest, options ...CallOption) (*SignatureResponse, error) {
	var result SignatureResponse
	err := r.client.Call(ctx, "wallets.signMessage", []string{walletID}, fields, &result, options...)
	return &result, err
}

// SignTypedData: Sign typed data (beta). POST /v1/wallets/{wallet_id}/sign_typed_data
func (r *WalletsCalls) SignTypedData(ctx context.Context, walletID string, fields *SignTypedDataRequest, options ...CallOption) (*SignatureResponse, error) {
	var result SignatureResponse
	err := r.client.Call(ctx, "wallets.signTypedData", []string{walletID}, fields, &result, options...)
	return &result, err
}

// SignTransaction: Sign a transaction (beta). POST /v1/wallets/{wallet_id}/sign_transaction
func (r *WalletsCalls) SignTransaction(ctx context.Context, walletID string, fields *SignTransactionRequest, options ...CallOption) (*SignedTransactionResponse, error) {
	var result SignedTransactionResponse
	err := r.client.Call(ctx, "wallets.signTransaction", []string{walletID}, fields, &result, options...)
	return &result, err
}

// Import: Import a wallet (beta). POST /v1/wallets/import
func (r *WalletsCalls) Import(ctx context.Context, fields *ImportWalletRequest, options ...CallOption) (*WalletResponse, error) {
	var result WalletResponse
	err := r.client.Call(ctx, "wallets.import", nil, fields, &result, options...)
	return &result, err
}

// Export: Export a wallet (beta). POST /v1/wallets/{wallet_id}/export
func (r *WalletsCalls) Export(ctx context.Context, walletID string, fields *ExportWalletRequest, options ...CallOption) (*ExportWalletResponse, error) {
	var result ExportWalletResponse
	err := r.client.Call(ctx, "wallets.export", []string{walletID}, fields, &result, options...)
	return &result, err
}

// Verify: Verify a signed challenge (beta). POST /v1/auth/wallets/verify
func (r *WalletsCalls) Verify(ctx context.Context, fields *VerifyWalletRequest, options ...CallOption) (*VerifiedWalletResponse, error) {
	var result VerifiedWalletResponse
	err := r.client.Call(ctx, "wallets.verify", nil, fields, &result, options...)
	return &result, err
}

// List: List a wallet's deposits (beta). GET /v1/wallets/{wallet_id}/deposits
func (r *WalletsDepositsCalls) List(ctx context.Context, walletID string, fields *WalletsDepositsListQuery, options ...CallOption) (*ListDepositsResponse, error) {
	var result ListDepositsResponse
	err := r.client.Call(ctx, "wallets.deposits.list", []string{walletID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/wallets/{wallet_id}/deposits
func (r *WalletsDepositsCalls) All(ctx context.Context, walletID string, fields *WalletsDepositsListQuery, options ...CallOption) func(yield func(DepositResponse, error) bool) {
	return func(yield func(DepositResponse, error) bool) {
		var next WalletsDepositsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, walletID, &next, options...)
			if err != nil {
				var none DepositResponse
				yield(none, err)
				return
			}
			for _, each := range page.Deposits {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Deposits)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Deposits[count-1].ID
			}
		}
	}
}

// ImportBegin: Begin the import of a wallet (beta). POST /v1/wallets/import/begin
func (r *WalletsCalls) ImportBegin(ctx context.Context, fields *BeginImportRequest, options ...CallOption) (*BeginImportResponse, error) {
	var result BeginImportResponse
	err := r.client.Call(ctx, "wallets.import.begin", nil, fields, &result, options...)
	return &result, err
}

// Begin: Begin a wallet registration (beta). POST /v1/auth/wallets/registrations/begin
func (r *WalletsRegistrationsCalls) Begin(ctx context.Context, fields *BeginRegistrationRequest, options ...CallOption) (*ChallengeResponse, error) {
	var result ChallengeResponse
	err := r.client.Call(ctx, "wallets.registrations.begin", nil, fields, &result, options...)
	return &result, err
}

// Nonce: Begin a wallet registration by a sign-in text (beta). POST /v1/auth/wallets/registrations/nonce
func (r *WalletsRegistrationsCalls) Nonce(ctx context.Context, fields *BeginRegistrationRequest, options ...CallOption) (*NonceResponse, error) {
	var result NonceResponse
	err := r.client.Call(ctx, "wallets.registrations.nonce", nil, fields, &result, options...)
	return &result, err
}

// Verify: Verify a signed sign-in text (beta). POST /v1/auth/wallets/siwe/verify
func (r *WalletsSiweCalls) Verify(ctx context.Context, fields *VerifySiweRequest, options ...CallOption) (*VerifiedWalletResponse, error) {
	var result VerifiedWalletResponse
	err := r.client.Call(ctx, "wallets.siwe.verify", nil, fields, &result, options...)
	return &result, err
}

// Create: Create a webhook endpoint. POST /v1/webhook_endpoints
func (r *WebhookEndpointsCalls) Create(ctx context.Context, fields *CreateWebhookEndpointRequest, options ...CallOption) (*WebhookEndpointWithSecretResponse, error) {
	var result WebhookEndpointWithSecretResponse
	err := r.client.Call(ctx, "webhookEndpoints.create", nil, fields, &result, options...)
	return &result, err
}

// List: List the webhook endpoints of an app. GET /v1/webhook_endpoints
func (r *WebhookEndpointsCalls) List(ctx context.Context, fields *WebhookEndpointsListQuery, options ...CallOption) (*WebhookEndpointListResponse, error) {
	var result WebhookEndpointListResponse
	err := r.client.Call(ctx, "webhookEndpoints.list", nil, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/webhook_endpoints
func (r *WebhookEndpointsCalls) All(ctx context.Context, fields *WebhookEndpointsListQuery, options ...CallOption) func(yield func(WebhookEndpointResponse, error) bool) {
	return func(yield func(WebhookEndpointResponse, error) bool) {
		var next WebhookEndpointsListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, &next, options...)
			if err != nil {
				var none WebhookEndpointResponse
				yield(none, err)
				return
			}
			for _, each := range page.WebhookEndpoints {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.WebhookEndpoints)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.WebhookEndpoints[count-1].ID
			}
		}
	}
}

// Get: Get a webhook endpoint. GET /v1/webhook_endpoints/{whk_id}
func (r *WebhookEndpointsCalls) Get(ctx context.Context, whkID string, options ...CallOption) (*WebhookEndpointResponse, error) {
	var result WebhookEndpointResponse
	err := r.client.Call(ctx, "webhookEndpoints.get", []string{whkID}, nil, &result, options...)
	return &result, err
}

// Update: Change a webhook endpoint. PATCH /v1/webhook_endpoints/{whk_id}
func (r *WebhookEndpointsCalls) Update(ctx context.Context, whkID string, fields *UpdateWebhookEndpointRequest, options ...CallOption) (*WebhookEndpointResponse, error) {
	var result WebhookEndpointResponse
	err := r.client.Call(ctx, "webhookEndpoints.update", []string{whkID}, fields, &result, options...)
	return &result, err
}

// Delete: Delete a webhook endpoint. DELETE /v1/webhook_endpoints/{whk_id}
func (r *WebhookEndpointsCalls) Delete(ctx context.Context, whkID string, options ...CallOption) (*WebhookEndpointDeletedResponse, error) {
	var result WebhookEndpointDeletedResponse
	err := r.client.Call(ctx, "webhookEndpoints.delete", []string{whkID}, nil, &result, options...)
	return &result, err
}

// RotateSecret: Replace the secret of a webhook endpoint. POST /v1/webhook_endpoints/{whk_id}/rotate_secret
func (r *WebhookEndpointsCalls) RotateSecret(ctx context.Context, whkID string, fields *RotateWebhookSecretRequest, options ...CallOption) (*WebhookEndpointWithSecretResponse, error) {
	var result WebhookEndpointWithSecretResponse
	err := r.client.Call(ctx, "webhookEndpoints.rotateSecret", []string{whkID}, fields, &result, options...)
	return &result, err
}

// Test: Test a webhook endpoint. POST /v1/webhook_endpoints/{whk_id}/test
func (r *WebhookEndpointsCalls) Test(ctx context.Context, whkID string, options ...CallOption) (*WebhookTestQueuedResponse, error) {
	var result WebhookTestQueuedResponse
	err := r.client.Call(ctx, "webhookEndpoints.test", []string{whkID}, nil, &result, options...)
	return &result, err
}

// Recover: Send missed events again. POST /v1/webhook_endpoints/{whk_id}/recover
func (r *WebhookEndpointsCalls) Recover(ctx context.Context, whkID string, fields *RecoverWebhooksRequest, options ...CallOption) (*WebhookQueuedResponse, error) {
	var result WebhookQueuedResponse
	err := r.client.Call(ctx, "webhookEndpoints.recover", []string{whkID}, fields, &result, options...)
	return &result, err
}

// List: List the deliveries to a webhook endpoint. GET /v1/webhook_endpoints/{whk_id}/deliveries
func (r *WebhookEndpointsDeliveriesCalls) List(ctx context.Context, whkID string, fields *WebhookEndpointsDeliveriesListQuery, options ...CallOption) (*WebhookDeliveryListResponse, error) {
	var result WebhookDeliveryListResponse
	err := r.client.Call(ctx, "webhookEndpoints.deliveries.list", []string{whkID}, fields.query(), &result, options...)
	return &result, err
}

// All goes through all elements, page by page. GET /v1/webhook_endpoints/{whk_id}/deliveries
func (r *WebhookEndpointsDeliveriesCalls) All(ctx context.Context, whkID string, fields *WebhookEndpointsDeliveriesListQuery, options ...CallOption) func(yield func(WebhookDeliveryResponse, error) bool) {
	return func(yield func(WebhookDeliveryResponse, error) bool) {
		var next WebhookEndpointsDeliveriesListQuery
		if fields != nil {
			next = *fields
		}
		for hasMore := true; hasMore; {
			page, err := r.List(ctx, whkID, &next, options...)
			if err != nil {
				var none WebhookDeliveryResponse
				yield(none, err)
				return
			}
			for _, each := range page.Deliveries {
				if !yield(each, nil) {
					return
				}
			}
			count := len(page.Deliveries)
			if hasMore = count > 0 && page.HasMore; hasMore {
				next.StartingAfter = &page.Deliveries[count-1].ID
			}
		}
	}
}

// Resend: Send an event again. POST /v1/webhook_endpoints/{whk_id}/deliveries/{whd_id}/resend
func (r *WebhookEndpointsDeliveriesCalls) Resend(ctx context.Context, whkID string, whdID string, options ...CallOption) (*WebhookDeliveryQueuedResponse, error) {
	var result WebhookDeliveryQueuedResponse
	err := r.client.Call(ctx, "webhookEndpoints.deliveries.resend", []string{whkID, whdID}, nil, &result, options...)
	return &result, err
}

// ManagementAppsListQuery: the fields of management.apps.list.
type ManagementAppsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only apps whose name contains this text, in upper or lower case.
	Name *string `json:"name,omitempty"`

	// The id of the last app of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Name != nil {
		query.Set("name", fmt.Sprint(*q.Name))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsUsersListQuery: the fields of management.apps.users.list.
type ManagementAppsUsersListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last user of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsUsersListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsUsersEventsListQuery: the fields of management.apps.users.events.list.
type ManagementAppsUsersEventsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The types of the listed events, separated by commas. All types if it is absent.
	Types *string `json:"types,omitempty"`

	// The id of the last event of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsUsersEventsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Types != nil {
		query.Set("types", fmt.Sprint(*q.Types))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsKeysListQuery: the fields of management.apps.keys.list.
type ManagementAppsKeysListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only keys of this kind.
	Kind *string `json:"kind,omitempty"`

	// The id of the last key of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsKeysListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Kind != nil {
		query.Set("kind", fmt.Sprint(*q.Kind))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsRedirectUrlsListQuery: the fields of management.apps.redirectUrls.list.
type ManagementAppsRedirectUrlsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only redirect URLs of this kind.
	Kind *string `json:"kind,omitempty"`

	// The id of the last redirect URL of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsRedirectUrlsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Kind != nil {
		query.Set("kind", fmt.Sprint(*q.Kind))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsOauthConnectionsListQuery: the fields of management.apps.oauthConnections.list.
type ManagementAppsOauthConnectionsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last connection of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsOauthConnectionsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsMessagesListQuery: the fields of management.apps.messages.list.
type ManagementAppsMessagesListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only messages with this status.
	Status *string `json:"status,omitempty"`

	// Lists only messages to the addresses that this user has now.
	UserID *string `json:"user_id,omitempty"`

	// The id of the last message of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsMessagesListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Status != nil {
		query.Set("status", fmt.Sprint(*q.Status))
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsJobsListQuery: the fields of management.apps.jobs.list.
type ManagementAppsJobsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only jobs of this kind, such as `mail`.
	Kind *string `json:"kind,omitempty"`

	// Lists only jobs in this state.
	State *string `json:"state,omitempty"`

	// The id of the last job of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsJobsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Kind != nil {
		query.Set("kind", fmt.Sprint(*q.Kind))
	}
	if q.State != nil {
		query.Set("state", fmt.Sprint(*q.State))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsAuditLogListQuery: the fields of management.apps.auditLog.list.
type ManagementAppsAuditLogListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last entry of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`

	// Lists only entries of this actor: the id of a key, `oidc:` and the name of an operator, `cli`, `first_start` or `unknown`.
	Actor *string `json:"actor,omitempty"`

	// Lists only entries of this action, e.g. `key.created` or `call.refused`.
	Action *string `json:"action,omitempty"`

	// Lists only changes (`ok`) or only refused calls (`refused`).
	Outcome *string `json:"outcome,omitempty"`

	// Lists only entries from this time on, in epoch seconds.
	Since *int64 `json:"since,omitempty"`

	// Lists only entries before this time, in epoch seconds.
	Until *int64 `json:"until,omitempty"`
}

func (q *ManagementAppsAuditLogListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	if q.Actor != nil {
		query.Set("actor", fmt.Sprint(*q.Actor))
	}
	if q.Action != nil {
		query.Set("action", fmt.Sprint(*q.Action))
	}
	if q.Outcome != nil {
		query.Set("outcome", fmt.Sprint(*q.Outcome))
	}
	if q.Since != nil {
		query.Set("since", fmt.Sprint(*q.Since))
	}
	if q.Until != nil {
		query.Set("until", fmt.Sprint(*q.Until))
	}
	return query
}

// ManagementAppsRefusedCallsListQuery: the fields of management.apps.refusedCalls.list.
type ManagementAppsRefusedCallsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only calls with this key.
	KeyID *string `json:"key_id,omitempty"`

	// The id of the last item of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsRefusedCallsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.KeyID != nil {
		query.Set("key_id", fmt.Sprint(*q.KeyID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsOauth2GrantsListQuery: the fields of management.apps.oauth2.grants.list.
type ManagementAppsOauth2GrantsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of a user: only the grants of this user are listed.
	UserID *string `json:"user_id,omitempty"`

	// The id of the last grant of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsOauth2GrantsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsOauthClientsListQuery: the fields of management.apps.oauthClients.list.
type ManagementAppsOauthClientsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last client of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsOauthClientsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsResourcesListQuery: the fields of management.apps.resources.list.
type ManagementAppsResourcesListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last resource of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsResourcesListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsEventsLatestQuery: the fields of management.apps.events.latest.
type ManagementAppsEventsLatestQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The types of the listed events, separated by commas. All types if it is absent.
	Types *string `json:"types,omitempty"`

	// The id of the last event of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsEventsLatestQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Types != nil {
		query.Set("types", fmt.Sprint(*q.Types))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsStatisticsListQuery: the fields of management.apps.statistics.list.
type ManagementAppsStatisticsListQuery struct {
	// The metric that is counted. All metrics if it is absent.
	Metric *string `json:"metric,omitempty"`

	// A time in the first hour or day, in epoch seconds. The default is a day before `until`.
	Since *int64 `json:"since,omitempty"`

	// The end of the range, in epoch seconds: hours and days that begin at this time or later are left out. The default is now.
	Until *int64 `json:"until,omitempty"`

	// The unit of the counts, in UTC. A call may cover at most 31 days by hour, or 366 days by day.
	Step *string `json:"step,omitempty"`
}

func (q *ManagementAppsStatisticsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Metric != nil {
		query.Set("metric", fmt.Sprint(*q.Metric))
	}
	if q.Since != nil {
		query.Set("since", fmt.Sprint(*q.Since))
	}
	if q.Until != nil {
		query.Set("until", fmt.Sprint(*q.Until))
	}
	if q.Step != nil {
		query.Set("step", fmt.Sprint(*q.Step))
	}
	return query
}

// ManagementAppsPoliciesListQuery: the fields of management.apps.policies.list.
type ManagementAppsPoliciesListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only versions in this state.
	State *string `json:"state,omitempty"`

	// Lists only versions with this name.
	Name *string `json:"name,omitempty"`

	// Lists only versions whose scope is of this kind.
	Scope *string `json:"scope,omitempty"`

	// Lists only versions whose scope has this id.
	ScopeID *string `json:"scope_id,omitempty"`

	// The id of the last version of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsPoliciesListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.State != nil {
		query.Set("state", fmt.Sprint(*q.State))
	}
	if q.Name != nil {
		query.Set("name", fmt.Sprint(*q.Name))
	}
	if q.Scope != nil {
		query.Set("scope", fmt.Sprint(*q.Scope))
	}
	if q.ScopeID != nil {
		query.Set("scope_id", fmt.Sprint(*q.ScopeID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsPoliciesDecisionsListQuery: the fields of management.apps.policies.decisions.list.
type ManagementAppsPoliciesDecisionsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only decisions with this outcome.
	Outcome *string `json:"outcome,omitempty"`

	// Lists only decisions about this wallet.
	WalletID *string `json:"wallet_id,omitempty"`

	// The id of the last decision of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsPoliciesDecisionsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Outcome != nil {
		query.Set("outcome", fmt.Sprint(*q.Outcome))
	}
	if q.WalletID != nil {
		query.Set("wallet_id", fmt.Sprint(*q.WalletID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsApprovalsListQuery: the fields of management.apps.approvals.list.
type ManagementAppsApprovalsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only approvals in this state.
	State *string `json:"state,omitempty"`

	// The id of the last approval of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsApprovalsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.State != nil {
		query.Set("state", fmt.Sprint(*q.State))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsApproverGroupsListQuery: the fields of management.apps.approverGroups.list.
type ManagementAppsApproverGroupsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last group of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsApproverGroupsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsSessionsListQuery: the fields of management.apps.sessions.list.
type ManagementAppsSessionsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of a user: only the live sessions of this user are listed.
	UserID *string `json:"user_id,omitempty"`

	// The id of the last session of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsSessionsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsTransfersListQuery: the fields of management.apps.transfers.list.
type ManagementAppsTransfersListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only transfers of this user.
	UserID *string `json:"user_id,omitempty"`

	// Only transfers from this wallet.
	Source *string `json:"source,omitempty"`

	// Only transfers with this status. A quote becomes `expired` as a rule within 20 seconds after its end.
	Status *string `json:"status,omitempty"`

	// Only transfers that are marked stuck (`stuck_since`). The only value is `true`.
	Stuck *bool `json:"stuck,omitempty"`

	// Only the transfer that was sent by the transaction with this hash.
	BlockchainTxHash *string `json:"blockchain_tx_hash,omitempty"`

	// The id of the last transfer of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsTransfersListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.Source != nil {
		query.Set("source", fmt.Sprint(*q.Source))
	}
	if q.Status != nil {
		query.Set("status", fmt.Sprint(*q.Status))
	}
	if q.Stuck != nil {
		query.Set("stuck", fmt.Sprint(*q.Stuck))
	}
	if q.BlockchainTxHash != nil {
		query.Set("blockchain_tx_hash", fmt.Sprint(*q.BlockchainTxHash))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsWalletsListQuery: the fields of management.apps.wallets.list.
type ManagementAppsWalletsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Only wallets of this user.
	UserID *string `json:"user_id,omitempty"`

	// The id of the last wallet of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsWalletsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsWalletsDepositsListQuery: the fields of management.apps.wallets.deposits.list.
type ManagementAppsWalletsDepositsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last item of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsWalletsDepositsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsWebhookEndpointsListQuery: the fields of management.apps.webhookEndpoints.list.
type ManagementAppsWebhookEndpointsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last endpoint of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsWebhookEndpointsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAppsWebhookEndpointsDeliveriesListQuery: the fields of management.apps.webhookEndpoints.deliveries.list.
type ManagementAppsWebhookEndpointsDeliveriesListQuery struct {
	// Lists only deliveries with this status.
	Status *string `json:"status,omitempty"`

	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last delivery of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ManagementAppsWebhookEndpointsDeliveriesListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Status != nil {
		query.Set("status", fmt.Sprint(*q.Status))
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ManagementAuditLogListQuery: the fields of management.auditLog.list.
type ManagementAuditLogListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last entry of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`

	// Lists only entries of this actor: the id of a key, `oidc:` and the name of an operator, `cli`, `first_start` or `unknown`.
	Actor *string `json:"actor,omitempty"`

	// Lists only entries of this action, e.g. `key.created` or `call.refused`.
	Action *string `json:"action,omitempty"`

	// Lists only changes (`ok`) or only refused calls (`refused`).
	Outcome *string `json:"outcome,omitempty"`

	// Lists only entries from this time on, in epoch seconds.
	Since *int64 `json:"since,omitempty"`

	// Lists only entries before this time, in epoch seconds.
	Until *int64 `json:"until,omitempty"`
}

func (q *ManagementAuditLogListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	if q.Actor != nil {
		query.Set("actor", fmt.Sprint(*q.Actor))
	}
	if q.Action != nil {
		query.Set("action", fmt.Sprint(*q.Action))
	}
	if q.Outcome != nil {
		query.Set("outcome", fmt.Sprint(*q.Outcome))
	}
	if q.Since != nil {
		query.Set("since", fmt.Sprint(*q.Since))
	}
	if q.Until != nil {
		query.Set("until", fmt.Sprint(*q.Until))
	}
	return query
}

// OauthConnectionsListQuery: the fields of oauthConnections.list.
type OauthConnectionsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last connection of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *OauthConnectionsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// Oauth2GrantsListQuery: the fields of oauth2.grants.list.
type Oauth2GrantsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The user whose grants are listed.
	UserID string `json:"user_id"`

	// The id of the last grant of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *Oauth2GrantsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	query.Set("user_id", fmt.Sprint(q.UserID))
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// EventsListQuery: the fields of events.list.
type EventsListQuery struct {
	// The id or the position of the last event that the caller has handled. If it is absent, the list begins with the oldest event.
	After *string `json:"after,omitempty"`

	// The `feed_id` of the response in which the caller found its position. If the feed is another one now, because the database was restored to an earlier state, the response is a 409 that names the last position that both feeds have.
	FeedID *string `json:"feed_id,omitempty"`

	// The types of the listed events, separated by commas. All types if it is absent.
	Types *string `json:"types,omitempty"`

	// Lists only events about this user.
	UserID *string `json:"user_id,omitempty"`

	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`
}

func (q *EventsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.After != nil {
		query.Set("after", fmt.Sprint(*q.After))
	}
	if q.FeedID != nil {
		query.Set("feed_id", fmt.Sprint(*q.FeedID))
	}
	if q.Types != nil {
		query.Set("types", fmt.Sprint(*q.Types))
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	return query
}

// OauthBeginQuery: the fields of oauth.begin.
type OauthBeginQuery struct {
	// Whether to redirect the browser to the provider instead of returning the URL, so that a login button can link here.
	Redirect *bool `json:"redirect,omitempty"`

	// The registered URL to which existing users of the app are sent; by default the app's default login URL.
	LoginRedirectURL *string `json:"login_redirect_url,omitempty"`

	// The registered URL to which new users of the app are sent; by default the app's default registration URL.
	RegistrationRedirectURL *string `json:"registration_redirect_url,omitempty"`

	// An S256 code challenge (RFC 7636), with or without `redirect`. Verifying the token then requires the `code_verifier`. Required without `redirect=true` if `oauth_begin` of the app is `bound`.
	CodeChallenge *string `json:"code_challenge,omitempty"`
}

func (q *OauthBeginQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Redirect != nil {
		query.Set("redirect", fmt.Sprint(*q.Redirect))
	}
	if q.LoginRedirectURL != nil {
		query.Set("login_redirect_url", fmt.Sprint(*q.LoginRedirectURL))
	}
	if q.RegistrationRedirectURL != nil {
		query.Set("registration_redirect_url", fmt.Sprint(*q.RegistrationRedirectURL))
	}
	if q.CodeChallenge != nil {
		query.Set("code_challenge", fmt.Sprint(*q.CodeChallenge))
	}
	return query
}

// WebauthnCredentialsListQuery: the fields of webauthn.credentials.list.
type WebauthnCredentialsListQuery struct {
	// The owner of the passkeys.
	UserID string `json:"user_id"`
}

func (q *WebauthnCredentialsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	query.Set("user_id", fmt.Sprint(q.UserID))
	return query
}

// PoliciesListQuery: the fields of policies.list.
type PoliciesListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only versions in this state.
	State *string `json:"state,omitempty"`

	// Lists only versions with this name.
	Name *string `json:"name,omitempty"`

	// Lists only versions whose scope is of this kind.
	Scope *string `json:"scope,omitempty"`

	// Lists only versions whose scope has this id.
	ScopeID *string `json:"scope_id,omitempty"`

	// The id of the last version of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *PoliciesListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.State != nil {
		query.Set("state", fmt.Sprint(*q.State))
	}
	if q.Name != nil {
		query.Set("name", fmt.Sprint(*q.Name))
	}
	if q.Scope != nil {
		query.Set("scope", fmt.Sprint(*q.Scope))
	}
	if q.ScopeID != nil {
		query.Set("scope_id", fmt.Sprint(*q.ScopeID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// PoliciesDecisionsListQuery: the fields of policies.decisions.list.
type PoliciesDecisionsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only decisions with this outcome.
	Outcome *string `json:"outcome,omitempty"`

	// Lists only decisions about this wallet.
	WalletID *string `json:"wallet_id,omitempty"`

	// The id of the last decision of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *PoliciesDecisionsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Outcome != nil {
		query.Set("outcome", fmt.Sprint(*q.Outcome))
	}
	if q.WalletID != nil {
		query.Set("wallet_id", fmt.Sprint(*q.WalletID))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// ApprovalsListQuery: the fields of approvals.list.
type ApprovalsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// Lists only approvals in this state.
	State *string `json:"state,omitempty"`

	// The id of the last approval of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *ApprovalsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.State != nil {
		query.Set("state", fmt.Sprint(*q.State))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// SessionsListQuery: the fields of sessions.list.
type SessionsListQuery struct {
	// The user whose live sessions are listed.
	UserID string `json:"user_id"`

	// The maximum number of sessions in the response. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last session of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *SessionsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	query.Set("user_id", fmt.Sprint(q.UserID))
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// JwksDefaultQuery: the fields of jwks.default.
type JwksDefaultQuery struct {
	// The secret key. For existing clients only; new clients send it as a bearer token.
	APIKey *string `json:"api_key,omitempty"`
}

func (q *JwksDefaultQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.APIKey != nil {
		query.Set("api_key", fmt.Sprint(*q.APIKey))
	}
	return query
}

// TransfersListQuery: the fields of transfers.list.
type TransfersListQuery struct {
	// Lists only transfers of this user.
	UserID *string `json:"user_id,omitempty"`

	// Lists only transfers from this wallet.
	Source *string `json:"source,omitempty"`

	// The maximum number of transfers.
	Limit *int64 `json:"limit,omitempty"`

	// The number of transfers to leave out, beginning with the newest.
	Offset *int64 `json:"offset,omitempty"`
}

func (q *TransfersListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.Source != nil {
		query.Set("source", fmt.Sprint(*q.Source))
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.Offset != nil {
		query.Set("offset", fmt.Sprint(*q.Offset))
	}
	return query
}

// WalletsListQuery: the fields of wallets.list.
type WalletsListQuery struct {
	// Only wallets of this user.
	UserID *string `json:"user_id,omitempty"`

	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last wallet of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *WalletsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.UserID != nil {
		query.Set("user_id", fmt.Sprint(*q.UserID))
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// WalletsDepositsListQuery: the fields of wallets.deposits.list.
type WalletsDepositsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last item of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *WalletsDepositsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// WebhookEndpointsListQuery: the fields of webhookEndpoints.list.
type WebhookEndpointsListQuery struct {
	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last endpoint of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *WebhookEndpointsListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// WebhookEndpointsDeliveriesListQuery: the fields of webhookEndpoints.deliveries.list.
type WebhookEndpointsDeliveriesListQuery struct {
	// Lists only deliveries with this status.
	Status *string `json:"status,omitempty"`

	// The maximum number of items. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last delivery of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`
}

func (q *WebhookEndpointsDeliveriesListQuery) query() url.Values {
	query := url.Values{}
	if q == nil {
		return query
	}
	if q.Status != nil {
		query.Set("status", fmt.Sprint(*q.Status))
	}
	if q.Limit != nil {
		query.Set("limit", fmt.Sprint(*q.Limit))
	}
	if q.StartingAfter != nil {
		query.Set("starting_after", fmt.Sprint(*q.StartingAfter))
	}
	return query
}

// HealthResponse: The replica is healthy.
type HealthResponse struct {
	// The status, always `ok`: every other state is an error response.
	Status string `json:"status"`
}

// ReadyResponse: The replica wants traffic.
type ReadyResponse struct {
	// The status, always `ok`: every other state is an error response.
	Status string `json:"status"`

	// Whether the key provider works, as far as this replica knows; absent without one. While it does not, calls that need no key and calls for apps whose keys are in memory go on.
	KeyProvider *string `json:"key_provider,omitempty"`
}

// VersionResponse: The releases of the service and of Node.js, and the build.
type VersionResponse struct {
	// The release of the service.
	Version string `json:"version"`

	// The release of Node.js.
	Node string `json:"node"`

	// The revision of the sources, or `unknown`. It ends with `-dirty` if files were changed.
	Revision string `json:"revision"`

	// The time of the build; `0` if it is unknown.
	BuiltAt int64 `json:"built_at"`
}

// UserRowEmail: an object of the API.
type UserRowEmail struct {
	// The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.
	ID *string `json:"id,omitempty"`

	// An email address of at most 254 characters. White space around it is removed.
	Email string `json:"email"`

	// Whether the user has proved to hold it.
	Verified *bool `json:"verified,omitempty"`

	// When the user proved it. If absent, the time of the creation of the user.
	VerifiedAt *int64 `json:"verified_at,omitempty"`
}

// UserRowPhoneNumber: an object of the API.
type UserRowPhoneNumber struct {
	// The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.
	ID *string `json:"id,omitempty"`

	// A phone number in E.164 form, such as `+4915112345678`.
	PhoneNumber string `json:"phone_number"`

	// Whether the user has proved to hold it.
	Verified *bool `json:"verified,omitempty"`

	// When the user proved it. If absent, the time of the creation of the user.
	VerifiedAt *int64 `json:"verified_at,omitempty"`
}

// UserRowIdentity: an object of the API.
type UserRowIdentity struct {
	// The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.
	ID *string `json:"id,omitempty"`

	// The id of the connection of this app. Give it or `provider`.
	Connection *string `json:"connection,omitempty"`

	// The name of the provider, if the app has one connection to it.
	Provider *string `json:"provider,omitempty"`

	// The id of the user at the provider.
	Subject string `json:"subject"`

	// When the user first signed in by it. If absent, the time of the creation of the user.
	VerifiedAt *int64 `json:"verified_at,omitempty"`
}

// UserRowPasskey: an object of the API.
type UserRowPasskey struct {
	// The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.
	ID *string `json:"id,omitempty"`

	// The id that the authenticator gave, in base64url.
	CredentialID string `json:"credential_id"`

	// The public key in COSE form, in base64url.
	PublicKey string `json:"public_key"`

	// The signature counter; `0` if the authenticator has none.
	Counter *int64 `json:"counter,omitempty"`

	// The transports by which the authenticator can be reached.
	Transports []string `json:"transports,omitempty"`

	// The domain that the passkey is bound to: the `rp_id` of the app.
	RpID string `json:"rp_id"`

	// The user handle that the authenticator stores, in base64url. If absent, it is the id of the user.
	UserHandle *string `json:"user_handle,omitempty"`

	// The name of the passkey; may be empty.
	Name *string `json:"name,omitempty"`

	// Whether the passkey may be copied to other devices. If absent, the first sign-in decides.
	BackupEligible *bool `json:"backup_eligible,omitempty"`

	// Whether the passkey is on several devices of the user.
	BackedUp *bool `json:"backed_up,omitempty"`

	// When the passkey was made. If absent, the time of the creation of the user.
	CreatedAt *int64 `json:"created_at,omitempty"`

	// When the user last signed in by it.
	LastUsedAt *int64 `json:"last_used_at,omitempty"`
}

// UserRowTotp: an object of the API.
type UserRowTotp struct {
	// The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.
	ID *string `json:"id,omitempty"`

	// The shared secret in base32, for codes of 6 digits by SHA-1 and steps of 30 seconds.
	Secret string `json:"secret"`

	// Whether the user has completed the enrolment. Otherwise it waits for its first code for 30 minutes.
	Verified *bool `json:"verified,omitempty"`

	// When the user completed it. If absent, the time of the creation of the user.
	VerifiedAt *int64 `json:"verified_at,omitempty"`

	// The unused recovery codes: letters and digits, and hyphens between them.
	RecoveryCodes []string `json:"recovery_codes,omitempty"`
}

// UserRowWallet: an object of the API.
type UserRowWallet struct {
	// The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.
	ID *string `json:"id,omitempty"`

	// The chain: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// The address on the chain.
	PublicAddress string `json:"public_address"`

	// The CAIP-2 name of the network whose contract signs for the address; absent if its own key does.
	ContractNetwork *string `json:"contract_network,omitempty"`

	// When the user first signed in by it. If absent, the time of the creation of the user.
	CreatedAt *int64 `json:"created_at,omitempty"`
}

// UserRowPassword: an object of the API.
type UserRowPassword struct {
	// The algorithm of the hash.
	Algorithm string `json:"algorithm"`

	// The hash as PHC or crypt text, with salt and costs; of `ssha…`, digest and salt in base64; of `scrypt-firebase`, the hash in base64.
	Hash string `json:"hash"`

	// The salt of the user, in base64. Only with `scrypt-firebase`, as are the next four.
	Salt *string `json:"salt,omitempty"`

	// The salt separator of the project, in base64.
	SaltSeparator *string `json:"salt_separator,omitempty"`

	// The signer key of the project, in base64.
	SignerKey *string `json:"signer_key,omitempty"`

	// The rounds of the project.
	Rounds *int64 `json:"rounds,omitempty"`

	// The memory cost of the project.
	MemCost *int64 `json:"mem_cost,omitempty"`
}

// UserRow: A user as an import takes it and an export returns it.
type UserRow struct {
	// The first name; may be empty.
	FirstName *string `json:"first_name,omitempty"`

	// The middle name; may be empty.
	MiddleName *string `json:"middle_name,omitempty"`

	// The last name; may be empty.
	LastName *string `json:"last_name,omitempty"`

	// The id of the user in the app's own data, unique in the app. An empty text stands for none.
	ExternalID *string `json:"external_id,omitempty"`

	// The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay.
	Metadata map[string]any `json:"metadata,omitempty"`

	// The id of the object. An import ignores it without `keep_ids`, with which it must be one of this service.
	UserID *string `json:"user_id,omitempty"`

	// `pending` until an address is verified.
	Status *string `json:"status,omitempty"`

	// Whether management keeps the user from signing in.
	Deactivated *bool `json:"deactivated,omitempty"`

	// When the user was created. If absent, the time of the import.
	CreatedAt *int64 `json:"created_at,omitempty"`

	// The type of the managed wallet that the import makes for the user.
	WalletType *string `json:"wallet_type,omitempty"`

	// The e-mail addresses of the user.
	Emails []UserRowEmail `json:"emails,omitempty"`

	// The phone numbers of the user.
	PhoneNumbers []UserRowPhoneNumber `json:"phone_numbers,omitempty"`

	// The identities of the user at identity providers.
	Identities []UserRowIdentity `json:"identities,omitempty"`

	// The passkeys of the user.
	WebauthnCredentials []UserRowPasskey `json:"webauthn_credentials,omitempty"`

	// The authenticator app of the user. An export has it only with `include_secrets`.
	Totps []UserRowTotp `json:"totps,omitempty"`

	// The read-only wallets by which the user signs in.
	Wallets []UserRowWallet `json:"wallets,omitempty"`

	// The hash of the password at the former vendor. An export has it only with `include_secrets`.
	Password *UserRowPassword `json:"password,omitempty"`
}

// ImportUsersRequest: an object of the API.
type ImportUsersRequest struct {
	// The users to import.
	Users []UserRow `json:"users"`

	// The outcome of a row that shares a verified address, identity, passkey or wallet with a user of the app.
	OnConflict *string `json:"on_conflict,omitempty"`

	// Whether the rows are checked only.
	DryRun *bool `json:"dry_run,omitempty"`

	// Whether events of the imported users are published.
	Publish *bool `json:"publish,omitempty"`

	// Whether users, addresses and credentials keep the ids that the rows state.
	KeepIds *bool `json:"keep_ids,omitempty"`

	// Whether rows are imported whose user was deleted in the last 400 days.
	Revive *bool `json:"revive,omitempty"`
}

// ImportedRowFault: an object of the API.
type ImportedRowFault struct {
	// The member of the row, such as `emails[0].email`.
	Field string `json:"field"`

	// The rule that the member breaks.
	Rule string `json:"rule"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// ImportedRowResult: an object of the API.
type ImportedRowResult struct {
	// The position of the row in the request, from 0.
	Index int64 `json:"index"`

	// The `external_id` of the row; empty if it has none.
	ExternalID string `json:"external_id"`

	// `skipped`: the app has a user with the `external_id`, or the row is not to be imported. `failed`: `errors` say why.
	Outcome string `json:"outcome"`

	// The imported user, or the one who has the `external_id`; empty if there is none, and in a dry run.
	UserID string `json:"user_id"`

	// Why the row was not imported, or which addresses it was imported without.
	Errors []ImportedRowFault `json:"errors"`
}

// ImportUsersResponse: The outcome of each row.
type ImportUsersResponse struct {
	// The number of rows that were imported.
	Imported int64 `json:"imported"`

	// The number of rows that were skipped.
	Skipped int64 `json:"skipped"`

	// The number of rows that failed.
	Failed int64 `json:"failed"`

	// In the order of the request.
	Results []ImportedRowResult `json:"results"`
}

// LimitsRequest: an object of the API.
type LimitsRequest struct {
	// The maximum number of calls per second with the app's secret keys, counted by each replica.
	SecretKeyCallsPerSecond *int64 `json:"secret_key_calls_per_second,omitempty"`

	// The maximum number of mails or SMS to one recipient in ten minutes.
	RecipientSendsPerTenMinutes *int64 `json:"recipient_sends_per_ten_minutes,omitempty"`

	// The maximum number of mails or SMS requested from one client network (the `ip` of `device_fingerprint`) in ten minutes.
	NetworkSendsPerTenMinutes *int64 `json:"network_sends_per_ten_minutes,omitempty"`

	// The maximum number of mails and SMS of the app in an hour.
	SendsPerHour *int64 `json:"sends_per_hour,omitempty"`

	// The maximum number of SMS of the app to one destination country in an hour.
	SmsPerCountryPerHour *int64 `json:"sms_per_country_per_hour,omitempty"`

	// The number of wrong tries that void a code.
	WrongTriesPerCode *int64 `json:"wrong_tries_per_code,omitempty"`

	// The number of wrong tries of a user in an hour, over all codes and factors, that lock the codes of that user.
	WrongTriesPerHour *int64 `json:"wrong_tries_per_hour,omitempty"`

	// The number of wrong tries from one client network (the `ip` of `device_fingerprint`) in an hour, over all users and codes, from which on codes are refused from that network until the oldest try is an hour ago. Raise it if very many users share one address.
	NetworkWrongTriesPerHour *int64 `json:"network_wrong_tries_per_hour,omitempty"`

	// The duration, in minutes, of the lock on a user that `wrong_tries_per_hour` causes.
	LockMinutes *int64 `json:"lock_minutes,omitempty"`

	// The maximum number of live sessions of a user. When one more begins, the oldest ends.
	SessionsPerUser *int64 `json:"sessions_per_user,omitempty"`

	// The maximum size, in MiB, of the responses that are stored for `Idempotency-Key` in 24 hours; a login takes about 400 bytes. A tenth is reserved for payments and imports. From 80 % on, the event `limit.reached` says so.
	StoredAnswersMb *int64 `json:"stored_answers_mb,omitempty"`

	// The countries that SMS may go to (ISO 3166-1 alpha-2); `*` stands for all of them, an empty list for none.
	SmsCountries []string `json:"sms_countries,omitempty"`
}

// SmsTemplateRequest: an object of the API.
type SmsTemplateRequest struct {
	// The text, which must contain `{{code}}`. The service adds the line for the phone's autofill at its end.
	Text string `json:"text"`
}

// MailTemplateRequest: an object of the API.
type MailTemplateRequest struct {
	// The subject line. It may contain placeholders.
	Subject *string `json:"subject,omitempty"`

	// The plain text of the mail. It goes together with `html`.
	Text *string `json:"text,omitempty"`

	// A whole HTML document. Values are escaped where they are put in.
	Html *string `json:"html,omitempty"`
}

// TemplatesRequest: an object of the API.
type TemplatesRequest struct {
	// The SMS with a passcode; `null` restores the built-in text.
	Sms *SmsTemplateRequest `json:"sms,omitempty"`

	// The mail about a sign-in method that the account of its receiver has gained. It must contain `{{method}}`.
	SignInMethodAdded *MailTemplateRequest `json:"sign_in_method_added,omitempty"`

	// The mail about a sign-in method that the account of its receiver has lost. It must contain `{{method}}`.
	SignInMethodRemoved *MailTemplateRequest `json:"sign_in_method_removed,omitempty"`

	// The mail about the recovery of the account of its receiver. It must contain `{{expires_in}}`.
	RecoveryBegun *MailTemplateRequest `json:"recovery_begun,omitempty"`

	// The mail with a magic link. It must contain `{{link}}`.
	MagicLink *MailTemplateRequest `json:"magic_link,omitempty"`

	// The mail with an invitation. It must contain `{{link}}`.
	Invite *MailTemplateRequest `json:"invite,omitempty"`

	// The mail with a one-time code. It must contain `{{code}}`.
	OneTimeCode *MailTemplateRequest `json:"one_time_code,omitempty"`
}

// MessagesRequest: an object of the API.
type MessagesRequest struct {
	// The name beside the sender's address. The default is the app's name.
	SenderName *string `json:"sender_name,omitempty"`

	// The address that mails come from. The default is the service's own. The mail server must be allowed to send for it.
	SenderAddress *string `json:"sender_address,omitempty"`

	// The domain on whose pages codes are typed in, for the phone's autofill. The default is the host of the first allowed origin.
	WebDomain *string `json:"web_domain,omitempty"`

	// The app's own templates. Their placeholders are `{{link}}`, `{{code}}` or `{{method}}`, `{{app_name}}`, `{{greeting}}` and, with a link or code, `{{expires_in}}`.
	Templates *TemplatesRequest `json:"templates,omitempty"`
}

// AssetRequest: an object of the API.
type AssetRequest struct {
	// The name of the token's network.
	Network *string `json:"network,omitempty"`

	// The same as `network`, for the networks `ethereum` and `solana`. At least one of the two is required.
	Chain *string `json:"chain,omitempty"`

	// The currency's name in transfers.
	Name string `json:"name"`

	// The symbol, which callers may use in place of the name.
	Symbol string `json:"symbol"`

	// The number of decimal places of the token: its smallest unit is 10 to the power of minus this number.
	Decimals int64 `json:"decimals"`

	// The ERC-20 contract, or the mint of Solana's token program. Payments in a mint of Token-2022 are refused.
	Token string `json:"token"`
}

// MaxAmountRequest: an object of the API.
type MaxAmountRequest struct {
	// A name such as `ethereum`, which bounds one network's coin, or a symbol such as `ETH`, which bounds it on all networks.
	Currency string `json:"currency"`

	// The most one transfer may pay, as a decimal number of the currency's units.
	MaxAmount string `json:"max_amount"`
}

// MaxFeeRequest: an object of the API.
type MaxFeeRequest struct {
	// The name of the network in whose coin the fees are paid; `ETH` and `SOL` mean `ethereum` and `solana`.
	Currency string `json:"currency"`

	// The most one transaction may take in fees, as a decimal number of the coin's units.
	MaxFee string `json:"max_fee"`
}

// TransferPolicyRequest: an object of the API.
type TransferPolicyRequest struct {
	// The only addresses that may be paid. An empty list allows none. Once there is a bound of any sort, `sign_transaction` signs nothing but plain payments within it.
	AllowedDestinations []string `json:"allowed_destinations,omitempty"`

	// The most one transfer may pay of a currency; currencies not named are not bounded.
	MaxAmounts []MaxAmountRequest `json:"max_amounts,omitempty"`

	// The most one transaction may take in fees, in the coin of its chain. Where it names no bound, `sign_transaction` signs no more fees than `max_amounts` allows to pay of the coin.
	MaxFees []MaxFeeRequest `json:"max_fees,omitempty"`
}

// ListedTypedDataRequest: an object of the API.
type ListedTypedDataRequest struct {
	// The `primaryType`, such as `Permit`.
	PrimaryType string `json:"primary_type"`

	// The `verifyingContract` of the domain. If it is absent, the domain must name none.
	VerifyingContract *string `json:"verifying_contract,omitempty"`

	// The `chainId` of the domain. If it is absent, the domain must name none.
	ChainID *int64 `json:"chain_id,omitempty"`
}

// SigningPolicyRequest: an object of the API.
type SigningPolicyRequest struct {
	// The typed data that is signed. `listed`: only listed types. `without_value` (the default): also types that are not known to move value, as permits, authorizations, orders, meta-transactions and changes of an account's control do. `any`: every type. A new live app begins with `listed`, and setting a `transfer_policy` makes it `listed`.
	TypedData *string `json:"typed_data,omitempty"`

	// The typed data that is signed also if it moves value; `transfer_policy` does not bound it. The request replaces the list.
	ListedTypedData []ListedTypedDataRequest `json:"listed_typed_data,omitempty"`

	// The messages that are signed. `any`: all messages. `text`: printable messages that are neither 32 bytes long nor one hash in hexadecimal, because a smart account accepts the signature of such a message as that of a transaction. `none`: no message. The default is `text` while a policy is in force, and else `any`; it stays `any` for an app whose first policy was activated by a release before this rule. Setting a `transfer_policy` makes it `text`.
	Messages *string `json:"messages,omitempty"`

	// Whether private keys may be exported (the default). Setting a `transfer_policy` makes it `false`: an exported key is bound by no policy.
	AllowsExport *bool `json:"allows_export,omitempty"`
}

// WebauthnSettingsRequest: an object of the API.
type WebauthnSettingsRequest struct {
	// The domain that passkeys are bound to: that of the pages, or a domain above it, but no public suffix such as `co.uk` or `github.io`. Passkeys of another domain do not sign in any more. Required when it is not set yet.
	RpID *string `json:"rp_id,omitempty"`

	// The name that authenticators show; `null` stands for the name of the app.
	RpName *string `json:"rp_name,omitempty"`

	// The origins of the pages, such as `https://example.com`; http only on localhost. A host outside `rp_id` is a related origin, which `https://{rp_id}/.well-known/webauthn` must list. An Android app is `android:apk-key-hash:` and the SHA-256 of its certificate in base64url, and `https://{rp_id}/.well-known/assetlinks.json` must name it. Replaces the list. Required when it is not set yet.
	Origins []string `json:"origins,omitempty"`
}

// PolicyChangeRequest: an object of the API.
type PolicyChangeRequest struct {
	// The approver group whose members vote.
	Group string `json:"group"`

	// The number of members who must approve. At least this number of members have a passkey.
	Count int64 `json:"count"`
}

// AuthorizationServerRequest: an object of the API.
type AuthorizationServerRequest struct {
	// The page of the app on which users sign in and consent: https, or http on loopback.
	LoginURL string `json:"login_url"`

	// The hosts, as `host` or `host:port`, whose Client ID Metadata Documents make clients. Without a list those of before stay. The clients of a host that is left out are deleted, and their tokens end.
	ClientMetadataHosts []string `json:"client_metadata_hosts,omitempty"`
}

// CreateAppRequest: an object of the API.
type CreateAppRequest struct {
	// The wallet a new user gets.
	DefaultWalletType *string `json:"default_wallet_type,omitempty"`

	// The exact origins whose pages may call the public endpoints and sign in with a wallet. The request replaces the list; `null` empties it.
	AllowedOrigins []string `json:"allowed_origins,omitempty"`

	// The limits to change.
	Limits *LimitsRequest `json:"limits,omitempty"`

	// The appearance of mails and SMS; `null` restores the standard in everything.
	Messages *MessagesRequest `json:"messages,omitempty"`

	// The tokens that the app's wallets may pay with, besides the chains' own coins. The request replaces the list; `null` empties it.
	Assets []AssetRequest `json:"assets,omitempty"`

	// The networks that the app may use, by name. `null` restores the standard, `ethereum` and `solana`.
	Networks []string `json:"networks,omitempty"`

	// The bounds on payments; `null` removes all of them.
	TransferPolicy *TransferPolicyRequest `json:"transfer_policy,omitempty"`

	// The largest payments for which a confirmation returns at the first block (`pending`, with `confirmed_at`). The request replaces the list; `null` empties it.
	AcceptConfirmed []MaxAmountRequest `json:"accept_confirmed,omitempty"`

	// The rules for signatures that move no funds by a transfer.
	SigningPolicy *SigningPolicyRequest `json:"signing_policy,omitempty"`

	// With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`, so that no login ends in another browser than the one that began it. `null` restores the default, `any`.
	OauthBegin *string `json:"oauth_begin,omitempty"`

	// The calls that need a fresh session where the user has a verified sign-in method and gains or loses one: `sessions`, those that carry a session of the user; `always`, also those by the key of the app alone. `null` restores the default, `sessions`.
	StepUp *string `json:"step_up,omitempty"`

	// The hours since the first proof of a sign-in method after which its proof makes a session fresh; the first method of an account does so at once. `0` lets every method do so at once. `null` restores the default, 24.
	StepUpMethodAgeHours *int64 `json:"step_up_method_age_hours,omitempty"`

	// Whether the app removes a sign-in method of a user only with a session of the user. `null` restores the default, false.
	RemovalNeedsSession *bool `json:"removal_needs_session,omitempty"`

	// Whether the user is notified by mail, or by SMS where only a number is verified, when their account gains or loses a sign-in method. `null` restores the default, true.
	SignInMethodMessages *bool `json:"sign_in_method_messages,omitempty"`

	// The hours after which a passkey that an approver has made after becoming a member of a group votes. `0` only in test apps; `null` restores the default, 24. If the app has `policy_change`, fewer hours need an approval.
	ApproverPasskeyHours *int64 `json:"approver_passkey_hours,omitempty"`

	// The hours from the beginning of a recovery of a user until the new address signs the user in. Meanwhile the user and operators can cancel it. `null` restores the default, 48.
	RecoveryWaitHours *int64 `json:"recovery_wait_hours,omitempty"`

	// The name that users read in mails, and as the issuer in authenticator apps.
	Name string `json:"name"`

	// The mode, which never changes: keys of the two modes belong to different apps.
	Mode *string `json:"mode,omitempty"`

	// The minutes without a verify call after which a session has expired, at most a minute later; `null` removes the bound. It holds for sessions that have begun too.
	SessionIdleMinutes *int64 `json:"session_idle_minutes,omitempty"`

	// The minutes from its start after which a session has expired, however often it is extended; `null` removes the bound. It holds for sessions that have begun too.
	SessionMaxMinutes *int64 `json:"session_max_minutes,omitempty"`

	// The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. The request replaces the list; `null` empties it.
	SessionClaims []string `json:"session_claims,omitempty"`

	// The settings of passkeys; null if the app does not use passkeys.
	Webauthn *WebauthnSettingsRequest `json:"webauthn,omitempty"`

	// The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone.
	PolicyChange *PolicyChangeRequest `json:"policy_change,omitempty"`

	// The authorization server of the app; null while it is switched off.
	AuthorizationServer *AuthorizationServerRequest `json:"authorization_server,omitempty"`

	// The time until which imported passwords sign in, in epoch seconds; `null` ends it.
	PasswordLoginUntil *int64 `json:"password_login_until,omitempty"`
}

// WebauthnSettingsResponse: an object of the API.
type WebauthnSettingsResponse struct {
	// The domain that passkeys are bound to.
	RpID string `json:"rp_id"`

	// The name that authenticators show; `null` stands for the name of the app.
	RpName *string `json:"rp_name"`

	// The origins of the pages and Android apps that may use passkeys.
	Origins []string `json:"origins"`
}

// PolicyChangeResponse: an object of the API.
type PolicyChangeResponse struct {
	// The approver group whose members vote.
	Group string `json:"group"`

	// The number of members who must approve.
	Count int64 `json:"count"`
}

// AuthorizationServerResponse: an object of the API.
type AuthorizationServerResponse struct {
	// The page of the app on which users sign in and consent.
	LoginURL string `json:"login_url"`

	// The hosts whose Client ID Metadata Documents make clients.
	ClientMetadataHosts []string `json:"client_metadata_hosts"`
}

// LimitsResponse: an object of the API.
type LimitsResponse struct {
	// The maximum number of calls per second with the app's secret keys, counted by each replica.
	SecretKeyCallsPerSecond int64 `json:"secret_key_calls_per_second"`

	// The maximum number of mails or SMS to one recipient in ten minutes.
	RecipientSendsPerTenMinutes int64 `json:"recipient_sends_per_ten_minutes"`

	// The maximum number of mails or SMS requested from one client network (the `ip` of `device_fingerprint`) in ten minutes.
	NetworkSendsPerTenMinutes int64 `json:"network_sends_per_ten_minutes"`

	// The maximum number of mails and SMS of the app in an hour.
	SendsPerHour int64 `json:"sends_per_hour"`

	// The maximum number of SMS of the app to one destination country in an hour.
	SmsPerCountryPerHour int64 `json:"sms_per_country_per_hour"`

	// The number of wrong tries that void a code.
	WrongTriesPerCode int64 `json:"wrong_tries_per_code"`

	// The number of wrong tries of a user in an hour, over all codes and factors, that lock the codes of that user.
	WrongTriesPerHour int64 `json:"wrong_tries_per_hour"`

	// The number of wrong tries from one client network (the `ip` of `device_fingerprint`) in an hour, over all users and codes, from which on codes are refused from that network until the oldest try is an hour ago. Raise it if very many users share one address.
	NetworkWrongTriesPerHour int64 `json:"network_wrong_tries_per_hour"`

	// The duration, in minutes, of the lock on a user that `wrong_tries_per_hour` causes.
	LockMinutes int64 `json:"lock_minutes"`

	// The maximum number of live sessions of a user. When one more begins, the oldest ends.
	SessionsPerUser int64 `json:"sessions_per_user"`

	// The maximum size, in MiB, of the responses that are stored for `Idempotency-Key` in 24 hours; a login takes about 400 bytes. A tenth is reserved for payments and imports. From 80 % on, the event `limit.reached` says so.
	StoredAnswersMb int64 `json:"stored_answers_mb"`

	// The countries that SMS may go to; `*` stands for all countries.
	SmsCountries []string `json:"sms_countries"`
}

// MailTemplateResponse: an object of the API.
type MailTemplateResponse struct {
	// The subject line; absent if the built-in one applies.
	Subject *string `json:"subject,omitempty"`

	// The plain text of the mail; absent if the built-in one applies.
	Text *string `json:"text,omitempty"`

	// The HTML document of the mail; absent if the built-in one applies.
	Html *string `json:"html,omitempty"`
}

// SmsTemplateResponse: an object of the API.
type SmsTemplateResponse struct {
	// The text with the placeholder `{{code}}`.
	Text string `json:"text"`
}

// TemplatesResponse: an object of the API.
type TemplatesResponse struct {
	// The mail about a sign-in method that the account of its receiver has gained. It must contain `{{method}}`. It is null if the built-in template applies.
	SignInMethodAdded *MailTemplateResponse `json:"sign_in_method_added"`

	// The mail about a sign-in method that the account of its receiver has lost. It must contain `{{method}}`. It is null if the built-in template applies.
	SignInMethodRemoved *MailTemplateResponse `json:"sign_in_method_removed"`

	// The mail about the recovery of the account of its receiver. It must contain `{{expires_in}}`. It is null if the built-in template applies.
	RecoveryBegun *MailTemplateResponse `json:"recovery_begun"`

	// The mail with a magic link. It must contain `{{link}}`. It is null if the built-in template applies.
	MagicLink *MailTemplateResponse `json:"magic_link"`

	// The mail with an invitation. It must contain `{{link}}`. It is null if the built-in template applies.
	Invite *MailTemplateResponse `json:"invite"`

	// The mail with a one-time code. It must contain `{{code}}`. It is null if the built-in template applies.
	OneTimeCode *MailTemplateResponse `json:"one_time_code"`

	// The SMS with a passcode; null if the built-in text applies.
	Sms *SmsTemplateResponse `json:"sms"`
}

// MessagesResponse: an object of the API.
type MessagesResponse struct {
	// The name beside the sender's address; null stands for the app's name.
	SenderName *string `json:"sender_name"`

	// The address that mails come from; null stands for the service's own.
	SenderAddress *string `json:"sender_address"`

	// The domain on whose pages codes are typed in; null stands for the host of the first allowed origin.
	WebDomain *string `json:"web_domain"`

	// The app's own templates.
	Templates TemplatesResponse `json:"templates"`
}

// AssetResponse: an object of the API.
type AssetResponse struct {
	// The name of the token's network.
	Network string `json:"network"`

	// The same as `network`.
	Chain string `json:"chain"`

	// The currency's name in transfers.
	Name string `json:"name"`

	// The symbol, which callers may use in place of the name.
	Symbol string `json:"symbol"`

	// The number of decimal places of the token: its smallest unit is 10 to the power of minus this number.
	Decimals int64 `json:"decimals"`

	// The ERC-20 contract or the SPL mint, in canonical form.
	Token string `json:"token"`
}

// MaxAmountResponse: an object of the API.
type MaxAmountResponse struct {
	// The currency's name, such as `ethereum`, or its symbol.
	Currency string `json:"currency"`

	// The most one transfer may pay, as a decimal number of the currency's whole units.
	MaxAmount string `json:"max_amount"`
}

// MaxFeeResponse: an object of the API.
type MaxFeeResponse struct {
	// The name of the network in whose coin the fees are paid.
	Currency string `json:"currency"`

	// The most one transaction may take in fees, as a decimal number of the coin's whole units.
	MaxFee string `json:"max_fee"`
}

// TransferPolicyResponse: an object of the API.
type TransferPolicyResponse struct {
	// The only addresses that may be paid; `null` if any address may be paid.
	AllowedDestinations []string `json:"allowed_destinations"`

	// The most one transfer may pay of a currency. Currencies that are not named are not bounded.
	MaxAmounts []MaxAmountResponse `json:"max_amounts"`

	// The most one transaction may take in fees, in the coin of its chain.
	MaxFees []MaxFeeResponse `json:"max_fees"`
}

// ListedTypedDataResponse: an object of the API.
type ListedTypedDataResponse struct {
	// The `primaryType`, such as `Permit`.
	PrimaryType string `json:"primary_type"`

	// The `verifyingContract` of the domain; null if the domain must name none.
	VerifyingContract *string `json:"verifying_contract"`

	// The `chainId` of the domain; null if the domain must name none.
	ChainID *int64 `json:"chain_id"`
}

// SigningPolicyResponse: an object of the API.
type SigningPolicyResponse struct {
	// The rule for typed data: `listed`: only listed types; `without_value`: also types that are not known to move value; `any`: every type.
	TypedData string `json:"typed_data"`

	// The typed data that is signed also if it moves value.
	ListedTypedData []ListedTypedDataResponse `json:"listed_typed_data"`

	// The rule for messages: `any`: all; `text`: printable ones that are not a hash; `none`: no message.
	Messages string `json:"messages"`

	// Whether private keys may be exported.
	AllowsExport bool `json:"allows_export"`
}

// CreatedAppResponse: The new app with its first keys, which are shown only once.
type CreatedAppResponse struct {
	// The minutes without a verify call after which a session has expired, at most a minute later; `null`: no bound.
	SessionIdleMinutes *int64 `json:"session_idle_minutes"`

	// The minutes from its start after which a session has expired, however often it is extended; `null`: no bound.
	SessionMaxMinutes *int64 `json:"session_max_minutes"`

	// The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them.
	SessionClaims []string `json:"session_claims"`

	// The settings of passkeys; null if the app does not use passkeys.
	Webauthn *WebauthnSettingsResponse `json:"webauthn"`

	// The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone.
	PolicyChange *PolicyChangeResponse `json:"policy_change"`

	// The authorization server of the app; null while it is switched off.
	AuthorizationServer *AuthorizationServerResponse `json:"authorization_server"`

	// The time until which imported passwords sign in, in epoch seconds; `0` if they do not.
	PasswordLoginUntil int64 `json:"password_login_until"`

	// The id of the app, which begins with `app_`.
	ID string `json:"id"`

	// The name that users read in mails, and as the issuer in authenticator apps.
	Name string `json:"name"`

	// The mode, which never changes. Keys of a `test` app begin with `sk_test_` and `pk_test_`.
	Mode string `json:"mode"`

	// The wallet that a new user gets.
	DefaultWalletType string `json:"default_wallet_type"`

	// The exact origins whose pages may call the public endpoints and sign in with a wallet.
	AllowedOrigins []string `json:"allowed_origins"`

	// The limits in force, defaults included.
	Limits LimitsResponse `json:"limits"`

	// The appearance of mails and SMS.
	Messages MessagesResponse `json:"messages"`

	// The tokens that the app's wallets may pay with, besides the chains' own coins.
	Assets []AssetResponse `json:"assets"`

	// The networks that the app may use; `null` is the standard: `ethereum` and `solana` if they are configured.
	Networks []string `json:"networks"`

	// The bounds on payments.
	TransferPolicy TransferPolicyResponse `json:"transfer_policy"`

	// The largest payments for which a confirmation returns at the first block.
	AcceptConfirmed []MaxAmountResponse `json:"accept_confirmed"`

	// The rules for signatures.
	SigningPolicy SigningPolicyResponse `json:"signing_policy"`

	// With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`. The default is `any`.
	OauthBegin string `json:"oauth_begin"`

	// The calls that need a fresh session where the user gains or loses a sign-in method. The default is `sessions`.
	StepUp string `json:"step_up"`

	// The hours since the first proof of a sign-in method after which its proof makes a session fresh. The default is 24.
	StepUpMethodAgeHours int64 `json:"step_up_method_age_hours"`

	// Whether the app removes a sign-in method of a user only with a session of the user. The default is false.
	RemovalNeedsSession bool `json:"removal_needs_session"`

	// Whether the user is notified when their account gains or loses a sign-in method. The default is true.
	SignInMethodMessages bool `json:"sign_in_method_messages"`

	// The hours after which a passkey that an approver has made after becoming a member votes. The default is 24.
	ApproverPasskeyHours int64 `json:"approver_passkey_hours"`

	// The hours from the beginning of a recovery of a user until the new address signs the user in. The default is 48.
	RecoveryWaitHours int64 `json:"recovery_wait_hours"`

	// The time since which the wallets of the app sign nothing, in epoch seconds; `0` if they sign.
	FrozenAt int64 `json:"frozen_at"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The app's first secret key, which is shown only once.
	SecretKey string `json:"secret_key"`

	// The app's first public token, which is shown only once.
	PublicToken string `json:"public_token"`
}

// AppResponse: The app with its settings.
type AppResponse struct {
	// The minutes without a verify call after which a session has expired, at most a minute later; `null`: no bound.
	SessionIdleMinutes *int64 `json:"session_idle_minutes"`

	// The minutes from its start after which a session has expired, however often it is extended; `null`: no bound.
	SessionMaxMinutes *int64 `json:"session_max_minutes"`

	// The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them.
	SessionClaims []string `json:"session_claims"`

	// The settings of passkeys; null if the app does not use passkeys.
	Webauthn *WebauthnSettingsResponse `json:"webauthn"`

	// The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone.
	PolicyChange *PolicyChangeResponse `json:"policy_change"`

	// The authorization server of the app; null while it is switched off.
	AuthorizationServer *AuthorizationServerResponse `json:"authorization_server"`

	// The time until which imported passwords sign in, in epoch seconds; `0` if they do not.
	PasswordLoginUntil int64 `json:"password_login_until"`

	// The id of the app, which begins with `app_`.
	ID string `json:"id"`

	// The name that users read in mails, and as the issuer in authenticator apps.
	Name string `json:"name"`

	// The mode, which never changes. Keys of a `test` app begin with `sk_test_` and `pk_test_`.
	Mode string `json:"mode"`

	// The wallet that a new user gets.
	DefaultWalletType string `json:"default_wallet_type"`

	// The exact origins whose pages may call the public endpoints and sign in with a wallet.
	AllowedOrigins []string `json:"allowed_origins"`

	// The limits in force, defaults included.
	Limits LimitsResponse `json:"limits"`

	// The appearance of mails and SMS.
	Messages MessagesResponse `json:"messages"`

	// The tokens that the app's wallets may pay with, besides the chains' own coins.
	Assets []AssetResponse `json:"assets"`

	// The networks that the app may use; `null` is the standard: `ethereum` and `solana` if they are configured.
	Networks []string `json:"networks"`

	// The bounds on payments.
	TransferPolicy TransferPolicyResponse `json:"transfer_policy"`

	// The largest payments for which a confirmation returns at the first block.
	AcceptConfirmed []MaxAmountResponse `json:"accept_confirmed"`

	// The rules for signatures.
	SigningPolicy SigningPolicyResponse `json:"signing_policy"`

	// With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`. The default is `any`.
	OauthBegin string `json:"oauth_begin"`

	// The calls that need a fresh session where the user gains or loses a sign-in method. The default is `sessions`.
	StepUp string `json:"step_up"`

	// The hours since the first proof of a sign-in method after which its proof makes a session fresh. The default is 24.
	StepUpMethodAgeHours int64 `json:"step_up_method_age_hours"`

	// Whether the app removes a sign-in method of a user only with a session of the user. The default is false.
	RemovalNeedsSession bool `json:"removal_needs_session"`

	// Whether the user is notified when their account gains or loses a sign-in method. The default is true.
	SignInMethodMessages bool `json:"sign_in_method_messages"`

	// The hours after which a passkey that an approver has made after becoming a member votes. The default is 24.
	ApproverPasskeyHours int64 `json:"approver_passkey_hours"`

	// The hours from the beginning of a recovery of a user until the new address signs the user in. The default is 48.
	RecoveryWaitHours int64 `json:"recovery_wait_hours"`

	// The time since which the wallets of the app sign nothing, in epoch seconds; `0` if they sign.
	FrozenAt int64 `json:"frozen_at"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// AppListResponse: A page of the apps.
type AppListResponse struct {
	// The apps, newest first.
	Apps []AppResponse `json:"apps"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// UpdateAppRequest: an object of the API.
type UpdateAppRequest struct {
	// The wallet a new user gets.
	DefaultWalletType *string `json:"default_wallet_type,omitempty"`

	// The exact origins whose pages may call the public endpoints and sign in with a wallet. The request replaces the list; `null` empties it.
	AllowedOrigins []string `json:"allowed_origins,omitempty"`

	// The limits to change.
	Limits *LimitsRequest `json:"limits,omitempty"`

	// The appearance of mails and SMS; `null` restores the standard in everything.
	Messages *MessagesRequest `json:"messages,omitempty"`

	// The tokens that the app's wallets may pay with, besides the chains' own coins. The request replaces the list; `null` empties it.
	Assets []AssetRequest `json:"assets,omitempty"`

	// The networks that the app may use, by name. `null` restores the standard, `ethereum` and `solana`.
	Networks []string `json:"networks,omitempty"`

	// The bounds on payments; `null` removes all of them.
	TransferPolicy *TransferPolicyRequest `json:"transfer_policy,omitempty"`

	// The largest payments for which a confirmation returns at the first block (`pending`, with `confirmed_at`). The request replaces the list; `null` empties it.
	AcceptConfirmed []MaxAmountRequest `json:"accept_confirmed,omitempty"`

	// The rules for signatures that move no funds by a transfer.
	SigningPolicy *SigningPolicyRequest `json:"signing_policy,omitempty"`

	// With `bound`, the start of a login through a provider needs `code_challenge` or `redirect=true`, so that no login ends in another browser than the one that began it. `null` restores the default, `any`.
	OauthBegin *string `json:"oauth_begin,omitempty"`

	// The calls that need a fresh session where the user has a verified sign-in method and gains or loses one: `sessions`, those that carry a session of the user; `always`, also those by the key of the app alone. `null` restores the default, `sessions`.
	StepUp *string `json:"step_up,omitempty"`

	// The hours since the first proof of a sign-in method after which its proof makes a session fresh; the first method of an account does so at once. `0` lets every method do so at once. `null` restores the default, 24.
	StepUpMethodAgeHours *int64 `json:"step_up_method_age_hours,omitempty"`

	// Whether the app removes a sign-in method of a user only with a session of the user. `null` restores the default, false.
	RemovalNeedsSession *bool `json:"removal_needs_session,omitempty"`

	// Whether the user is notified by mail, or by SMS where only a number is verified, when their account gains or loses a sign-in method. `null` restores the default, true.
	SignInMethodMessages *bool `json:"sign_in_method_messages,omitempty"`

	// The hours after which a passkey that an approver has made after becoming a member of a group votes. `0` only in test apps; `null` restores the default, 24. If the app has `policy_change`, fewer hours need an approval.
	ApproverPasskeyHours *int64 `json:"approver_passkey_hours,omitempty"`

	// The hours from the beginning of a recovery of a user until the new address signs the user in. Meanwhile the user and operators can cancel it. `null` restores the default, 48.
	RecoveryWaitHours *int64 `json:"recovery_wait_hours,omitempty"`

	// The name that users read in mails, and as the issuer in authenticator apps.
	Name *string `json:"name,omitempty"`

	// The approval that the refused call (409 `approval_required`) named, once it is approved. Only a change of `policy_change` needs one.
	ApprovalID *string `json:"approval_id,omitempty"`

	// The minutes without a verify call after which a session has expired, at most a minute later; `null` removes the bound. It holds for sessions that have begun too.
	SessionIdleMinutes *int64 `json:"session_idle_minutes,omitempty"`

	// The minutes from its start after which a session has expired, however often it is extended; `null` removes the bound. It holds for sessions that have begun too.
	SessionMaxMinutes *int64 `json:"session_max_minutes,omitempty"`

	// The claims about the user in session JWTs: `external_id`, `metadata`, or members of it as `metadata.plan`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them. The request replaces the list; `null` empties it.
	SessionClaims []string `json:"session_claims,omitempty"`

	// The settings of passkeys; null if the app does not use passkeys.
	Webauthn *WebauthnSettingsRequest `json:"webauthn,omitempty"`

	// The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone.
	PolicyChange *PolicyChangeRequest `json:"policy_change,omitempty"`

	// The authorization server of the app; null while it is switched off.
	AuthorizationServer *AuthorizationServerRequest `json:"authorization_server,omitempty"`

	// The time until which imported passwords sign in, in epoch seconds; `null` ends it.
	PasswordLoginUntil *int64 `json:"password_login_until,omitempty"`
}

// DeletedResponse: The object was deleted.
type DeletedResponse struct {
	// The id of the deleted app, key, redirect URL or connection.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// CreateKeyRequest: an object of the API.
type CreateKeyRequest struct {
	// The kind of key: `secret` for a backend, `public` for the start of a login in a browser, `restricted` for a program that needs only some calls or only some objects.
	Kind string `json:"kind"`

	// A name by which operators recognise the key.
	Name *string `json:"name,omitempty"`

	// The time from which the key is refused, in epoch seconds. If it is `0` or absent, the key is valid until it is revoked.
	ExpiresAt *int64 `json:"expires_at,omitempty"`

	// The calls that a restricted key may make, by their scopes in this document. No scope includes another one.
	Scopes []string `json:"scopes,omitempty"`

	// The only user whom a restricted key sees. Another object is treated as unknown.
	UserID *string `json:"user_id,omitempty"`

	// The only wallets that a restricted key sees. With `user_id` they must belong to that user.
	WalletIds []string `json:"wallet_ids,omitempty"`

	// The networks from which a restricted key may be used, in CIDR notation. If absent, from every network.
	IPRanges []string `json:"ip_ranges,omitempty"`

	// The maximum number of calls per second with a restricted key, counted by each replica beside the limit of the app.
	Rate *int64 `json:"rate,omitempty"`

	// The key of the same kind that the new one replaces. It ends after `overlap_minutes`, unless it ends earlier. Nothing of it passes to the new one: its policies do not apply to that, open approvals that it asked for become void, and its webhook endpoints pass to the app, disabled.
	Replaces *string `json:"replaces,omitempty"`

	// The number of minutes for which the key in `replaces` is accepted beside the new one, 1440 if absent.
	OverlapMinutes *int64 `json:"overlap_minutes,omitempty"`
}

// CreatedKeyResponse: The new key with its text, which is shown only once.
type CreatedKeyResponse struct {
	// The id of the key, which begins with `key_`.
	ID string `json:"id"`

	// The kind of key: `secret`, `public` or `restricted`. Only a restricted key has the members from `scopes` on.
	Kind string `json:"kind"`

	// The name by which operators recognise the key; may be empty.
	Name string `json:"name"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time from which the key is refused, in epoch seconds; `0` if it is valid until it is revoked.
	ExpiresAt int64 `json:"expires_at"`

	// The time of the last use in epoch seconds, exact to the minute; `0` if the key was never used.
	LastUsedAt int64 `json:"last_used_at"`

	// The scopes of the calls that the key may make.
	Scopes []string `json:"scopes,omitempty"`

	// The user to whom the key is bound; empty if it is bound to none.
	UserID *string `json:"user_id,omitempty"`

	// The wallets to which the key is bound; empty if it is bound to none.
	WalletIds []string `json:"wallet_ids,omitempty"`

	// The networks from which the key may be used; empty if from every network.
	IPRanges []string `json:"ip_ranges,omitempty"`

	// The maximum number of calls per second with the key; null if only the limit of the app applies.
	Rate *int64 `json:"rate,omitempty"`

	// The text of the key, which is shown only once.
	Key string `json:"key"`
}

// KeyResponse: an object of the API.
type KeyResponse struct {
	// The id of the key, which begins with `key_`.
	ID string `json:"id"`

	// The kind of key: `secret`, `public` or `restricted`. Only a restricted key has the members from `scopes` on.
	Kind string `json:"kind"`

	// The name by which operators recognise the key; may be empty.
	Name string `json:"name"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time from which the key is refused, in epoch seconds; `0` if it is valid until it is revoked.
	ExpiresAt int64 `json:"expires_at"`

	// The time of the last use in epoch seconds, exact to the minute; `0` if the key was never used.
	LastUsedAt int64 `json:"last_used_at"`

	// The scopes of the calls that the key may make.
	Scopes []string `json:"scopes,omitempty"`

	// The user to whom the key is bound; empty if it is bound to none.
	UserID *string `json:"user_id,omitempty"`

	// The wallets to which the key is bound; empty if it is bound to none.
	WalletIds []string `json:"wallet_ids,omitempty"`

	// The networks from which the key may be used; empty if from every network.
	IPRanges []string `json:"ip_ranges,omitempty"`

	// The maximum number of calls per second with the key; null if only the limit of the app applies.
	Rate *int64 `json:"rate,omitempty"`
}

// KeyListResponse: A page of the keys that are not revoked, without their texts.
type KeyListResponse struct {
	// The keys that are not revoked, newest first.
	Keys []KeyResponse `json:"keys"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// RegisterRedirectUrlRequest: an object of the API.
type RegisterRedirectUrlRequest struct {
	// The URL uses https, or http on loopback and for test apps. It has no credentials and no fragment, and is compared in full.
	URL string `json:"url"`

	// The users who are sent to the URL: those who log in, those who register, or those who were invited.
	Kind string `json:"kind"`

	// Whether the URL applies if a request names none. It replaces the earlier default.
	IsDefault *bool `json:"is_default,omitempty"`
}

// RedirectUrlResponse: The redirect URL as it is registered.
type RedirectUrlResponse struct {
	// The id of the redirect URL, which begins with `rurl_`.
	ID string `json:"id"`

	// The URL in canonical form.
	URL string `json:"url"`

	// The users who are sent to the URL: those who log in, those who register, or those who were invited.
	Kind string `json:"kind"`

	// Whether the URL applies if a request names none of its kind.
	IsDefault bool `json:"is_default"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// RedirectUrlListResponse: A page of the registered redirect URLs.
type RedirectUrlListResponse struct {
	// The redirect URLs, newest first.
	RedirectUrls []RedirectUrlResponse `json:"redirect_urls"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// CreateOauthConnectionRequest: an object of the API.
type CreateOauthConnectionRequest struct {
	// The issuer URL of an OpenID Connect provider, exactly as its tokens spell it.
	Issuer *string `json:"issuer,omitempty"`

	// The id of the developer team, for Apple only.
	TeamID *string `json:"team_id,omitempty"`

	// The id of the signing key, for Apple only.
	KeyID *string `json:"key_id,omitempty"`

	// The signing key (PKCS #8 in PEM), for Apple only. It is never returned.
	PrivateKey *string `json:"private_key,omitempty"`

	// Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook.
	TrustsEmail *bool `json:"trusts_email,omitempty"`

	// The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it.
	EmailDomains []string `json:"email_domains,omitempty"`

	// Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app.
	Pkce *bool `json:"pkce,omitempty"`

	// With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user.
	Userinfo *string `json:"userinfo,omitempty"`

	// The provider's name: google, microsoft, apple, github, discord, slack, facebook, okta, linkedin, gitlab, twitch, or a name of your choice for the OpenID Connect provider of `issuer` or `domain`.
	Provider string `json:"provider"`

	// The app's id at the provider.
	ClientID string `json:"client_id"`

	// The app's secret at the provider. It is never returned.
	ClientSecret *string `json:"client_secret,omitempty"`

	// The host of an OpenID Connect provider, in place of `issuer`: the issuer is `https://{domain}`.
	Domain *string `json:"domain,omitempty"`
}

// OauthConnectionResponse: The connection without its secrets.
type OauthConnectionResponse struct {
	// The id of the OAuth connection, which begins with `oauthconn_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The name of the identity provider, as it stands in the paths of a login.
	Provider string `json:"provider"`

	// The app's id at the provider.
	ClientID string `json:"client_id"`

	// The issuer URL; empty if none was given.
	Issuer string `json:"issuer"`

	// The id of Apple's developer team; empty if none was given.
	TeamID string `json:"team_id"`

	// The id of Apple's signing key; empty if none was given.
	KeyID string `json:"key_id"`

	// Whether an email that this provider calls verified counts as proof of it, within `email_domains`.
	TrustsEmail bool `json:"trusts_email"`

	// The domains whose addresses the provider is trusted with, in lower-case ASCII (IDNA).
	EmailDomains []string `json:"email_domains"`

	// Whether logins send PKCE (RFC 7636) to the provider.
	Pkce bool `json:"pkce"`

	// Whether a new user whose id_token has no email is created while the userinfo endpoint denies its answer.
	Userinfo string `json:"userinfo"`

	// The redirect URI to enter at the provider.
	CallbackURL string `json:"callback_url"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// OauthConnectionListResponse: A page of the connections, without their secrets.
type OauthConnectionListResponse struct {
	// The connections, newest first.
	OauthConnections []OauthConnectionResponse `json:"oauth_connections"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// UpdateOauthConnectionRequest: an object of the API.
type UpdateOauthConnectionRequest struct {
	// The issuer URL of an OpenID Connect provider, exactly as its tokens spell it.
	Issuer *string `json:"issuer,omitempty"`

	// The id of the developer team, for Apple only.
	TeamID *string `json:"team_id,omitempty"`

	// The id of the signing key, for Apple only.
	KeyID *string `json:"key_id,omitempty"`

	// The signing key (PKCS #8 in PEM), for Apple only. It is never returned.
	PrivateKey *string `json:"private_key,omitempty"`

	// Whether an email that this provider calls verified counts as proof of it, within `email_domains`. The default is true, except for microsoft and facebook.
	TrustsEmail *bool `json:"trusts_email,omitempty"`

	// The domains of the email addresses that the provider is trusted with, each exactly as listed, without those below it. With an empty list (the default) a provider known by name is trusted with every address. An `issuer` or `domain` of your own is then trusted with addresses that no user has verified: a login with one that another user has verified ends with `error=account_exists`. Replaces the list; `null` empties it.
	EmailDomains []string `json:"email_domains,omitempty"`

	// Whether logins send PKCE (RFC 7636, S256) to the provider. The default is true, except for linkedin, which refuses it. With false, a login begins with `redirect=true` or a `code_challenge` of the app.
	Pkce *bool `json:"pkce,omitempty"`

	// With `required` (default), no new user is created from an id_token without an email while the userinfo endpoint answers 401, 403 or 404. With `optional`, the id_token suffices for every user.
	Userinfo *string `json:"userinfo,omitempty"`

	// The app's id at the provider.
	ClientID *string `json:"client_id,omitempty"`

	// The app's secret at the provider. It is never returned.
	ClientSecret *string `json:"client_secret,omitempty"`
}

// ManagementSessionResponse: The caller and its role.
type ManagementSessionResponse struct {
	// The id of the management key; empty for an operator who signed in at the OpenID provider.
	KeyID string `json:"key_id"`

	// The name of an operator who signed in at the OpenID provider; empty for a key.
	Operator string `json:"operator"`

	// The role: an `owner` may do everything, an `operator` may not change apps, keys, redirect URLs and connections, `support` may change users, their sessions and messages, and retry jobs, an `auditor` may only read.
	Role string `json:"role"`

	// The time when the session or the key ends, in epoch seconds; `0` if the key is valid until it is revoked.
	ExpiresAt int64 `json:"expires_at"`

	// The time at which the operator of a browser session proved who they are, in epoch seconds; `0` for a call with a key, and if it is not known.
	ProvedAt int64 `json:"proved_at"`
}

// EndedManagementSessionResponse: The session has ended, and its cookie is removed.
type EndedManagementSessionResponse struct {
	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// ListedManagementSession: an object of the API.
type ListedManagementSession struct {
	// The management key that began it; empty for an operator who signed in at the OpenID provider.
	KeyID string `json:"key_id"`

	// The name of an operator who signed in at the OpenID provider; empty for a key.
	Operator string `json:"operator"`

	// The role of the session.
	Role string `json:"role"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of the last call, in epoch seconds, exact to the minute.
	LastUsedAt int64 `json:"last_used_at"`

	// The time at which the operator proved who they are, in epoch seconds; `0` if it is not known.
	ProvedAt int64 `json:"proved_at"`

	// The time at which the session ends at the latest, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`
}

// ManagementSessionListResponse: The live sessions of browsers.
type ManagementSessionListResponse struct {
	// The sessions, the newest first.
	Sessions []ListedManagementSession `json:"sessions"`
}

// MessageResponse: an object of the API.
type MessageResponse struct {
	// The id of the message, which begins with `msg_`.
	ID string `json:"id"`

	// The channel: `mail` to an email address, or `sms` to a phone number.
	Channel string `json:"channel"`

	// The purpose of the message, which also names its template.
	Kind string `json:"kind"`

	// The email address or phone number that the message goes to.
	Recipient string `json:"recipient"`

	// The status: `pending` until the mail server or the SMS gateway accepts it; `failed` when it is not tried again.
	Status string `json:"status"`

	// The number of attempts to send the message.
	Attempts int64 `json:"attempts"`

	// The error of the last attempt; empty after a success.
	LastError string `json:"last_error"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time when it was accepted, in epoch seconds; `0` before.
	SentAt int64 `json:"sent_at"`
}

// MessageListResponse: A page of the sent messages, without their contents.
type MessageListResponse struct {
	// The messages, newest first. A message is listed for 30 days.
	Messages []MessageResponse `json:"messages"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// JobResponse: A job of the app that is not done.
type JobResponse struct {
	// The id of the job, which begins with `job_`.
	ID string `json:"id"`

	// The kind of the job, such as `mail` or `sms`.
	Kind string `json:"kind"`

	// The state: `waiting` for its first attempt, `running`, `retrying` after a failure, or `dead`, which is not tried again.
	State string `json:"state"`

	// The number of attempts that have begun.
	Attempts int64 `json:"attempts"`

	// The error of the last attempt; empty before the first failure.
	LastError string `json:"last_error"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of its next run, in epoch seconds; `0` once it is dead.
	DueAt int64 `json:"due_at"`
}

// JobListResponse: A page of the jobs that are not done.
type JobListResponse struct {
	// The jobs, newest first. A job that is done is not listed.
	Jobs []JobResponse `json:"jobs"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// KeyProviderResponse: an object of the API.
type KeyProviderResponse struct {
	// The kind of the provider.
	Name string `json:"name"`

	// The result of the last call: `ok`, `unavailable`, or `unknown` before the first one.
	Status string `json:"status"`

	// Why the last call failed; null if it did not.
	Fault *string `json:"fault"`

	// The time since which calls fail, in epoch seconds; 0 if the last one did not.
	FailingSince int64 `json:"failing_since"`

	// The time of the last call, in epoch seconds; 0 before the first one.
	CheckedAt int64 `json:"checked_at"`
}

// AppKeysResponse: an object of the API.
type AppKeysResponse struct {
	// The kind of the provider.
	Provider string `json:"provider"`

	// The generation of the keys.
	Generation int64 `json:"generation"`

	// The number of apps with such a key. The service itself counts as one.
	Apps int64 `json:"apps"`
}

// SealedValuesResponse: an object of the API.
type SealedValuesResponse struct {
	// The holder of the key; `unknown` for altered values, which name none.
	SealedBy string `json:"sealed_by"`

	// The id of the master key; empty for the keys of a provider.
	MasterKey string `json:"master_key"`

	// The number of values.
	Values int64 `json:"values"`

	// Whether it seals new values. The settings of another one must stay until its values are moved.
	IsCurrent bool `json:"is_current"`
}

// KeyEscrowResponse: an object of the API.
type KeyEscrowResponse struct {
	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The number of keys in it.
	Keys int64 `json:"keys"`

	// The number of private keys that open it together.
	Threshold int64 `json:"threshold"`

	// The number of its recipients.
	Recipients int64 `json:"recipients"`

	// The number of keys that were made or restored since, which it may lack.
	NewerKeys int64 `json:"newer_keys"`
}

// KeyStorageResponse: Where the keys are that protect all secrets.
type KeyStorageResponse struct {
	// The holder of the keys that seal new values.
	Provider string `json:"provider"`

	// The providers of the configuration.
	Providers []KeyProviderResponse `json:"providers"`

	// The keys of apps that are not retired; none under master keys.
	AppKeys []AppKeysResponse `json:"app_keys"`

	// The sealed values at the last count that was completed; empty before the first one.
	SealedValues []SealedValuesResponse `json:"sealed_values"`

	// The time of that count, in epoch seconds; 0 before the first one.
	CountedAt int64 `json:"counted_at"`

	// The time of the last count if it failed, in epoch seconds; 0 otherwise.
	CountFailedAt int64 `json:"count_failed_at"`

	// Whether the replica counts the values now.
	IsCounting bool `json:"is_counting"`

	// The last escrow of the keys of the provider; null if none was made.
	Escrow *KeyEscrowResponse `json:"escrow"`
}

// PreviewTemplateRequest: an object of the API.
type PreviewTemplateRequest struct {
	// The subject line. It may contain placeholders.
	Subject *string `json:"subject,omitempty"`

	// The plain text of the mail. It goes together with `html`.
	Text *string `json:"text,omitempty"`

	// A whole HTML document. Values are escaped where they are put in.
	Html *string `json:"html,omitempty"`

	// The kind of mail to show.
	Kind string `json:"kind"`

	// The name in the greeting.
	Name *string `json:"name,omitempty"`
}

// TemplatePreviewResponse: The mail with sample values. Nothing was sent.
type TemplatePreviewResponse struct {
	// The kind of the mail.
	Kind string `json:"kind"`

	// The subject line with the sample values.
	Subject string `json:"subject"`

	// The plain text with the sample values.
	Text string `json:"text"`

	// A whole HTML document. Show it in a frame without scripts: an operator wrote it.
	Html string `json:"html"`
}

// AuditEntryResponse: an object of the API.
type AuditEntryResponse struct {
	// The id of the audit entry, which begins with `audit_`.
	ID string `json:"id"`

	// The time of the entry, in epoch seconds.
	At int64 `json:"at"`

	// The id of the key that was used; `oidc:` and the name of an operator who signed in at the OpenID provider; `cli` or `first_start` if an operator worked at the machine, `unknown` for a refused call without a valid key.
	Actor string `json:"actor"`

	// The name that the key or the operator has now; empty where there is none.
	ActorName string `json:"actor_name"`

	// The name of the action, e.g. `key.created`; `call.refused` for a refused call.
	Action string `json:"action"`

	// The id of the changed object. For a refused call: its method and route, or empty if the entry stands for calls of several routes.
	Target string `json:"target"`

	// The names of the fields that were to change.
	Fields []string `json:"fields"`

	// The outcome: `ok` or `refused`.
	Outcome string `json:"outcome"`

	// The error type of a refused call; otherwise empty.
	ErrorType string `json:"error_type"`

	// The number of refused calls that the entry stands for; 1 for a change.
	Calls int64 `json:"calls"`

	// The id of the request; empty if there was no HTTP request, or if the entry stands for several.
	RequestID string `json:"request_id"`

	// The caller's address, or its network if the entry stands for several calls. Empty if there was no HTTP request, or once it is erased.
	IP string `json:"ip"`

	// Whether `ip` was erased.
	IPErased bool `json:"ip_erased"`

	// The same as `target`.
	TargetID string `json:"target_id"`

	// The same as `at`.
	CreatedAt int64 `json:"created_at"`
}

// AuditLogResponse: A page of the audit log.
type AuditLogResponse struct {
	// The entries, newest first.
	Entries []AuditEntryResponse `json:"entries"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// RefusedCallsOfHourResponse: The calls that a key was refused for one reason within an hour.
type RefusedCallsOfHourResponse struct {
	// The id of the refused calls, which begins with `refused_`.
	ID string `json:"id"`

	// The start of the hour, in epoch seconds.
	At int64 `json:"at"`

	// The id of the key, which begins with `key_`.
	KeyID string `json:"key_id"`

	// The method and the route.
	Operation string `json:"operation"`

	// The error type of the refusals.
	ErrorType string `json:"error_type"`

	// The number of calls.
	Calls int64 `json:"calls"`

	// The time of the last one, in epoch seconds.
	LastAt int64 `json:"last_at"`

	// The request id of the last one.
	LastRequestID string `json:"last_request_id"`
}

// RefusedCallsResponse: A page of refused calls.
type RefusedCallsResponse struct {
	// The hours, newest first.
	RefusedCalls []RefusedCallsOfHourResponse `json:"refused_calls"`

	// Whether older ones follow.
	HasMore bool `json:"has_more"`
}

// AskingClientResponse: an object of the API.
type AskingClientResponse struct {
	// The host of the document in which the client describes itself, to show beside the name; empty for a client that the app has registered.
	MetadataHost string `json:"metadata_host"`

	// The logo; empty if there is none.
	LogoUri string `json:"logo_uri"`

	// The `client_id`.
	ID string `json:"id"`

	// The name that users recognise.
	Name string `json:"name"`
}

// RuleWindow: an object of the API.
type RuleWindow struct {
	// The length of the period. It slides: an older request counts no more.
	Seconds int64 `json:"seconds"`

	// The most that is moved in the period, as a decimal number of the asset's units. It needs exactly one asset in `match.assets`.
	MaxAmount *string `json:"max_amount,omitempty"`

	// The most requests in the period.
	MaxCount *int64 `json:"max_count,omitempty"`

	// Whether all requests count together, or those to each destination apart.
	Per *string `json:"per,omitempty"`
}

// AskedBudgetResponse: an object of the API.
type AskedBudgetResponse struct {
	// The kind of the authorization.
	Type string `json:"type"`

	// A wallet of the user.
	WalletID string `json:"wallet_id"`

	// The networks on which is paid; all of them if the list is absent.
	Networks []string `json:"networks,omitempty"`

	// The currencies; all of them if the list is absent.
	Assets []string `json:"assets,omitempty"`

	// The addresses that may be paid; all of them if the list is absent.
	Destinations []string `json:"destinations,omitempty"`

	// The most that is paid in a period. `max_amount` needs exactly one asset.
	Windows []RuleWindow `json:"windows"`

	// The number of seconds after which the budget ends, with its grant.
	ExpiresIn int64 `json:"expires_in"`

	// The budget as a sentence, to show to the user.
	Description string `json:"description"`
}

// InteractionResponse: The request that the user is asked to permit.
type InteractionResponse struct {
	// The program that asks.
	Client AskingClientResponse `json:"client"`

	// The scopes that the client asks for.
	Scopes []string `json:"scopes"`

	// The audiences of the resources that it asks for.
	Resources []string `json:"resources"`

	// The budget that it asks for, if it does. Accepting it lets the client pay within the budget.
	AuthorizationDetails []AskedBudgetResponse `json:"authorization_details"`

	// How it asks the user to be prompted, as in the request; empty if it does not say.
	Prompt string `json:"prompt"`

	// The highest age of the sign-in in seconds; -1 if any will do.
	MaxAge int64 `json:"max_age"`

	// The levels of authentication of which one is needed: `aal1`, `aal2`, `phr`; empty if any will do.
	AcrValues string `json:"acr_values"`

	// The user whom the client expects; may be empty.
	LoginHint string `json:"login_hint"`

	// The languages of the user; may be empty.
	UiLocales string `json:"ui_locales"`

	// The time at which the request expires, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`
}

// AcceptInteractionRequest: an object of the API.
type AcceptInteractionRequest struct {
	// The token of a live session of the user. An empty string counts as absent.
	SessionToken *string `json:"session_token,omitempty"`

	// A JWT of the session that has not expired. An empty string counts as absent.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The scopes to which the user consents, among those of the interaction; all of them if the list is absent.
	GrantedScopes []string `json:"granted_scopes,omitempty"`

	// Whether the browser keeps login and consent until the session ends, so that the next request of the client needs no page. Never for clients on the user's device.
	Remember *bool `json:"remember,omitempty"`
}

// AnsweredInteractionResponse: Where the login page sends the browser.
type AnsweredInteractionResponse struct {
	// The URL. It works only in the browser that began the request.
	RedirectURL string `json:"redirect_url"`
}

// RejectInteractionRequest: an object of the API.
type RejectInteractionRequest struct {
	// The error that the client gets.
	Error string `json:"error"`
}

// OauthClientOfUserResponse: an object of the API.
type OauthClientOfUserResponse struct {
	// The `client_id`.
	ID string `json:"id"`

	// The name that users recognise.
	Name string `json:"name"`
}

// WalletSpend: an object of the API.
type WalletSpend struct {
	// The kind of the authorization.
	Type string `json:"type"`

	// A wallet of the user.
	WalletID string `json:"wallet_id"`

	// The networks on which is paid; all of them if the list is absent.
	Networks []string `json:"networks,omitempty"`

	// The currencies; all of them if the list is absent.
	Assets []string `json:"assets,omitempty"`

	// The addresses that may be paid; all of them if the list is absent.
	Destinations []string `json:"destinations,omitempty"`

	// The most that is paid in a period. `max_amount` needs exactly one asset.
	Windows []RuleWindow `json:"windows"`

	// The number of seconds after which the budget ends, with its grant.
	ExpiresIn int64 `json:"expires_in"`
}

// GrantResponse: What a user has consented to.
type GrantResponse struct {
	// The id of the grant, which begins with `grant_`.
	ID string `json:"id"`

	// The user who consented.
	UserID string `json:"user_id"`

	// The program that got them.
	Client OauthClientOfUserResponse `json:"client"`

	// The scopes that the client got.
	Scopes []string `json:"scopes"`

	// The audiences of the resources for which it gets tokens.
	Resources []string `json:"resources"`

	// The budget, if the grant has one.
	AuthorizationDetails []WalletSpend `json:"authorization_details"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time at which the grant ends, in epoch seconds: that of the session in which the user consented. With `offline_access` 30 days after the last use. With a budget not after its end.
	ExpiresAt int64 `json:"expires_at"`
}

// GrantListResponse: A page of the grants.
type GrantListResponse struct {
	// The grants, newest first.
	Grants []GrantResponse `json:"grants"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// GrantRevokedResponse: The grant has ended.
type GrantRevokedResponse struct {
	// The id of the grant, which begins with `grant_`.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// CreateOauthClientRequest: an object of the API.
type CreateOauthClientRequest struct {
	// A name that users and operators recognise.
	Name string `json:"name"`

	// Whether the client keeps a secret.
	Type string `json:"type"`

	// The grants that the client may use at the token endpoint.
	GrantTypes []string `json:"grant_types"`

	// The URLs to which users are sent back: https, http on loopback with any port, and for public clients a scheme in reverse-domain form. Compared exactly.
	RedirectUris []string `json:"redirect_uris,omitempty"`

	// The URLs to which users may be sent after a logout.
	PostLogoutRedirectUris []string `json:"post_logout_redirect_uris,omitempty"`

	// Whether authorization requests need a challenge (RFC 7636). `optional` is for confidential programs that cannot send one.
	Pkce *string `json:"pkce,omitempty"`

	// Whether the id_token has the claims of the scopes too, which userinfo gives.
	ClaimsInIDToken *bool `json:"claims_in_id_token,omitempty"`

	// The logo that the login page shows.
	LogoUri *string `json:"logo_uri,omitempty"`

	// The scopes that the client may get. Others that it asks for are left out. `openid`, `profile`, `email`, `phone`, `wallets` and `offline_access` are about the user.
	Scopes []string `json:"scopes,omitempty"`

	// The audiences of the resources for which the client may get tokens.
	Resources []string `json:"resources,omitempty"`

	// The audience of tokens for which the client names no resource. One of `resources`.
	DefaultResource *string `json:"default_resource,omitempty"`

	// How the client authenticates: by its secret or by a key of its own. Never changes.
	TokenEndpointAuthMethod *string `json:"token_endpoint_auth_method,omitempty"`

	// The public keys of a client with `private_key_jwt` (RFC 7517).
	Jwks map[string]any `json:"jwks,omitempty"`

	// Where a client with `private_key_jwt` publishes its keys, instead of `jwks`.
	JwksUri *string `json:"jwks_uri,omitempty"`
}

// OauthClientWithSecretResponse: The client with its secret, which is shown only once.
type OauthClientWithSecretResponse struct {
	// The public keys of a client with `private_key_jwt`; null if it has none here.
	Jwks map[string]any `json:"jwks"`

	// The `client_id`.
	ID string `json:"id"`

	// The name that users and operators recognise.
	Name string `json:"name"`

	// Whether the client keeps a secret.
	Type string `json:"type"`

	// The grants that the client may use at the token endpoint.
	GrantTypes []string `json:"grant_types"`

	// The URLs to which users are sent back.
	RedirectUris []string `json:"redirect_uris"`

	// The URLs to which users may be sent after a logout.
	PostLogoutRedirectUris []string `json:"post_logout_redirect_uris"`

	// Whether authorization requests need a challenge.
	Pkce string `json:"pkce"`

	// Whether the id_token has the claims of the scopes too.
	ClaimsInIDToken bool `json:"claims_in_id_token"`

	// The logo that the login page shows; empty if there is none.
	LogoUri string `json:"logo_uri"`

	// The scopes that the client may get.
	Scopes []string `json:"scopes"`

	// The audiences of the resources for which the client may get tokens.
	Resources []string `json:"resources"`

	// The audience of tokens for which the client names no resource; empty if there is none.
	DefaultResource string `json:"default_resource"`

	// How the client authenticates at the token endpoint: its secret is accepted in the body (`client_secret_post`) too.
	TokenEndpointAuthMethod string `json:"token_endpoint_auth_method"`

	// The metadata document of a client that describes itself, which is its `client_id`; empty for a client that the app has registered.
	MetadataUri string `json:"metadata_uri"`

	// Where such a client publishes its keys; empty if it does not.
	JwksUri string `json:"jwks_uri"`

	// The time until which the previous secret is accepted too, in epoch seconds; 0 if there is none.
	PreviousSecretEndsAt int64 `json:"previous_secret_ends_at"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The secret, accepted by HTTP Basic and in the body. It is shown only once; empty for a public client, which has none.
	ClientSecret string `json:"client_secret"`
}

// OauthClientResponse: The client without its secret.
type OauthClientResponse struct {
	// The public keys of a client with `private_key_jwt`; null if it has none here.
	Jwks map[string]any `json:"jwks"`

	// The `client_id`.
	ID string `json:"id"`

	// The name that users and operators recognise.
	Name string `json:"name"`

	// Whether the client keeps a secret.
	Type string `json:"type"`

	// The grants that the client may use at the token endpoint.
	GrantTypes []string `json:"grant_types"`

	// The URLs to which users are sent back.
	RedirectUris []string `json:"redirect_uris"`

	// The URLs to which users may be sent after a logout.
	PostLogoutRedirectUris []string `json:"post_logout_redirect_uris"`

	// Whether authorization requests need a challenge.
	Pkce string `json:"pkce"`

	// Whether the id_token has the claims of the scopes too.
	ClaimsInIDToken bool `json:"claims_in_id_token"`

	// The logo that the login page shows; empty if there is none.
	LogoUri string `json:"logo_uri"`

	// The scopes that the client may get.
	Scopes []string `json:"scopes"`

	// The audiences of the resources for which the client may get tokens.
	Resources []string `json:"resources"`

	// The audience of tokens for which the client names no resource; empty if there is none.
	DefaultResource string `json:"default_resource"`

	// How the client authenticates at the token endpoint: its secret is accepted in the body (`client_secret_post`) too.
	TokenEndpointAuthMethod string `json:"token_endpoint_auth_method"`

	// The metadata document of a client that describes itself, which is its `client_id`; empty for a client that the app has registered.
	MetadataUri string `json:"metadata_uri"`

	// Where such a client publishes its keys; empty if it does not.
	JwksUri string `json:"jwks_uri"`

	// The time until which the previous secret is accepted too, in epoch seconds; 0 if there is none.
	PreviousSecretEndsAt int64 `json:"previous_secret_ends_at"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// OauthClientListResponse: A page of the clients, without their secrets.
type OauthClientListResponse struct {
	// The clients, newest first.
	OauthClients []OauthClientResponse `json:"oauth_clients"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// UpdateOauthClientRequest: an object of the API.
type UpdateOauthClientRequest struct {
	// A name that users and operators recognise.
	Name *string `json:"name,omitempty"`

	// The grants that the client may use at the token endpoint.
	GrantTypes []string `json:"grant_types,omitempty"`

	// The URLs to which users are sent back. Replaces the list.
	RedirectUris []string `json:"redirect_uris,omitempty"`

	// The URLs to which users may be sent after a logout. Replaces the list.
	PostLogoutRedirectUris []string `json:"post_logout_redirect_uris,omitempty"`

	// Whether authorization requests need a challenge.
	Pkce *string `json:"pkce,omitempty"`

	// Whether the id_token has the claims of the scopes too.
	ClaimsInIDToken *bool `json:"claims_in_id_token,omitempty"`

	// The logo that the login page shows; `null` for none.
	LogoUri *string `json:"logo_uri,omitempty"`

	// The scopes that the client may get. Replaces the list.
	Scopes []string `json:"scopes,omitempty"`

	// The audiences of the resources for which the client may get tokens. Replaces the list.
	Resources []string `json:"resources,omitempty"`

	// The audience of tokens for which the client names no resource; `null` for none.
	DefaultResource *string `json:"default_resource,omitempty"`

	// The public keys; `null` for none.
	Jwks map[string]any `json:"jwks,omitempty"`

	// Where the client publishes its keys; `null` for none.
	JwksUri *string `json:"jwks_uri,omitempty"`
}

// RotateClientSecretRequest: an object of the API.
type RotateClientSecretRequest struct {
	// The number of minutes for which the current secret is accepted beside the new one.
	OverlapMinutes *int64 `json:"overlap_minutes,omitempty"`
}

// ClientSecretResponse: The new secret of the client, which is shown only once.
type ClientSecretResponse struct {
	// The id of the OAuth client, which begins with `client_`.
	ID string `json:"id"`

	// The new secret. It is shown only once.
	ClientSecret string `json:"client_secret"`
}

// OauthClientDeletedResponse: The client was deleted.
type OauthClientDeletedResponse struct {
	// The id of the OAuth client, which begins with `client_`.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// CreateOauthResourceRequest: an object of the API.
type CreateOauthResourceRequest struct {
	// The URL of the API, which is the `aud` of its tokens. Clients may add or omit a slash at the end.
	Audience string `json:"audience"`

	// A name that users and operators recognise.
	Name string `json:"name"`

	// The scopes of the API.
	Scopes []string `json:"scopes"`

	// The life of access tokens for the API, in seconds.
	TokenSeconds *int64 `json:"token_seconds,omitempty"`
}

// OauthResourceResponse: The resource.
type OauthResourceResponse struct {
	// The id of the resource, which begins with `resource_`.
	ID string `json:"id"`

	// The URL of the API, as it was registered.
	Audience string `json:"audience"`

	// The name that users and operators recognise.
	Name string `json:"name"`

	// The scopes of the API.
	Scopes []string `json:"scopes"`

	// The life of access tokens for the API, in seconds.
	TokenSeconds int64 `json:"token_seconds"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// OauthResourceListResponse: A page of the resources.
type OauthResourceListResponse struct {
	// The resources, newest first.
	Resources []OauthResourceResponse `json:"resources"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// UpdateOauthResourceRequest: an object of the API.
type UpdateOauthResourceRequest struct {
	// A name that users and operators recognise.
	Name *string `json:"name,omitempty"`

	// The scopes of the API. Replaces the list.
	Scopes []string `json:"scopes,omitempty"`

	// The life of access tokens for the API, in seconds.
	TokenSeconds *int64 `json:"token_seconds,omitempty"`
}

// OauthResourceDeletedResponse: The resource was deleted.
type OauthResourceDeletedResponse struct {
	// The id of the resource, which begins with `resource_`.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// NativeCurrencyResponse: an object of the API.
type NativeCurrencyResponse struct {
	// The symbol, such as `ETH`.
	Symbol string `json:"symbol"`

	// The digits after the decimal point of an amount.
	Decimals int64 `json:"decimals"`
}

// NetworkResponse: an object of the API.
type NetworkResponse struct {
	// Whether the app may use it.
	Enabled bool `json:"enabled"`

	// The name by which calls name the network and its coin.
	Name string `json:"name"`

	// The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) id; empty until a node of a Solana network without a configured id has responded.
	ID string `json:"id"`

	// The kind: `ethereum`, `op`, `arbitrum`, `polygon`, `bnb` or `solana`.
	Kind string `json:"kind"`

	// The type of the wallets that have addresses on it.
	WalletType string `json:"wallet_type"`

	// The coin in which its fees are paid.
	NativeCurrency NativeCurrencyResponse `json:"native_currency"`

	// The page of a transaction, with `{hash}` in the place of its hash; null if none is configured.
	Explorer *string `json:"explorer"`

	// The state of its nodes: `ok`; `degraded` if one of several does not respond, lags or is on another chain; `unavailable` if none can be used.
	Status string `json:"status"`
}

// NetworkListResponse: The networks of the service.
type NetworkListResponse struct {
	// All configured networks that have a node.
	Networks []NetworkResponse `json:"networks"`
}

// EndpointResponse: an object of the API.
type EndpointResponse struct {
	// `lags` if it is behind the highest one, `differs` if it is on another chain or fork, `unavailable` if it did not respond.
	Status string `json:"status"`

	// The number of its newest block (Solana: the newest final slot); null if it did not respond.
	Height *int64 `json:"height"`

	// Why it cannot be used, in a sentence; null if it can.
	Fault *string `json:"fault"`
}

// ManagedNetworkResponse: an object of the API.
type ManagedNetworkResponse struct {
	// Its nodes in the order of the configuration, at the last comparison; empty before the first one.
	Endpoints []EndpointResponse `json:"endpoints"`

	// The name by which calls name the network and its coin.
	Name string `json:"name"`

	// The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) id; empty until a node of a Solana network without a configured id has responded.
	ID string `json:"id"`

	// The kind: `ethereum`, `op`, `arbitrum`, `polygon`, `bnb` or `solana`.
	Kind string `json:"kind"`

	// The type of the wallets that have addresses on it.
	WalletType string `json:"wallet_type"`

	// The coin in which its fees are paid.
	NativeCurrency NativeCurrencyResponse `json:"native_currency"`

	// The page of a transaction, with `{hash}` in the place of its hash; null if none is configured.
	Explorer *string `json:"explorer"`

	// The state of its nodes: `ok`; `degraded` if one of several does not respond, lags or is on another chain; `unavailable` if none can be used.
	Status string `json:"status"`
}

// ManagedNetworkListResponse: The networks of the service, with the state of each node.
type ManagedNetworkListResponse struct {
	// All configured networks that have a node.
	Networks []ManagedNetworkResponse `json:"networks"`
}

// EventResponse: An event of the app. A webhook delivers the same object.
type EventResponse struct {
	// The id of the event, which begins with `evt_`.
	ID string `json:"id"`

	// The name of its type, as in `GET /v1/event_types`.
	Type string `json:"type"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The position of the event in its app: 1, 2, 3, … If one change waited for another, its position is higher.
	Position int64 `json:"position"`

	// The time in `created_at`, in ISO 8601 with milliseconds.
	Timestamp string `json:"timestamp"`

	// The id of the request that caused the event, as in its header `X-Request-Id`. Absent if no request did.
	RequestID *string `json:"request_id,omitempty"`

	// The ids and states of the event; the schema of the type describes them.
	Data map[string]any `json:"data"`
}

// ListEventsResponse: The events after the given one.
type ListEventsResponse struct {
	// The events, oldest first, in the order of their positions.
	Events []EventResponse `json:"events"`

	// Whether more events follow the last one of the list.
	HasMore bool `json:"has_more"`

	// The feed that the positions belong to. Another id means that the database was restored to an earlier state.
	FeedID string `json:"feed_id"`
}

// EventTypeResponse: an object of the API.
type EventTypeResponse struct {
	// The name of the type, as events have it in `type`.
	Name string `json:"name"`

	// The version of the schema, which increases if the schema changes incompatibly.
	Version int64 `json:"version"`

	// The change that events of this type report.
	Description string `json:"description"`

	// The JSON Schema of `data`.
	Schema map[string]any `json:"schema"`
}

// ListEventTypesResponse: All types of events with their schemas.
type ListEventTypesResponse struct {
	// All types of events, sorted by name.
	EventTypes []EventTypeResponse `json:"event_types"`
}

// ListManagedEventsResponse: A page of events.
type ListManagedEventsResponse struct {
	// The events, newest first, in the reverse order of their positions.
	Events []EventResponse `json:"events"`

	// Whether more events follow the last one of the list.
	HasMore bool `json:"has_more"`
}

// StatisticResponse: an object of the API.
type StatisticResponse struct {
	// The start of the hour or day, in epoch seconds.
	At int64 `json:"at"`

	// The name of the metric that is counted.
	Metric string `json:"metric"`

	// The label of the count: `method` of the login that began a session, `class` of login failures, `channel` of sends, `kind` of signatures, `state` that transfers reached.
	Labels map[string]string `json:"labels"`

	// The count, which is at least 1.
	Value int64 `json:"value"`
}

// StatisticsResponse: The counts of each hour or day in the range.
type StatisticsResponse struct {
	// The counts, oldest first, at most 10 seconds old.
	Statistics []StatisticResponse `json:"statistics"`
}

// CreateUserRequest: an object of the API.
type CreateUserRequest struct {
	// The first name; may be empty.
	FirstName *string `json:"first_name,omitempty"`

	// The middle name; may be empty.
	MiddleName *string `json:"middle_name,omitempty"`

	// The last name; may be empty.
	LastName *string `json:"last_name,omitempty"`

	// The id of the user in the app's own data, unique in the app. An empty text stands for none.
	ExternalID *string `json:"external_id,omitempty"`

	// The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay.
	Metadata map[string]any `json:"metadata,omitempty"`

	// An email address of at most 254 characters. White space around it is removed.
	Email *string `json:"email,omitempty"`

	// A phone number in E.164 form, such as `+4915112345678`.
	PhoneNumber *string `json:"phone_number,omitempty"`

	// Whether the user stays pending until the email or phone number is verified.
	RequiresVerification *bool `json:"requires_verification,omitempty"`

	// The type of the user's default wallet. If absent, the app's setting applies.
	WalletType *string `json:"wallet_type,omitempty"`

	// Whether the response contains the whole user under `user`.
	IncludeUser *bool `json:"include_user,omitempty"`
}

// UserWebauthnCredential: an object of the API.
type UserWebauthnCredential struct {
	// Begins with `webauthn_`.
	ID string `json:"id"`

	// The name that the app gave the passkey; may be empty.
	Name string `json:"name"`

	// The transports by which the authenticator says it can be reached, such as `internal` or `usb`.
	Transports []string `json:"transports"`

	// Whether the passkey is also on other devices of the user, or in their password manager.
	BackedUp bool `json:"backed_up"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of the last sign-in with the passkey, in epoch seconds; `0` if there was none.
	LastUsedAt int64 `json:"last_used_at"`
}

// UserTotp: an object of the API.
type UserTotp struct {
	// Begins with `totp_`.
	ID string `json:"id"`

	// The owner.
	UserID string `json:"user_id"`

	// Whether the enrolment was completed.
	Verified bool `json:"verified"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// WalletResponse: The wallet.
type WalletResponse struct {
	// Begins with `wallet_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The id of the owner, which begins with `user_`.
	UserID string `json:"user_id"`

	// The address on the chain: EIP-55 for ethereum, base58 for solana.
	PublicAddress string `json:"public_address"`

	// The chain: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// Whether the user is known to hold the key, or the service to hold it for them.
	Verified bool `json:"verified"`

	// Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain.
	IsDefault bool `json:"is_default"`

	// Whether the service cannot sign with it.
	IsReadOnly bool `json:"is_read_only"`

	// Whether its key was made outside of the service.
	IsImported bool `json:"is_imported"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// UserEmail: an object of the API.
type UserEmail struct {
	// Begins with `email_`.
	ID string `json:"id"`

	// Whether its user has proved to hold it.
	Verified bool `json:"verified"`

	// The address as it was given.
	Email string `json:"email"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// UserPhoneNumber: an object of the API.
type UserPhoneNumber struct {
	// Begins with `pn_`.
	ID string `json:"id"`

	// Whether its user has proved to hold it.
	Verified bool `json:"verified"`

	// The phone number in E.164 form.
	PhoneNumber string `json:"phone_number"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// UserIdentityAtProvider: an object of the API.
type UserIdentityAtProvider struct {
	// Begins with `idpuser_`.
	ID string `json:"id"`

	// The name of the identity provider.
	Provider string `json:"provider"`

	// The same as `provider`, for older clients.
	IdpType string `json:"idp_type"`

	// The same as `id`, as factors of sessions name it.
	MethodID string `json:"method_id"`

	// The type of the method, always `oauth`.
	MethodType string `json:"method_type"`

	// The user's identifier at the identity provider.
	ProviderSubject string `json:"provider_subject"`

	// The id of the connection to the provider through which the user signed in.
	ConnectionID string `json:"connection_id"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// UserResponse: The user with their addresses and credentials.
type UserResponse struct {
	// The passkeys of the user, the oldest first.
	WebauthnCredentials []UserWebauthnCredential `json:"webauthn_credentials"`

	// The authenticator apps of the user, the oldest first.
	Totps []UserTotp `json:"totps"`

	// The wallets of the user, the oldest first.
	Wallets []WalletResponse `json:"wallets"`

	// Begins with `user_`.
	UserID string `json:"user_id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// False while the user is pending, and after management deactivated them.
	Active bool `json:"active"`

	// `pending` until an address is verified, if the request required that; otherwise `active`.
	Status string `json:"status"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The id of the user in the app's own data; empty if the app gave none.
	ExternalID string `json:"external_id"`

	// The app's data about the user.
	Metadata map[string]any `json:"metadata"`

	// The id of the first of `emails`; empty if there is none.
	EmailID string `json:"email_id"`

	// The id of the first of `phone_numbers`; empty if there is none.
	PhoneNumberID string `json:"phone_number_id"`

	// The email addresses of the user, the oldest first.
	Emails []UserEmail `json:"emails"`

	// The phone numbers of the user, the oldest first.
	PhoneNumbers []UserPhoneNumber `json:"phone_numbers"`

	// The user's identities at identity providers.
	IdpProviders []UserIdentityAtProvider `json:"idp_providers"`

	// The first name; may be empty.
	FirstName string `json:"first_name"`

	// The middle name; may be empty.
	MiddleName string `json:"middle_name"`

	// The last name; may be empty.
	LastName string `json:"last_name"`
}

// CreateUserResponse: The new user with the addresses that the request contained.
type CreateUserResponse struct {
	// The passkeys of the user, the oldest first.
	WebauthnCredentials []UserWebauthnCredential `json:"webauthn_credentials"`

	// The authenticator apps of the user, the oldest first.
	Totps []UserTotp `json:"totps"`

	// The wallets of the user, the oldest first.
	Wallets []WalletResponse `json:"wallets"`

	// Begins with `user_`.
	UserID string `json:"user_id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// False while the user is pending, and after management deactivated them.
	Active bool `json:"active"`

	// `pending` until an address is verified, if the request required that; otherwise `active`.
	Status string `json:"status"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The id of the user in the app's own data; empty if the app gave none.
	ExternalID string `json:"external_id"`

	// The app's data about the user.
	Metadata map[string]any `json:"metadata"`

	// The id of the first of `emails`; empty if there is none.
	EmailID string `json:"email_id"`

	// The id of the first of `phone_numbers`; empty if there is none.
	PhoneNumberID string `json:"phone_number_id"`

	// The email addresses of the user, the oldest first.
	Emails []UserEmail `json:"emails"`

	// The phone numbers of the user, the oldest first.
	PhoneNumbers []UserPhoneNumber `json:"phone_numbers"`

	// The user's identities at identity providers.
	IdpProviders []UserIdentityAtProvider `json:"idp_providers"`

	// The first name; may be empty.
	FirstName string `json:"first_name"`

	// The middle name; may be empty.
	MiddleName string `json:"middle_name"`

	// The last name; may be empty.
	LastName string `json:"last_name"`

	// The email as it was given; empty if the user was created without one.
	Email string `json:"email"`

	// The phone number in E.164 form; empty if the user was created without one.
	PhoneNumber string `json:"phone_number"`

	// The value of the request.
	RequiresVerification bool `json:"requires_verification"`

	// The whole user; present only if `include_user` is true.
	User *UserResponse `json:"user,omitempty"`
}

// UserSearchFilter: an object of the API.
type UserSearchFilter struct {
	// The field that is compared. `…_match` finds values that contain the text, or begin with it if it has fewer than 3 characters, in any case; the other filters compare whole values.
	Field string `json:"field"`

	// `user_id` knows all of them: ids sort by time of creation. Every other field knows `eq` and `in`.
	Operator string `json:"operator"`

	// The value to compare with; required for every operator except `in`.
	Value json.RawMessage `json:"value,omitempty"`

	// The upper end of `between`, which is included.
	SecondValue json.RawMessage `json:"second_value,omitempty"`

	// The values of the operator `in`, at least one: a user matches if the field equals any of them.
	Values []json.RawMessage `json:"values,omitempty"`
}

// UserSearchFilters: an object of the API.
type UserSearchFilters struct {
	// Whether a user must pass all filters or any of them.
	Operator *string `json:"operator,omitempty"`

	// The filters. If the list is empty or absent, all users are found.
	Fields []UserSearchFilter `json:"fields,omitempty"`
}

// SearchUsersRequest: an object of the API.
type SearchUsersRequest struct {
	// The maximum number of users in the response. `has_more` says whether there are more.
	Limit *int64 `json:"limit,omitempty"`

	// The id of the last user of the previous page.
	StartingAfter *string `json:"starting_after,omitempty"`

	// The filters that users must pass. If absent, all users are found.
	Filters *UserSearchFilters `json:"filters,omitempty"`
}

// SearchUsersResponse: A page of the users that pass the filters, and their number on all pages.
type SearchUsersResponse struct {
	// The users of the page, newest first.
	Users []UserResponse `json:"users"`

	// The number of users that pass the filters, on all pages: exact up to 10,000, an estimate beyond.
	TotalCount int64 `json:"total_count"`

	// Whether `total_count` is an estimate.
	TotalCountEstimated bool `json:"total_count_estimated"`

	// Whether there are more users after this page.
	HasMore bool `json:"has_more"`
}

// EmailToAttach: an object of the API.
type EmailToAttach struct {
	// An email address of at most 254 characters. White space around it is removed.
	Email string `json:"email"`
}

// PhoneNumberToAttach: an object of the API.
type PhoneNumberToAttach struct {
	// A phone number in E.164 form, such as `+4915112345678`.
	PhoneNumber string `json:"phone_number"`
}

// UpdateUserRequest: an object of the API.
type UpdateUserRequest struct {
	// The first name; may be empty.
	FirstName *string `json:"first_name,omitempty"`

	// The middle name; may be empty.
	MiddleName *string `json:"middle_name,omitempty"`

	// The last name; may be empty.
	LastName *string `json:"last_name,omitempty"`

	// The id of the user in the app's own data, unique in the app. An empty text stands for none.
	ExternalID *string `json:"external_id,omitempty"`

	// The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that is `null` is removed, and other members stay.
	Metadata map[string]any `json:"metadata,omitempty"`

	// The email addresses to attach. The user keeps all present addresses.
	Emails []EmailToAttach `json:"emails,omitempty"`

	// The phone numbers to attach. The user keeps all present numbers.
	PhoneNumbers []PhoneNumberToAttach `json:"phone_numbers,omitempty"`
}

// UpdateUserResponse: The changed user with the addresses that the request contained.
type UpdateUserResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The emails that the request contained.
	Emails []UserEmail `json:"emails"`

	// The phone numbers that the request contained.
	PhoneNumbers []UserPhoneNumber `json:"phone_numbers"`

	// The whole user after the change.
	User UserResponse `json:"user"`
}

// UserDeletionResponse: The user, email or phone number was deleted.
type UserDeletionResponse struct {
	// The id of the user who was deleted, or whose email or phone number was deleted.
	UserID string `json:"user_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// RemovalRequest: an object of the API.
type RemovalRequest struct {
	// The token of a fresh session of the user. An empty string counts as absent.
	SessionToken *string `json:"session_token,omitempty"`

	// A JWT of a fresh session of the user. An empty string counts as absent.
	SessionJWT *string `json:"session_jwt,omitempty"`
}

// CancelledRecoveryResponse: The recovery was cancelled.
type CancelledRecoveryResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// ManagedUserListResponse: A page of the users.
type ManagedUserListResponse struct {
	// The users of the page, newest first.
	Users []UserResponse `json:"users"`

	// Whether there are more users after this page.
	HasMore bool `json:"has_more"`
}

// RecoveryOfManagedUser: an object of the API.
type RecoveryOfManagedUser struct {
	// The id of the user.
	ID string `json:"id"`

	// The new email address; empty if it is a phone number.
	Email string `json:"email"`

	// The new phone number; empty if it is an email address.
	PhoneNumber string `json:"phone_number"`

	// The time of its beginning, in epoch seconds.
	BegunAt int64 `json:"begun_at"`

	// The time from which a proof of the new address opens the account, in epoch seconds.
	ReadyAt int64 `json:"ready_at"`

	// The time until which the new address can be proved, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`
}

// FactorMethodResponse: an object of the API.
type FactorMethodResponse struct{}

// FactorResponse: an object of the API.
type FactorResponse struct {
	// The channel of the proof. That of an identity provider is its name with `_oauth`, such as `google_oauth`.
	DeliveryChannel json.RawMessage `json:"delivery_channel"`

	// The kind of proof.
	Type string `json:"type"`

	// The credential that was verified.
	Method FactorMethodResponse `json:"method"`
}

// SessionDeviceResponse: an object of the API.
type SessionDeviceResponse struct {
	// The `User-Agent` of the device; empty if the app gave none.
	UserAgent string `json:"user_agent"`

	// The IP address of the device; empty if the app gave none.
	IP string `json:"ip"`
}

// SessionOfManagedUser: an object of the API.
type SessionOfManagedUser struct {
	// The id of the session, which begins with `sess_`.
	ID string `json:"id"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The time of the start, in epoch seconds.
	StartedAt int64 `json:"started_at"`

	// The time after which the session has expired, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`

	// The time of the last use, in epoch seconds, accurate to the minute.
	LastActiveAt int64 `json:"last_active_at"`

	// The factors that the user proved in this session, in the order of their last proof.
	Factors []FactorResponse `json:"factors"`

	// The device from which the session was started.
	DeviceFingerprint SessionDeviceResponse `json:"device_fingerprint"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// FreezeOfManagedUser: an object of the API.
type FreezeOfManagedUser struct {
	// The id of the frozen user or wallet.
	ID string `json:"id"`

	// The frozen wallet; empty if the whole user is frozen.
	WalletID string `json:"wallet_id"`

	// The time since which nothing is signed, in epoch seconds.
	FrozenAt int64 `json:"frozen_at"`
}

// ManagedUserResponse: The user as operators see them, with their live sessions.
type ManagedUserResponse struct {
	// The passkeys of the user, the oldest first.
	WebauthnCredentials []UserWebauthnCredential `json:"webauthn_credentials"`

	// The authenticator apps of the user, the oldest first.
	Totps []UserTotp `json:"totps"`

	// The wallets of the user, the oldest first.
	Wallets []WalletResponse `json:"wallets"`

	// Begins with `user_`.
	UserID string `json:"user_id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// False while the user is pending, and after management deactivated them.
	Active bool `json:"active"`

	// `pending` until an address is verified, if the request required that; otherwise `active`.
	Status string `json:"status"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The id of the user in the app's own data; empty if the app gave none.
	ExternalID string `json:"external_id"`

	// The app's data about the user.
	Metadata map[string]any `json:"metadata"`

	// The id of the first of `emails`; empty if there is none.
	EmailID string `json:"email_id"`

	// The id of the first of `phone_numbers`; empty if there is none.
	PhoneNumberID string `json:"phone_number_id"`

	// The email addresses of the user, the oldest first.
	Emails []UserEmail `json:"emails"`

	// The phone numbers of the user, the oldest first.
	PhoneNumbers []UserPhoneNumber `json:"phone_numbers"`

	// The user's identities at identity providers.
	IdpProviders []UserIdentityAtProvider `json:"idp_providers"`

	// The first name; may be empty.
	FirstName string `json:"first_name"`

	// The middle name; may be empty.
	MiddleName string `json:"middle_name"`

	// The last name; may be empty.
	LastName string `json:"last_name"`

	// The recovery of the account that is under way, or none.
	Recoveries []RecoveryOfManagedUser `json:"recoveries"`

	// The live sessions of the user.
	Sessions []SessionOfManagedUser `json:"sessions"`

	// The freezes of the user and of the wallets of the user.
	Freezes []FreezeOfManagedUser `json:"freezes"`
}

// UpdateManagedUserRequest: an object of the API.
type UpdateManagedUserRequest struct {
	// The first name; `null` clears it.
	FirstName *string `json:"first_name,omitempty"`

	// The middle name; `null` clears it.
	MiddleName *string `json:"middle_name,omitempty"`

	// The last name; `null` clears it.
	LastName *string `json:"last_name,omitempty"`

	// The id of the user in the app's own data, unique in the app; `null` clears it.
	ExternalID *string `json:"external_id,omitempty"`

	// Members of the app's data about the user, at most 5 levels and 4,096 bytes as JSON in all. They are set; a member that is `null` is removed, and other members stay. `null` instead of the object removes all members.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// AddEmailRequest: an object of the API.
type AddEmailRequest struct {
	// An email address of at most 254 characters. White space around it is removed.
	Email string `json:"email"`
}

// AddPhoneNumberRequest: an object of the API.
type AddPhoneNumberRequest struct {
	// A phone number in E.164 form, such as `+4915112345678`.
	PhoneNumber string `json:"phone_number"`
}

// UnlockedUserResponse: The lock after wrong codes has ended.
type UnlockedUserResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// ResentMessageResponse: A new message with the same purpose is sent soon.
type ResentMessageResponse struct {
	// The id of the message that was sent before.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// DeviceFingerprintRequest: an object of the API.
type DeviceFingerprintRequest struct {
	// The IPv4 or IPv6 address of the device, as text.
	IP *string `json:"ip,omitempty"`

	// The `User-Agent` header of the device.
	UserAgent *string `json:"user_agent,omitempty"`
}

// LogInByMagicLinkRequest: an object of the API.
type LogInByMagicLinkRequest struct {
	// The device that the link is for. Each field given here must have the same value when the link is verified.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// An email address of at most 254 characters. White space around it is removed.
	Email string `json:"email"`

	// Leaves a new user pending until the link is verified.
	RequiresVerification *bool `json:"requires_verification,omitempty"`

	// Lifetime of the link in minutes.
	ExpiresIn *int64 `json:"expires_in,omitempty"`

	// Replaces `expires_in` for an existing user.
	LoginExpiresIn *int64 `json:"login_expires_in,omitempty"`

	// Replaces `expires_in` for a new user.
	RegistrationExpiresIn *int64 `json:"registration_expires_in,omitempty"`

	// The target of the link for an existing user; must be registered. Default: the app's default login URL.
	LoginRedirectURL *string `json:"login_redirect_url,omitempty"`

	// The target of the link for a new user; must be registered. Default: the app's default registration URL.
	RegistrationRedirectURL *string `json:"registration_redirect_url,omitempty"`
}

// MailedLinkResponse: The user to whom the link is mailed.
type MailedLinkResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The status of the user: `pending` or `active`.
	Status string `json:"status"`

	// Whether this call created the user, because no user held the address.
	UserCreated bool `json:"user_created"`

	// The id of the email, which begins with `email_`.
	EmailID string `json:"email_id"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// InviteByMagicLinkRequest: an object of the API.
type InviteByMagicLinkRequest struct {
	// The device that the link is for. Each field given here must have the same value when the link is verified.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// An email address of at most 254 characters. White space around it is removed.
	Email string `json:"email"`

	// Leaves a new user pending until the link is verified.
	RequiresVerification *bool `json:"requires_verification,omitempty"`

	// The first name of a new user. An existing user keeps their name.
	FirstName *string `json:"first_name,omitempty"`

	// The middle name; may be empty.
	MiddleName *string `json:"middle_name,omitempty"`

	// The last name; may be empty.
	LastName *string `json:"last_name,omitempty"`

	// The target of the link; must be registered. Default: the app's default invite URL.
	InviteRedirectURL *string `json:"invite_redirect_url,omitempty"`

	// Lifetime of the link in minutes.
	InviteExpiresIn *int64 `json:"invite_expires_in,omitempty"`
}

// CreateMagicLinkRequest: an object of the API.
type CreateMagicLinkRequest struct {
	// The device that the link is for. Each field given here must have the same value when the link is verified.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Lifetime of the link in minutes.
	ExpiresIn *int64 `json:"expires_in,omitempty"`
}

// CreateMagicLinkResponse: The token of the new link, which is shown only once. No mail was sent.
type CreateMagicLinkResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Put it into your own link, and verify it like the token of a mailed link. Shown once.
	Token string `json:"token"`
}

// VerifyMagicLinkRequest: an object of the API.
type VerifyMagicLinkRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The token of the link. The demo app of a development start accepts the example once within seven days, unless another link is sent first; a reset of the demo data renews it.
	Token string `json:"token"`
}

// PreparedAccountResponse: an object of the API.
type PreparedAccountResponse struct {
	// The time at which the app created the user, in epoch seconds.
	At int64 `json:"at"`

	// The fields that the app had written: names such as `first_name`, and `email` or `phone_number` for a further address, which is not verified. Let the user confirm them.
	Fields []string `json:"fields"`
}

// IssuedSessionResponse: an object of the API.
type IssuedSessionResponse struct {
	// The id of the session, which begins with `sess_`.
	ID string `json:"id"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The time of the start, in epoch seconds.
	StartedAt int64 `json:"started_at"`

	// The time after which the session has expired, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`

	// The time of the last use, in epoch seconds, accurate to the minute.
	LastActiveAt int64 `json:"last_active_at"`

	// The factors that the user proved in this session, in the order of their last proof.
	Factors []FactorResponse `json:"factors"`

	// The device from which the session was started.
	DeviceFingerprint SessionDeviceResponse `json:"device_fingerprint"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The token of the session; empty if the request named the session by its JWT, since only the token's hash is stored.
	SessionToken string `json:"session_token"`

	// An RS256 JWT with at least half of its life left, to be verified against the app's JWKS.
	SessionJWT string `json:"session_jwt"`
}

// MagicLinkUserResponse: The user who followed the link, and the session if the request asks for one.
type MagicLinkUserResponse struct {
	// Always null here: see `GET /v1/auth/users/{user_id}`.
	Emails any `json:"emails"`

	// Always null here: see `GET /v1/auth/users/{user_id}`.
	PhoneNumbers any `json:"phone_numbers"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// May be empty.
	FirstName string `json:"first_name"`

	// May be empty.
	MiddleName string `json:"middle_name"`

	// May be empty.
	LastName string `json:"last_name"`

	// False while the user is pending.
	Active bool `json:"active"`

	// The status of the user: `pending` or `active`.
	Status string `json:"status"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The address that the link was mailed to, which is now verified; for an embedded link the user's first. Empty when there is none.
	EmailID string `json:"email_id"`

	// The user's first phone number. Empty when there is none.
	PhoneNumberID string `json:"phone_number_id"`

	// The id of the email, or for an embedded link also of the phone number or the user.
	MethodID string `json:"method_id"`

	// The kind of credential: `email`, `phone_number` or `user`.
	MethodType string `json:"method_type"`

	// Whether this call created the user. False for a user whom the app created before.
	UserCreated bool `json:"user_created"`

	// The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response.
	AccountPrepared *PreparedAccountResponse `json:"account_prepared"`

	// The session that was started or joined; null if the request asks for none.
	Session *IssuedSessionResponse `json:"session"`

	// The token of the session; empty if there is no session or the request named it by its JWT.
	SessionToken string `json:"session_token"`

	// The JWT of the session; empty if there is no session.
	SessionJWT string `json:"session_jwt"`
}

// BeginOauthLoginResponse: The URL of the provider's login page, to which the browser must be sent.
type BeginOauthLoginResponse struct {
	// The provider's login page, with the callback, the state and the scopes in its query.
	RedirectURL string `json:"redirect_url"`
}

// OauthCallbackRequest: an object of the API.
type OauthCallbackRequest struct {
	// The `state` of the URL to which the login was sent.
	State *string `json:"state,omitempty"`

	// The authorization code; present after a login that succeeded.
	Code *string `json:"code,omitempty"`

	// The error code of OAuth 2.0; present after a login that failed.
	Error *string `json:"error,omitempty"`

	// The provider's issuer (RFC 9207).
	Iss *string `json:"iss,omitempty"`

	// The name of a user who signs in for the first time, as apple sends it.
	User *string `json:"user,omitempty"`
}

// VerifyOauthTokenRequest: an object of the API.
type VerifyOauthTokenRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The token from the query of the login or registration URL.
	Token string `json:"token"`

	// The verifier (RFC 7636) of the login's `code_challenge`; required if the login has one.
	CodeVerifier *string `json:"code_verifier,omitempty"`
}

// ProviderTokensResponse: an object of the API.
type ProviderTokensResponse struct {
	// The access token that the provider issued.
	AccessToken string `json:"access_token"`

	// The refresh token; empty if the provider issued none.
	RefreshToken string `json:"refresh_token"`
}

// ProviderSessionResponse: an object of the API.
type ProviderSessionResponse struct {
	// The tokens that the identity provider issued. The service keeps no copy after this response.
	Idp ProviderTokensResponse `json:"idp"`

	// The access token that the provider issued.
	AccessToken string `json:"access_token"`

	// The refresh token; empty if the provider issued none.
	RefreshToken string `json:"refresh_token"`
}

// OauthSessionResponse: The user who logged in, and the session if the request asks for one.
type OauthSessionResponse struct {
	// The user's identifier at the identity provider.
	ProviderSubject string `json:"provider_subject"`

	// The name of the identity provider.
	Provider string `json:"provider"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Whether the browser that brought the token is the one that began the login: it had the cookie of `redirect=true`, or the `code_verifier` was shown. If false, an attacker may have begun the login, and the user of the browser is then signed in to the account of the attacker.
	BrowserBound bool `json:"browser_bound"`

	// The tokens of the identity provider.
	IdpSession ProviderSessionResponse `json:"idp_session"`

	// Whether this call created the user. False for a user whom the app created before.
	UserCreated bool `json:"user_created"`

	// The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response.
	AccountPrepared *PreparedAccountResponse `json:"account_prepared"`

	// The session that was started or joined; null if the request asks for none.
	Session *IssuedSessionResponse `json:"session"`

	// The token of the session; empty if there is no session or the request named it by its JWT.
	SessionToken string `json:"session_token"`

	// The JWT of the session; empty if there is no session.
	SessionJWT string `json:"session_jwt"`
}

// ConnectionCheckResponse: an object of the API.
type ConnectionCheckResponse struct {
	// The name of the check.
	Name string `json:"name"`

	// Whether the check found no fault.
	Ok bool `json:"ok"`

	// The result of the check, or the fault that it found.
	Detail string `json:"detail"`
}

// ConnectionTestResponse: The results of all checks. A fault that they found is a result, not an error.
type ConnectionTestResponse struct {
	// The checks `credentials`, `discovery`, `keys`, `clock`, `pkce` and `userinfo`, in this order.
	Checks []ConnectionCheckResponse `json:"checks"`
}

// OperatorSignInResponse: The OpenID provider at which operators sign in.
type OperatorSignInResponse struct {
	// The issuer; empty if operators sign in with management keys only.
	Issuer string `json:"issuer"`
}

// LogInBySmsPasscodeRequest: an object of the API.
type LogInBySmsPasscodeRequest struct {
	// The user's device. Sends are limited per `ip`.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// A phone number in E.164 form, such as `+4915112345678`.
	PhoneNumber string `json:"phone_number"`

	// Lifetime of the passcode in minutes.
	ExpiresIn *int64 `json:"expires_in,omitempty"`

	// Leaves a new user pending until the passcode is verified.
	RequiresVerification *bool `json:"requires_verification,omitempty"`
}

// SmsPasscodeLoginResponse: The existing or new user to whom the passcode is sent by SMS.
type SmsPasscodeLoginResponse struct {
	// Whether this call created the user, because no user held the number.
	UserCreated bool `json:"user_created"`

	// The status of the user: `pending` or `active`.
	Status string `json:"status"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The `method_id` to verify the passcode with.
	PhoneNumberID string `json:"phone_number_id"`
}

// LogInByEmailPasscodeRequest: an object of the API.
type LogInByEmailPasscodeRequest struct {
	// The user's device. Sends are limited per `ip`.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// An email address of at most 254 characters. White space around it is removed.
	Email string `json:"email"`

	// Lifetime of the passcode in minutes.
	ExpiresIn *int64 `json:"expires_in,omitempty"`

	// Leaves a new user pending until the passcode is verified.
	RequiresVerification *bool `json:"requires_verification,omitempty"`
}

// EmailPasscodeLoginResponse: The existing or new user to whom the passcode is mailed.
type EmailPasscodeLoginResponse struct {
	// Whether this call created the user, because no user held the address.
	UserCreated bool `json:"user_created"`

	// The status of the user: `pending` or `active`.
	Status string `json:"status"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The `method_id` to verify the passcode with.
	EmailID string `json:"email_id"`
}

// SendSmsPasscodeRequest: an object of the API.
type SendSmsPasscodeRequest struct {
	// The user's device. Sends are limited per `ip`.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// A phone number in E.164 form, such as `+4915112345678`.
	PhoneNumber string `json:"phone_number"`

	// Lifetime of the passcode in minutes.
	ExpiresIn *int64 `json:"expires_in,omitempty"`
}

// SmsPasscodeResponse: The user to whom the passcode is sent by SMS.
type SmsPasscodeResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The `method_id` to verify the passcode with.
	PhoneNumberID string `json:"phone_number_id"`
}

// SendEmailPasscodeRequest: an object of the API.
type SendEmailPasscodeRequest struct {
	// The user's device. Sends are limited per `ip`.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// An email address of at most 254 characters. White space around it is removed.
	Email string `json:"email"`

	// Lifetime of the passcode in minutes.
	ExpiresIn *int64 `json:"expires_in,omitempty"`
}

// EmailPasscodeResponse: The user to whom the passcode is mailed.
type EmailPasscodeResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The `method_id` to verify the passcode with.
	EmailID string `json:"email_id"`
}

// VerifyPasscodeRequest: an object of the API.
type VerifyPasscodeRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The `email_id` or `phone_number_id` that the passcode was sent to.
	MethodID string `json:"method_id"`

	// The six digits of the passcode, as text. Send the text as the user typed or pasted it: blanks, hyphens, line ends and invisible characters are dropped, and digits of any script count. The demo app of a development start accepts the example once, unless another passcode is sent first; a reset of the demo data renews it.
	Otp string `json:"otp"`
}

// VerifiedPasscodeResponse: The user who entered the passcode, and the session if the request asks for one.
type VerifiedPasscodeResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The `email_id` or `phone_number_id`, which is now verified.
	MethodID string `json:"method_id"`

	// The kind of address: `email` or `phone_number`.
	MethodType string `json:"method_type"`

	// Whether this call created the user. False for a user whom the app created before.
	UserCreated bool `json:"user_created"`

	// The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response.
	AccountPrepared *PreparedAccountResponse `json:"account_prepared"`

	// The session that was started or joined; null if the request asks for none.
	Session *IssuedSessionResponse `json:"session"`

	// The token of the session; empty if there is no session or the request named it by its JWT.
	SessionToken string `json:"session_token"`

	// The JWT of the session; empty if there is no session.
	SessionJWT string `json:"session_jwt"`
}

// BeginPasskeyRegistrationRequest: an object of the API.
type BeginPasskeyRegistrationRequest struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The domain of the passkey; if given, it must be the app's `rp_id`.
	Domain *string `json:"domain,omitempty"`

	// The kind of authenticator. `platform`: the user's device. `cross-platform`: a security key or another device. Default: any.
	AuthenticatorType *string `json:"authenticator_type,omitempty"`
}

// WebauthnRelyingPartyResponse: an object of the API.
type WebauthnRelyingPartyResponse struct {
	// The domain that passkeys are bound to: the app's `rp_id`.
	ID string `json:"id"`

	// The name that authenticators show.
	Name string `json:"name"`
}

// WebauthnUserResponse: an object of the API.
type WebauthnUserResponse struct {
	// The user handle in base64url: the encoded user id.
	ID string `json:"id"`

	// The user's email or phone number, by which the user recognises the account.
	Name string `json:"name"`

	// The full name of the user, or the same as `name`.
	DisplayName string `json:"displayName"`
}

// WebauthnAlgorithmResponse: an object of the API.
type WebauthnAlgorithmResponse struct {
	// The type of the credential, always `public-key`.
	Type string `json:"type"`

	// A COSE algorithm: -7 (ES256), -8 (EdDSA) or -257 (RS256).
	Alg int64 `json:"alg"`
}

// WebauthnDescriptorResponse: an object of the API.
type WebauthnDescriptorResponse struct {
	// The type of the credential, always `public-key`.
	Type string `json:"type"`

	// The id of the credential at the authenticator, in base64url.
	ID string `json:"id"`

	// The transports by which the authenticator can be reached, such as `internal` or `usb`. They are hints for the browser.
	Transports []string `json:"transports"`
}

// WebauthnSelectionResponse: an object of the API.
type WebauthnSelectionResponse struct {
	// The `authenticator_type` of the request; absent if the request has none.
	AuthenticatorAttachment *string `json:"authenticatorAttachment,omitempty"`

	// Whether the authenticator keeps the passkey itself, always `preferred`.
	ResidentKey string `json:"residentKey"`

	// The value for browsers of WebAuthn Level 1, always false.
	RequireResidentKey bool `json:"requireResidentKey"`

	// Whether the authenticator checks the user, always `required`.
	UserVerification string `json:"userVerification"`
}

// WebauthnCreationOptionsResponse: an object of the API.
type WebauthnCreationOptionsResponse struct {
	// The app as the relying party.
	Rp WebauthnRelyingPartyResponse `json:"rp"`

	// The user for whom the passkey is made.
	User WebauthnUserResponse `json:"user"`

	// The challenge in base64url, valid for one registration.
	Challenge string `json:"challenge"`

	// The accepted algorithms, the preferred one first.
	PubKeyCredParams []WebauthnAlgorithmResponse `json:"pubKeyCredParams"`

	// The time that the browser waits for the user, in milliseconds.
	Timeout int64 `json:"timeout"`

	// The user's passkeys: an authenticator that holds one makes no other.
	ExcludeCredentials []WebauthnDescriptorResponse `json:"excludeCredentials"`

	// The requirements on the authenticator.
	AuthenticatorSelection WebauthnSelectionResponse `json:"authenticatorSelection"`

	// The requested attestation, always `none`.
	Attestation string `json:"attestation"`
}

// BegunPasskeyRegistrationResponse: The options with which the browser makes the passkey.
type BegunPasskeyRegistrationResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The options for `navigator.credentials.create`.
	PublicKeyCredentialCreationOptions WebauthnCreationOptionsResponse `json:"public_key_credential_creation_options"`
}

// RegisterPasskeyRequest: an object of the API.
type RegisterPasskeyRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The credential that the browser returned for the options, unchanged: an object or JSON text.
	PublicKeyCredential json.RawMessage `json:"public_key_credential"`

	// The name by which the user recognises the passkey.
	Name *string `json:"name,omitempty"`
}

// VerifiedPasskeyResponse: The user and the passkey, and the session if the request asks for one.
type VerifiedPasskeyResponse struct {
	// Begins with `webauthn_`.
	WebauthnCredentialID string `json:"webauthn_credential_id"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Whether this call created the user. False for a user whom the app created before.
	UserCreated bool `json:"user_created"`

	// The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response.
	AccountPrepared *PreparedAccountResponse `json:"account_prepared"`

	// The session that was started or joined; null if the request asks for none.
	Session *IssuedSessionResponse `json:"session"`

	// The token of the session; empty if there is no session or the request named it by its JWT.
	SessionToken string `json:"session_token"`

	// The JWT of the session; empty if there is no session.
	SessionJWT string `json:"session_jwt"`
}

// BeginPasskeySignInRequest: an object of the API.
type BeginPasskeySignInRequest struct {
	// The user who signs in. If absent, the user chooses among the passkeys that the authenticator holds for the domain.
	UserID *string `json:"user_id,omitempty"`
}

// WebauthnRequestOptionsResponse: an object of the API.
type WebauthnRequestOptionsResponse struct {
	// The challenge in base64url, valid for one sign-in.
	Challenge string `json:"challenge"`

	// The time that the browser waits for the user, in milliseconds.
	Timeout int64 `json:"timeout"`

	// The domain that passkeys are bound to: the app's `rp_id`.
	RpID string `json:"rpId"`

	// The passkeys of the user; absent if the request names no user. A user without passkeys, known or not, gets ones that do not exist.
	AllowCredentials []WebauthnDescriptorResponse `json:"allowCredentials,omitempty"`

	// Whether the authenticator checks the user, always `required`.
	UserVerification string `json:"userVerification"`
}

// BegunPasskeySignInResponse: The options with which the browser signs in.
type BegunPasskeySignInResponse struct {
	// The `user_id` of the request; empty if the request has none.
	UserID string `json:"user_id"`

	// The options for `navigator.credentials.get`.
	PublicKeyCredentialRequestOptions WebauthnRequestOptionsResponse `json:"public_key_credential_request_options"`
}

// VerifyPasskeyRequest: an object of the API.
type VerifyPasskeyRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The credential that the browser returned for the options, unchanged: an object or JSON text.
	PublicKeyCredential json.RawMessage `json:"public_key_credential"`
}

// PasskeyListResponse: The passkeys of the user.
type PasskeyListResponse struct {
	// The passkeys, oldest first.
	WebauthnCredentials []UserWebauthnCredential `json:"webauthn_credentials"`
}

// PasskeyDeletionResponse: The passkey was deleted.
type PasskeyDeletionResponse struct {
	// The id of the user whose passkey was deleted.
	UserID string `json:"user_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// VerifyPasswordRequest: an object of the API.
type VerifyPasswordRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// An email address of at most 254 characters. White space around it is removed.
	Email *string `json:"email,omitempty"`

	// The user, instead of an email address.
	UserID *string `json:"user_id,omitempty"`

	// The password that the user has at the former vendor, as it was typed.
	Password string `json:"password"`
}

// VerifiedPasswordResponse: The user whose password is right, and the session if the request asks for one.
type VerifiedPasswordResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The id of the address that named the user, else of the user.
	MethodID string `json:"method_id"`

	// The kind of the method: `email`, or `user` if an id named the user.
	MethodType string `json:"method_type"`

	// Whether this call created the user. False for a user whom the app created before.
	UserCreated bool `json:"user_created"`

	// The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response.
	AccountPrepared *PreparedAccountResponse `json:"account_prepared"`

	// The session that was started or joined; null if the request asks for none.
	Session *IssuedSessionResponse `json:"session"`

	// The token of the session; empty if there is no session or the request named it by its JWT.
	SessionToken string `json:"session_token"`

	// The JWT of the session; empty if there is no session.
	SessionJWT string `json:"session_jwt"`
}

// FactsMove: Value that the request moves, or lets another account move.
type FactsMove struct {
	// The network of the asset; `missing` if the bytes do not show it.
	Network string `json:"network"`

	// The contract or mint; empty for the coin of the network.
	Token string `json:"token"`

	// The account that receives or may take it; `missing` if the bytes do not show it.
	Destination string `json:"destination"`

	// The amount in smallest units; `unlimited`, or `missing` if the bytes do not show it.
	Amount string `json:"amount"`
}

// FactsResponse: The facts that the policies judged, read from the bytes to be signed.
type FactsResponse struct {
	// The network; `missing` if the bytes do not show it, `not_applicable` if the operation has none.
	Network string `json:"network"`

	// The moves; empty if the request moves nothing. Of many, the first ones.
	Moves []FactsMove `json:"moves"`

	// The number of further moves, which are not kept.
	MoreMoves int64 `json:"more_moves"`

	// Whether it is a signature by which another account takes value or acts for the signer.
	IsDelegation bool `json:"is_delegation"`
}

// DecisionResponse: The outcome of one request, as it was decided.
type DecisionResponse struct {
	// The id of the policy decision, which begins with `decision_`.
	ID string `json:"id"`

	// The time of the decision in epoch seconds.
	At int64 `json:"at"`

	// The outcome.
	Outcome string `json:"outcome"`

	// The version whose rule decided; null if none did.
	PolicyID *string `json:"policy_id"`

	// The number of that version.
	Version *int64 `json:"version"`

	// The rule that decided; null if none did.
	RuleID *string `json:"rule_id"`

	// The reason of a denial; empty otherwise.
	Reason string `json:"reason"`

	// The use of the key.
	Operation string `json:"operation"`

	// The id of the wallet, which begins with `wallet_`.
	WalletID string `json:"wallet_id"`

	// The id of the key that asked.
	Actor string `json:"actor"`

	// The facts that the policies judged.
	Facts FactsResponse `json:"facts"`

	// The requests that it stands for: beyond 100 denials of one key by one rule in a minute, the further ones are one decision.
	Calls int64 `json:"calls"`
}

// DecisionListResponse: A page of decisions.
type DecisionListResponse struct {
	// The decisions, the newest first.
	Decisions []DecisionResponse `json:"decisions"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// ApprovalVote: an object of the API.
type ApprovalVote struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The decision of the approver.
	Decision string `json:"decision"`

	// The time of the vote in epoch seconds.
	At int64 `json:"at"`
}

// ApprovalResponse: A request that a rule of a policy, or the setting `policy_change`, puts to approvers.
type ApprovalResponse struct {
	// The id of the approval, which begins with `appr_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The state. `waiting`: it needs votes. `approved`: it may be used. `rejected`: an approver has rejected it. `expired`: it was not approved, or not used, in time. `executed`: it was used. `void`: it has lost its subject, see `reason`.
	State string `json:"state"`

	// Why it ended without a vote: `expired`, `policy_changed`, `key_revoked`, `user_inactive`, `user_claimed` or `transfer_ended`; otherwise empty.
	Reason string `json:"reason"`

	// The use of the wallet's key that is asked for, with everything that will be signed. Its fields depend on `operation`. With the operation `policy_change` it is a change of policies: `summary` states it in words, `before` and `after` in full.
	Payload map[string]any `json:"payload"`

	// The SHA-256 of the payload's canonical JSON (RFC 8785), in hexadecimal. The votes are bound to it.
	PayloadHash string `json:"payload_hash"`

	// The version of the policy whose rule asks; `null` for a change of policies.
	PolicyID *string `json:"policy_id"`

	// The number of that version; `null` for a change of policies.
	Version *int64 `json:"version"`

	// The rule that asks; `null` for a change of policies.
	RuleID *string `json:"rule_id"`

	// The group whose members vote.
	Group string `json:"group"`

	// The id of the app's key with which the call came; for a change of policies, of the management key, or `oidc:` and the operator.
	RequestedBy string `json:"requested_by"`

	// The user whom the call named, who must not vote; empty if it named none, `null` for a change of policies.
	UserID *string `json:"user_id"`

	// The wallet; `null` for a change of policies.
	WalletID *string `json:"wallet_id"`

	// The transfer that waits for it; empty for a call that is repeated.
	TransferID string `json:"transfer_id"`

	// The votes, the oldest first.
	Votes []ApprovalVote `json:"votes"`

	// The number of members who must approve.
	Needed int64 `json:"needed"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time until which it must be approved, in epoch seconds; except for a transfer, also the time until which it must be used.
	ExpiresAt int64 `json:"expires_at"`

	// When it was used or ended otherwise, in epoch seconds; 0 before, and until its transfer ends with it.
	EndedAt int64 `json:"ended_at"`
}

// ApprovalListResponse: A page of the approvals.
type ApprovalListResponse struct {
	// The approvals, the newest first.
	Approvals []ApprovalResponse `json:"approvals"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// BeginVoteRequest: an object of the API.
type BeginVoteRequest struct {
	// The approver.
	UserID string `json:"user_id"`

	// The vote that the passkey will sign.
	Decision string `json:"decision"`
}

// VoteRequest: an object of the API.
type VoteRequest struct {
	// The approver.
	UserID string `json:"user_id"`

	// The credential that the browser returned for the options, unchanged: an object or JSON text.
	PublicKeyCredential json.RawMessage `json:"public_key_credential"`
}

// PolicyScope: an object of the API.
type PolicyScope struct {
	// All requests of the app, those of a wallet, of the wallets of a user, by a key of the app, or with access tokens of an OAuth client or of a grant. The consent to a budget makes that of a grant; a request cannot.
	Kind string `json:"kind"`

	// The id of the app, wallet, user, key, client or grant. A request may omit that of the app.
	ID *string `json:"id,omitempty"`
}

// RuleAmount: an object of the API.
type RuleAmount struct {
	// The least amount, as a decimal number of the asset's units.
	Min *string `json:"min,omitempty"`

	// The most, as a decimal number of the asset's units.
	Max *string `json:"max,omitempty"`
}

// RuleMatch: an object of the API.
type RuleMatch struct {
	// The uses of a wallet's key.
	Operations []string `json:"operations,omitempty"`

	// The networks: names of configured networks, or CAIP-2 ids.
	Networks []string `json:"networks,omitempty"`

	// The currencies by name or symbol: coins of networks, and assets of the app as they are when the version is stored.
	Assets []string `json:"assets,omitempty"`

	// The addresses that receive, or that may take.
	Destinations []string `json:"destinations,omitempty"`

	// The bounds on each amount that is moved. They need exactly one asset in `assets`.
	Amount *RuleAmount `json:"amount,omitempty"`
}

// RuleApprovals: an object of the API.
type RuleApprovals struct {
	// The approver group whose members vote.
	Group string `json:"group"`

	// The number of members who must approve.
	Count int64 `json:"count"`

	// The number of seconds after which a request that is not approved expires.
	ExpiresIn int64 `json:"expires_in"`
}

// PolicyRule: an object of the API.
type PolicyRule struct {
	// The id of the rule, unique in the version. Windows are counted by the policy's name and this id, so that a new version refills no budget. If it is absent, the service makes one from the place of the rule.
	ID *string `json:"id,omitempty"`

	// The result for a request that matches.
	Effect string `json:"effect"`

	// The requests that the rule is about.
	Match *RuleMatch `json:"match,omitempty"`

	// The budgets. A `deny` rule has none.
	Windows []RuleWindow `json:"windows,omitempty"`

	// The approvals that `require_approval` needs. Rules with another effect have none.
	Approvals *RuleApprovals `json:"approvals,omitempty"`
}

// PolicyResponse: One version of a policy.
type PolicyResponse struct {
	// The id of the policy, which begins with `pol_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The name, which ties the versions of a policy.
	Name string `json:"name"`

	// The number of the version among those of the name.
	Version int64 `json:"version"`

	// The state: `draft` before the first activation, `active` while it is in force, `retired` afterwards.
	State string `json:"state"`

	// The requests that the policy judges.
	Scope PolicyScope `json:"scope"`

	// The rules, in the order in which they are tried.
	Rules []PolicyRule `json:"rules"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of the last activation, in epoch seconds; 0 before the first.
	ActivatedAt int64 `json:"activated_at"`

	// The time when the version was retired, in epoch seconds; 0 unless it is retired.
	RetiredAt int64 `json:"retired_at"`
}

// PolicyListResponse: A page of the versions of policies.
type PolicyListResponse struct {
	// The versions, the newest first.
	Policies []PolicyResponse `json:"policies"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// PolicyDetailsResponse: One version of a policy, and the effect of its activation.
type PolicyDetailsResponse struct {
	// The id of the policy, which begins with `pol_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The name, which ties the versions of a policy.
	Name string `json:"name"`

	// The number of the version among those of the name.
	Version int64 `json:"version"`

	// The state: `draft` before the first activation, `active` while it is in force, `retired` afterwards.
	State string `json:"state"`

	// The requests that the policy judges.
	Scope PolicyScope `json:"scope"`

	// The rules, in the order in which they are tried.
	Rules []PolicyRule `json:"rules"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of the last activation, in epoch seconds; 0 before the first.
	ActivatedAt int64 `json:"activated_at"`

	// The time when the version was retired, in epoch seconds; 0 unless it is retired.
	RetiredAt int64 `json:"retired_at"`

	// Whether its activation may allow a request that the active version of its name does not allow. It is `true` where the service cannot prove the contrary.
	AllowsMore bool `json:"allows_more"`
}

// CreatePolicyRequest: an object of the API.
type CreatePolicyRequest struct {
	// The name, which ties the versions of a policy: the name of an existing policy makes its next version.
	Name string `json:"name"`

	// The requests that the policy judges.
	Scope PolicyScope `json:"scope"`

	// The rules, in the order in which they are tried. A version has at most 64 KiB of them. The JSON of the body, without blanks, has at most 80 KiB.
	Rules []PolicyRule `json:"rules"`
}

// ApprovableChange: an object of the API.
type ApprovableChange struct {
	// The approval that the refused call (409 `approval_required`) named, once it is approved.
	ApprovalID *string `json:"approval_id,omitempty"`
}

// ApproverGroupMember: an object of the API.
type ApproverGroupMember struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`
}

// CreateApproverGroupRequest: an object of the API.
type CreateApproverGroupRequest struct {
	// The name, which is for people.
	Name string `json:"name"`

	// The users who may approve.
	Members []ApproverGroupMember `json:"members"`
}

// ApproverGroupResponse: An approver group.
type ApproverGroupResponse struct {
	// The id of the approver group, which begins with `agrp_`.
	ID string `json:"id"`

	// The name, which is for people.
	Name string `json:"name"`

	// The users who may approve. A deleted user is no longer a member.
	Members []ApproverGroupMember `json:"members"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`
}

// ApproverGroupListResponse: A page of the approver groups.
type ApproverGroupListResponse struct {
	// The groups, the newest first.
	ApproverGroups []ApproverGroupResponse `json:"approver_groups"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// UpdateApproverGroupRequest: an object of the API.
type UpdateApproverGroupRequest struct {
	// The approval that the refused call (409 `approval_required`) named, once it is approved.
	ApprovalID *string `json:"approval_id,omitempty"`

	// The name, which is for people.
	Name *string `json:"name,omitempty"`

	// The users who may approve. The request replaces the list.
	Members []ApproverGroupMember `json:"members,omitempty"`
}

// ApproverGroupDeletedResponse: The approver group was deleted.
type ApproverGroupDeletedResponse struct {
	// The id of the approver group, which begins with `agrp_`.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// BeginPasskeyApprovalRequest: an object of the API.
type BeginPasskeyApprovalRequest struct {
	// The member who approves, not the holder of the passkey.
	UserID string `json:"user_id"`
}

// ApprovedPasskeyResponse: A passkey that votes in an approver group, because another member has approved it.
type ApprovedPasskeyResponse struct {
	// The id of the approver group, which begins with `agrp_`.
	ApproverGroupID string `json:"approver_group_id"`

	// The id of the passkey, which begins with `webauthn_`.
	WebauthnCredentialID string `json:"webauthn_credential_id"`

	// The holder of the passkey.
	UserID string `json:"user_id"`

	// The member who has approved it.
	ApprovedBy string `json:"approved_by"`

	// The time of the first approval, in epoch seconds.
	ApprovedAt int64 `json:"approved_at"`
}

// FreezeResponse: Whether the wallets of the app sign.
type FreezeResponse struct {
	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The time since which they sign nothing, in epoch seconds; `0` if they sign.
	FrozenAt int64 `json:"frozen_at"`
}

// UserFreezeResponse: Whether the wallets of the user sign.
type UserFreezeResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The time since which they sign nothing, in epoch seconds; `0` if they sign.
	FrozenAt int64 `json:"frozen_at"`
}

// ApprovableRecoveryRequest: an object of the API.
type ApprovableRecoveryRequest struct {
	// An email address of at most 254 characters. White space around it is removed.
	Email *string `json:"email,omitempty"`

	// A phone number in E.164 form, such as `+4915112345678`.
	PhoneNumber *string `json:"phone_number,omitempty"`

	// The id of the approval, which begins with `appr_`.
	ApprovalID *string `json:"approval_id,omitempty"`
}

// RecoveryResponse: The recovery that is under way. The verified addresses of the user were notified of it.
type RecoveryResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The new email address; empty if it is a phone number.
	Email string `json:"email"`

	// The new phone number; empty if it is an email address.
	PhoneNumber string `json:"phone_number"`

	// The time of its beginning, in epoch seconds.
	BegunAt int64 `json:"begun_at"`

	// The time from which a proof of the new address opens the account, in epoch seconds.
	ReadyAt int64 `json:"ready_at"`

	// The time until which the new address can be proved, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`
}

// ErasureLine: an object of the API.
type ErasureLine struct {
	// What the rows are: the name of the list in the export of a person, or of what cannot be found by the person.
	Name string `json:"name"`

	// Whether the rows were removed, lost what they say about the person, or must stay.
	Outcome string `json:"outcome"`

	// The number of rows; null where they cannot be found by the person.
	Rows *int64 `json:"rows"`

	// Why the rows, or a part of each, must stay; empty if all is removed.
	Reason string `json:"reason"`
}

// ErasureResponse: The receipt of the erasure of a person.
type ErasureResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Whether the erasure still goes on.
	Status string `json:"status"`

	// How much of the erasure is done, in percent.
	Percent int64 `json:"percent"`

	// Epoch seconds.
	RequestedAt int64 `json:"requested_at"`

	// Epoch seconds; 0 while the erasure goes on.
	FinishedAt int64 `json:"finished_at"`

	// What there was about the person, and what became of it.
	Lines []ErasureLine `json:"lines"`
}

// SessionListItem: an object of the API.
type SessionListItem struct {
	// The id of the session, which begins with `sess_`.
	ID string `json:"id"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The time of the start, in epoch seconds.
	StartedAt int64 `json:"started_at"`

	// The time after which the session has expired, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`

	// The time of the last use, in epoch seconds, accurate to the minute.
	LastActiveAt int64 `json:"last_active_at"`

	// The factors that the user proved in this session, in the order of their last proof.
	Factors []FactorResponse `json:"factors"`

	// The device from which the session was started.
	DeviceFingerprint SessionDeviceResponse `json:"device_fingerprint"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// ListSessionsResponse: A page of the user's live sessions.
type ListSessionsResponse struct {
	// The live sessions of the page, newest first, never with their tokens.
	Sessions []SessionListItem `json:"sessions"`

	// Whether there are more sessions after this page.
	HasMore bool `json:"has_more"`
}

// RequiredProofsRequest: an object of the API.
type RequiredProofsRequest struct {
	// The greatest age of the last proof in the session: with `factors`, of the last proof of each of them.
	MaxAgeSeconds *int64 `json:"max_age_seconds,omitempty"`

	// The kinds of factor of which the session must have a proof: all of them.
	Factors []string `json:"factors,omitempty"`
}

// VerifySessionRequest: an object of the API.
type VerifySessionRequest struct {
	// The token of the session. An empty string counts as absent.
	SessionToken *string `json:"session_token,omitempty"`

	// A JWT of the session that has not expired. An empty string counts as absent.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The minutes from now until the session ends. It never moves the end to an earlier time; if absent, the end stays.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The proofs that the session must have seen, else the response is 401 `step_up_required`. An embedded link or a password is no proof.
	Require *RequiredProofsRequest `json:"require,omitempty"`
}

// VerifySessionResponse: The session is live. The response has its current factors and a valid JWT.
type VerifySessionResponse struct {
	// The verified session.
	Session IssuedSessionResponse `json:"session"`

	// The token of the request; empty if the session was verified by its JWT.
	SessionToken string `json:"session_token"`

	// A JWT with at least half of its life left; a new one whenever the session changed.
	SessionJWT string `json:"session_jwt"`
}

// DeleteSessionRequest: an object of the API.
type DeleteSessionRequest struct {
	// The id of the session to delete.
	SessionID *string `json:"session_id,omitempty"`

	// The token of the session to delete.
	SessionToken *string `json:"session_token,omitempty"`

	// A JWT of the session to delete.
	SessionJWT *string `json:"session_jwt,omitempty"`
}

// DeleteSessionResponse: The session has ended.
type DeleteSessionResponse struct {
	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// ManagedSession: an object of the API.
type ManagedSession struct {
	// The id of the session, which begins with `sess_`.
	ID string `json:"id"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The time of the start, in epoch seconds.
	StartedAt int64 `json:"started_at"`

	// The time after which the session has expired, in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`

	// The time of the last use, in epoch seconds, accurate to the minute.
	LastActiveAt int64 `json:"last_active_at"`

	// The factors that the user proved in this session, in the order of their last proof.
	Factors []FactorResponse `json:"factors"`

	// The device from which the session was started.
	DeviceFingerprint SessionDeviceResponse `json:"device_fingerprint"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The status: `active`, `expired` at `expires_at`, or `revoked` before it.
	Status string `json:"status"`

	// The time at which the session was revoked, in epoch seconds; `0` if it was not revoked.
	RevokedAt int64 `json:"revoked_at"`
}

// ManagedSessionListResponse: A page of the sessions, without their tokens.
type ManagedSessionListResponse struct {
	// The sessions of the page, newest first. A session is kept for 30 days after its end.
	Sessions []ManagedSession `json:"sessions"`

	// Whether there are more sessions after this page.
	HasMore bool `json:"has_more"`
}

// EndedSessionResponse: The session has ended.
type EndedSessionResponse struct {
	// The id of the session, which begins with `sess_`.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// EndedSessionsResponse: All sessions of the user have ended.
type EndedSessionsResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// JsonWebKeyResponse: an object of the API.
type JsonWebKeyResponse struct {
	// The type of the key, always `RSA`.
	Kty string `json:"kty"`

	// The modulus in base64url.
	N string `json:"n"`

	// The public exponent in base64url.
	E string `json:"e"`

	// The id of the key, which is `kid` in the header of a JWT that it signed.
	Kid string `json:"kid"`

	// The algorithm of the signatures, always `RS256`.
	Alg string `json:"alg"`

	// The use of the key, always `sig`: it verifies signatures.
	Use string `json:"use"`

	// The same as `use`, in the words some clients require.
	KeyOps []string `json:"key_ops"`
}

// JsonWebKeySetResponse: The public keys that verify the app's session JWTs.
type JsonWebKeySetResponse struct {
	// The next key, the current one, and those retired in the last hour.
	Keys []JsonWebKeyResponse `json:"keys"`
}

// CreateTotpRequest: an object of the API.
type CreateTotpRequest struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Minutes within which the enrolment must be verified.
	ExpiresIn *int64 `json:"expires_in,omitempty"`
}

// CreateTotpResponse: The enrolment. Its secret and its recovery codes are shown only once.
type CreateTotpResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Shared secret in base32, for an authenticator app that cannot scan.
	Secret string `json:"secret"`

	// Begins with `totp_`.
	TotpID string `json:"totp_id"`

	// The 16 recovery codes, each valid for one login without the authenticator.
	RecoveryCodes []string `json:"recovery_codes"`

	// PNG image of the QR code to scan, as a data URL.
	QrBase64 string `json:"qr_base64"`
}

// VerifyTotpRequest: an object of the API.
type VerifyTotpRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The code that the authenticator app shows. Send the text as the user typed it, see the field `otp` of passcodes.
	Totp string `json:"totp"`
}

// VerifiedTotpResponse: The user whose code is right, and the session if the request asks for one.
type VerifiedTotpResponse struct {
	// Begins with `totp_`.
	TotpID string `json:"totp_id"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// Whether this call created the user. False for a user whom the app created before.
	UserCreated bool `json:"user_created"`

	// The account as the app had prepared it, in the response of the call by which the user got it: the first proof of an address or a wallet. Null in every other response.
	AccountPrepared *PreparedAccountResponse `json:"account_prepared"`

	// The session that was started or joined; null if the request asks for none.
	Session *IssuedSessionResponse `json:"session"`

	// The token of the session; empty if there is no session or the request named it by its JWT.
	SessionToken string `json:"session_token"`

	// The JWT of the session; empty if there is no session.
	SessionJWT string `json:"session_jwt"`
}

// VerifyRecoveryCodeRequest: an object of the API.
type VerifyRecoveryCodeRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// A recovery code. Upper case, blanks and missing hyphens are accepted.
	RecoveryCode *string `json:"recovery_code,omitempty"`

	// The recovery code under the name that existing clients use. Ignored when `recovery_code` is given.
	Totp *string `json:"totp,omitempty"`
}

// ListRecoveryCodesRequest: an object of the API.
type ListRecoveryCodesRequest struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The token of a fresh session of the user. Without a session the call acts for the app. An empty string counts as absent.
	SessionToken *string `json:"session_token,omitempty"`

	// A JWT of a fresh session of the user. An empty string counts as absent.
	SessionJWT *string `json:"session_jwt,omitempty"`
}

// TotpRecoveryCodes: an object of the API.
type TotpRecoveryCodes struct {
	// Begins with `totp_`.
	ID string `json:"id"`

	// Whether the enrolment is complete. The codes work only then.
	Verified bool `json:"verified"`

	// The unused codes.
	RecoveryCodes []string `json:"recovery_codes"`
}

// ListRecoveryCodesResponse: The unused recovery codes of the user.
type ListRecoveryCodesResponse struct {
	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`

	// The user's authenticator, or an empty list.
	Totps []TotpRecoveryCodes `json:"totps"`
}

// TotpDeletionResponse: The authenticator was deleted.
type TotpDeletionResponse struct {
	// The user of the deleted authenticator.
	UserID string `json:"user_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// EvaluateRequest: an object of the API.
type EvaluateRequest struct {
	// The use of the key. It decides which of the fields below are read.
	Operation string `json:"operation"`

	// The wallet whose key is used.
	WalletID string `json:"wallet_id"`

	// The required owner of the wallet.
	UserID *string `json:"user_id,omitempty"`

	// The key of the app that asks. Without it, no policy of a key applies.
	KeyID *string `json:"key_id,omitempty"`

	// The address to pay, of a `transfer`.
	Dest *string `json:"dest,omitempty"`

	// The amount of a `transfer`: a decimal number in digits.
	SourceAmount *string `json:"source_amount,omitempty"`

	// The currency of a `transfer`: a coin or an asset of the app, by name or symbol.
	SourceCurrency *string `json:"source_currency,omitempty"`

	// The network of a `transfer`.
	Network *string `json:"network,omitempty"`

	// The message of `sign_message`.
	Message *string `json:"message,omitempty"`

	// The typed data of `sign_typed_data` (EIP-712).
	TypedData map[string]any `json:"typed_data,omitempty"`

	// The transaction of `sign_transaction` (EIP-1559).
	EthTransaction map[string]any `json:"eth_transaction,omitempty"`
}

// WindowResponse: The sum of a window, which the request would add to.
type WindowResponse struct {
	// The id of the policy, which begins with `pol_`.
	PolicyID string `json:"policy_id"`

	// The rule.
	RuleID string `json:"rule_id"`

	// The length of the period.
	Seconds int64 `json:"seconds"`

	// Whether it bounds the amount or the number of requests.
	Bounds string `json:"bounds"`

	// The destination that it counts apart; empty if it counts all together.
	Destination string `json:"destination"`

	// The spent part: a decimal number of the asset's units, or a number of requests.
	Used string `json:"used"`

	// The part of requests whose end is not known, as `used`.
	Held string `json:"held"`

	// The limit, as `used`.
	Limit string `json:"limit"`

	// The time at which the oldest spent amount leaves the window, in epoch seconds; `0` if nothing is spent.
	EndsAt int64 `json:"ends_at"`
}

// EvaluateResponse: The outcome that a request would have by the settings and policies. Nothing is decided or stored.
type EvaluateResponse struct {
	// The outcome.
	Outcome string `json:"outcome"`

	// The version whose rule decides; null if none does.
	PolicyID *string `json:"policy_id"`

	// The number of that version.
	Version *int64 `json:"version"`

	// The rule that decides; null if none does.
	RuleID *string `json:"rule_id"`

	// The reason of a denial; empty otherwise. Of a denial by the app's settings, the type of the error of the call.
	Reason string `json:"reason"`

	// The windows of the rules that would let it pass.
	Windows []WindowResponse `json:"windows"`
}

// CreateTransferRequest: an object of the API.
type CreateTransferRequest struct {
	// The wallet that pays.
	Source string `json:"source"`

	// The network to pay on. Without it the currency decides: `base` is paid on `base`, `ETH` on `ethereum`.
	Network *string `json:"network,omitempty"`

	// The address to pay. Ethereum: checksummed (EIP-55) or all lower case; Solana: base58.
	Dest string `json:"dest"`

	// A decimal number in digits, such as `0.25`; or `max`: everything that no open transfer of the wallet may still take, from which the fees of a coin payment are taken. On Solana it leaves the rent-exempt minimum while other transfers are open.
	SourceAmount string `json:"source_amount"`

	// The currency of the source: the name of a network for its coin, or an asset of the app. With `network` a symbol means one of that network; alone, `ETH` and `SOL` mean `ethereum` and `solana`.
	SourceCurrency string `json:"source_currency"`

	// Must equal `source_currency`, which is the default: currencies are not exchanged.
	DestCurrency *string `json:"dest_currency,omitempty"`

	// Whether the fees are taken out of the amount, so that less arrives. Otherwise they are added to it.
	AmountIncludesFees *bool `json:"amount_includes_fees,omitempty"`

	// Whether to pay in the chain's own coin even when the quoted fee exceeds the amount that arrives.
	AllowHighFee *bool `json:"allow_high_fee,omitempty"`

	// The caller's own id, permanently unique within the app. A number is converted to text.
	CustomID json.RawMessage `json:"custom_id,omitempty"`

	// A text of your own, which the service only stores and returns.
	Notes *string `json:"notes,omitempty"`

	// The required owner of the source.
	UserID *string `json:"user_id,omitempty"`
}

// TransferFeesResponse: an object of the API.
type TransferFeesResponse struct {
	// The fee for the gas; on Solana for signatures, priority and rent.
	Network string `json:"network"`

	// The fee for the data on the chain below, on networks of the OP stack; otherwise `0`.
	L1 string `json:"l1"`

	// The fee of the operator, on networks of the OP stack; otherwise `0`.
	Operator string `json:"operator"`
}

// TransferAttemptResponse: an object of the API.
type TransferAttemptResponse struct {
	// Ethereum: the transaction's hash; Solana: its signature.
	Hash string `json:"hash"`

	// The kind: `payment`, or `cancellation`, which is a zero-value self-transfer that replaces it.
	Kind string `json:"kind"`

	// The nonce of the transaction; Ethereum only, otherwise null.
	Nonce *int64 `json:"nonce"`

	// The blockhash to which the transaction is bound; Solana only, otherwise null.
	Blockhash *string `json:"blockhash"`

	// The highest possible fee, as decimal text in the coin of the chain. On networks of the OP stack it contains the reserve for the L1 and operator fee.
	MaxFee string `json:"max_fee"`

	// When a node first accepted it, in epoch seconds; 0 before.
	AcceptedAt int64 `json:"accepted_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// TransferFailureResponse: an object of the API.
type TransferFailureResponse struct {
	// The reason of the failure, such as `insufficient_funds`.
	Code string `json:"code"`

	// Whether it is proven that paying again does not pay twice.
	RetrySafe bool `json:"retry_safe"`

	// The hash of the transaction that used the nonce, for `nonce_used_elsewhere` and `paid_elsewhere`; empty where it cannot be named, and for every other code.
	UsedBy string `json:"used_by"`
}

// TransferResponse: The transfer in its current state.
type TransferResponse struct {
	// Begins with `transfer_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The owner of the source.
	UserID string `json:"user_id"`

	// The status: `unconfirmed`, `awaiting_approval` (a policy puts it to approvers, see `approval_id`), `pending`, `completed`, `failed`, `rejected`, `expired` or `cancelled`.
	Status string `json:"status"`

	// The progress of a pending transfer: `queued`, `signed`, `submitted` or `mined`; otherwise empty.
	Stage string `json:"stage"`

	// The wallet that pays.
	Source string `json:"source"`

	// The network that it is paid on.
	Network string `json:"network"`

	// The amount that leaves the wallet when the transfer completes. For the chain's own coin it includes `total_fees`.
	SourceAmount string `json:"source_amount"`

	// The address to pay.
	Dest string `json:"dest"`

	// The amount that arrives.
	DestAmount string `json:"dest_amount"`

	// The name of the currency that is paid.
	SourceCurrency string `json:"source_currency"`

	// The same as `source_currency`, because currencies are not exchanged.
	DestCurrency string `json:"dest_currency"`

	// The batch that it is confirmed with; null if it is in none.
	BatchID *string `json:"batch_id"`

	// The caller's own id, as text; null if the transfer has none.
	CustomID *string `json:"custom_id"`

	// The fees that were paid, in the coin of the chain. Until they are known, and when nothing was carried out: the quoted upper bound.
	TotalFees string `json:"total_fees"`

	// The parts of `total_fees`: those that are reserved, and once the fees are known those that were paid.
	Fees TransferFeesResponse `json:"fees"`

	// The text of the request; may be empty.
	Notes string `json:"notes"`

	// Empty until signed. May change while the transfer is pending.
	BlockchainTxHash string `json:"blockchain_tx_hash"`

	// The transactions that were signed for the transfer, the oldest first. It is empty until the first one is signed.
	Attempts []TransferAttemptResponse `json:"attempts"`

	// The reason of the end; null unless it failed, was rejected, or was not approved in time.
	Failure *TransferFailureResponse `json:"failure"`

	// The approval that was requested last; null if policies put it to no approvers.
	ApprovalID *string `json:"approval_id"`

	// When it was marked stuck, because it was pending for too long, in epoch seconds; otherwise 0.
	StuckSince int64 `json:"stuck_since"`

	// The reason when `stuck_since` is set: `books_behind_chain` (the chain shows payments that the database does not know, since it was restored or lost commits: nothing is signed from the wallet until both are compared), `waits_in_queue`, `user_inactive`, `app_frozen`, `wallet_frozen`, `row_altered`, `not_in_a_block`, `not_final`, `node_lacks_history`, `history_too_long` (many transactions name the wallet, and are still being read: nothing is signed or cancelled until then), `nodes_disagree`, `fee_above_ceiling`, `another_chain`, `network_not_configured`, `sequencer_or_node_down`; otherwise empty.
	StuckReason string `json:"stuck_reason"`

	// The time of the block that contains the payment, in epoch seconds; 0 while none does. A reorganisation of the chain may make it 0 again before `completed_at` is set.
	ConfirmedAt int64 `json:"confirmed_at"`

	// The time of completion in epoch seconds; 0 unless completed.
	CompletedAt int64 `json:"completed_at"`

	// The time of cancellation in epoch seconds; 0 unless cancelled.
	CancelledAt int64 `json:"cancelled_at"`

	// When its cancellation was requested, in epoch seconds; otherwise 0. It is cancelled once that is proven to be safe.
	CancelRequestedAt int64 `json:"cancel_requested_at"`

	// The time until which it can be confirmed, in epoch seconds. The status changes to `expired` as a rule within 20 seconds after it, and later while a confirmation that began in time is being stored. Until then the transfer may still be paid: do not conclude from the clock that it is not.
	ExpiresAt int64 `json:"expires_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`
}

// BatchItemRequest: an object of the API.
type BatchItemRequest struct {
	// The address to pay.
	Dest string `json:"dest"`

	// A decimal number in digits; not `max`.
	SourceAmount string `json:"source_amount"`

	// The caller's own id, permanently unique within the app.
	CustomID json.RawMessage `json:"custom_id,omitempty"`

	// A text that is only stored and returned.
	Notes *string `json:"notes,omitempty"`
}

// CreateBatchRequest: an object of the API.
type CreateBatchRequest struct {
	// The wallet that pays.
	Source string `json:"source"`

	// The network to pay on, as for one transfer.
	Network *string `json:"network,omitempty"`

	// The currency of all payments, named as for one transfer.
	SourceCurrency string `json:"source_currency"`

	// The payments.
	Items []BatchItemRequest `json:"items"`

	// Whether to pay in the coin even when quoted fees exceed an amount.
	AllowHighFee *bool `json:"allow_high_fee,omitempty"`

	// The required owner of the source.
	UserID *string `json:"user_id,omitempty"`
}

// BatchResponse: The transfers of a batch.
type BatchResponse struct {
	// Begins with `batch_`.
	BatchID string `json:"batch_id"`

	// The transfers, in the order of the items.
	Transfers []TransferResponse `json:"transfers"`

	// The sum of their `total_fees`.
	TotalFees string `json:"total_fees"`
}

// ConfirmBatchRequest: an object of the API.
type ConfirmBatchRequest struct {
	// The batch.
	BatchID string `json:"batch_id"`

	// The required owner of the source.
	UserID *string `json:"user_id,omitempty"`
}

// ListTransfersResponse: A page of the transfers, and their number on all pages.
type ListTransfersResponse struct {
	// The transfers, newest first.
	Transfers []TransferResponse `json:"transfers"`

	// The number of transfers on all pages: exact up to 10,000, an estimate beyond.
	Count int64 `json:"count"`

	// Whether `count` is an estimate.
	CountEstimated bool `json:"count_estimated"`

	// The `limit` of the request, or its default.
	Limit int64 `json:"limit"`

	// The `offset` of the request, or its default.
	Offset int64 `json:"offset"`
}

// ConfirmTransferRequest: an object of the API.
type ConfirmTransferRequest struct {
	// The required owner of the source: a protection against mistakes.
	UserID *string `json:"user_id,omitempty"`
}

// ManagedTransferResponse: The transfer with the step that it waits for.
type ManagedTransferResponse struct {
	// Begins with `transfer_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The owner of the source.
	UserID string `json:"user_id"`

	// The status: `unconfirmed`, `awaiting_approval` (a policy puts it to approvers, see `approval_id`), `pending`, `completed`, `failed`, `rejected`, `expired` or `cancelled`.
	Status string `json:"status"`

	// The progress of a pending transfer: `queued`, `signed`, `submitted` or `mined`; otherwise empty.
	Stage string `json:"stage"`

	// The wallet that pays.
	Source string `json:"source"`

	// The network that it is paid on.
	Network string `json:"network"`

	// The amount that leaves the wallet when the transfer completes. For the chain's own coin it includes `total_fees`.
	SourceAmount string `json:"source_amount"`

	// The address to pay.
	Dest string `json:"dest"`

	// The amount that arrives.
	DestAmount string `json:"dest_amount"`

	// The name of the currency that is paid.
	SourceCurrency string `json:"source_currency"`

	// The same as `source_currency`, because currencies are not exchanged.
	DestCurrency string `json:"dest_currency"`

	// The batch that it is confirmed with; null if it is in none.
	BatchID *string `json:"batch_id"`

	// The caller's own id, as text; null if the transfer has none.
	CustomID *string `json:"custom_id"`

	// The fees that were paid, in the coin of the chain. Until they are known, and when nothing was carried out: the quoted upper bound.
	TotalFees string `json:"total_fees"`

	// The parts of `total_fees`: those that are reserved, and once the fees are known those that were paid.
	Fees TransferFeesResponse `json:"fees"`

	// The text of the request; may be empty.
	Notes string `json:"notes"`

	// Empty until signed. May change while the transfer is pending.
	BlockchainTxHash string `json:"blockchain_tx_hash"`

	// The transactions that were signed for the transfer, the oldest first. It is empty until the first one is signed.
	Attempts []TransferAttemptResponse `json:"attempts"`

	// The reason of the end; null unless it failed, was rejected, or was not approved in time.
	Failure *TransferFailureResponse `json:"failure"`

	// The approval that was requested last; null if policies put it to no approvers.
	ApprovalID *string `json:"approval_id"`

	// When it was marked stuck, because it was pending for too long, in epoch seconds; otherwise 0.
	StuckSince int64 `json:"stuck_since"`

	// The reason when `stuck_since` is set: `books_behind_chain` (the chain shows payments that the database does not know, since it was restored or lost commits: nothing is signed from the wallet until both are compared), `waits_in_queue`, `user_inactive`, `app_frozen`, `wallet_frozen`, `row_altered`, `not_in_a_block`, `not_final`, `node_lacks_history`, `history_too_long` (many transactions name the wallet, and are still being read: nothing is signed or cancelled until then), `nodes_disagree`, `fee_above_ceiling`, `another_chain`, `network_not_configured`, `sequencer_or_node_down`; otherwise empty.
	StuckReason string `json:"stuck_reason"`

	// The time of the block that contains the payment, in epoch seconds; 0 while none does. A reorganisation of the chain may make it 0 again before `completed_at` is set.
	ConfirmedAt int64 `json:"confirmed_at"`

	// The time of completion in epoch seconds; 0 unless completed.
	CompletedAt int64 `json:"completed_at"`

	// The time of cancellation in epoch seconds; 0 unless cancelled.
	CancelledAt int64 `json:"cancelled_at"`

	// When its cancellation was requested, in epoch seconds; otherwise 0. It is cancelled once that is proven to be safe.
	CancelRequestedAt int64 `json:"cancel_requested_at"`

	// The time until which it can be confirmed, in epoch seconds. The status changes to `expired` as a rule within 20 seconds after it, and later while a confirmation that began in time is being stored. Until then the transfer may still be paid: do not conclude from the clock that it is not.
	ExpiresAt int64 `json:"expires_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The network that it is paid on, and no other, as a [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) chain id. Ethereum: `eip155:` and the chain id of the service's node, such as `eip155:1`. Solana: `solana:` and the first 32 characters of the genesis hash of its cluster, such as `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp` for mainnet.
	NetworkID string `json:"network_id"`

	// The step that the transfer waits for: `confirmation` by the app, `approval` by approvers, `place_in_queue` of its wallet, `broadcast`, a `block`, `finality`, or the `cancellation` that was requested; `none` once it has ended. `stuck_reason` says why that takes too long.
	NextStep string `json:"next_step"`

	// When the service looks at it next, in epoch seconds; 0 when it waits for the app or has ended.
	NextCheckAt int64 `json:"next_check_at"`
}

// ManagedTransferListResponse: A page of the transfers.
type ManagedTransferListResponse struct {
	// The transfers, newest first.
	Transfers []ManagedTransferResponse `json:"transfers"`

	// Whether there are more after the last of these.
	HasMore bool `json:"has_more"`
}

// WalletBalanceRequest: an object of the API.
type WalletBalanceRequest struct {
	// The id of the wallet, which begins with `wallet_`.
	WalletID string `json:"wallet_id"`

	// The symbol of the asset: `ETH`, `SOL` or that of an asset of the app; names such as `ethereum` are accepted too.
	TokenSymbol string `json:"token_symbol"`

	// The network. Without it the asset decides, as in `transfers/create`.
	Network *string `json:"network,omitempty"`
}

// WalletBalanceResponse: The current balance on the chain.
type WalletBalanceResponse struct {
	// The balance as decimal text, in whole units of the asset.
	Balance string `json:"balance"`

	// The symbol of the asset.
	TokenSymbol string `json:"token_symbol"`

	// The network of the balance.
	Network string `json:"network"`

	// The wallet that holds the balance.
	Wallet WalletResponse `json:"wallet"`
}

// DepositResponse: A final payment to a wallet.
type DepositResponse struct {
	// Begins with `dep_`.
	ID string `json:"id"`

	// The name of the network.
	Network string `json:"network"`

	// The name of the currency.
	Currency string `json:"currency"`

	// The amount that arrived.
	Amount string `json:"amount"`

	// The address that paid; empty when there are several.
	From string `json:"from"`

	// The hash of the transaction.
	BlockchainTxHash string `json:"blockchain_tx_hash"`

	// The number of the block; on Solana its slot.
	BlockNumber int64 `json:"block_number"`

	// The time of the block in epoch seconds; 0 when the node does not have it.
	At int64 `json:"at"`
}

// ListDepositsResponse: The deposits of a wallet.
type ListDepositsResponse struct {
	// The deposits, the most recently found first.
	Deposits []DepositResponse `json:"deposits"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// ManagedDepositResponse: The deposit with the id of its network.
type ManagedDepositResponse struct {
	// Begins with `dep_`.
	ID string `json:"id"`

	// The name of the network.
	Network string `json:"network"`

	// The name of the currency.
	Currency string `json:"currency"`

	// The amount that arrived.
	Amount string `json:"amount"`

	// The address that paid; empty when there are several.
	From string `json:"from"`

	// The hash of the transaction.
	BlockchainTxHash string `json:"blockchain_tx_hash"`

	// The number of the block; on Solana its slot.
	BlockNumber int64 `json:"block_number"`

	// The time of the block in epoch seconds; 0 when the node does not have it.
	At int64 `json:"at"`

	// The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) chain id of the network.
	NetworkID string `json:"network_id"`
}

// ManagedDepositListResponse: The deposits of a wallet.
type ManagedDepositListResponse struct {
	// The deposits, the most recently found first.
	Deposits []ManagedDepositResponse `json:"deposits"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// ManagedBalanceResponse: an object of the API.
type ManagedBalanceResponse struct {
	// The symbol of the asset.
	TokenSymbol string `json:"token_symbol"`

	// The network of the balance.
	Network string `json:"network"`

	// The balance as decimal text, in whole units of the asset; empty if the chain does not return it.
	Balance string `json:"balance"`

	// The error type of the chain's refusal, such as `chain_unavailable`; empty if there is a balance.
	ErrorType string `json:"error_type"`
}

// ManagedWalletResponse: The wallet with its current balances.
type ManagedWalletResponse struct {
	// Begins with `wallet_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The id of the owner, which begins with `user_`.
	UserID string `json:"user_id"`

	// The address on the chain: EIP-55 for ethereum, base58 for solana.
	PublicAddress string `json:"public_address"`

	// The chain: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// Whether the user is known to hold the key, or the service to hold it for them.
	Verified bool `json:"verified"`

	// Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain.
	IsDefault bool `json:"is_default"`

	// Whether the service cannot sign with it.
	IsReadOnly bool `json:"is_read_only"`

	// Whether its key was made outside of the service.
	IsImported bool `json:"is_imported"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The current balances of the coins and of the app's tokens on the networks that the app may use.
	Balances []ManagedBalanceResponse `json:"balances"`

	// The time since which the wallet itself is frozen and signs nothing, in epoch seconds; `0` if it is not.
	FrozenAt int64 `json:"frozen_at"`
}

// CreateWalletRequest: an object of the API.
type CreateWalletRequest struct {
	// The user who will own the wallet.
	UserID string `json:"user_id"`

	// The chain; `ETH` and `SOL` mean the same.
	WalletType string `json:"wallet_type"`
}

// ListWalletsResponse: A page of the wallets.
type ListWalletsResponse struct {
	// The wallets, newest first.
	Wallets []WalletResponse `json:"wallets"`

	// Whether there are more after the last of these.
	HasMore bool `json:"has_more"`
}

// WalletFreezeResponse: Whether the wallet signs.
type WalletFreezeResponse struct {
	// The id of the wallet, which begins with `wallet_`.
	WalletID string `json:"wallet_id"`

	// The time since which it signs nothing, in epoch seconds; `0` if it signs, as far as its user and its app are not frozen.
	FrozenAt int64 `json:"frozen_at"`
}

// SignMessageRequest: an object of the API.
type SignMessageRequest struct {
	// The approval that the refused call (409 `approval_required`) named, once it is approved.
	ApprovalID *string `json:"approval_id,omitempty"`

	// Signed exactly as given, as UTF-8, also if the text looks like hexadecimal.
	Message string `json:"message"`
}

// SignatureResponse: The signature, and the wallet that made it.
type SignatureResponse struct {
	// Begins with `wallet_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The id of the owner, which begins with `user_`.
	UserID string `json:"user_id"`

	// The address on the chain: EIP-55 for ethereum, base58 for solana.
	PublicAddress string `json:"public_address"`

	// The chain: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// Whether the user is known to hold the key, or the service to hold it for them.
	Verified bool `json:"verified"`

	// Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain.
	IsDefault bool `json:"is_default"`

	// Whether the service cannot sign with it.
	IsReadOnly bool `json:"is_read_only"`

	// Whether its key was made outside of the service.
	IsImported bool `json:"is_imported"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The id of the wallet, which begins with `wallet_`.
	WalletID string `json:"wallet_id"`

	// The wallet that signed.
	Wallet WalletResponse `json:"wallet"`

	// Ethereum: 65 bytes in 0x-hexadecimal, v 27 or 28. Solana: base58.
	Signature string `json:"signature"`
}

// SignTypedDataRequest: an object of the API.
type SignTypedDataRequest struct {
	// The approval that the refused call (409 `approval_required`) named, once it is approved.
	ApprovalID *string `json:"approval_id,omitempty"`

	// The typed data of EIP-712: `domain`, `types`, `primaryType` and `message`, with at most 1,000 values, 50 types and 250 fields; the body may be nested 20 levels deep. Names of types may have a namespace, such as `Exchange:Order`.
	TypedData map[string]any `json:"typed_data"`
}

// SignTransactionRequest: an object of the API.
type SignTransactionRequest struct {
	// The approval that the refused call (409 `approval_required`) named, once it is approved.
	ApprovalID *string `json:"approval_id,omitempty"`

	// The transaction of EIP-1559: `to`, `value`, `nonce`, `gas`, `maxFeePerGas`, `maxPriorityFeePerGas`, `chainId`, `data` (or `input`). Numbers are decimal or 0x-hexadecimal text, or whole JSON numbers; amounts are in wei. `data` has at most 65,536 bytes, which are 128 KiB of hexadecimal. Exactly the given transaction is signed: another `type` than 2, a `from` that is not the wallet, `gasPrice`, `accessList`, `authorizationList` and blob fields are refused.
	EthTransaction map[string]any `json:"eth_transaction"`
}

// SignedTransactionResponse: The signed transaction. It was not sent to the chain.
type SignedTransactionResponse struct {
	// Begins with `wallet_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The id of the owner, which begins with `user_`.
	UserID string `json:"user_id"`

	// The address on the chain: EIP-55 for ethereum, base58 for solana.
	PublicAddress string `json:"public_address"`

	// The chain: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// Whether the user is known to hold the key, or the service to hold it for them.
	Verified bool `json:"verified"`

	// Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain.
	IsDefault bool `json:"is_default"`

	// Whether the service cannot sign with it.
	IsReadOnly bool `json:"is_read_only"`

	// Whether its key was made outside of the service.
	IsImported bool `json:"is_imported"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The id of the wallet, which begins with `wallet_`.
	WalletID string `json:"wallet_id"`

	// The wallet that signed.
	Wallet WalletResponse `json:"wallet"`

	// Ethereum: 65 bytes in 0x-hexadecimal, v 27 or 28. Solana: base58.
	Signature string `json:"signature"`

	// The signed transaction in 0x-hexadecimal, as `eth_sendRawTransaction` takes it.
	SignedTransaction string `json:"signed_transaction"`

	// The hash it will have on the chain.
	TransactionHash string `json:"transaction_hash"`
}

// BeginImportRequest: an object of the API.
type BeginImportRequest struct {
	// The user who will own the wallet.
	UserID string `json:"user_id"`

	// The chain; `ETH` and `SOL` mean the same.
	WalletType string `json:"wallet_type"`
}

// BeginImportResponse: The import that has begun, with the public key to which the private key must be encrypted.
type BeginImportResponse struct {
	// Begins with `walletimp_`.
	ID string `json:"id"`

	// The encryption, always `HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM`: RFC 9180, base mode, no info, no associated data.
	EncryptionType string `json:"encryption_type"`

	// The public key to which the private key must be encrypted, once: 65 bytes, a point of P-256 uncompressed, in base64.
	EncryptionPublicKey string `json:"encryption_public_key"`

	// The time of expiry in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`
}

// ImportWalletRequest: an object of the API.
type ImportWalletRequest struct {
	// The `walletimp_` id of the import that was begun.
	ID string `json:"id"`

	// The sender's encapsulated key (`enc`): 65 bytes, in base64.
	EncapsulatedKey string `json:"encapsulated_key"`

	// The encrypted private key, in base64. Ethereum: hexadecimal text, or the 32 bytes. Solana: base58 text of the 64 bytes of the key pair, or those bytes, or the 32 bytes of the seed.
	Ciphertext string `json:"ciphertext"`
}

// ExportWalletRequest: an object of the API.
type ExportWalletRequest struct {
	// The approval that the refused call (409 `approval_required`) named, once it is approved.
	ApprovalID *string `json:"approval_id,omitempty"`

	// The public key to which the private key is encrypted: 65 bytes, a point of P-256 uncompressed, in base64.
	EncryptionPublicKey string `json:"encryption_public_key"`
}

// ExportWalletResponse: The private key, encrypted to the public key of the request.
type ExportWalletResponse struct {
	// The id of the wallet, which begins with `wallet_`.
	WalletID string `json:"wallet_id"`

	// The wallet whose key was exported.
	Wallet WalletResponse `json:"wallet"`

	// The encryption, always `HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM`: RFC 9180, base mode, no info, no associated data.
	EncryptionType string `json:"encryption_type"`

	// The encapsulated key (`enc`): 65 bytes, in base64.
	EncapsulatedKey string `json:"encapsulated_key"`

	// The encrypted private key, in base64. Ethereum: 0x-hexadecimal text. Solana: base58 text of the 64 bytes of the key pair.
	Ciphertext string `json:"ciphertext"`
}

// BeginRegistrationRequest: an object of the API.
type BeginRegistrationRequest struct {
	// The chain; `ETH` and `SOL` mean the same.
	WalletType string `json:"wallet_type"`

	// The address on the chain: for ethereum checksummed (EIP-55) or all in lower case, for solana base58.
	PublicAddress string `json:"public_address"`

	// The user to attach the wallet to. Without it: the user who logs in with the address, else a new user.
	UserID *string `json:"user_id,omitempty"`
}

// ChallengeResponse: The registration, with the text that the wallet must sign.
type ChallengeResponse struct {
	// The text that the wallet must sign, unchanged: by EIP-191 (`personal_sign`) for ethereum, its bytes for solana.
	Challenge string `json:"challenge"`

	// Begins with `walletrr_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The user who will own the wallet once a signature is verified.
	UserID string `json:"user_id"`

	// Whether the address had no owner, so that this call created a user for the person who proves it.
	UserCreated bool `json:"user_created"`

	// The chain of the address: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// The address that must sign, in canonical form.
	PublicAddress string `json:"public_address"`

	// The time of expiry in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`

	// The same as `created_at`, in epoch seconds, because a registration never changes.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// NonceResponse: The registration, with the nonce for a text of your own that the wallet must sign.
type NonceResponse struct {
	// Letters and digits, for the `Nonce` of a sign-in text.
	Nonce string `json:"nonce"`

	// Begins with `walletrr_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The user who will own the wallet once a signature is verified.
	UserID string `json:"user_id"`

	// Whether the address had no owner, so that this call created a user for the person who proves it.
	UserCreated bool `json:"user_created"`

	// The chain of the address: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// The address that must sign, in canonical form.
	PublicAddress string `json:"public_address"`

	// The time of expiry in epoch seconds.
	ExpiresAt int64 `json:"expires_at"`

	// The same as `created_at`, in epoch seconds, because a registration never changes.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// VerifyWalletRequest: an object of the API.
type VerifyWalletRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58, of the text or of an off-chain message with it, as hardware wallets sign.
	Signature string `json:"signature"`

	// The registration that the signature is for.
	ID *string `json:"id,omitempty"`

	// The chain; `ETH` and `SOL` mean the same.
	WalletType *string `json:"wallet_type,omitempty"`

	// The address that signed.
	PublicAddress *string `json:"public_address,omitempty"`
}

// VerifiedWalletResponse: The wallet of the user who signed in, and the session if the request asks for one.
type VerifiedWalletResponse struct {
	// Begins with `wallet_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The id of the owner, which begins with `user_`.
	UserID string `json:"user_id"`

	// The address on the chain: EIP-55 for ethereum, base58 for solana.
	PublicAddress string `json:"public_address"`

	// The chain: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// Whether the user is known to hold the key, or the service to hold it for them.
	Verified bool `json:"verified"`

	// Whether it is the wallet that the service made for the user on this chain. A user has at most one on each chain.
	IsDefault bool `json:"is_default"`

	// Whether the service cannot sign with it.
	IsReadOnly bool `json:"is_read_only"`

	// Whether its key was made outside of the service.
	IsImported bool `json:"is_imported"`

	// The time of the last change in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// Whether this call created the user. False for the user whom the beginning of the registration named.
	UserCreated bool `json:"user_created"`

	// The account as the app had prepared it, if the user got it by this call; otherwise null.
	AccountPrepared *PreparedAccountResponse `json:"account_prepared"`

	// Null if the request asks for no session.
	Session *IssuedSessionResponse `json:"session"`

	// Empty when there is no session, or it was named by its JWT.
	SessionToken string `json:"session_token"`

	// Empty when there is no session.
	SessionJWT string `json:"session_jwt"`
}

// VerifySiweRequest: an object of the API.
type VerifySiweRequest struct {
	// The user whom the call must sign in. If the proof leads to another user, or to a new one, the response is 409 `address_of_other_account` and nothing is spent.
	ExpectedUserID *string `json:"expected_user_id,omitempty"`

	// The minutes from now until the session ends. Alone it starts a session; with a token or JWT it moves the end of that session, never to an earlier time.
	SessionExpiresIn *int64 `json:"session_expires_in,omitempty"`

	// The token of a live session of the same user, to which the factor is added. An empty string means none.
	SessionToken *string `json:"session_token,omitempty"`

	// The JWT of a live session of the same user, to which the factor is added. An empty string means none.
	SessionJWT *string `json:"session_jwt,omitempty"`

	// The device from which the user signs in. It is stored with the session that this call starts.
	DeviceFingerprint *DeviceFingerprintRequest `json:"device_fingerprint,omitempty"`

	// The signature. Ethereum: 65 bytes in 0x-hexadecimal, or a signature that the contract at the address accepts. Solana: base58, of the text or of an off-chain message with it, as hardware wallets sign.
	Signature string `json:"signature"`

	// The registration that the signature is for.
	ID *string `json:"id,omitempty"`

	// The chain; `ETH` and `SOL` mean the same.
	WalletType *string `json:"wallet_type,omitempty"`

	// The address that signed.
	PublicAddress *string `json:"public_address,omitempty"`

	// The text that was signed: EIP-4361, or Sign-In With Solana, with the nonce of a registration.
	SiweChallenge string `json:"siwe_challenge"`
}

// WalletDeletionResponse: The wallet was taken from the user.
type WalletDeletionResponse struct {
	// The user from whom the wallet was taken.
	UserID string `json:"user_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// CreateWebhookEndpointRequest: an object of the API.
type CreateWebhookEndpointRequest struct {
	// The URL that events are sent to by POST: https with a public address, without credentials and fragment. With `ALLOW_PRIVATE_NETWORKS`, the default outside production, also http and private addresses.
	URL string `json:"url"`

	// The names of event types, or `*`. If the list is empty or absent, the endpoint gets all types, also those of later releases.
	EventTypes []string `json:"event_types,omitempty"`

	// A description, which the service only stores.
	Description *string `json:"description,omitempty"`

	// Whether the events of one user follow one another: the next one waits until the previous one is delivered or has failed.
	Ordered *bool `json:"ordered,omitempty"`
}

// WebhookEndpointWithSecretResponse: The endpoint with its secret, which is shown only once.
type WebhookEndpointWithSecretResponse struct {
	// The id of the webhook endpoint, which begins with `whk_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The restricted key that made the endpoint and manages it beside the app; empty if it belongs to the app alone. When the key ends, the endpoint is disabled and passes to the app.
	KeyID string `json:"key_id"`

	// The URL that events are sent to by POST.
	URL string `json:"url"`

	// The names of event types; an empty list stands for all types.
	EventTypes []string `json:"event_types"`

	// The description that the app gave; may be empty.
	Description string `json:"description"`

	// Whether the events of one user follow one another.
	Ordered bool `json:"ordered"`

	// The time when the endpoint was disabled, in epoch seconds; 0 while events are sent.
	DisabledAt int64 `json:"disabled_at"`

	// The reason why the endpoint is disabled. `gone`: the receiver responded with 410; `failing`: every attempt of 5 days failed; `by_app`: a client disabled it; `key_ended`: the restricted key that made it has ended. Empty while events are sent.
	DisabledReason string `json:"disabled_reason"`

	// The time since which every attempt has failed, in epoch seconds; 0 after a success, and before the first attempt.
	FailingSince int64 `json:"failing_since"`

	// The time until which the previous secret signs too, in epoch seconds; 0 if there is none.
	PreviousSecretEndsAt int64 `json:"previous_secret_ends_at"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`

	// The secret that signs the events. It is shown only once.
	Secret string `json:"secret"`
}

// WebhookEndpointResponse: The endpoint without its secret.
type WebhookEndpointResponse struct {
	// The id of the webhook endpoint, which begins with `whk_`.
	ID string `json:"id"`

	// The id of the app, which begins with `app_`.
	AppID string `json:"app_id"`

	// The restricted key that made the endpoint and manages it beside the app; empty if it belongs to the app alone. When the key ends, the endpoint is disabled and passes to the app.
	KeyID string `json:"key_id"`

	// The URL that events are sent to by POST.
	URL string `json:"url"`

	// The names of event types; an empty list stands for all types.
	EventTypes []string `json:"event_types"`

	// The description that the app gave; may be empty.
	Description string `json:"description"`

	// Whether the events of one user follow one another.
	Ordered bool `json:"ordered"`

	// The time when the endpoint was disabled, in epoch seconds; 0 while events are sent.
	DisabledAt int64 `json:"disabled_at"`

	// The reason why the endpoint is disabled. `gone`: the receiver responded with 410; `failing`: every attempt of 5 days failed; `by_app`: a client disabled it; `key_ended`: the restricted key that made it has ended. Empty while events are sent.
	DisabledReason string `json:"disabled_reason"`

	// The time since which every attempt has failed, in epoch seconds; 0 after a success, and before the first attempt.
	FailingSince int64 `json:"failing_since"`

	// The time until which the previous secret signs too, in epoch seconds; 0 if there is none.
	PreviousSecretEndsAt int64 `json:"previous_secret_ends_at"`

	// The time of the last change, in epoch seconds.
	UpdatedAt int64 `json:"updated_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// WebhookEndpointListResponse: A page of the endpoints, without their secrets.
type WebhookEndpointListResponse struct {
	// The endpoints, newest first.
	WebhookEndpoints []WebhookEndpointResponse `json:"webhook_endpoints"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// UpdateWebhookEndpointRequest: an object of the API.
type UpdateWebhookEndpointRequest struct {
	// The URL that events are sent to by POST. Events that wait are sent there too.
	URL *string `json:"url,omitempty"`

	// The names of event types, or `*`. If the list is empty or `null`, the endpoint gets all types.
	EventTypes []string `json:"event_types,omitempty"`

	// A description, which the service only stores.
	Description *string `json:"description,omitempty"`

	// Whether the events of one user follow one another. A change applies to later events only.
	Ordered *bool `json:"ordered,omitempty"`

	// Whether no events are sent. `false` begins the sending again, also after the service has disabled the endpoint.
	Disabled *bool `json:"disabled,omitempty"`
}

// WebhookEndpointDeletedResponse: The endpoint was deleted.
type WebhookEndpointDeletedResponse struct {
	// The id of the webhook endpoint, which begins with `whk_`.
	ID string `json:"id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// RotateWebhookSecretRequest: an object of the API.
type RotateWebhookSecretRequest struct {
	// The number of minutes for which the current secret signs beside the new one.
	OverlapMinutes *int64 `json:"overlap_minutes,omitempty"`
}

// WebhookTestQueuedResponse: The test event is sent soon.
type WebhookTestQueuedResponse struct {
	// The id of the event, which begins with `evt_`.
	EventID string `json:"event_id"`

	// The id of the webhook delivery, which begins with `whd_`.
	DeliveryID string `json:"delivery_id"`

	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// RecoverWebhooksRequest: an object of the API.
type RecoverWebhooksRequest struct {
	// The start of the range, in epoch seconds.
	Since int64 `json:"since"`

	// The end of the range, in epoch seconds, at most 14 days after `since`. If it is absent, the range lasts until the work runs.
	Until *int64 `json:"until,omitempty"`
}

// WebhookQueuedResponse: The events are sent soon.
type WebhookQueuedResponse struct {
	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`
}

// WebhookAttemptResponse: an object of the API.
type WebhookAttemptResponse struct {
	// The time of the attempt, in epoch seconds.
	At int64 `json:"at"`

	// The HTTP status of the response; `null` if there was none.
	StatusCode *int64 `json:"status_code"`

	// The reason why there was no response, e.g. `timeout`; `null` if there was one.
	Error *string `json:"error"`

	// The duration of the attempt, in milliseconds.
	DurationMs int64 `json:"duration_ms"`

	// The first kilobyte of the response as text; `null` if there was none.
	Response *string `json:"response"`
}

// WebhookDeliveryResponse: an object of the API.
type WebhookDeliveryResponse struct {
	// The id of the webhook delivery, which begins with `whd_`.
	ID string `json:"id"`

	// The id of the event, which begins with `evt_`.
	EventID string `json:"event_id"`

	// The name of the type of the event.
	EventType string `json:"event_type"`

	// The status of the delivery: `pending`, `delivered` or `failed`.
	Status string `json:"status"`

	// The last 20 attempts, earliest first.
	Attempts []WebhookAttemptResponse `json:"attempts"`

	// The time of the next attempt, in epoch seconds; 0 unless the delivery is pending.
	NextAttemptAt int64 `json:"next_attempt_at"`

	// The time of creation, in epoch seconds.
	CreatedAt int64 `json:"created_at"`
}

// WebhookDeliveryListResponse: A page of the deliveries to the endpoint.
type WebhookDeliveryListResponse struct {
	// The deliveries of the newest events first.
	Deliveries []WebhookDeliveryResponse `json:"deliveries"`

	// Whether more items follow the last one of the page.
	HasMore bool `json:"has_more"`
}

// WebhookDeliveryQueuedResponse: The delivery is repeated soon.
type WebhookDeliveryQueuedResponse struct {
	// The result as a sentence for people. Its wording may change.
	Message string `json:"message"`

	// The id of the webhook delivery, which begins with `whd_`.
	DeliveryID string `json:"delivery_id"`
}

// Problem: RFC 9457 problem details; older clients read the same from `status_code`, `error_type` and `error_message`.
type Problem struct {
	// The page that explains this error type: `{BASE_URL}/errors/{error_type}`.
	Type string `json:"type"`

	// A short text for people that is the same for each error type.
	Title string `json:"title"`

	// The HTTP status.
	Status int64 `json:"status"`

	// A text for people that states the fault, then the remedy.
	Detail string `json:"detail"`

	// The id of the request.
	Instance string `json:"instance"`

	// The same as `status`.
	StatusCode int64 `json:"status_code"`

	// The stable name of the error. Programs should branch on it.
	ErrorType string `json:"error_type"`

	// The same as `detail`.
	ErrorMessage string `json:"error_message"`

	// The id of the request, as in the header `X-Request-Id`.
	RequestID string `json:"request_id"`

	// The version of the policy whose rule decided, of `policy_denied`.
	PolicyID *string `json:"policy_id,omitempty"`

	// The rule that decided, of `policy_denied`.
	RuleID *string `json:"rule_id,omitempty"`

	// The reason of the denial, of `policy_denied`.
	Reason *string `json:"reason,omitempty"`

	// The approval that must be given first, of `approval_required`, or that has ended, of `approval_ended`.
	ApprovalID *string `json:"approval_id,omitempty"`

	// The state of the approval, of `approval_ended`.
	State *string `json:"state,omitempty"`

	// The fields that were refused. Present only for validation errors.
	Errors []map[string]any `json:"errors,omitempty"`
}

// AppEventData: The data of an event.
type AppEventData struct {
	// The app.
	AppID string `json:"app_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// ApprovalEventData: The data of an event.
type ApprovalEventData struct {
	// The approval.
	ApprovalID string `json:"approval_id"`

	// The SHA-256 of the payload, in hexadecimal.
	PayloadHash string `json:"payload_hash"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// ClientEventData: The data of an event.
type ClientEventData struct {
	// The OAuth client.
	ClientID string `json:"client_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// GrantEventData: The data of an event.
type GrantEventData struct {
	// The grant.
	GrantID string `json:"grant_id"`

	// The user who consented.
	UserID string `json:"user_id"`

	// The OAuth client.
	ClientID string `json:"client_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// OauthConnectionEventData: The data of an event.
type OauthConnectionEventData struct {
	// The connection to the provider.
	OauthConnectionID string `json:"oauth_connection_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// ResourceEventData: The data of an event.
type ResourceEventData struct {
	// The resource.
	ResourceID string `json:"resource_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// TotpEventData: The data of an event.
type TotpEventData struct {
	// The enrolment of the authenticator.
	TotpID string `json:"totp_id"`

	// The holder of the authenticator.
	UserID string `json:"user_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// TransferEventData: The data of an event.
type TransferEventData struct {
	// The transfer.
	TransferID string `json:"transfer_id"`

	// The owner of the wallet that pays.
	UserID string `json:"user_id"`

	// The wallet that pays.
	Source string `json:"source"`

	// The name of the network that it is paid on.
	Network string `json:"network"`

	// The batch that the transfer is part of.
	BatchID *string `json:"batch_id,omitempty"`

	// The status of the transfer after the event.
	Status string `json:"status"`

	// The app's own id of the transfer.
	CustomID *string `json:"custom_id"`

	// The hash of the latest signed transaction; empty when none is signed.
	BlockchainTxHash string `json:"blockchain_tx_hash"`

	// Why the transfer does not progress, e.g. `not_in_a_block`.
	StuckReason *string `json:"stuck_reason,omitempty"`

	// The reason of the end, for a transfer that failed, was rejected or was not approved in time.
	Failure map[string]any `json:"failure,omitempty"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// UserEventData: The data of an event.
type UserEventData struct {
	// The user whom the event is about.
	UserID string `json:"user_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// WalletEventData: The data of an event.
type WalletEventData struct {
	// The wallet.
	WalletID string `json:"wallet_id"`

	// The owner of the wallet.
	UserID string `json:"user_id"`

	// The chain of the wallet.
	WalletType string `json:"wallet_type"`

	// The address of the wallet on its chain.
	PublicAddress string `json:"public_address"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// WebauthnCredentialEventData: The data of an event.
type WebauthnCredentialEventData struct {
	// The passkey.
	WebauthnCredentialID string `json:"webauthn_credential_id"`

	// The holder of the passkey.
	UserID string `json:"user_id"`

	// The restricted key whose call it was.
	Actor *string `json:"actor,omitempty"`
}

// EmailFactorMethodResponse: an object of the API.
type EmailFactorMethodResponse struct {
	// The id of the verified method, the same as in its own field.
	MethodID string `json:"method_id"`

	// The kind of the method, which determines the other fields.
	MethodType string `json:"method_type"`

	// The time of the last proof by this method in this session, in epoch seconds.
	LastVerifiedAt int64 `json:"last_verified_at"`

	// The id of the email, which begins with `email_`.
	EmailID string `json:"email_id"`

	// The email address that was verified.
	Email string `json:"email"`
}

// PhoneNumberFactorMethodResponse: an object of the API.
type PhoneNumberFactorMethodResponse struct {
	// The id of the verified method, the same as in its own field.
	MethodID string `json:"method_id"`

	// The kind of the method, which determines the other fields.
	MethodType string `json:"method_type"`

	// The time of the last proof by this method in this session, in epoch seconds.
	LastVerifiedAt int64 `json:"last_verified_at"`

	// The id of the phone number, which begins with `pn_`.
	PhoneNumberID string `json:"phone_number_id"`

	// The phone number that was verified, in E.164 form.
	PhoneNumber string `json:"phone_number"`
}

// UserFactorMethodResponse: an object of the API.
type UserFactorMethodResponse struct {
	// The id of the verified method, the same as in its own field.
	MethodID string `json:"method_id"`

	// The kind of the method, which determines the other fields.
	MethodType string `json:"method_type"`

	// The time of the last proof by this method in this session, in epoch seconds.
	LastVerifiedAt int64 `json:"last_verified_at"`

	// The id of the user, which begins with `user_`.
	UserID string `json:"user_id"`
}

// OauthFactorMethodResponse: an object of the API.
type OauthFactorMethodResponse struct {
	// The id of the verified method, the same as in its own field.
	MethodID string `json:"method_id"`

	// The kind of the method, which determines the other fields.
	MethodType string `json:"method_type"`

	// The time of the last proof by this method in this session, in epoch seconds.
	LastVerifiedAt int64 `json:"last_verified_at"`

	// The id of the user's identity at the provider, which begins with `idpuser_`.
	IdpUserID string `json:"idp_user_id"`

	// The user's identifier at the identity provider.
	ProviderSubject string `json:"provider_subject"`
}

// TotpFactorMethodResponse: an object of the API.
type TotpFactorMethodResponse struct {
	// The id of the verified method, the same as in its own field.
	MethodID string `json:"method_id"`

	// The kind of the method, which determines the other fields.
	MethodType string `json:"method_type"`

	// The time of the last proof by this method in this session, in epoch seconds.
	LastVerifiedAt int64 `json:"last_verified_at"`

	// The id of the authenticator app, which begins with `totp_`.
	TotpID string `json:"totp_id"`
}

// WalletFactorMethodResponse: an object of the API.
type WalletFactorMethodResponse struct {
	// The id of the verified method, the same as in its own field.
	MethodID string `json:"method_id"`

	// The kind of the method, which determines the other fields.
	MethodType string `json:"method_type"`

	// The time of the last proof by this method in this session, in epoch seconds.
	LastVerifiedAt int64 `json:"last_verified_at"`

	// The id of the wallet, which begins with `wallet_`.
	WalletID string `json:"wallet_id"`

	// The chain: `ethereum` or `solana`.
	WalletType string `json:"wallet_type"`

	// The address on the chain: EIP-55 for ethereum, base58 for solana.
	WalletPublicAddress string `json:"wallet_public_address"`
}

// WebauthnFactorMethodResponse: an object of the API.
type WebauthnFactorMethodResponse struct {
	// The id of the verified method, the same as in its own field.
	MethodID string `json:"method_id"`

	// The kind of the method, which determines the other fields.
	MethodType string `json:"method_type"`

	// The time of the last proof by this method in this session, in epoch seconds.
	LastVerifiedAt int64 `json:"last_verified_at"`

	// The id of the passkey, which begins with `webauthn_`.
	WebauthnCredentialID string `json:"webauthn_credential_id"`
}
