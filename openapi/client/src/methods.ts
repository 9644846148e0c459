// Made from openapi.json by `npm run openapi`.
import type { CallOptions, Data, Fields, Item } from './calls.js';
import type { Id } from './ids.js';

/** Calls of `management.apps.users.events`. */
export interface ManagementAppsUsersEventsCalls {
  /**
   * List the events of a user
   *
   * `GET /management/v1/apps/{app_id}/users/{user_id}/events`
   */
  list(app_id: Id<'app'>, user_id: Id<'user'>, fields?: Fields<'management.apps.users.events.list'>, options?: CallOptions): Promise<Data<'management.apps.users.events.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/users/{user_id}/events`
   */
  all(app_id: Id<'app'>, user_id: Id<'user'>, fields?: Fields<'management.apps.users.events.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.users.events.list'>, void, undefined>;
}

/** Calls of `management.apps.users.emails`. */
export interface ManagementAppsUsersEmailsCalls {
  /**
   * Add an email to a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/emails`
   */
  add(app_id: Id<'app'>, user_id: Id<'user'>, fields: Fields<'management.apps.users.emails.add'>, options?: CallOptions): Promise<Data<'management.apps.users.emails.add'>>;
  /**
   * Remove an email from a user
   *
   * `DELETE /management/v1/apps/{app_id}/users/{user_id}/emails/{email_id}`
   */
  remove(app_id: Id<'app'>, user_id: Id<'user'>, email_id: Id<'email'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.emails.remove'>>;
}

/** Calls of `management.apps.users.phoneNumbers`. */
export interface ManagementAppsUsersPhoneNumbersCalls {
  /**
   * Add a phone number to a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/phone_numbers`
   */
  add(app_id: Id<'app'>, user_id: Id<'user'>, fields: Fields<'management.apps.users.phoneNumbers.add'>, options?: CallOptions): Promise<Data<'management.apps.users.phoneNumbers.add'>>;
  /**
   * Remove a phone number from a user
   *
   * `DELETE /management/v1/apps/{app_id}/users/{user_id}/phone_numbers/{phone_number_id}`
   */
  remove(app_id: Id<'app'>, user_id: Id<'user'>, phone_number_id: Id<'pn'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.phoneNumbers.remove'>>;
}

/** Calls of `management.apps.users.recovery`. */
export interface ManagementAppsUsersRecoveryCalls {
  /**
   * Cancel the recovery of a user
   *
   * `DELETE /management/v1/apps/{app_id}/users/{user_id}/recovery`
   */
  cancelRecovery(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.recovery.cancelRecovery'>>;
  /**
   * Recover the account of a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/recovery`
   */
  begin(app_id: Id<'app'>, user_id: Id<'user'>, fields?: Fields<'management.apps.users.recovery.begin'>, options?: CallOptions): Promise<Data<'management.apps.users.recovery.begin'>>;
}

/** Calls of `management.apps.users.webauthnCredentials`. */
export interface ManagementAppsUsersWebauthnCredentialsCalls {
  /**
   * Remove a passkey from a user
   *
   * `DELETE /management/v1/apps/{app_id}/users/{user_id}/webauthn_credentials/{webauthn_credential_id}`
   */
  remove(app_id: Id<'app'>, user_id: Id<'user'>, webauthn_credential_id: Id<'webauthn'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.webauthnCredentials.remove'>>;
}

/** Calls of `management.apps.users.erase`. */
export interface ManagementAppsUsersEraseCalls {
  /**
   * Get the receipt of an erasure
   *
   * `GET /management/v1/apps/{app_id}/users/{user_id}/erase`
   */
  receipt(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.erase.receipt'>>;
}

/** Calls of `management.apps.users.sessions`. */
export interface ManagementAppsUsersSessionsCalls {
  /**
   * End all sessions of a user
   *
   * `DELETE /management/v1/apps/{app_id}/users/{user_id}/sessions`
   */
  endAll(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.sessions.endAll'>>;
}

/** Calls of `management.apps.users.totps`. */
export interface ManagementAppsUsersTotpsCalls {
  /**
   * Remove an authenticator from a user
   *
   * `DELETE /management/v1/apps/{app_id}/users/{user_id}/totps/{totp_id}`
   */
  remove(app_id: Id<'app'>, user_id: Id<'user'>, totp_id: Id<'totp'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.totps.remove'>>;
}

/** Calls of `management.apps.users`. */
export interface ManagementAppsUsersCalls {
  /**
   * Import users into an app
   *
   * `POST /management/v1/apps/{app_id}/users/import`
   */
  import(app_id: Id<'app'>, fields: Fields<'management.apps.users.import'>, options?: CallOptions): Promise<Data<'management.apps.users.import'>>;
  /**
   * Create a user of an app
   *
   * `POST /management/v1/apps/{app_id}/users`
   */
  create(app_id: Id<'app'>, fields?: Fields<'management.apps.users.create'>, options?: CallOptions): Promise<Data<'management.apps.users.create'>>;
  /**
   * List an app's users
   *
   * `GET /management/v1/apps/{app_id}/users`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.users.list'>, options?: CallOptions): Promise<Data<'management.apps.users.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/users`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.users.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.users.list'>, void, undefined>;
  /**
   * Search an app's users
   *
   * `POST /management/v1/apps/{app_id}/users/search`
   */
  search(app_id: Id<'app'>, fields?: Fields<'management.apps.users.search'>, options?: CallOptions): Promise<Data<'management.apps.users.search'>>;
  /**
   * All elements, page by page.
   *
   * `POST /management/v1/apps/{app_id}/users/search`
   */
  searchAll(app_id: Id<'app'>, fields?: Fields<'management.apps.users.search'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.users.search'>, void, undefined>;
  /**
   * Get a user of an app
   *
   * `GET /management/v1/apps/{app_id}/users/{user_id}`
   */
  get(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.get'>>;
  /**
   * Change a user of an app
   *
   * `PATCH /management/v1/apps/{app_id}/users/{user_id}`
   */
  update(app_id: Id<'app'>, user_id: Id<'user'>, fields?: Fields<'management.apps.users.update'>, options?: CallOptions): Promise<Data<'management.apps.users.update'>>;
  /**
   * Delete a user of an app
   *
   * `DELETE /management/v1/apps/{app_id}/users/{user_id}`
   */
  delete(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.delete'>>;
  /**
   * Unlock the codes of a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/unlock`
   */
  unlock(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.unlock'>>;
  /**
   * Deactivate a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/deactivate`
   */
  deactivate(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.deactivate'>>;
  /**
   * Reactivate a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/reactivate`
   */
  reactivate(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.reactivate'>>;
  /**
   * Invite a user to an app
   *
   * `POST /management/v1/apps/{app_id}/users/invite`
   */
  invite(app_id: Id<'app'>, fields: Fields<'management.apps.users.invite'>, options?: CallOptions): Promise<Data<'management.apps.users.invite'>>;
  /**
   * Freeze a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/freeze`
   */
  freeze(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.freeze'>>;
  /**
   * Thaw a user
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/thaw`
   */
  thaw(app_id: Id<'app'>, user_id: Id<'user'>, fields?: Fields<'management.apps.users.thaw'>, options?: CallOptions): Promise<Data<'management.apps.users.thaw'>>;
  /**
   * Export all about one person
   *
   * `GET /management/v1/apps/{app_id}/users/{user_id}/export`
   */
  export(app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.users.export'>>;
  /**
   * Erase a person
   *
   * `POST /management/v1/apps/{app_id}/users/{user_id}/erase`
   */
  readonly erase: ((app_id: Id<'app'>, user_id: Id<'user'>, fields?: undefined, options?: CallOptions) => Promise<Data<'management.apps.users.erase'>>) & ManagementAppsUsersEraseCalls;
  readonly events: ManagementAppsUsersEventsCalls;
  readonly emails: ManagementAppsUsersEmailsCalls;
  readonly phoneNumbers: ManagementAppsUsersPhoneNumbersCalls;
  readonly recovery: ManagementAppsUsersRecoveryCalls;
  readonly webauthnCredentials: ManagementAppsUsersWebauthnCredentialsCalls;
  readonly sessions: ManagementAppsUsersSessionsCalls;
  readonly totps: ManagementAppsUsersTotpsCalls;
}

/** Calls of `management.apps.keys`. */
export interface ManagementAppsKeysCalls {
  /**
   * Create a key
   *
   * `POST /management/v1/apps/{app_id}/keys`
   */
  create(app_id: Id<'app'>, fields: Fields<'management.apps.keys.create'>, options?: CallOptions): Promise<Data<'management.apps.keys.create'>>;
  /**
   * List an app's keys
   *
   * `GET /management/v1/apps/{app_id}/keys`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.keys.list'>, options?: CallOptions): Promise<Data<'management.apps.keys.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/keys`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.keys.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.keys.list'>, void, undefined>;
  /**
   * Revoke a key
   *
   * `DELETE /management/v1/apps/{app_id}/keys/{key_id}`
   */
  revoke(app_id: Id<'app'>, key_id: Id<'key'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.keys.revoke'>>;
}

/** Calls of `management.apps.redirectUrls`. */
export interface ManagementAppsRedirectUrlsCalls {
  /**
   * Register a redirect URL
   *
   * `POST /management/v1/apps/{app_id}/redirect_urls`
   */
  register(app_id: Id<'app'>, fields: Fields<'management.apps.redirectUrls.register'>, options?: CallOptions): Promise<Data<'management.apps.redirectUrls.register'>>;
  /**
   * List an app's redirect URLs
   *
   * `GET /management/v1/apps/{app_id}/redirect_urls`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.redirectUrls.list'>, options?: CallOptions): Promise<Data<'management.apps.redirectUrls.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/redirect_urls`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.redirectUrls.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.redirectUrls.list'>, void, undefined>;
  /**
   * Remove a redirect URL
   *
   * `DELETE /management/v1/apps/{app_id}/redirect_urls/{rurl_id}`
   */
  remove(app_id: Id<'app'>, rurl_id: Id<'rurl'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.redirectUrls.remove'>>;
}

/** Calls of `management.apps.oauthConnections`. */
export interface ManagementAppsOauthConnectionsCalls {
  /**
   * Connect an app with an identity provider
   *
   * `POST /management/v1/apps/{app_id}/oauth_connections`
   */
  create(app_id: Id<'app'>, fields: Fields<'management.apps.oauthConnections.create'>, options?: CallOptions): Promise<Data<'management.apps.oauthConnections.create'>>;
  /**
   * List the connections of an app
   *
   * `GET /management/v1/apps/{app_id}/oauth_connections`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.oauthConnections.list'>, options?: CallOptions): Promise<Data<'management.apps.oauthConnections.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/oauth_connections`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.oauthConnections.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.oauthConnections.list'>, void, undefined>;
  /**
   * Get a connection of an app
   *
   * `GET /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}`
   */
  get(app_id: Id<'app'>, oauthconn_id: Id<'oauthconn'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.oauthConnections.get'>>;
  /**
   * Change a connection of an app
   *
   * `PATCH /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}`
   */
  update(app_id: Id<'app'>, oauthconn_id: Id<'oauthconn'>, fields?: Fields<'management.apps.oauthConnections.update'>, options?: CallOptions): Promise<Data<'management.apps.oauthConnections.update'>>;
  /**
   * Delete a connection of an app
   *
   * `DELETE /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}`
   */
  delete(app_id: Id<'app'>, oauthconn_id: Id<'oauthconn'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.oauthConnections.delete'>>;
  /**
   * Test a connection
   *
   * `POST /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test`
   */
  test(app_id: Id<'app'>, oauthconn_id: Id<'oauthconn'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.oauthConnections.test'>>;
}

/** Calls of `management.apps.messages`. */
export interface ManagementAppsMessagesCalls {
  /**
   * List an app's mails and SMS
   *
   * `GET /management/v1/apps/{app_id}/messages`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.messages.list'>, options?: CallOptions): Promise<Data<'management.apps.messages.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/messages`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.messages.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.messages.list'>, void, undefined>;
  /**
   * Send a mail or SMS again
   *
   * `POST /management/v1/apps/{app_id}/messages/{message_id}/resend`
   */
  resend(app_id: Id<'app'>, message_id: Id<'msg'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.messages.resend'>>;
}

/** Calls of `management.apps.jobs`. */
export interface ManagementAppsJobsCalls {
  /**
   * List an app's background jobs
   *
   * `GET /management/v1/apps/{app_id}/jobs`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.jobs.list'>, options?: CallOptions): Promise<Data<'management.apps.jobs.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/jobs`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.jobs.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.jobs.list'>, void, undefined>;
  /**
   * Retry a failed job of an app
   *
   * `POST /management/v1/apps/{app_id}/jobs/{job_id}/retry`
   */
  retry(app_id: Id<'app'>, job_id: Id<'job'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.jobs.retry'>>;
}

/** Calls of `management.apps.templates`. */
export interface ManagementAppsTemplatesCalls {
  /**
   * Render a preview of a mail template
   *
   * `POST /management/v1/apps/{app_id}/templates/preview`
   */
  preview(app_id: Id<'app'>, fields: Fields<'management.apps.templates.preview'>, options?: CallOptions): Promise<Data<'management.apps.templates.preview'>>;
}

/** Calls of `management.apps.auditLog`. */
export interface ManagementAppsAuditLogCalls {
  /**
   * List the audit log of an app
   *
   * `GET /management/v1/apps/{app_id}/audit_log`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.auditLog.list'>, options?: CallOptions): Promise<Data<'management.apps.auditLog.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/audit_log`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.auditLog.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.auditLog.list'>, void, undefined>;
}

/** Calls of `management.apps.refusedCalls`. */
export interface ManagementAppsRefusedCallsCalls {
  /**
   * List the refused calls of an app
   *
   * `GET /management/v1/apps/{app_id}/refused_calls`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.refusedCalls.list'>, options?: CallOptions): Promise<Data<'management.apps.refusedCalls.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/refused_calls`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.refusedCalls.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.refusedCalls.list'>, void, undefined>;
}

/** Calls of `management.apps.oauth2.grants`. */
export interface ManagementAppsOauth2GrantsCalls {
  /**
   * List the grants of an app
   *
   * `GET /management/v1/apps/{app_id}/oauth2/grants`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.oauth2.grants.list'>, options?: CallOptions): Promise<Data<'management.apps.oauth2.grants.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/oauth2/grants`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.oauth2.grants.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.oauth2.grants.list'>, void, undefined>;
  /**
   * Revoke a grant of a user
   *
   * `DELETE /management/v1/apps/{app_id}/oauth2/grants/{grant_id}`
   */
  revoke(app_id: Id<'app'>, grant_id: Id<'grant'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.oauth2.grants.revoke'>>;
}

/** Calls of `management.apps.oauth2`. */
export interface ManagementAppsOauth2Calls {
  readonly grants: ManagementAppsOauth2GrantsCalls;
}

/** Calls of `management.apps.oauthClients`. */
export interface ManagementAppsOauthClientsCalls {
  /**
   * Create an OAuth client
   *
   * `POST /management/v1/apps/{app_id}/oauth_clients`
   */
  create(app_id: Id<'app'>, fields: Fields<'management.apps.oauthClients.create'>, options?: CallOptions): Promise<Data<'management.apps.oauthClients.create'>>;
  /**
   * List the OAuth clients of an app
   *
   * `GET /management/v1/apps/{app_id}/oauth_clients`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.oauthClients.list'>, options?: CallOptions): Promise<Data<'management.apps.oauthClients.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/oauth_clients`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.oauthClients.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.oauthClients.list'>, void, undefined>;
  /**
   * Get an OAuth client
   *
   * `GET /management/v1/apps/{app_id}/oauth_clients/{client_id}`
   */
  get(app_id: Id<'app'>, client_id: Id<'client'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.oauthClients.get'>>;
  /**
   * Change an OAuth client
   *
   * `PATCH /management/v1/apps/{app_id}/oauth_clients/{client_id}`
   */
  update(app_id: Id<'app'>, client_id: Id<'client'>, fields?: Fields<'management.apps.oauthClients.update'>, options?: CallOptions): Promise<Data<'management.apps.oauthClients.update'>>;
  /**
   * Delete an OAuth client
   *
   * `DELETE /management/v1/apps/{app_id}/oauth_clients/{client_id}`
   */
  delete(app_id: Id<'app'>, client_id: Id<'client'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.oauthClients.delete'>>;
  /**
   * Rotate the secret of an OAuth client
   *
   * `POST /management/v1/apps/{app_id}/oauth_clients/{client_id}/rotate_secret`
   */
  rotateSecret(app_id: Id<'app'>, client_id: Id<'client'>, fields?: Fields<'management.apps.oauthClients.rotateSecret'>, options?: CallOptions): Promise<Data<'management.apps.oauthClients.rotateSecret'>>;
}

/** Calls of `management.apps.resources`. */
export interface ManagementAppsResourcesCalls {
  /**
   * Register a resource
   *
   * `POST /management/v1/apps/{app_id}/resources`
   */
  create(app_id: Id<'app'>, fields: Fields<'management.apps.resources.create'>, options?: CallOptions): Promise<Data<'management.apps.resources.create'>>;
  /**
   * List the resources of an app
   *
   * `GET /management/v1/apps/{app_id}/resources`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.resources.list'>, options?: CallOptions): Promise<Data<'management.apps.resources.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/resources`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.resources.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.resources.list'>, void, undefined>;
  /**
   * Get a resource
   *
   * `GET /management/v1/apps/{app_id}/resources/{resource_id}`
   */
  get(app_id: Id<'app'>, resource_id: Id<'resource'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.resources.get'>>;
  /**
   * Change a resource
   *
   * `PATCH /management/v1/apps/{app_id}/resources/{resource_id}`
   */
  update(app_id: Id<'app'>, resource_id: Id<'resource'>, fields?: Fields<'management.apps.resources.update'>, options?: CallOptions): Promise<Data<'management.apps.resources.update'>>;
  /**
   * Delete a resource
   *
   * `DELETE /management/v1/apps/{app_id}/resources/{resource_id}`
   */
  delete(app_id: Id<'app'>, resource_id: Id<'resource'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.resources.delete'>>;
}

/** Calls of `management.apps.events`. */
export interface ManagementAppsEventsCalls {
  /**
   * List the latest events of an app
   *
   * `GET /management/v1/apps/{app_id}/events`
   */
  latest(app_id: Id<'app'>, fields?: Fields<'management.apps.events.latest'>, options?: CallOptions): Promise<Data<'management.apps.events.latest'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/events`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.events.latest'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.events.latest'>, void, undefined>;
}

/** Calls of `management.apps.statistics`. */
export interface ManagementAppsStatisticsCalls {
  /**
   * Get statistics of an app
   *
   * `GET /management/v1/apps/{app_id}/statistics`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.statistics.list'>, options?: CallOptions): Promise<Data<'management.apps.statistics.list'>>;
}

/** Calls of `management.apps.policies.decisions`. */
export interface ManagementAppsPoliciesDecisionsCalls {
  /**
   * List the decisions of policies
   *
   * `GET /management/v1/apps/{app_id}/policies/decisions`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.policies.decisions.list'>, options?: CallOptions): Promise<Data<'management.apps.policies.decisions.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/policies/decisions`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.policies.decisions.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.policies.decisions.list'>, void, undefined>;
}

/** Calls of `management.apps.policies`. */
export interface ManagementAppsPoliciesCalls {
  /**
   * List the policies of an app
   *
   * `GET /management/v1/apps/{app_id}/policies`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.policies.list'>, options?: CallOptions): Promise<Data<'management.apps.policies.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/policies`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.policies.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.policies.list'>, void, undefined>;
  /**
   * Create a version of a policy
   *
   * `POST /management/v1/apps/{app_id}/policies`
   */
  create(app_id: Id<'app'>, fields: Fields<'management.apps.policies.create'>, options?: CallOptions): Promise<Data<'management.apps.policies.create'>>;
  /**
   * Get a policy
   *
   * `GET /management/v1/apps/{app_id}/policies/{policy_id}`
   */
  get(app_id: Id<'app'>, policy_id: Id<'pol'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.policies.get'>>;
  /**
   * Activate a version of a policy
   *
   * `POST /management/v1/apps/{app_id}/policies/{policy_id}/activate`
   */
  activate(app_id: Id<'app'>, policy_id: Id<'pol'>, fields?: Fields<'management.apps.policies.activate'>, options?: CallOptions): Promise<Data<'management.apps.policies.activate'>>;
  /**
   * Retire a version of a policy
   *
   * `POST /management/v1/apps/{app_id}/policies/{policy_id}/retire`
   */
  retire(app_id: Id<'app'>, policy_id: Id<'pol'>, fields?: Fields<'management.apps.policies.retire'>, options?: CallOptions): Promise<Data<'management.apps.policies.retire'>>;
  /**
   * Evaluate the policies
   *
   * `POST /management/v1/apps/{app_id}/policies/evaluate`
   */
  evaluate(app_id: Id<'app'>, fields: Fields<'management.apps.policies.evaluate'>, options?: CallOptions): Promise<Data<'management.apps.policies.evaluate'>>;
  readonly decisions: ManagementAppsPoliciesDecisionsCalls;
}

/** Calls of `management.apps.approvals`. */
export interface ManagementAppsApprovalsCalls {
  /**
   * List the approvals of an app
   *
   * `GET /management/v1/apps/{app_id}/approvals`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.approvals.list'>, options?: CallOptions): Promise<Data<'management.apps.approvals.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/approvals`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.approvals.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.approvals.list'>, void, undefined>;
  /**
   * Get an approval
   *
   * `GET /management/v1/apps/{app_id}/approvals/{appr_id}`
   */
  get(app_id: Id<'app'>, appr_id: Id<'appr'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.approvals.get'>>;
  /**
   * Begin a vote
   *
   * `POST /management/v1/apps/{app_id}/approvals/{appr_id}/begin`
   */
  begin(app_id: Id<'app'>, appr_id: Id<'appr'>, fields: Fields<'management.apps.approvals.begin'>, options?: CallOptions): Promise<Data<'management.apps.approvals.begin'>>;
  /**
   * Approve a request
   *
   * `POST /management/v1/apps/{app_id}/approvals/{appr_id}/approve`
   */
  approve(app_id: Id<'app'>, appr_id: Id<'appr'>, fields: Fields<'management.apps.approvals.approve'>, options?: CallOptions): Promise<Data<'management.apps.approvals.approve'>>;
  /**
   * Reject a request
   *
   * `POST /management/v1/apps/{app_id}/approvals/{appr_id}/reject`
   */
  reject(app_id: Id<'app'>, appr_id: Id<'appr'>, fields: Fields<'management.apps.approvals.reject'>, options?: CallOptions): Promise<Data<'management.apps.approvals.reject'>>;
}

/** Calls of `management.apps.approverGroups.passkeys`. */
export interface ManagementAppsApproverGroupsPasskeysCalls {
  /**
   * Begin the approval of a passkey
   *
   * `POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/begin`
   */
  begin(app_id: Id<'app'>, agrp_id: Id<'agrp'>, webauthn_id: Id<'webauthn'>, fields: Fields<'management.apps.approverGroups.passkeys.begin'>, options?: CallOptions): Promise<Data<'management.apps.approverGroups.passkeys.begin'>>;
  /**
   * Approve a passkey
   *
   * `POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/approve`
   */
  approve(app_id: Id<'app'>, agrp_id: Id<'agrp'>, webauthn_id: Id<'webauthn'>, fields: Fields<'management.apps.approverGroups.passkeys.approve'>, options?: CallOptions): Promise<Data<'management.apps.approverGroups.passkeys.approve'>>;
}

/** Calls of `management.apps.approverGroups`. */
export interface ManagementAppsApproverGroupsCalls {
  /**
   * Create an approver group
   *
   * `POST /management/v1/apps/{app_id}/approver_groups`
   */
  create(app_id: Id<'app'>, fields: Fields<'management.apps.approverGroups.create'>, options?: CallOptions): Promise<Data<'management.apps.approverGroups.create'>>;
  /**
   * List the approver groups of an app
   *
   * `GET /management/v1/apps/{app_id}/approver_groups`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.approverGroups.list'>, options?: CallOptions): Promise<Data<'management.apps.approverGroups.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/approver_groups`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.approverGroups.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.approverGroups.list'>, void, undefined>;
  /**
   * Get an approver group
   *
   * `GET /management/v1/apps/{app_id}/approver_groups/{agrp_id}`
   */
  get(app_id: Id<'app'>, agrp_id: Id<'agrp'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.approverGroups.get'>>;
  /**
   * Change an approver group
   *
   * `PATCH /management/v1/apps/{app_id}/approver_groups/{agrp_id}`
   */
  update(app_id: Id<'app'>, agrp_id: Id<'agrp'>, fields?: Fields<'management.apps.approverGroups.update'>, options?: CallOptions): Promise<Data<'management.apps.approverGroups.update'>>;
  /**
   * Delete an approver group
   *
   * `DELETE /management/v1/apps/{app_id}/approver_groups/{agrp_id}`
   */
  delete(app_id: Id<'app'>, agrp_id: Id<'agrp'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.approverGroups.delete'>>;
  readonly passkeys: ManagementAppsApproverGroupsPasskeysCalls;
}

/** Calls of `management.apps.sessions`. */
export interface ManagementAppsSessionsCalls {
  /**
   * List an app's sessions
   *
   * `GET /management/v1/apps/{app_id}/sessions`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.sessions.list'>, options?: CallOptions): Promise<Data<'management.apps.sessions.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/sessions`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.sessions.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.sessions.list'>, void, undefined>;
  /**
   * End a session
   *
   * `DELETE /management/v1/apps/{app_id}/sessions/{sess_id}`
   */
  end(app_id: Id<'app'>, sess_id: Id<'sess'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.sessions.end'>>;
}

/** Calls of `management.apps.transfers`. */
export interface ManagementAppsTransfersCalls {
  /**
   * List an app's transfers
   *
   * `GET /management/v1/apps/{app_id}/transfers`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.transfers.list'>, options?: CallOptions): Promise<Data<'management.apps.transfers.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/transfers`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.transfers.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.transfers.list'>, void, undefined>;
  /**
   * Get a transfer of an app
   *
   * `GET /management/v1/apps/{app_id}/transfers/{transfer_id}`
   */
  get(app_id: Id<'app'>, transfer_id: Id<'transfer'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.transfers.get'>>;
  /**
   * Cancel a transfer of an app
   *
   * `POST /management/v1/apps/{app_id}/transfers/{transfer_id}/cancel`
   */
  cancel(app_id: Id<'app'>, transfer_id: Id<'transfer'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.transfers.cancel'>>;
}

/** Calls of `management.apps.wallets.deposits`. */
export interface ManagementAppsWalletsDepositsCalls {
  /**
   * List the deposits of a wallet of an app
   *
   * `GET /management/v1/apps/{app_id}/wallets/{wallet_id}/deposits`
   */
  list(app_id: Id<'app'>, wallet_id: Id<'wallet'>, fields?: Fields<'management.apps.wallets.deposits.list'>, options?: CallOptions): Promise<Data<'management.apps.wallets.deposits.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/wallets/{wallet_id}/deposits`
   */
  all(app_id: Id<'app'>, wallet_id: Id<'wallet'>, fields?: Fields<'management.apps.wallets.deposits.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.wallets.deposits.list'>, void, undefined>;
}

/** Calls of `management.apps.wallets`. */
export interface ManagementAppsWalletsCalls {
  /**
   * Get a wallet of an app
   *
   * `GET /management/v1/apps/{app_id}/wallets/{wallet_id}`
   */
  get(app_id: Id<'app'>, wallet_id: Id<'wallet'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.wallets.get'>>;
  /**
   * List an app's wallets
   *
   * `GET /management/v1/apps/{app_id}/wallets`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.wallets.list'>, options?: CallOptions): Promise<Data<'management.apps.wallets.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/wallets`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.wallets.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.wallets.list'>, void, undefined>;
  /**
   * Freeze a wallet
   *
   * `POST /management/v1/apps/{app_id}/wallets/{wallet_id}/freeze`
   */
  freeze(app_id: Id<'app'>, wallet_id: Id<'wallet'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.wallets.freeze'>>;
  /**
   * Thaw a wallet
   *
   * `POST /management/v1/apps/{app_id}/wallets/{wallet_id}/thaw`
   */
  thaw(app_id: Id<'app'>, wallet_id: Id<'wallet'>, fields?: Fields<'management.apps.wallets.thaw'>, options?: CallOptions): Promise<Data<'management.apps.wallets.thaw'>>;
  readonly deposits: ManagementAppsWalletsDepositsCalls;
}

/** Calls of `management.apps.webhookEndpoints.deliveries`. */
export interface ManagementAppsWebhookEndpointsDeliveriesCalls {
  /**
   * List the deliveries to a webhook endpoint
   *
   * `GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries`
   */
  list(app_id: Id<'app'>, whk_id: Id<'whk'>, fields?: Fields<'management.apps.webhookEndpoints.deliveries.list'>, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.deliveries.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries`
   */
  all(app_id: Id<'app'>, whk_id: Id<'whk'>, fields?: Fields<'management.apps.webhookEndpoints.deliveries.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.webhookEndpoints.deliveries.list'>, void, undefined>;
  /**
   * Send an event again
   *
   * `POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/deliveries/{whd_id}/resend`
   */
  resend(app_id: Id<'app'>, whk_id: Id<'whk'>, whd_id: Id<'whd'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.deliveries.resend'>>;
}

/** Calls of `management.apps.webhookEndpoints`. */
export interface ManagementAppsWebhookEndpointsCalls {
  /**
   * Create a webhook endpoint
   *
   * `POST /management/v1/apps/{app_id}/webhook_endpoints`
   */
  create(app_id: Id<'app'>, fields: Fields<'management.apps.webhookEndpoints.create'>, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.create'>>;
  /**
   * List the webhook endpoints of an app
   *
   * `GET /management/v1/apps/{app_id}/webhook_endpoints`
   */
  list(app_id: Id<'app'>, fields?: Fields<'management.apps.webhookEndpoints.list'>, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps/{app_id}/webhook_endpoints`
   */
  all(app_id: Id<'app'>, fields?: Fields<'management.apps.webhookEndpoints.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.webhookEndpoints.list'>, void, undefined>;
  /**
   * Get a webhook endpoint
   *
   * `GET /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}`
   */
  get(app_id: Id<'app'>, whk_id: Id<'whk'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.get'>>;
  /**
   * Change a webhook endpoint
   *
   * `PATCH /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}`
   */
  update(app_id: Id<'app'>, whk_id: Id<'whk'>, fields?: Fields<'management.apps.webhookEndpoints.update'>, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.update'>>;
  /**
   * Delete a webhook endpoint
   *
   * `DELETE /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}`
   */
  delete(app_id: Id<'app'>, whk_id: Id<'whk'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.delete'>>;
  /**
   * Replace the secret of a webhook endpoint
   *
   * `POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/rotate_secret`
   */
  rotateSecret(app_id: Id<'app'>, whk_id: Id<'whk'>, fields?: Fields<'management.apps.webhookEndpoints.rotateSecret'>, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.rotateSecret'>>;
  /**
   * Test a webhook endpoint
   *
   * `POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/test`
   */
  test(app_id: Id<'app'>, whk_id: Id<'whk'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.test'>>;
  /**
   * Send missed events again
   *
   * `POST /management/v1/apps/{app_id}/webhook_endpoints/{whk_id}/recover`
   */
  recover(app_id: Id<'app'>, whk_id: Id<'whk'>, fields: Fields<'management.apps.webhookEndpoints.recover'>, options?: CallOptions): Promise<Data<'management.apps.webhookEndpoints.recover'>>;
  readonly deliveries: ManagementAppsWebhookEndpointsDeliveriesCalls;
}

/** Calls of `management.apps`. */
export interface ManagementAppsCalls {
  /**
   * Create an app
   *
   * `POST /management/v1/apps`
   */
  create(fields: Fields<'management.apps.create'>, options?: CallOptions): Promise<Data<'management.apps.create'>>;
  /**
   * List apps
   *
   * `GET /management/v1/apps`
   */
  list(fields?: Fields<'management.apps.list'>, options?: CallOptions): Promise<Data<'management.apps.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/apps`
   */
  all(fields?: Fields<'management.apps.list'>, options?: CallOptions): AsyncGenerator<Item<'management.apps.list'>, void, undefined>;
  /**
   * Get an app
   *
   * `GET /management/v1/apps/{app_id}`
   */
  get(app_id: Id<'app'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.get'>>;
  /**
   * Change an app's settings
   *
   * `PATCH /management/v1/apps/{app_id}`
   */
  update(app_id: Id<'app'>, fields?: Fields<'management.apps.update'>, options?: CallOptions): Promise<Data<'management.apps.update'>>;
  /**
   * Delete an app
   *
   * `DELETE /management/v1/apps/{app_id}`
   */
  delete(app_id: Id<'app'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.delete'>>;
  /**
   * Freeze an app
   *
   * `POST /management/v1/apps/{app_id}/freeze`
   */
  freeze(app_id: Id<'app'>, fields?: undefined, options?: CallOptions): Promise<Data<'management.apps.freeze'>>;
  /**
   * Thaw an app
   *
   * `POST /management/v1/apps/{app_id}/thaw`
   */
  thaw(app_id: Id<'app'>, fields?: Fields<'management.apps.thaw'>, options?: CallOptions): Promise<Data<'management.apps.thaw'>>;
  readonly users: ManagementAppsUsersCalls;
  readonly keys: ManagementAppsKeysCalls;
  readonly redirectUrls: ManagementAppsRedirectUrlsCalls;
  readonly oauthConnections: ManagementAppsOauthConnectionsCalls;
  readonly messages: ManagementAppsMessagesCalls;
  readonly jobs: ManagementAppsJobsCalls;
  readonly templates: ManagementAppsTemplatesCalls;
  readonly auditLog: ManagementAppsAuditLogCalls;
  readonly refusedCalls: ManagementAppsRefusedCallsCalls;
  readonly oauth2: ManagementAppsOauth2Calls;
  readonly oauthClients: ManagementAppsOauthClientsCalls;
  readonly resources: ManagementAppsResourcesCalls;
  readonly events: ManagementAppsEventsCalls;
  readonly statistics: ManagementAppsStatisticsCalls;
  readonly policies: ManagementAppsPoliciesCalls;
  readonly approvals: ManagementAppsApprovalsCalls;
  readonly approverGroups: ManagementAppsApproverGroupsCalls;
  readonly sessions: ManagementAppsSessionsCalls;
  readonly transfers: ManagementAppsTransfersCalls;
  readonly wallets: ManagementAppsWalletsCalls;
  readonly webhookEndpoints: ManagementAppsWebhookEndpointsCalls;
}

/** Calls of `management.session`. */
export interface ManagementSessionCalls {
  /**
   * Sign a browser in
   *
   * `POST /management/v1/session`
   */
  begin(fields?: undefined, options?: CallOptions): Promise<Data<'management.session.begin'>>;
  /**
   * Get the current session
   *
   * `GET /management/v1/session`
   */
  get(fields?: undefined, options?: CallOptions): Promise<Data<'management.session.get'>>;
  /**
   * Sign a browser out
   *
   * `DELETE /management/v1/session`
   */
  end(fields?: undefined, options?: CallOptions): Promise<Data<'management.session.end'>>;
}

/** Calls of `management.sessions`. */
export interface ManagementSessionsCalls {
  /**
   * List the browser sessions of operators
   *
   * `GET /management/v1/sessions`
   */
  list(fields?: undefined, options?: CallOptions): Promise<Data<'management.sessions.list'>>;
}

/** Calls of `management.keyStorage`. */
export interface ManagementKeyStorageCalls {
  /**
   * Get the key storage of the service
   *
   * `GET /management/v1/key_storage`
   */
  get(fields?: undefined, options?: CallOptions): Promise<Data<'management.keyStorage.get'>>;
}

/** Calls of `management.auditLog`. */
export interface ManagementAuditLogCalls {
  /**
   * List the audit log of the service
   *
   * `GET /management/v1/audit_log`
   */
  list(fields?: Fields<'management.auditLog.list'>, options?: CallOptions): Promise<Data<'management.auditLog.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /management/v1/audit_log`
   */
  all(fields?: Fields<'management.auditLog.list'>, options?: CallOptions): AsyncGenerator<Item<'management.auditLog.list'>, void, undefined>;
}

/** Calls of `management.networks`. */
export interface ManagementNetworksCalls {
  /**
   * List the networks of the service
   *
   * `GET /management/v1/networks`
   */
  list(fields?: undefined, options?: CallOptions): Promise<Data<'management.networks.list'>>;
}

/** Calls of `management`. */
export interface ManagementCalls {
  readonly apps: ManagementAppsCalls;
  readonly session: ManagementSessionCalls;
  readonly sessions: ManagementSessionsCalls;
  readonly keyStorage: ManagementKeyStorageCalls;
  readonly auditLog: ManagementAuditLogCalls;
  readonly networks: ManagementNetworksCalls;
}

/** Calls of `oauthConnections`. */
export interface OauthConnectionsCalls {
  /**
   * Connect an app with an identity provider
   *
   * `POST /v1/auth/oauth_connections/create`
   */
  create(fields: Fields<'oauthConnections.create'>, options?: CallOptions): Promise<Data<'oauthConnections.create'>>;
  /**
   * List the connections of an app
   *
   * `GET /v1/auth/oauth_connections/list`
   */
  list(fields?: Fields<'oauthConnections.list'>, options?: CallOptions): Promise<Data<'oauthConnections.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/auth/oauth_connections/list`
   */
  all(fields?: Fields<'oauthConnections.list'>, options?: CallOptions): AsyncGenerator<Item<'oauthConnections.list'>, void, undefined>;
  /**
   * Get a connection of an app
   *
   * `GET /v1/auth/oauth_connections/{oauthconn_id}`
   */
  get(oauthconn_id: Id<'oauthconn'>, fields?: undefined, options?: CallOptions): Promise<Data<'oauthConnections.get'>>;
  /**
   * Change a connection of an app
   *
   * `PUT /v1/auth/oauth_connections/{oauthconn_id}/update`
   */
  update(oauthconn_id: Id<'oauthconn'>, fields?: Fields<'oauthConnections.update'>, options?: CallOptions): Promise<Data<'oauthConnections.update'>>;
  /**
   * Delete a connection of an app
   *
   * `DELETE /v1/auth/oauth_connections/{oauthconn_id}/delete`
   */
  delete(oauthconn_id: Id<'oauthconn'>, fields?: undefined, options?: CallOptions): Promise<Data<'oauthConnections.delete'>>;
}

/** Calls of `oauth2.interactions`. */
export interface Oauth2InteractionsCalls {
  /**
   * Get an interaction
   *
   * `GET /v1/oauth2/interactions/{interaction}`
   */
  get(interaction: string, fields?: undefined, options?: CallOptions): Promise<Data<'oauth2.interactions.get'>>;
  /**
   * Accept an interaction
   *
   * `POST /v1/oauth2/interactions/{interaction}/accept`
   */
  accept(interaction: string, fields?: Fields<'oauth2.interactions.accept'>, options?: CallOptions): Promise<Data<'oauth2.interactions.accept'>>;
  /**
   * Reject an interaction
   *
   * `POST /v1/oauth2/interactions/{interaction}/reject`
   */
  reject(interaction: string, fields: Fields<'oauth2.interactions.reject'>, options?: CallOptions): Promise<Data<'oauth2.interactions.reject'>>;
}

/** Calls of `oauth2.grants`. */
export interface Oauth2GrantsCalls {
  /**
   * List the grants of a user
   *
   * `GET /v1/oauth2/grants`
   */
  list(fields: Fields<'oauth2.grants.list'>, options?: CallOptions): Promise<Data<'oauth2.grants.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/oauth2/grants`
   */
  all(fields: Fields<'oauth2.grants.list'>, options?: CallOptions): AsyncGenerator<Item<'oauth2.grants.list'>, void, undefined>;
  /**
   * Revoke a grant
   *
   * `DELETE /v1/oauth2/grants/{grant_id}`
   */
  revoke(grant_id: Id<'grant'>, fields?: undefined, options?: CallOptions): Promise<Data<'oauth2.grants.revoke'>>;
}

/** Calls of `oauth2`. */
export interface Oauth2Calls {
  readonly interactions: Oauth2InteractionsCalls;
  readonly grants: Oauth2GrantsCalls;
}

/** Calls of `networks`. */
export interface NetworksCalls {
  /**
   * List networks (beta)
   *
   * `GET /v1/networks`
   */
  list(fields?: undefined, options?: CallOptions): Promise<Data<'networks.list'>>;
}

/** Calls of `events`. */
export interface EventsCalls {
  /**
   * List the events of the app
   *
   * `GET /v1/events`
   */
  list(fields?: Fields<'events.list'>, options?: CallOptions): Promise<Data<'events.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/events`
   */
  all(fields?: Fields<'events.list'>, options?: CallOptions): AsyncGenerator<Item<'events.list'>, void, undefined>;
  /**
   * Get an event
   *
   * `GET /v1/events/{event_id}`
   */
  get(event_id: Id<'evt'>, fields?: undefined, options?: CallOptions): Promise<Data<'events.get'>>;
}

/** Calls of `eventTypes`. */
export interface EventTypesCalls {
  /**
   * List the types of events
   *
   * `GET /v1/event_types`
   */
  list(fields?: undefined, options?: CallOptions): Promise<Data<'eventTypes.list'>>;
}

/** Calls of `users.recovery`. */
export interface UsersRecoveryCalls {
  /**
   * Cancel the recovery of a user
   *
   * `DELETE /v1/auth/users/{user_id}/recovery`
   */
  cancelRecovery(user_id: Id<'user'>, fields?: Fields<'users.recovery.cancelRecovery'>, options?: CallOptions): Promise<Data<'users.recovery.cancelRecovery'>>;
}

/** Calls of `users.emails`. */
export interface UsersEmailsCalls {
  /**
   * Delete an email
   *
   * `DELETE /v1/auth/users/emails/{email_id}/delete`
   */
  delete(email_id: Id<'email'>, fields?: Fields<'users.emails.delete'>, options?: CallOptions): Promise<Data<'users.emails.delete'>>;
}

/** Calls of `users.phoneNumbers`. */
export interface UsersPhoneNumbersCalls {
  /**
   * Delete a phone number
   *
   * `DELETE /v1/auth/users/phone_numbers/{phone_number_id}/delete`
   */
  delete(phone_number_id: Id<'pn'>, fields?: Fields<'users.phoneNumbers.delete'>, options?: CallOptions): Promise<Data<'users.phoneNumbers.delete'>>;
}

/** Calls of `users.webauthnCredentials`. */
export interface UsersWebauthnCredentialsCalls {
  /**
   * Delete a passkey (beta)
   *
   * `DELETE /v1/auth/users/webauthn_credentials/{webauthn_credential_id}/delete`
   */
  delete(webauthn_credential_id: Id<'webauthn'>, fields?: Fields<'users.webauthnCredentials.delete'>, options?: CallOptions): Promise<Data<'users.webauthnCredentials.delete'>>;
}

/** Calls of `users.totps`. */
export interface UsersTotpsCalls {
  /**
   * Delete a TOTP
   *
   * `DELETE /v1/auth/users/totps/{totp_id}/delete`
   */
  delete(totp_id: Id<'totp'>, fields?: Fields<'users.totps.delete'>, options?: CallOptions): Promise<Data<'users.totps.delete'>>;
}

/** Calls of `users.wallets`. */
export interface UsersWalletsCalls {
  /**
   * Delete a wallet
   *
   * `DELETE /v1/auth/users/wallets/{wallet_id}/delete`
   */
  delete(wallet_id: Id<'wallet'>, fields?: Fields<'users.wallets.delete'>, options?: CallOptions): Promise<Data<'users.wallets.delete'>>;
}

/** Calls of `users`. */
export interface UsersCalls {
  /**
   * Create a user
   *
   * `POST /v1/auth/users/create`
   */
  create(fields?: Fields<'users.create'>, options?: CallOptions): Promise<Data<'users.create'>>;
  /**
   * Search users
   *
   * `POST /v1/auth/users/search`
   */
  search(fields?: Fields<'users.search'>, options?: CallOptions): Promise<Data<'users.search'>>;
  /**
   * All elements, page by page.
   *
   * `POST /v1/auth/users/search`
   */
  all(fields?: Fields<'users.search'>, options?: CallOptions): AsyncGenerator<Item<'users.search'>, void, undefined>;
  /**
   * Get a user
   *
   * `GET /v1/auth/users/{user_id}`
   */
  get(user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'users.get'>>;
  /**
   * Update a user
   *
   * `PUT /v1/auth/users/{user_id}/update`
   */
  update(user_id: Id<'user'>, fields?: Fields<'users.update'>, options?: CallOptions): Promise<Data<'users.update'>>;
  /**
   * Delete a user
   *
   * `DELETE /v1/auth/users/{user_id}/delete`
   */
  delete(user_id: Id<'user'>, fields?: undefined, options?: CallOptions): Promise<Data<'users.delete'>>;
  readonly recovery: UsersRecoveryCalls;
  readonly emails: UsersEmailsCalls;
  readonly phoneNumbers: UsersPhoneNumbersCalls;
  readonly webauthnCredentials: UsersWebauthnCredentialsCalls;
  readonly totps: UsersTotpsCalls;
  readonly wallets: UsersWalletsCalls;
}

/** Calls of `magicLinks.email`. */
export interface MagicLinksEmailCalls {
  /**
   * Log in or create a user by magic link
   *
   * `POST /v1/auth/magic_links/email/login_or_create`
   *
   * @deprecated Use `otps.email.loginOrCreate`.
   */
  loginOrCreate(fields: Fields<'magicLinks.email.loginOrCreate'>, options?: CallOptions): Promise<Data<'magicLinks.email.loginOrCreate'>>;
  /**
   * Invite a user by magic link
   *
   * `POST /v1/auth/magic_links/email/invite`
   *
   * @deprecated Use `otps.email.loginOrCreate`.
   */
  invite(fields: Fields<'magicLinks.email.invite'>, options?: CallOptions): Promise<Data<'magicLinks.email.invite'>>;
}

/** Calls of `magicLinks`. */
export interface MagicLinksCalls {
  /**
   * Create an embeddable magic link
   *
   * `POST /v1/auth/magic_links/create`
   *
   * @deprecated Use `otps.email.send`.
   */
  create(fields: Fields<'magicLinks.create'>, options?: CallOptions): Promise<Data<'magicLinks.create'>>;
  /**
   * Verify a magic link
   *
   * `POST /v1/auth/magic_links/verify`
   *
   * @deprecated Use `otps.verify`.
   */
  verify(fields: Fields<'magicLinks.verify'>, options?: CallOptions): Promise<Data<'magicLinks.verify'>>;
  readonly email: MagicLinksEmailCalls;
}

/** Calls of `oauth`. */
export interface OauthCalls {
  /**
   * Begin a login through an identity provider
   *
   * `GET /v1/auth/oauth/{provider}/begin`
   */
  begin(provider: string, fields?: Fields<'oauth.begin'>, options?: CallOptions): Promise<Data<'oauth.begin'>>;
  /**
   * Verify an OAuth token
   *
   * `POST /v1/auth/oauth/verify`
   */
  verify(fields: Fields<'oauth.verify'>, options?: CallOptions): Promise<Data<'oauth.verify'>>;
}

/** Calls of `otps.sms`. */
export interface OtpsSmsCalls {
  /**
   * Log in or create a user by an SMS passcode
   *
   * `POST /v1/auth/otps/sms/login_or_create`
   */
  loginOrCreate(fields: Fields<'otps.sms.loginOrCreate'>, options?: CallOptions): Promise<Data<'otps.sms.loginOrCreate'>>;
  /**
   * Send an SMS passcode
   *
   * `POST /v1/auth/otps/sms/send`
   */
  send(fields: Fields<'otps.sms.send'>, options?: CallOptions): Promise<Data<'otps.sms.send'>>;
}

/** Calls of `otps.email`. */
export interface OtpsEmailCalls {
  /**
   * Log in or create a user by an email passcode
   *
   * `POST /v1/auth/otps/email/login_or_create`
   */
  loginOrCreate(fields: Fields<'otps.email.loginOrCreate'>, options?: CallOptions): Promise<Data<'otps.email.loginOrCreate'>>;
  /**
   * Send an email passcode
   *
   * `POST /v1/auth/otps/email/send`
   */
  send(fields: Fields<'otps.email.send'>, options?: CallOptions): Promise<Data<'otps.email.send'>>;
}

/** Calls of `otps`. */
export interface OtpsCalls {
  /**
   * Verify a passcode
   *
   * `POST /v1/auth/otps/verify`
   */
  verify(fields: Fields<'otps.verify'>, options?: CallOptions): Promise<Data<'otps.verify'>>;
  readonly sms: OtpsSmsCalls;
  readonly email: OtpsEmailCalls;
}

/** Calls of `webauthn.registrations`. */
export interface WebauthnRegistrationsCalls {
  /**
   * Begin the registration of a passkey (beta)
   *
   * `POST /v1/auth/webauthn/registrations/begin`
   */
  begin(fields: Fields<'webauthn.registrations.begin'>, options?: CallOptions): Promise<Data<'webauthn.registrations.begin'>>;
  /**
   * Register a passkey (beta)
   *
   * `POST /v1/auth/webauthn/registrations/create`
   */
  create(fields: Fields<'webauthn.registrations.create'>, options?: CallOptions): Promise<Data<'webauthn.registrations.create'>>;
}

/** Calls of `webauthn.authentication`. */
export interface WebauthnAuthenticationCalls {
  /**
   * Begin a sign-in with a passkey (beta)
   *
   * `POST /v1/auth/webauthn/authentication/begin`
   */
  begin(fields?: Fields<'webauthn.authentication.begin'>, options?: CallOptions): Promise<Data<'webauthn.authentication.begin'>>;
}

/** Calls of `webauthn.credentials`. */
export interface WebauthnCredentialsCalls {
  /**
   * List the passkeys of a user (beta)
   *
   * `GET /v1/auth/webauthn/credentials`
   */
  list(fields: Fields<'webauthn.credentials.list'>, options?: CallOptions): Promise<Data<'webauthn.credentials.list'>>;
}

/** Calls of `webauthn`. */
export interface WebauthnCalls {
  /**
   * Verify a passkey (beta)
   *
   * `POST /v1/auth/webauthn/verify`
   */
  verify(fields: Fields<'webauthn.verify'>, options?: CallOptions): Promise<Data<'webauthn.verify'>>;
  readonly registrations: WebauthnRegistrationsCalls;
  readonly authentication: WebauthnAuthenticationCalls;
  readonly credentials: WebauthnCredentialsCalls;
}

/** Calls of `passwords`. */
export interface PasswordsCalls {
  /**
   * Verify an imported password
   *
   * `POST /v1/auth/passwords/verify`
   */
  verify(fields: Fields<'passwords.verify'>, options?: CallOptions): Promise<Data<'passwords.verify'>>;
}

/** Calls of `policies.decisions`. */
export interface PoliciesDecisionsCalls {
  /**
   * List the decisions of policies
   *
   * `GET /v1/policies/decisions`
   */
  list(fields?: Fields<'policies.decisions.list'>, options?: CallOptions): Promise<Data<'policies.decisions.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/policies/decisions`
   */
  all(fields?: Fields<'policies.decisions.list'>, options?: CallOptions): AsyncGenerator<Item<'policies.decisions.list'>, void, undefined>;
}

/** Calls of `policies`. */
export interface PoliciesCalls {
  /**
   * List the policies of an app
   *
   * `GET /v1/policies`
   */
  list(fields?: Fields<'policies.list'>, options?: CallOptions): Promise<Data<'policies.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/policies`
   */
  all(fields?: Fields<'policies.list'>, options?: CallOptions): AsyncGenerator<Item<'policies.list'>, void, undefined>;
  /**
   * Get a policy
   *
   * `GET /v1/policies/{policy_id}`
   */
  get(policy_id: Id<'pol'>, fields?: undefined, options?: CallOptions): Promise<Data<'policies.get'>>;
  readonly decisions: PoliciesDecisionsCalls;
}

/** Calls of `approvals`. */
export interface ApprovalsCalls {
  /**
   * List the approvals of an app
   *
   * `GET /v1/approvals`
   */
  list(fields?: Fields<'approvals.list'>, options?: CallOptions): Promise<Data<'approvals.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/approvals`
   */
  all(fields?: Fields<'approvals.list'>, options?: CallOptions): AsyncGenerator<Item<'approvals.list'>, void, undefined>;
  /**
   * Get an approval
   *
   * `GET /v1/approvals/{appr_id}`
   */
  get(appr_id: Id<'appr'>, fields?: undefined, options?: CallOptions): Promise<Data<'approvals.get'>>;
  /**
   * Begin a vote
   *
   * `POST /v1/approvals/{appr_id}/begin`
   */
  begin(appr_id: Id<'appr'>, fields: Fields<'approvals.begin'>, options?: CallOptions): Promise<Data<'approvals.begin'>>;
  /**
   * Approve a request
   *
   * `POST /v1/approvals/{appr_id}/approve`
   */
  approve(appr_id: Id<'appr'>, fields: Fields<'approvals.approve'>, options?: CallOptions): Promise<Data<'approvals.approve'>>;
  /**
   * Reject a request
   *
   * `POST /v1/approvals/{appr_id}/reject`
   */
  reject(appr_id: Id<'appr'>, fields: Fields<'approvals.reject'>, options?: CallOptions): Promise<Data<'approvals.reject'>>;
}

/** Calls of `sessions`. */
export interface SessionsCalls {
  /**
   * List a user's active sessions
   *
   * `GET /v1/auth/sessions/list`
   */
  list(fields: Fields<'sessions.list'>, options?: CallOptions): Promise<Data<'sessions.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/auth/sessions/list`
   */
  all(fields: Fields<'sessions.list'>, options?: CallOptions): AsyncGenerator<Item<'sessions.list'>, void, undefined>;
  /**
   * Verify a session
   *
   * `POST /v1/auth/sessions/verify`
   */
  verify(fields?: Fields<'sessions.verify'>, options?: CallOptions): Promise<Data<'sessions.verify'>>;
  /**
   * Delete a session
   *
   * `DELETE /v1/auth/sessions/delete`
   */
  delete(fields?: Fields<'sessions.delete'>, options?: CallOptions): Promise<Data<'sessions.delete'>>;
}

/** Calls of `jwks`. */
export interface JwksCalls {
  /**
   * The JWKS of the key's app
   *
   * `GET /v1/auth/jwks/default`
   */
  default(fields?: Fields<'jwks.default'>, options?: CallOptions): Promise<Data<'jwks.default'>>;
  /**
   * The JWKS of an app
   *
   * `GET /v1/auth/jwks/{app_id}`
   */
  get(app_id: Id<'app'>, fields?: undefined, options?: CallOptions): Promise<Data<'jwks.get'>>;
}

/** Calls of `totps`. */
export interface TotpsCalls {
  /**
   * Create a TOTP (beta)
   *
   * `POST /v1/auth/totps/create`
   */
  create(fields: Fields<'totps.create'>, options?: CallOptions): Promise<Data<'totps.create'>>;
  /**
   * Verify a TOTP (beta)
   *
   * `POST /v1/auth/totps/verify`
   */
  verify(fields: Fields<'totps.verify'>, options?: CallOptions): Promise<Data<'totps.verify'>>;
  /**
   * Verify a recovery code (beta)
   *
   * `POST /v1/auth/totps/recovery`
   */
  recovery(fields: Fields<'totps.recovery'>, options?: CallOptions): Promise<Data<'totps.recovery'>>;
  /**
   * List unused recovery codes (beta)
   *
   * `POST /v1/auth/totps/recovery_codes`
   */
  recoveryCodes(fields: Fields<'totps.recoveryCodes'>, options?: CallOptions): Promise<Data<'totps.recoveryCodes'>>;
}

/** Calls of `transfers`. */
export interface TransfersCalls {
  /**
   * Create a transfer (beta)
   *
   * `POST /v1/transfers/create`
   */
  create(fields: Fields<'transfers.create'>, options?: CallOptions): Promise<Data<'transfers.create'>>;
  /**
   * Create a batch of transfers (beta)
   *
   * `POST /v1/transfers/create_batch`
   */
  createBatch(fields: Fields<'transfers.createBatch'>, options?: CallOptions): Promise<Data<'transfers.createBatch'>>;
  /**
   * Confirm a batch of transfers (beta)
   *
   * `POST /v1/transfers/confirm_batch`
   */
  confirmBatch(fields: Fields<'transfers.confirmBatch'>, options?: CallOptions): Promise<Data<'transfers.confirmBatch'>>;
  /**
   * List transfers (beta)
   *
   * `GET /v1/transfers/list`
   */
  list(fields?: Fields<'transfers.list'>, options?: CallOptions): Promise<Data<'transfers.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/transfers/list`
   */
  all(fields?: Fields<'transfers.list'>, options?: CallOptions): AsyncGenerator<Item<'transfers.list'>, void, undefined>;
  /**
   * Get a transfer (beta)
   *
   * `GET /v1/transfers/{transfer_id}`
   */
  get(transfer_id: Id<'transfer'>, fields?: undefined, options?: CallOptions): Promise<Data<'transfers.get'>>;
  /**
   * Confirm a transfer (beta)
   *
   * `POST /v1/transfers/{transfer_id}/confirm`
   */
  confirm(transfer_id: Id<'transfer'>, fields?: Fields<'transfers.confirm'>, options?: CallOptions): Promise<Data<'transfers.confirm'>>;
  /**
   * Cancel a transfer (beta)
   *
   * `POST /v1/transfers/{transfer_id}/cancel`
   */
  cancel(transfer_id: Id<'transfer'>, fields?: undefined, options?: CallOptions): Promise<Data<'transfers.cancel'>>;
}

/** Calls of `wallets.deposits`. */
export interface WalletsDepositsCalls {
  /**
   * List a wallet's deposits (beta)
   *
   * `GET /v1/wallets/{wallet_id}/deposits`
   */
  list(wallet_id: Id<'wallet'>, fields?: Fields<'wallets.deposits.list'>, options?: CallOptions): Promise<Data<'wallets.deposits.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/wallets/{wallet_id}/deposits`
   */
  all(wallet_id: Id<'wallet'>, fields?: Fields<'wallets.deposits.list'>, options?: CallOptions): AsyncGenerator<Item<'wallets.deposits.list'>, void, undefined>;
}

/** Calls of `wallets.import`. */
export interface WalletsImportCalls {
  /**
   * Begin the import of a wallet (beta)
   *
   * `POST /v1/wallets/import/begin`
   */
  begin(fields: Fields<'wallets.import.begin'>, options?: CallOptions): Promise<Data<'wallets.import.begin'>>;
}

/** Calls of `wallets.registrations`. */
export interface WalletsRegistrationsCalls {
  /**
   * Begin a wallet registration (beta)
   *
   * `POST /v1/auth/wallets/registrations/begin`
   */
  begin(fields: Fields<'wallets.registrations.begin'>, options?: CallOptions): Promise<Data<'wallets.registrations.begin'>>;
  /**
   * Begin a wallet registration by a sign-in text (beta)
   *
   * `POST /v1/auth/wallets/registrations/nonce`
   */
  nonce(fields: Fields<'wallets.registrations.nonce'>, options?: CallOptions): Promise<Data<'wallets.registrations.nonce'>>;
}

/** Calls of `wallets.siwe`. */
export interface WalletsSiweCalls {
  /**
   * Verify a signed sign-in text (beta)
   *
   * `POST /v1/auth/wallets/siwe/verify`
   */
  verify(fields: Fields<'wallets.siwe.verify'>, options?: CallOptions): Promise<Data<'wallets.siwe.verify'>>;
}

/** Calls of `wallets`. */
export interface WalletsCalls {
  /**
   * Get a wallet's balance (beta)
   *
   * `POST /v1/wallets/balance`
   */
  balance(fields: Fields<'wallets.balance'>, options?: CallOptions): Promise<Data<'wallets.balance'>>;
  /**
   * Create a wallet (beta)
   *
   * `POST /v1/wallets/create`
   */
  create(fields: Fields<'wallets.create'>, options?: CallOptions): Promise<Data<'wallets.create'>>;
  /**
   * List wallets (beta)
   *
   * `GET /v1/wallets/list`
   */
  list(fields?: Fields<'wallets.list'>, options?: CallOptions): Promise<Data<'wallets.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/wallets/list`
   */
  all(fields?: Fields<'wallets.list'>, options?: CallOptions): AsyncGenerator<Item<'wallets.list'>, void, undefined>;
  /**
   * Get a wallet (beta)
   *
   * `GET /v1/wallets/{wallet_id}`
   */
  get(wallet_id: Id<'wallet'>, fields?: undefined, options?: CallOptions): Promise<Data<'wallets.get'>>;
  /**
   * Sign a message (beta)
   *
   * `POST /v1/wallets/{wallet_id}/sign_message`
   */
  signMessage(wallet_id: Id<'wallet'>, fields: Fields<'wallets.signMessage'>, options?: CallOptions): Promise<Data<'wallets.signMessage'>>;
  /**
   * Sign typed data (beta)
   *
   * `POST /v1/wallets/{wallet_id}/sign_typed_data`
   */
  signTypedData(wallet_id: Id<'wallet'>, fields: Fields<'wallets.signTypedData'>, options?: CallOptions): Promise<Data<'wallets.signTypedData'>>;
  /**
   * Sign a transaction (beta)
   *
   * `POST /v1/wallets/{wallet_id}/sign_transaction`
   */
  signTransaction(wallet_id: Id<'wallet'>, fields: Fields<'wallets.signTransaction'>, options?: CallOptions): Promise<Data<'wallets.signTransaction'>>;
  /**
   * Import a wallet (beta)
   *
   * `POST /v1/wallets/import`
   */
  readonly import: ((fields: Fields<'wallets.import'>, options?: CallOptions) => Promise<Data<'wallets.import'>>) & WalletsImportCalls;
  /**
   * Export a wallet (beta)
   *
   * `POST /v1/wallets/{wallet_id}/export`
   */
  export(wallet_id: Id<'wallet'>, fields: Fields<'wallets.export'>, options?: CallOptions): Promise<Data<'wallets.export'>>;
  /**
   * Verify a signed challenge (beta)
   *
   * `POST /v1/auth/wallets/verify`
   */
  verify(fields: Fields<'wallets.verify'>, options?: CallOptions): Promise<Data<'wallets.verify'>>;
  readonly deposits: WalletsDepositsCalls;
  readonly registrations: WalletsRegistrationsCalls;
  readonly siwe: WalletsSiweCalls;
}

/** Calls of `webhookEndpoints.deliveries`. */
export interface WebhookEndpointsDeliveriesCalls {
  /**
   * List the deliveries to a webhook endpoint
   *
   * `GET /v1/webhook_endpoints/{whk_id}/deliveries`
   */
  list(whk_id: Id<'whk'>, fields?: Fields<'webhookEndpoints.deliveries.list'>, options?: CallOptions): Promise<Data<'webhookEndpoints.deliveries.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/webhook_endpoints/{whk_id}/deliveries`
   */
  all(whk_id: Id<'whk'>, fields?: Fields<'webhookEndpoints.deliveries.list'>, options?: CallOptions): AsyncGenerator<Item<'webhookEndpoints.deliveries.list'>, void, undefined>;
  /**
   * Send an event again
   *
   * `POST /v1/webhook_endpoints/{whk_id}/deliveries/{whd_id}/resend`
   */
  resend(whk_id: Id<'whk'>, whd_id: Id<'whd'>, fields?: undefined, options?: CallOptions): Promise<Data<'webhookEndpoints.deliveries.resend'>>;
}

/** Calls of `webhookEndpoints`. */
export interface WebhookEndpointsCalls {
  /**
   * Create a webhook endpoint
   *
   * `POST /v1/webhook_endpoints`
   */
  create(fields: Fields<'webhookEndpoints.create'>, options?: CallOptions): Promise<Data<'webhookEndpoints.create'>>;
  /**
   * List the webhook endpoints of an app
   *
   * `GET /v1/webhook_endpoints`
   */
  list(fields?: Fields<'webhookEndpoints.list'>, options?: CallOptions): Promise<Data<'webhookEndpoints.list'>>;
  /**
   * All elements, page by page.
   *
   * `GET /v1/webhook_endpoints`
   */
  all(fields?: Fields<'webhookEndpoints.list'>, options?: CallOptions): AsyncGenerator<Item<'webhookEndpoints.list'>, void, undefined>;
  /**
   * Get a webhook endpoint
   *
   * `GET /v1/webhook_endpoints/{whk_id}`
   */
  get(whk_id: Id<'whk'>, fields?: undefined, options?: CallOptions): Promise<Data<'webhookEndpoints.get'>>;
  /**
   * Change a webhook endpoint
   *
   * `PATCH /v1/webhook_endpoints/{whk_id}`
   */
  update(whk_id: Id<'whk'>, fields?: Fields<'webhookEndpoints.update'>, options?: CallOptions): Promise<Data<'webhookEndpoints.update'>>;
  /**
   * Delete a webhook endpoint
   *
   * `DELETE /v1/webhook_endpoints/{whk_id}`
   */
  delete(whk_id: Id<'whk'>, fields?: undefined, options?: CallOptions): Promise<Data<'webhookEndpoints.delete'>>;
  /**
   * Replace the secret of a webhook endpoint
   *
   * `POST /v1/webhook_endpoints/{whk_id}/rotate_secret`
   */
  rotateSecret(whk_id: Id<'whk'>, fields?: Fields<'webhookEndpoints.rotateSecret'>, options?: CallOptions): Promise<Data<'webhookEndpoints.rotateSecret'>>;
  /**
   * Test a webhook endpoint
   *
   * `POST /v1/webhook_endpoints/{whk_id}/test`
   */
  test(whk_id: Id<'whk'>, fields?: undefined, options?: CallOptions): Promise<Data<'webhookEndpoints.test'>>;
  /**
   * Send missed events again
   *
   * `POST /v1/webhook_endpoints/{whk_id}/recover`
   */
  recover(whk_id: Id<'whk'>, fields: Fields<'webhookEndpoints.recover'>, options?: CallOptions): Promise<Data<'webhookEndpoints.recover'>>;
  readonly deliveries: WebhookEndpointsDeliveriesCalls;
}

/** All calls by resource. */
export interface Resources {
  readonly management: ManagementCalls;
  readonly oauthConnections: OauthConnectionsCalls;
  readonly oauth2: Oauth2Calls;
  readonly networks: NetworksCalls;
  readonly events: EventsCalls;
  readonly eventTypes: EventTypesCalls;
  readonly users: UsersCalls;
  readonly magicLinks: MagicLinksCalls;
  readonly oauth: OauthCalls;
  readonly otps: OtpsCalls;
  readonly webauthn: WebauthnCalls;
  readonly passwords: PasswordsCalls;
  readonly policies: PoliciesCalls;
  readonly approvals: ApprovalsCalls;
  readonly sessions: SessionsCalls;
  readonly jwks: JwksCalls;
  readonly totps: TotpsCalls;
  readonly transfers: TransfersCalls;
  readonly wallets: WalletsCalls;
  readonly webhookEndpoints: WebhookEndpointsCalls;
}
