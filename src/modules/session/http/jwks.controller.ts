import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { AppId } from '../../../kernel/ids.js';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, NoCredential, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { AppNotFound } from '../../apps/index.js';
import { SigningKeys } from '../application/signing-keys.js';
import { SigningKeyUnavailable } from '../domain/session.errors.js';
import { JsonWebKeySetResponse } from './json-web-key-set.dto.js';

/** A next key is published at least 15 minutes before it signs, longer than this. A verifier fetches the set again at an unknown kid. */
const MAX_AGE = 'max-age=300';

@ApiTags('sessions')
@Controller('v1/auth/jwks')
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  /**
   * The JWKS of the key's app
   *
   * @remarks Returns the public keys that verify the session JWTs of the app.
   */
  @Get('default')
  @SecretKey({ alsoInQuery: 'api_key', scopes: 'sessions:read', keepsBinding: true })
  @Refuses(SigningKeyUnavailable)
  @ApiOkResponse({ type: JsonWebKeySetResponse })
  @ApiResponse({ status: 304, description: 'The keys are still those of the ETag given in If-None-Match.' })
  async own(
    @App() app: AuthenticatedApp,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonWebKeySetResponse | undefined> {
    return this.publish(response, app.id, 'private');
  }

  /**
   * The JWKS of an app
   *
   * @remarks Returns the public keys with which a backend, a gateway or a browser verifies session JWTs without calling the service. It
   * needs no credential.
   */
  @Get(':app_id')
  @NoCredential('unlimited')
  @Refuses(SigningKeyUnavailable)
  @ApiOkResponse({ type: JsonWebKeySetResponse })
  @ApiResponse({ status: 304, description: 'The keys are still those of the ETag given in If-None-Match.' })
  async ofApp(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonWebKeySetResponse | undefined> {
    return this.publish(response, appId, 'public');
  }

  private async publish(
    response: Response,
    appId: AppId,
    scope: 'public' | 'private',
  ): Promise<JsonWebKeySetResponse | undefined> {
    const { jwks, etag } = await this.keys.published(appId);
    response.setHeader('Cache-Control', `${scope}, ${MAX_AGE}`);
    response.setHeader('ETag', etag);
    if (!isAmong(etag, response.req.headers['if-none-match'])) return { keys: jwks };
    response.status(304);
  }
}

/** Express would send a full response to `Cache-Control: no-cache`, which fetch adds to every conditional request. */
function isAmong(etag: string, ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.split(',').some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim())) ?? false;
}
