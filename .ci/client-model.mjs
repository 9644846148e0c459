// The operations of openapi.json by the names that the clients give them, with what each takes and returns.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../openapi/openapi.json', import.meta.url));
export const document = JSON.parse(readFileSync(file, 'utf8'));
const { paths, components } = document;

const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const nameIn = ({ $ref }) => $ref.split('/').pop();

const ID = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/;
const idKinds = new WeakMap();
/** The kinds of objects whose ids a field or parameter takes, such as `user`; undefined for other texts. */
export const idKindsOf = (schema) => idKinds.get(schema);

/** The pattern of a field says the kind, or its description, or its example. */
function noteIds(schema, example) {
  if (schema.$ref) return noteIds(components.schemas[nameIn(schema)], example);
  for (const each of [...(schema.allOf ?? []), ...(schema.anyOf ?? [])]) noteIds(each, example);
  if (schema.items && Array.isArray(example)) for (const each of example) noteIds(schema.items, each);
  for (const [name, value] of Object.entries(schema.properties ?? {})) noteIds(value, example?.[name]);
  if (![schema.type].flat().includes('string') || idKinds.has(schema)) return;
  const { pattern = '', description = '' } = schema;
  const [, kinds] = /^\^\(?([a-z|]+)\)?_\[/.exec(pattern) ?? /\bbegins with `([a-z]+)_`/i.exec(description) ?? [];
  // Where the id of one of several kinds is possible, an example shows only one.
  const [, shown] = (!/ or |same as/.test(description) && ID.exec(example)) || [];
  if (kinds ?? shown) idKinds.set(schema, (kinds ?? shown).split('|'));
}

const mediaOf = (part) => Object.values((part?.$ref ? components.responses[nameIn(part)] : part)?.content ?? {});
for (const schema of Object.values(components.schemas)) noteIds(schema, schema.example);
for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
  const parts = [operation.requestBody, ...Object.values(operation.responses)].flatMap(mediaOf);
  for (const { schema, example } of parts) if (schema) noteIds(schema, example);
  for (const each of operation.parameters ?? []) {
    const { schema, example } = each.$ref ? components.parameters[nameIn(each)] : each;
    if (schema) noteIds(schema, example ?? schema.example);
  }
}

/** Names that do not follow from the path. */
const EXCEPTIONS = {
  jwks_own: 'jwks.default',
  jwks_ofApp: 'jwks.get',
  operations_messages: 'management.apps.messages.list',
  operations_jobs: 'management.apps.jobs.list',
  totp_recover: 'totps.recovery',
  walletLogin_challenge: 'wallets.registrations.begin',
  userManagement_addEmail: 'management.apps.users.emails.add',
  userManagement_removeEmail: 'management.apps.users.emails.remove',
  userManagement_addPhoneNumber: 'management.apps.users.phoneNumbers.add',
  userManagement_removePhoneNumber: 'management.apps.users.phoneNumbers.remove',
};

/** The static parts of the path, then the verb, which the last part of the path often is. */
function nameOf(path, operationId) {
  if (EXCEPTIONS[operationId]) return EXCEPTIONS[operationId];
  const parts = path
    .replace(/^\/v1\/(auth\/)?|^\/(management)\/v1\//, '$2/')
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('{'))
    .map(camel);
  const verb = operationId.split('_')[1].replace(/^list.*/, 'list');
  // `otp_verify` of `otps/verify`, and `otp_loginOrCreateByEmail` of `otps/email/login_or_create`.
  return (verb.startsWith(parts.at(-1)) ? parts : [...parts, verb]).join('.');
}

/** The members of an object with those of the schemas that it is made of. */
function membersOf(schema) {
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []).filter(({ properties }) => properties)];
  const all = [...parts, schema].map((part) => (part.$ref ? membersOf(components.schemas[nameIn(part)]) : part));
  return {
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => required ?? []),
  };
}

const fieldsOf = (schema) => {
  const { properties, required } = membersOf(schema);
  return Object.entries(properties).map(([name, value]) => ({
    name,
    schema: value,
    isRequired: required.includes(name),
    description: value.description ?? '',
  }));
};

/** The objects of the document by their names, with their fields. */
export const schemas = Object.entries(components.schemas).map(([name, schema]) => ({
  name,
  description: schema.description ?? '',
  fields: fieldsOf(schema),
}));

