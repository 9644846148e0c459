import {
  applyDecorators,
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Options,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConsumes,
  ApiExcludeEndpoint,
  ApiFoundResponse,
  ApiOkResponse,
  ApiParam,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { OauthConnectionId } from '../../../kernel/ids.js';
import { ChangesByGet } from '../../../edge/read-only.js';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { App, NoCredential, PublicToken, SecretKey } from '../../../edge/auth/credentials.js';
import { Config } from '../../../services/config/config.js';
import { clientNetwork } from '../../../services/limits/client-network.js';
import { enterIntoCatalogue, Refuses } from '../../../edge/errors/error-catalogue.js';
import { SignsIn } from '../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../edge/http/path-id.js';
import { SessionArgumentsRequest } from '../../session/index.js';
import { BeginOauthLogin } from '../application/begin-oauth-login.js';
import { CompleteOauthLogin } from '../application/complete-oauth-login.js';
import { VerifyOauthToken } from '../application/verify-oauth-token.js';
import { AccessDenied, InvalidOauthState, OauthBrowserMismatch, OauthStateExpired } from '../domain/oauth.errors.js';
import { AllowedOrigin } from './allowed-origin.interceptor.js';
import { BrowserCookie } from './browser-cookie.js';
import {
  BeginOauthLoginRequest,
  BeginOauthLoginResponse,
  OauthCallbackRequest,
  OauthSessionResponse,
  PROVIDER_FIELDS,
  VerifyOauthTokenRequest,
} from './oauth.dto.js';
import { LOOKED_AHEAD, looksAhead } from './looks-ahead.js';
import { RefusalPage } from './refusal-page.filter.js';
import { EXAMPLES } from '../../../kernel/examples.js';
import { RefusedAsPrefilled } from '../../../edge/openapi/examples.js';

// These occur only in the query of a redirect to the app, so no endpoint documents them.
enterIntoCatalogue([AccessDenied, OauthBrowserMismatch, OauthStateExpired]);

const PAGE = { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>' } } as const;

/** A route for browsers: its errors are pages. */
function ReturnsToApp(): MethodDecorator {
  return applyDecorators(
    UseFilters(RefusalPage),
    Refuses(InvalidOauthState),
    ApiFoundResponse({
      description:
        'To the login or registration URL of the app, with `token`, or with `error` and `error_description`.',
    }),
    ApiBadRequestResponse({
      description: 'A page, when the state belongs to no login.',
      content: PAGE,
    }),
    ApiTooManyRequestsResponse({ description: 'A page, when this client network returns too often.', content: PAGE }),
    ApiServiceUnavailableResponse({
      description: `A page while the service cannot complete the login. ${LOOKED_AHEAD}`,
      content: PAGE,
    }),
  );
}

@ApiTags('oauth')
@Controller('v1/auth/oauth')
export class OauthController {
  constructor(
    private readonly beginLogin: BeginOauthLogin,
    private readonly completeLogin: CompleteOauthLogin,
    private readonly verifyToken: VerifyOauthToken,
    @Inject(Config) private readonly config: Pick<Config, 'baseUrl'>,
  ) {}

  /**
   * Begin a login through an identity provider
   *
   * @remarks Returns the URL of the provider's login page, to which the page of the app sends the browser. With `redirect=true` the response
   * is a 302 to that URL instead, so that a plain link in a page may lead here; it also sets a cookie that binds the login to this browser. Swagger UI
   * cannot follow that redirect: open the link in a browser window. After the login the browser arrives at the app's login or registration URL with
   * a one-time `token`, or with `error` and `error_description`.
   *
   * Bind the login to the browser: use `redirect=true`, or send a `code_challenge` whose `code_verifier` the app keeps with the browser's
   * visit and shows on verify. Otherwise an attacker can begin a login and let another browser complete it, which is then signed in to
   * the account of the attacker. `browser_bound` on verify says whether it was bound; the setting `oauth_begin` refuses unbound ones.
   * A connection that sends no PKCE (`pkce`: linkedin, or by its setting) begins only bound ones.
   */
  @Get(':provider/begin')
  @ChangesByGet()
  @PublicToken()
  @UseInterceptors(AllowedOrigin)
  @ApiParam({
    name: 'provider',
    example: EXAMPLES.provider,
    description: '`google`, `microsoft`, `apple`, `github`, `discord`, or the name of one of your connections.',
  })
  @ApiOkResponse({ type: BeginOauthLoginResponse })
  @ApiFoundResponse({ description: 'To the login page of the identity provider, when `redirect` is true.' })
  @Refuses(BeginOauthLogin)
  async begin(
    @App() app: AuthenticatedApp,
    @Param('provider') provider: string,
    @Query() query: BeginOauthLoginRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BeginOauthLoginResponse | undefined> {
    const { url, binding } = await this.beginLogin.execute(app.id, provider, {
      loginUrl: query.login_redirect_url,
      registrationUrl: query.registration_redirect_url,
      codeChallenge: query.code_challenge,
      inBrowser: query.redirect === true,
    });
    if (!query.redirect) return { redirect_url: url };
    if (binding) {
      const { name, options } = new BrowserCookie(this.config.baseUrl, binding.state, binding);
      response.cookie(name, binding.token, options);
    }
    response.status(302).setHeader('Location', url);
    return undefined;
  }

  /** Existing clients send an Authorization header, so browsers send a preflight request. */
  @Options(':provider/begin')
  @HttpCode(204)
  @PublicToken()
  @UseInterceptors(AllowedOrigin)
  @ApiExcludeEndpoint()
  preflight(@Res({ passthrough: true }) response: Response): void {
    response.setHeader('Access-Control-Allow-Methods', 'GET');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-Request-Id');
    response.setHeader('Access-Control-Max-Age', '600');
  }

  /**
   * Return from an identity provider
   *
   * @remarks The identity provider redirects the browser here, and the service redirects it to the app's login or registration
   * URL. The response is a page only when the state belongs to no login.
   *
   * `error=account_exists`: another user has verified the address that the provider asserts, and the connection is not trusted with its
   * domain (`email_domains`). If the login began with a `code_challenge`, the URL also has a `token`. If the app verifies it
   * together with a live session of that user, the provider is added to the account.
   */
  @Get('callback/:connection_id')
  @ChangesByGet()
  @RefusedAsPrefilled('Only the identity provider calls it, with a state that is valid once.')
  @HttpCode(302)
  @NoCredential('unlimited')
  @ReturnsToApp()
  async callback(
    @PathId('connection_id', 'oauthConnection', InvalidOauthState) connectionId: OauthConnectionId,
    @Query() query: OauthCallbackRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.redirect(connectionId, query, request, response);
  }

  /**
   * Return from an identity provider by form
   *
   * @remarks Does the same for providers that respond with a form that the browser posts (`response_mode=form_post`), such as apple.
   */
  @Post('callback/:connection_id')
  @RefusedAsPrefilled('Only the identity provider calls it, with a state that is valid once.')
  @HttpCode(302)
  @ApiConsumes('application/x-www-form-urlencoded')
  @NoCredential('unlimited')
  @ReturnsToApp()
  async callbackByPost(
    @PathId('connection_id', 'oauthConnection', InvalidOauthState) connectionId: OauthConnectionId,
    @Body() body: OauthCallbackRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.redirect(connectionId, body, request, response);
  }

  /**
   * Verify an OAuth token
   *
   * @remarks Exchanges the one-time token of a login for the user, the tokens of the provider, and a session if requested. Call
   * it only from a server. A refused call spends nothing.
   *
   * A token that came with `error=account_exists` needs `session_token` or `session_jwt` of the user whose account exists: the user
   * then gains the identity. Without a session it is a 409 `account_exists`.
   */
  @Post('verify')
  @HttpCode(200)
  @SignsIn(PROVIDER_FIELDS)
  @SecretKey({ scopes: 'login:write', keepsBinding: true })
  @Refuses(VerifyOauthToken)
  async verify(@App() app: AuthenticatedApp, @Body() body: VerifyOauthTokenRequest): Promise<OauthSessionResponse> {
    const { token, code_verifier: codeVerifier } = body;
    const login = await this.verifyToken.execute(
      app.id,
      { token, codeVerifier },
      SessionArgumentsRequest.argumentsOf(body, app),
    );
    return OauthSessionResponse.of(login);
  }

  private async redirect(
    connectionId: OauthConnectionId,
    { state = '', code, error, iss, user }: OauthCallbackRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    if (looksAhead(request, response)) return;
    const cookie = new BrowserCookie(this.config.baseUrl, state);
    const token = cookie.valueIn(request);
    const url = await this.completeLogin.execute(connectionId, {
      state,
      token,
      network: clientNetwork(request),
      requestId: request.requestId,
      response: { code, error, iss, user },
    });
    if (token !== undefined) response.clearCookie(cookie.name, cookie.options);
    response.setHeader('Location', url);
  }
}
