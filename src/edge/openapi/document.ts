import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { grouped } from '../../kernel/collections.js';
import type { DomainErrorClass } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../kernel/errors.js';
import { MANAGEMENT_ROLES, type ManagementRole, rolesFor } from '../../kernel/management-role.js';
import { TAKES_NO_IDEMPOTENCY_KEY } from '../auth/credentials.js';
import {
  MalformedJson,
  PayloadTooLarge,
  UnsupportedMediaType,
  IdempotencyKeyReused,
  StoredAnswersFull,
} from '../errors/edge-errors.js';
import { ERROR_TYPES, errorCatalogue } from '../errors/error-catalogue.js';
import { CHANGES_NOTHING, RUNS_AGAIN_WITH, SAFE_TO_REPEAT } from '../idempotency/post-routes.js';
import { problemOf, STATUS, titleOf } from '../errors/problem.js';
import { addExamples, type Schema } from './examples.js';
import { extendSchemas } from './extended-schemas.js';
import { separateForms } from './forms.js';
import { describeProperties, describeSuccesses } from './glossary.js';
import { describeResponseHeaders, RESPONSE_HEADERS } from './response-headers.js';
import { ERRORS_OF_ALL, shareParts } from './shared-parts.js';
import { declaredTags, requireDeclaredTags } from './tags.js';
import { describeWebhooks, WEBHOOK_RESPONSES } from './webhooks.js';
import { VERSION } from '../../services/version.js';

type Json = { [key: string]: unknown };
type Operation = Json & { responses: Json; requestBody?: { required?: boolean; content: Json }; tags?: string[] };

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

const PROBLEM_FIELDS = {
  type: {
    type: 'string',
    format: 'uri',
    description: 'The page that explains this error type: `{BASE_URL}/errors/{error_type}`.',
    examples: ['https://auth.example.com/errors/user_not_found'],
  },
  title: { type: 'string', description: 'A short text for people that is the same for each error type.' },
  status: { type: 'integer', description: 'The HTTP status.' },
  detail: { type: 'string', description: 'A text for people that states the fault, then the remedy.' },
  instance: { type: 'string', description: 'The id of the request.' },
  status_code: { type: 'integer', description: 'The same as `status`.' },
  error_type: { type: 'string', description: 'The stable name of the error. Programs should branch on it.' },
  error_message: { type: 'string', description: 'The same as `detail`.' },
  request_id: { type: 'string', description: 'The id of the request, as in the header `X-Request-Id`.' },
};

const PROBLEM = {
  type: 'object',
  description:
    'RFC 9457 problem details; older clients read the same from `status_code`, `error_type` and `error_message`.',
  required: Object.keys(PROBLEM_FIELDS),
  properties: {
    ...PROBLEM_FIELDS,
    policy_id: {
      type: ['string', 'null'],
      description: 'The version of the policy whose rule decided, of `policy_denied`.',
    },
    rule_id: { type: ['string', 'null'], description: 'The rule that decided, of `policy_denied`.' },
    reason: { type: 'string', description: 'The reason of the denial, of `policy_denied`.' },
    approval_id: {
      type: ['string', 'null'],
      description:
        'The approval that must be given first, of `approval_required`, or that has ended, of `approval_ended`.',
    },
    state: { type: 'string', description: 'The state of the approval, of `approval_ended`.' },
    errors: {
      type: 'array',
      description: 'The fields that were refused. Present only for validation errors.',
      items: {
        type: 'object',
        required: ['field', 'rule', 'message'],
        properties: {
          field: { type: 'string', description: 'The path of the field, such as `emails[0].email`.' },
          rule: {
            type: 'string',
            description: 'The stable name of the rule that the field breaks, such as `required`.',
          },
          message: {
            type: 'string',
            description: 'The rule as a text for people, such as `must be at least 5 minutes`.',
          },
        },
      },
    },
  },
};