const valuesOf = ({ enum: values, const: value }) => values ?? (value === undefined ? [] : [value]);
function* errorTypesIn(part) {
  if (typeof part !== 'object' || part === null) return;
  if (typeof part.error_type === 'object') yield* valuesOf(part.error_type);
  for (const each of Object.values(part)) yield* errorTypesIn(each);
}
/** All types of error responses. */
export const errorTypes = [...new Set(errorTypesIn(document))].map(String).toSorted();

/** The successful response, which several operations may share. */
function successOf({ responses }) {
  const response = responses?.['200'];
  return (response?.$ref ? components.responses[nameIn(response)] : response)?.content?.['application/json']?.schema;
}

/** The array of a page, of a list that comes in pages, and where the next page begins. */
function listOf(returned, taken) {
  if (!returned.$ref) return {};
  const fields = fieldsOf(components.schemas[nameIn(returned)]);
  const cursor = ['starting_after', 'after', 'offset'].find((each) => taken.some(({ name }) => name === each));
  const array = fields.find(({ schema }) => schema.type === 'array');
  if (!cursor || !array || !fields.some(({ name }) => name === 'has_more' || name === 'offset')) return {};
  const { items } = array.schema;
  const itemId = fieldsOf(components.schemas[nameIn(items)]).find(({ name }) => name === 'id' || name === 'user_id');
  return { items, itemsName: array.name, itemId: itemId.name, cursor };
}

export const operations = Object.entries(paths)
  .filter(([path]) => /^\/(v1|management\/v1)\//.test(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => successOf(operation))
      .map(([method, operation]) => {
        const parameters = (operation.parameters ?? []).map((each) =>
          each.$ref ? components.parameters[nameIn(each)] : each,
        );
        const body = operation.requestBody?.content['application/json']?.schema;
        const query = parameters
          .filter((each) => each.in === 'query')
          .map(({ name, schema, required, description = '' }) => ({
            name,
            schema,
            isRequired: required ?? false,
            description,
          }));
        const returns = successOf(operation);
        const fields = body ? fieldsOf(body) : query;
        return {
          name: nameOf(path, operation.operationId),
          method,
          path,
          key: Object.keys(operation.security?.[0] ?? {})[0] ?? '',
          summary: operation.summary,
          isDeprecated: operation.deprecated ?? false,
          replacement: operation['x-replaced-by'],
          ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id),
          idKinds: [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) =>
            idKindsOf(parameters.find((each) => each.in === 'path' && each.name === id).schema),
          ),
          body: body?.$ref && nameIn(body),
          fields,
          returns: returns.$ref && nameIn(returns),
          ...listOf(returns, fields),
        };
      }),
  );
/** The keys of calls that have a field in the options of a client. `query` is the parameter of a key that is no bearer token. */
export const securitySchemes = Object.entries(components.securitySchemes)
  .map(([name, scheme]) => ({ name, query: scheme.in === 'query' ? scheme.name : null }))
  .filter(({ name }) => operations.some(({ key }) => key === name));

const twice = operations.filter(({ name }, index) => operations.findIndex((other) => other.name === name) !== index);
if (twice.length > 0) throw new Error(`Two operations have the name ${twice.map(({ name }) => name).join(', ')}.`);

/** What a deprecated call is replaced by, by its name. */
export const replacementOf = ({ replacement }) =>
  operations.find(({ method, path }) => `${method.toUpperCase()} ${path}` === replacement).name;

/** The operations as a tree of resources. `iterates` is the name of the call that returns all elements of a list. */
export function resources() {
  const root = { operations: [], children: new Map() };
  for (const operation of operations) {
    const parts = operation.name.split('.');
    const verb = parts.pop();
    let node = root;
    for (const part of parts) {
      if (!node.children.has(part)) node.children.set(part, { operations: [], children: new Map() });
      node = node.children.get(part);
    }
    const hasList = operations.some(({ name, items }) => items && name === [...parts, 'list'].join('.'));
    const iterates = operation.items && (verb === 'search' && hasList ? 'searchAll' : 'all');
    node.operations.push({ ...operation, verb, iterates });
  }
  return root;
}
