import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../kernel/domain-error.js';
import { hasLongBodyUnread } from '../../../edge/http/json-body.js';
import { htmlPage, PAGE_HEADERS } from '../../../edge/pages/html-page.js';
import { titleOf, STATUS } from '../../../edge/errors/problem.js';
import { escapeHtml } from '../../../services/mail/words.js';

@Catch(DomainError)
export class RefusalPage implements ExceptionFilter<DomainError> {
  catch(refusal: DomainError, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    request.errorType = refusal.code;
    const response = http.getResponse<Response>();
    if (refusal.retryAfterSeconds !== undefined)
      response.setHeader('Retry-After', String(Math.ceil(refusal.retryAfterSeconds)));
    if (hasLongBodyUnread(request)) response.setHeader('Connection', 'close');
    const reason = `<p>${escapeHtml(refusal.message)}</p><p>Request <code>${escapeHtml(request.requestId)}</code></p>`;
    response
      .status(STATUS[refusal.kind])
      .set(PAGE_HEADERS)
      .type('html')
      .send(htmlPage(titleOf(refusal.code), `<h1>The login could not be completed</h1>${reason}`));
  }
}
