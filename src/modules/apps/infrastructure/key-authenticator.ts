import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { hash } from 'node:crypto';
import { isId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { CallTokens } from '../../../edge/auth/call-tokens.js';
import { AppAuthenticator } from '../../../edge/auth/credential.js';
import type { AuthenticatedApp, ManagementCaller } from '../../../edge/http/authenticated-request.js';
import { hasFormOf, type KeyKind, PURPOSES } from '../domain/api-key.js';
import { SESSION_PURPOSE } from '../domain/management-key.repository.js';
import { PostgresKeyUsage } from './postgres-key-usage.js';
import {
  type KeyHolder,
  type KeyLookup,
  type ManagementKeyHolder,
  PostgresAppDirectory,
} from './postgres-app-directory.js';

/** Keys are found by their hash, so durations reveal nothing. While the database is unavailable, no caller is authenticated. */
@Injectable()
export class KeyAuthenticator extends AppAuthenticator {
  constructor(
    private readonly directory: PostgresAppDirectory,
    private readonly usage: PostgresKeyUsage,
    private readonly tokens: SecretTokens,
    private readonly accessTokens: CallTokens,
  ) {
    super();
  }

  override bySecretKey(key: string) {
    return this.byKey('secret', key);
  }

  /** An access token is limited like a restricted key. Only a token has dots. */
  override byRestrictedKey(key: string, request: Request) {
    return key.includes('.') ? this.accessTokens.find(key, request) : this.byKey('restricted', key);
  }

  override byPublicToken(token: string) {
    return this.byKey('public', token);
  }

  override byManagementKey(key: string): ManagementCaller | null | Promise<ManagementCaller | null> {
    if (!hasFormOf('management', key)) return null;
    return after(this.directory.managementKey(this.lookup(PURPOSES.management, key)), this.asCaller);
  }

  override byManagementSession(token: string): ManagementCaller | null | Promise<ManagementCaller | null> {
    return after(this.directory.managementSession(this.lookup(SESSION_PURPOSE, token)), this.asCaller);
  }

  override commitOnlyIfValid(app: AuthenticatedApp): void {
    if (isId('key', app.keyId)) this.directory.commitOnlyIfValid(app.id, app.keyId);
    else this.accessTokens.commitOnlyIfValid(app);
  }

  private byKey(kind: KeyKind, key: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null> {
    if (!hasFormOf(kind, key)) return null;
    return after(this.directory.key(kind, this.lookup(PURPOSES[kind], key)), this.asApp);
  }

  private lookup(purpose: string, token: string): KeyLookup {
    return {
      name: hash('sha256', `${purpose}\0${token}`, 'base64'),
      hash: () => this.tokens.hash(purpose, token),
    };
  }

  private readonly asCaller = ({ caller }: ManagementKeyHolder): ManagementCaller => {
    if (caller.operator === null) this.usage.note(caller.keyId, null);
    return caller;
  };

  private readonly asApp = ({ app }: KeyHolder): AuthenticatedApp => {
    this.usage.note(app.keyId, app.id);
    return app;
  };
}

/** Stays synchronous if the cache has the result, so most requests do not wait at all. */
function after<A, B>(found: A | null | Promise<A | null>, then: (found: A) => B): B | null | Promise<B | null> {
  if (found instanceof Promise) return found.then((value) => value && then(value));
  return found && then(found);
}
