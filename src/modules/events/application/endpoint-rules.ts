import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../kernel/errors.js';
import { isEventType } from '../../../kernel/event-types.js';
import type { AppId } from '../../../kernel/ids.js';
import { CallableUrl } from '../domain/callable-url.js';
import type { EndpointDetails } from '../domain/webhook-endpoint.js';
import { webhookUrl } from '../domain/webhook-url.js';

const ALL = '*';

/** Checks the details of an endpoint that a client sets. */
@Injectable()
export class EndpointRules {
  constructor(private readonly urls: CallableUrl) {}

  /**
   * The details as they are stored: the URL in canonical form, each type once. Throws `InvalidRequest`, and `TooManyRequests` if the app
   * sets too many URLs at a time. Queries a name server, so call it before a transaction begins.
   */
  async checked<D extends Partial<EndpointDetails>>(appId: AppId, details: D): Promise<D> {
    return {
      ...details,
      ...(details.eventTypes && { eventTypes: subscribed(details.eventTypes) }),
      ...(details.url !== undefined && { url: await this.callable(appId, details.url) }),
    };
  }

  private async callable(appId: AppId, text: string): Promise<string> {
    const checked = webhookUrl(text);
    if ('fault' in checked) throw invalid('url', checked.fault);
    const fault = await this.urls.faultOf(appId, checked.url);
    if (fault !== null) throw invalid('url', `is not allowed: ${lowerCased(fault)}`);
    return checked.url;
  }
}

/** An empty list stands for all types, also those of later releases. */
function subscribed(names: readonly string[]): string[] {
  const unknown = names.findIndex((name) => name !== ALL && !isEventType(name));
  if (unknown !== -1) {
    const message = 'is not a type of events; GET /v1/event_types lists them';
    throw invalid(`event_types[${unknown}]`, message, 'exists');
  }
  return names.includes(ALL) ? [] : [...new Set(names)];
}

function invalid(field: string, message: string, rule = 'format'): InvalidRequest {
  return new InvalidRequest([{ field, rule, message }]);
}

/** The text becomes a part of another sentence, which ends with its own full stop. */
function lowerCased(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}
