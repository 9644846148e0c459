import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { RouteNotFound, ServiceReadOnly } from '../../edge/errors/edge-errors.js';
import { CallRates } from '../../edge/limits/call-rates.js';
import { ID_PREFIXES, ID_SUFFIX } from '../../kernel/ids.js';
import type { AppId } from '../../kernel/ids.js';
import { Config } from '../../services/config/config.js';
import { AppsFacade } from '../apps/index.js';
import { AUTHORIZATION_SERVER } from './domain/authorization-server.js';
import { type EndpointCall, isForBrowsers, Providers } from './infrastructure/providers.js';

const ISSUER = `/oauth2/(?<app>${ID_PREFIXES.app}_${ID_SUFFIX})`;
const BELOW_ISSUER = new RegExp(
  `^${ISSUER}(?<path>/(?:\\.well-known/(?:openid-configuration|oauth-authorization-server)|jwks|par|token|introspect|revoke|userinfo|auth(?:/[\\w-]{1,64})?|logout(?:/(?:confirm|success))?))$`,
);
/** RFC 8414 puts the path of the issuer behind that of the document. */
const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const METADATA = new RegExp(`^${WELL_KNOWN}${ISSUER}$`);

/** Some pages submit a form by a script whose hash the library adds. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'report-sample'; base-uri 'none'; frame-ancestors 'none'";

const CHANGES = /^\/(auth|logout|par|token|revoke)/;

/** `oidc-provider` serves these endpoints, so they are no routes of this service. */
@Injectable()
export class Oauth2Endpoints implements NestMiddleware {
  constructor(
    private readonly apps: AppsFacade,
    private readonly providers: Providers,
    private readonly rates: CallRates,
    private readonly config: Config,
  ) {}

  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    // Express has taken the path of the middleware off `url`.
    const [target, query] = partsOf(request.originalUrl);
    const { app, path = WELL_KNOWN } = (BELOW_ISSUER.exec(target) ?? METADATA.exec(target))?.groups ?? {};
    if (app === undefined) return next();
    const appId = app as AppId;
    request.appId = appId;
    if (!(await this.apps.moduleSettings(appId, AUTHORIZATION_SERVER))) throw new RouteNotFound();
    request.route = { path: `/oauth2/:app_id${path.replace(/^\/auth\/.*/, '/auth/:uid')}` };
    if (this.config.readOnly && CHANGES.test(path)) throw new ServiceReadOnly();
    const { secretKeyCallsPerSecond } = (await this.apps.settings(appId)).limits;
    const call: EndpointCall = {
      countForClient: (clientId) => this.rates.takeForClient(clientId, secretKeyCallsPerSecond, response),
      giveBack: (clientId) => this.rates.giveBackToClient(clientId, secretKeyCallsPerSecond),
      countForNetwork: () => this.rates.takeForNetwork(request, response),
      failed: (cause) => (request.failure = cause),
    };
    if (isForBrowsers({ path })) {
      this.rates.takeForNetwork(request, response);
      response.setHeader('Content-Security-Policy', PAGE_POLICY);
    }
    // All addresses are those of the configuration, independent of the request.
    const { protocol, host } = new URL(this.config.baseUrl);
    Object.assign(request.headers, { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host });
    if (request.headers.expect !== undefined) response.writeContinue();
    request.url = `${path}${query}`;
    request.originalUrl = request.url;
    await this.providers.serve(appId, call, request, response);
  }
}

function partsOf(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
}
