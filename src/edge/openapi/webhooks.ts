import { type EventType, eventTypes } from '../../kernel/event-types.js';

/** The section `webhooks` of the document: one request for each type of events. */
export function describeWebhooks(): Record<string, object> {
  return Object.fromEntries(eventTypes().map((type) => [type.name, { post: requestOf(type) }]));
}

function requestOf({ name, description, schema }: EventType): object {
  return {
    operationId: `webhook_${name.replaceAll('.', '_')}`,
    summary: name,
    description,
    tags: ['webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/EventResponse' },
              { type: 'object', properties: { type: { const: name }, data: schema } },
            ],
          },
        },
      },
    },
    responses: {
      '2XX': { $ref: '#/components/responses/webhook_accepted' },
      '410': { $ref: '#/components/responses/webhook_gone' },
    },
  };
}

export const WEBHOOK_RESPONSES = {
  webhook_accepted: {
    description: 'The event was accepted. Every other response is a failure, and the event is sent again.',
  },
  webhook_gone: { description: 'The endpoint is gone: it is disabled, and no event is sent to it any more.' },
};

/** The headers of Standard Webhooks 1.0. */
const HEADERS = [
  header('webhook-id', 'The id of the event, the same on every attempt.'),
  header('webhook-timestamp', 'When the attempt was made, in epoch seconds.'),
  header(
    'webhook-signature',
    'Signatures by HMAC-SHA-256, separated by a space: one, or two while the secret of the endpoint rotates.',
  ),
];

function header(name: string, description: string): object {
  return { in: 'header', name, required: true, description, schema: { type: 'string' } };
}