const DESCRIPTION = `Login, sessions, users, custodial wallets and transfers in one self-hosted service.

Try calls at [/docs](/docs), read at [/reference](/reference), look up an error at [/errors](/errors).

## Keys

1. A *management key* is for operators. In development \`npm start\` prints one. In production \`npm run cli -- create-management-key\` makes one.
2. \`POST /management/v1/apps\` with this key creates an app. The response has its first *secret key* and its first *public token*.
   \`POST /management/v1/apps/{app_id}/keys\` makes further ones.
3. The backend of the app sends the secret key with every call of \`/v1\`. The public token only begins an OAuth login in a browser.
4. A *restricted key* makes only the calls that name one of its scopes. It may be bound to a user, to wallets and to networks.

In development \`npm start\` prints all three for a demo app, in which the examples of this document work.

## Headers of all responses

Every response has \`X-Request-Id\`, which the log has too. A call that is counted, which one with a valid management key is not, also has
\`RateLimit\` and \`RateLimit-Policy\`. The response 429 describes all three. An operation lists the headers that only some responses have.

The responses of a beta operation, which may change, have \`X-Api-Stability: beta\`. A stored response that is sent again for its \`Idempotency-Key\` has \`Idempotent-Replayed: true\`. A call that was carried out although the app has no room
for its response has \`Idempotency-Stored: false\`. For a key of an app in test mode,
\`X-Ignored-Fields\` names the fields of the body and the query that the operation does not take, such as a misspelt one: up to 512 letters,
digits and \`_.[]-?\`, where \`...\` stands for names that are left out.`;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any text of up to 255 visible ASCII characters. The first successful response is stored for 24 hours and returned again, with `Idempotent-Replayed: true`. That of a verify call is returned for 5 minutes, while its session lives. Error responses are not stored.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** OpenAPI 3.1. Error responses come from the errors that each route declares. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Identity and wallets')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setExternalDoc('The error types with their causes and remedies', '/errors')
    .addServer('/')
    .addSecurity('secret_key', {
      type: 'http',
      scheme: 'bearer',
      description:
        'The secret key of an app (`sk_test_…`, `sk_live_…`). The creation of an app returns the first one; `npm start` prints that of the demo app.',
    })
    .addSecurity('restricted_key', {
      type: 'http',
      scheme: 'bearer',
      description:
        'A restricted key of an app (`rk_test_…`, `rk_live_…`), for the calls that name one of its scopes. A key that is bound to a user or to wallets finds nothing else. `POST /management/v1/apps/{app_id}/keys` makes one. An access token of an OAuth client for the address of this service is accepted in its place, with its scopes and its user.',
    })
    .addSecurity('public_token', {
      type: 'apiKey',
      in: 'query',
      name: 'public_token',
      description:
        'The public token of an app (`pk_test_…`, `pk_live_…`). The creation of an app returns the first one; `npm start` prints that of the demo app.',
    })
    .addSecurity('management_key', {
      type: 'http',
      scheme: 'bearer',
      description:
        'A management key (`mk_…`) of an operator. `npm start` prints the first one; `npm run cli -- create-management-key` makes more.',
    })
    .build();
  config.info.license = { name: 'All rights reserved (UNLICENSED)' };
  config.info.contact = { name: 'The operator of this service', url: '/' };
  const document = SwaggerModule.createDocument(app, config, {
    // A controller without a group would get one of its own name, which is not declared.
    autoTagControllers: false,
    // Part of the public API, because client generators derive method names from it.
    operationIdFactory: (controller, handler) =>
      `${controller.replace(/Controller$/, '').replace(/^./, (c) => c.toLowerCase())}_${handler}`,
  }) as unknown as Json & { paths: Record<string, Record<string, Operation>>; components: Json & { schemas: Json } };
  document['tags'] = declaredTags();
  document.components = {
    ...document.components,
    schemas: { ...document.components.schemas, Problem: PROBLEM },
    headers: RESPONSE_HEADERS,
    responses: WEBHOOK_RESPONSES,
  };
  const schemas = document.components.schemas as Record<string, Schema>;
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      // An empty list states that the operation needs no credential; an absent one would state nothing.
      operation['security'] ??= [];
      const takesIdempotencyKey =
        method === 'post' && (operation['security'] as unknown[]).length > 0 && !operation[TAKES_NO_IDEMPOTENCY_KEY];
      const changesNothing = operation[CHANGES_NOTHING] as { unless?: string } | undefined;
      const isStored = takesIdempotencyKey && (!changesNothing || changesNothing.unless !== undefined);
      if (takesIdempotencyKey) describeIdempotencyKey(operation, isStored, changesNothing?.unless);
      delete operation[TAKES_NO_IDEMPOTENCY_KEY];
      delete operation[CHANGES_NOTHING];
      delete operation[RUNS_AGAIN_WITH];
      delete operation[SAFE_TO_REPEAT];
      for (const parameter of (operation['parameters'] ?? []) as Json[])
        if (parameter['required'] === false) delete parameter['required'];
      requireDeclaredTags(String(operation['operationId']), operation.tags);
      describeSuccesses(operation.responses as Parameters<typeof describeSuccesses>[0], schemas);
      describeErrors(operation);
      describeResponseHeaders(operation);
      describeBody(operation, schemas);
      showStability(operation);
      showRoles(operation);
    }
  }
  const events = describeWebhooks();
  document['webhooks'] = events.webhooks;
  Object.assign(schemas, events.schemas);
  const described = inOpenApi31(document) as typeof document;
  separateForms(described.components.schemas as Record<string, Schema>);
  describeProperties(Object.values(described.components.schemas));
  extendSchemas(described.components.schemas as Record<string, Schema>);
  addExamples(described, described.components.schemas as Record<string, Schema>, problemExamples());
  shareParts(described);
  return described as unknown as OpenAPIObject;
}

