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
    responses: { '2XX': { description: 'The event was accepted.' } },
  };
}
