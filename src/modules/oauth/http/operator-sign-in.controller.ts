import { Controller, Get, HttpCode, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ChangesByGet } from '../../../edge/read-only.js';
import { NoCredential } from '../../../edge/auth/credentials.js';
import { ManagementCookie } from '../../../edge/auth/management-cookie.js';
import { addressOf, RefusedRequests, refusedRequestOf } from '../../../edge/auth/refused-requests.js';
import { enterIntoCatalogue } from '../../../edge/errors/error-catalogue.js';
import { STATUS } from '../../../edge/errors/problem.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { withParameters } from '../../../kernel/query-parameters.js';
import { Config } from '../../../services/config/config.js';
import { MANAGEMENT_SESSION_SECONDS } from '../../apps/index.js';
import { OperatorSignIn } from '../application/operator-sign-in.js';
import { OperatorHasNoRole, OperatorProofTooWeak, OperatorSignInNotConfigured } from '../domain/oauth.errors.js';
import { BrowserCookie } from './browser-cookie.js';
import { LOOKED_AHEAD, looksAhead } from './looks-ahead.js';
import { BeginOperatorSignInQuery, OauthCallbackRequest, OperatorSignInResponse } from './oauth.dto.js';

// Only the redirects to the console name them.
enterIntoCatalogue([OperatorHasNoRole, OperatorProofTooWeak, OperatorSignInNotConfigured]);

@ApiTags('management: sign-in')
@Controller('operators/sign_in')
export class OperatorSignInController {
  constructor(
    private readonly signIn: OperatorSignIn,
    private readonly managementCookie: ManagementCookie,
    private readonly refusedRequests: RefusedRequests,
    @Inject(Config) private readonly config: Pick<Config, 'baseUrl'>,
  ) {}

  /**
   * Get the OpenID provider of the operators
   *
   * @remarks Says where operators sign in to the console, besides by a management key. `CONSOLE_OIDC_ISSUER` sets it.
   */
  @Get()
  @NoCredential()
  get(): OperatorSignInResponse {
    return { issuer: this.signIn.issuer ?? '' };
  }

  /**
   * Begin the sign-in of an operator
   *
   * @remarks A link of the console leads here. It redirects the browser to the OpenID provider of the operators, and binds the sign-in to
   * this browser by a cookie. Swagger UI cannot follow that redirect: open the link in a browser window.
   */
  @Get('begin')
  @ChangesByGet()
  @HttpCode(302)
  @NoCredential()
  @ApiFoundResponse({
    description:
      'To the login page of the OpenID provider; to the console with `sign_in_error` if it cannot be reached or none is configured.',
  })
  async begin(
    @Query() { return_to: returnTo = '/console', proof = false }: BeginOperatorSignInQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.redirect(request, response, async () => {
      // Another site must neither sign an operator in unasked, nor fill the browser with cookies.
      const site = request.headers['sec-fetch-site'] ?? 'none';
      if (site !== 'same-origin' && site !== 'none') return `${this.config.baseUrl}/console`;
      const { url, state, kept } = await this.signIn.begin(returnTo, proof);
      const { name, options } = new BrowserCookie(this.config.baseUrl, state);
      response.cookie(name, kept, options);
      return url;
    });
  }

  /**
   * Return an operator from the OpenID provider
   *
   * @remarks The provider redirects the browser here. An operator with a role gets a session of 8 hours, which ends
   * after an hour without a call, and returns to the console.
   */
  @Get('callback')
  @ChangesByGet()
  @HttpCode(302)
  @NoCredential()
  @ApiFoundResponse({
    description: 'To the console; with `sign_in_error`, an error type, if the operator is not signed in.',
  })
  @ApiServiceUnavailableResponse({ description: `\`service_unavailable\` during an outage. ${LOOKED_AHEAD}` })
  async callback(
    @Query() { state = '', code, error, iss }: OauthCallbackRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    if (looksAhead(request, response)) return;
    const cookie = new BrowserCookie(this.config.baseUrl, state);
    const kept = cookie.valueIn(request);
    if (kept !== undefined) response.clearCookie(cookie.name, cookie.options);
    await this.redirect(request, response, async () => {
      const from = { requestId: request.requestId, ip: addressOf(request.ip) };
      const { token, returnTo } = await this.signIn.complete({ state, kept }, { code, error, iss }, from);
      this.managementCookie.set(response, token, MANAGEMENT_SESSION_SECONDS);
      return `${this.config.baseUrl}${returnTo}`;
    });
  }

  /** Sends the browser on. The console shows a refusal in words. */
  private async redirect(request: Request, response: Response, target: () => Promise<string>): Promise<void> {
    const url = await target().catch((refusal: unknown) => {
      if (!(refusal instanceof DomainError)) throw refusal;
      request.errorType = refusal.code;
      if (refusal.kind === 'forbidden') this.refusedRequests.note(refusedRequestOf(request, STATUS.forbidden));
      return withParameters(`${this.config.baseUrl}/console`, { sign_in_error: refusal.code });
    });
    response.setHeader('Location', url);
  }
}