/** A body whose fields are all optional may be absent. */
function describeBody({ requestBody }: Operation, schemas: Json): void {
  if (!requestBody) return;
  const [{ schema }] = Object.values(requestBody.content) as [{ schema: { $ref?: string } }];
  const model = schemas[schema.$ref?.split('/').pop() ?? ''] as Json | undefined;
  if (!model) return;
  // `allOf` holds rules over several fields, such as at least one of them.
  requestBody.required = model['required'] !== undefined || model['allOf'] !== undefined;
}

/** Swagger UI shows no extensions, and only the summary of a closed operation. */
function showStability(operation: Operation): void {
  if (operation['x-stability'] === 'beta') operation['summary'] = `${String(operation['summary'])} (beta)`;
  const replacement = operation['x-replaced-by'];
  if (typeof replacement !== 'string') return;
  operation['description'] = [`Deprecated: use ${replacement}.`, operation['description']].filter(Boolean).join('\n\n');
}

/** Swagger UI does not show the scopes of a bearer key. */
function showRoles(operation: Operation): void {
  const security = operation['security'] as { readonly management_key?: readonly [ManagementRole] }[];
  const [needed] = security.find((each) => each.management_key)?.management_key ?? [];
  if (needed === undefined) return;
  const roles = rolesFor(needed);
  const names = roles.length === MANAGEMENT_ROLES.length ? 'all' : roles.map((role) => `\`${role}\``).join(', ');
  operation['description'] = [operation['description'], `Roles: ${names}.`].filter(Boolean).join('\n\n');
}

/** Applies to the same routes as `takeIdempotencyKeys`. */
function describeIdempotencyKey(operation: Operation, isStored: boolean, unless?: string): void {
  const description = isStored ? IDEMPOTENCY_KEY.description : 'Accepted and ignored: the call changes nothing.';
  const condition = unless === undefined ? '' : ` Ignored without \`${unless}\`: the call then changes nothing.`;
  const field = operation[RUNS_AGAIN_WITH] as string | undefined;
  const again = field === undefined ? '' : ` Ignored with \`${field}\`: the call then runs again.`;
  const parameter = { ...IDEMPOTENCY_KEY, description: `${description}${condition}${again}` };
  operation['parameters'] = [...((operation['parameters'] as unknown[] | undefined) ?? []), parameter];
  if (!isStored) return;
  const isSafe = operation[SAFE_TO_REPEAT] === true;
  operation[ERROR_TYPES] = [IdempotencyKeyReused.code, ...(isSafe ? [] : [StoredAnswersFull.code])];
}

