import {
  type CallHandler,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { AuthenticatedRequest } from '../../../platform/auth/credentials.js';
import { ValidationPipe } from '../../../platform/http/validation.pipe.js';
import { CreateTransfer } from '../application/create-transfer.js';
import type { NewTransfer } from '../domain/transfer.repository.js';
import { CreateTransferRequest, orderIn } from './transfer.dto.js';

interface QuotedRequest extends AuthenticatedRequest {
  quote?: PromiseSettledResult<NewTransfer>;
}

/**
 * Has a transfer quoted before the idempotency key opens its transaction, in which nothing may wait for the network.
 * Stands below `@Creates()`, and so is called before it. A refusal is kept until the handler asks: where the key
 * stands for an earlier answer, that is given instead.
 */
@Injectable()
export class QuoteFirst implements NestInterceptor {
  private readonly validation = new ValidationPipe();

  constructor(private readonly createTransfer: CreateTransfer) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<ReturnType<CallHandler['handle']>> {
    const request = context.switchToHttp().getRequest<QuotedRequest>();
    [request.quote] = await Promise.allSettled([this.quote(request)]);
    return next.handle();
  }

  private async quote({ app_: app, body }: QuotedRequest): Promise<NewTransfer> {
    const order = this.validation.transform(body, { type: 'body', metatype: CreateTransferRequest });
    return this.createTransfer.quote(app!.id, orderIn(order as CreateTransferRequest));
  }
}

/** The transfer as `QuoteFirst` had it quoted. Throws what quoting it threw. */
export const Quoted = createParamDecorator((_: unknown, context: ExecutionContext): NewTransfer => {
  const { quote } = context.switchToHttp().getRequest<QuotedRequest>();
  if (quote?.status !== 'fulfilled') throw quote?.reason ?? new Error('The route has no QuoteFirst.');
  return quote.value;
});
