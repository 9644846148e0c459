import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../../../edge/http/authenticated-request.js';

/** CORS for the app's allowed origins. Without a valid token the app is unknown, so no origin is allowed. */
@Injectable()
export class AllowedOrigin implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const response = http.getResponse<Response>();
    const { origin } = request.headers;
    response.vary('Origin');
    if (origin !== undefined && request.app_?.allowedOrigins.includes(origin)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy');
    }
    return next.handle();
  }
}