function describeErrors(operation: Operation): void {
  const catalogue = errorCatalogue();
  const lists = Object.keys(operation).filter((name) => name.startsWith(ERROR_TYPES));
  const declared = lists.flatMap((name) => operation[name] as string[]);
  const edge: DomainErrorClass[] = [...ERRORS_OF_ALL];
  if (operation.requestBody) edge.push(MalformedJson, PayloadTooLarge, UnsupportedMediaType);
  const byStatus = grouped(new Set([...declared, ...edge.map((type) => type.code)]), (code) => {
    const type = catalogue.get(code);
    if (!type) throw new Error(`The error type ${code} is not in the catalogue.`);
    return STATUS[type.kind];
  });
  for (const name of lists) delete operation[name];
  for (const [status, unsorted] of [...byStatus].toSorted(([a], [b]) => a - b)) {
    const codes = unsorted.toSorted();
    // A status that a route documents itself stays: a page for browsers, for example.
    operation.responses[String(status)] ??= {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: {
        'application/problem+json': {
          schema: {
            allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { error_type: { enum: codes } } }],
          },
        },
      },
    };
  }
}

function problemExamples(): Json {
  const fields = [{ field: 'email', rule: 'format', message: 'must be an e-mail address' }];
  const all = [...errorCatalogue()].map(([code, { kind, text }]) => {
    // A message that depends on the call is not shown: it would stand twice in each example.
    const error = { code, kind, message: text ?? `${titleOf(code)}.`, ...(code === InvalidRequest.code && { fields }) };
    return [code, { value: problemOf(error, '6f1c1b1e', 'https://auth.example.com') }];
  });
  return Object.fromEntries(all) as Json;
}

/** OpenAPI 3.1 has a type `null` instead of `nullable`. Every number of the API is an integer; amounts are strings. */
function inOpenApi31(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOpenApi31);
  if (value === null || typeof value !== 'object') return value;
  const converted = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inOpenApi31(inner)])) as Json;
  const { nullable, ...rest } = converted;
  // Nest wraps a reference that has a description. OpenAPI 3.1 permits both side by side.
  const [only, ...further] = Array.isArray(rest['allOf']) ? (rest['allOf'] as Json[]) : [];
  if (only?.['$ref'] !== undefined && further.length === 0 && rest['properties'] === undefined) {
    rest['$ref'] = only['$ref'];
    delete rest['allOf'];
  }
  // A property may itself be called `type` or `nullable`; then its value is a schema.
  if (rest['type'] === 'number') rest['type'] = 'integer';
  // Nest itself writes the type of an optional field that may be null as a list.
  if (Array.isArray(rest['type'])) rest['type'] = rest['type'].map((each) => (each === 'number' ? 'integer' : each));
  // Generators of clients have no type for null among the values of a text.
  if (Array.isArray(rest['enum']) && rest['enum'].includes(null)) {
    const type = [rest['type']].flat().find((each) => each !== 'null');
    return orNull({ ...rest, type, enum: rest['enum'].filter((each) => each !== null) });
  }
  if (typeof nullable !== 'boolean') return nullable === undefined ? rest : { nullable, ...rest };
  if (!nullable) return rest;
  if (typeof rest['type'] === 'string' && !Array.isArray(rest['enum']))
    return { ...rest, type: [rest['type'], 'null'] };
  return orNull(rest);
}

function orNull({ description, example, default: byDefault, ...schema }: Json): Json {
  return {
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    ...(byDefault !== undefined && { default: byDefault }),
    anyOf: [schema, { type: 'null' }],
  };
}
