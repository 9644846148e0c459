import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import type { AppId } from '../../../kernel/ids.js';
import type { AuthenticatedApp } from '../../../platform/auth/app-authenticator.js';
import { App, NoCredential, SecretKey } from '../../../platform/auth/credentials.js';
import { Refuses } from '../../../platform/http/error-catalogue.js';
import { PathId } from '../../../platform/http/path-id.js';
import { AppNotFound } from '../../apps/index.js';
import { SigningKeys } from '../application/signing-keys.js';
import { JsonWebKeySetResponse } from './json-web-key-set.dto.js';

/** A next key is published a month before it signs, so minutes of caching are safe; a verifier that meets an unknown kid asks again. */
const MAX_AGE = 'max-age=300';

@Controller('v1/auth/jwks')
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  /** The JWKS of the key's app */
  @Get('default')
  @SecretKey({ alsoInQuery: 'api_key' })
  @ApiOkResponse({ type: JsonWebKeySetResponse })
  @ApiResponse({ status: 304, description: 'The keys are still those of the ETag given in If-None-Match.' })
  async own(
    @App() app: AuthenticatedApp,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonWebKeySetResponse> {
    return this.publish(app.id, response, `private, ${MAX_AGE}`);
  }

  /**
   * The JWKS of an app
   *
   * @remarks Public: what a backend, a gateway or a browser verifies session JWTs against without calling the service.
   */
  @Get(':app_id')
  @NoCredential({ limited: false })
  @Refuses(AppNotFound)
  @ApiOkResponse({ type: JsonWebKeySetResponse })
  @ApiResponse({ status: 304, description: 'The keys are still those of the ETag given in If-None-Match.' })
  async ofApp(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonWebKeySetResponse> {
    return this.publish(appId, response, `public, ${MAX_AGE}`);
  }

  /** Express compares the ETag with If-None-Match and answers 304 by itself. */
  private async publish(appId: AppId, response: Response, cacheControl: string): Promise<JsonWebKeySetResponse> {
    const { jwks, etag } = await this.keys.of(appId);
    response.setHeader('Cache-Control', cacheControl);
    response.setHeader('ETag', etag);
    return { keys: jwks };
  }
}
