import { grouped } from '../../kernel/collections.js';
import { type EventType, eventTypes } from '../../kernel/event-types.js';

type Json = Record<string, object>;

export function describeWebhooks(): { readonly webhooks: Json; readonly schemas: Json } {
  const schemas: Json = {};
  const webhooks: Json = {};
  for (const [subject, ofSubject] of grouped(eventTypes(), ({ name }) => name.split('.')[0]!)) {
    const [alike = []] = [...grouped(ofSubject, ({ schema }) => JSON.stringify(schema)).values()].filter(
      ({ length }) => length > 1,
    );
    const shared = `${subject.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}EventData`;
    if (alike[0]) schemas[shared] = { description: 'The data of an event.', ...alike[0].schema };
    for (const type of ofSubject)
      webhooks[type.name] = {
        post: requestOf(type, alike.includes(type) ? { $ref: `#/components/schemas/${shared}` } : type.schema),
      };
  }
  return { webhooks, schemas };
}

function requestOf({ name, description }: EventType, data: object): object {
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
            allOf: [{ $ref: '#/components/schemas/EventResponse' }, { properties: { type: { const: name }, data } }],
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

/** Standard Webhooks 1.0. */
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
