// The Go client: the types of the document, and a method for each operation.
import { errorTypes, operations, replacementOf, resources, schemas, securitySchemes } from './client-model.mjs';

const INITIALISMS = new Set(['id', 'url', 'jwt', 'api', 'ip']);
const pascal = (name) =>
  name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((part) =>
      INITIALISMS.has(part.toLowerCase()) ? part.toUpperCase() : part[0].toUpperCase() + part.slice(1).toLowerCase(),
    )
    .join('');
/** Words of the language, and names that the methods use. */
const TAKEN = new Set(['type', 'range', 'func', 'interface', 'package', 'ctx', 'fields', 'options', 'result']);
const variable = (name) => {
  const text = pascal(name);
  const low = /^[A-Z]+$/.test(text) ? text.toLowerCase() : text[0].toLowerCase() + text.slice(1);
  return TAKEN.has(low) ? `${low}Value` : low;
};
const pascalNames = (name) => name.split('.').map(pascal).join('.');
const line = (words) => words.replaceAll(/\s+/g, ' ').trim();
const names = new Set(schemas.map(({ name }) => name));

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').pop();
  const { type, items, anyOf, allOf, additionalProperties } = schema;
  if (allOf?.length === 1) return typeOf(allOf[0]);
  if (anyOf) {
    const others = anyOf.filter((each) => each.type !== 'null');
    return others.length === 1 && !others[0].properties ? nullable(typeOf(others[0])) : 'json.RawMessage';
  }
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== 'null');
    return others.length === 1 ? nullable(typeOf({ ...schema, type: others[0] })) : 'json.RawMessage';
  }
  if (type === 'array') return `[]${typeOf(items)}`;
  if (type === 'object')
    return `map[string]${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'any'}`;
  return { string: 'string', integer: 'int64', number: 'float64', boolean: 'bool' }[type] ?? 'any';
}
const nullable = (type) => (/^(\*|\[\]|map|any|json)/.test(type) ? type : `*${type}`);

/** A blank line between the fields keeps gofmt from aligning them. */
function struct(name, description, fields) {
  const members = fields.map(({ name: field, schema, isRequired, description: words }) => {
    const type = isRequired ? typeOf(schema) : nullable(typeOf(schema));
    const comment = words ? `\t// ${line(words)}\n` : '';
    return `${comment}\t${pascal(field)} ${type} \`json:"${field}${isRequired ? '' : ',omitempty'}"\`\n`;
  });
  const body = members.length > 0 ? ` {\n${members.join('\n')}}` : '{}';
  return `// ${name}: ${line(description) || 'an object of the API.'}\ntype ${name} struct${body}\n`;
}

/** What the fields of a GET are in its query. */
function queryOf(type, fields) {
  const set = fields.map(({ name, isRequired }) => {
    const field = `q.${pascal(name)}`;
    const adding = `query.Set("${name}", fmt.Sprint(${isRequired ? '' : '*'}${field}))\n`;
    return isRequired ? `\t${adding}` : `\tif ${field} != nil {\n\t\t${adding}\t}\n`;
  });
  return `func (q *${type}) query() url.Values {\n\tquery := url.Values{}\n\tif q == nil {\n\t\treturn query\n\t}\n${set.join('')}\treturn query\n}\n`;
}

/** Sends the key of a call, where the document says. */
function authorize() {
  const cases = securitySchemes.map(({ name, query }) => {
    const key = `o.${pascal(name)}`;
    const sending = query
      ? `query := request.URL.Query()\n\t\tquery.Set("${query}", ${key})\n\t\trequest.URL.RawQuery = query.Encode()\n`
      : `request.Header.Set("Authorization", "Bearer "+${key})\n`;
    return `\tcase scheme == "${name}" && ${key} != "":\n\t\t${sending}`;
  });
  return `// authorize sends the key that a call needs.\nfunc (o *Options) authorize(request *http.Request, scheme string) {\n\tswitch {\n${cases.join('')}\t}\n}\n`;
}

const errors = errorTypes.map(
  (type) => `\t// Err${pascal(type)} is \`${type}\`.\n\tErr${pascal(type)} ErrorType = "${type}"\n`,
);

export function goOperations() {
  const queries = [];
  const classes = [];
  const methods = [];
  const methodsOf = (receiver, operation, prefix) => {
    const { name, method, path, summary, isDeprecated, ids, fields, body, returns, items, verb, iterates } = operation;
    const { itemsName, itemId, cursor } = operation;
    let taken = body;
    if (!body && fields.length > 0) {
      taken = pascal(`${name.replaceAll('.', '_')}_query`);
      queries.push(struct(taken, `the fields of ${name}.`, fields), queryOf(taken, fields));
    }
    const listed = ['ctx context.Context', ...ids.map((id) => `${variable(id)} string`)];
    if (taken) listed.push(`fields *${taken}`);
    listed.push('options ...CallOption');
    const idList = ids.length > 0 ? `[]string{${ids.map(variable).join(', ')}}` : 'nil';
    const sent = !taken ? 'nil' : method === 'get' ? 'fields.query()' : 'fields';
    const result = returns ?? 'map[string]any';
    const comment =
      `// ${pascal(prefix + verb)}: ${line(summary)}. ${method.toUpperCase()} ${path}\n` +
      (isDeprecated ? `//\n// Deprecated: use ${pascalNames(replacementOf(operation))}.\n` : '');
    methods.push(
      `${comment}func (r *${receiver}) ${pascal(prefix + verb)}(${listed.join(', ')}) (*${result}, error) {\n` +
        `\tvar result ${result}\n\terr := r.client.Call(ctx, "${name}", ${idList}, ${sent}, &result, options...)\n\treturn &result, err\n}\n`,
    );
    if (!items) return;
    const item = typeOf(items);
    const position =
      cursor === 'offset' ? 'Ptr(page.Offset + int64(count))' : `&page.${pascal(itemsName)}[count-1].${pascal(itemId)}`;
    const hasMore = cursor === 'offset' ? 'int64(count) == page.Limit' : 'page.HasMore';
    const called = [...listed.slice(0, -1).map((each) => each.split(' ')[0]), 'options...'];
    called[called.indexOf('fields')] = '&next';
    methods.push(
      `// ${pascal(prefix + iterates)} goes through all elements, page by page. ${method.toUpperCase()} ${path}\n` +
        `func (r *${receiver}) ${pascal(prefix + iterates)}(${listed.join(', ')}) func(yield func(${item}, error) bool) {\n` +
        `\treturn func(yield func(${item}, error) bool) {\n` +
        `\t\tvar next ${taken}\n\t\tif fields != nil {\n\t\t\tnext = *fields\n\t\t}\n` +
        `\t\tfor hasMore := true; hasMore; {\n` +
        `\t\t\tpage, err := r.${pascal(prefix + verb)}(${called.join(', ')})\n` +
        `\t\t\tif err != nil {\n\t\t\t\tvar none ${item}\n\t\t\t\tyield(none, err)\n\t\t\t\treturn\n\t\t\t}\n` +
        `\t\t\tfor _, each := range page.${pascal(itemsName)} {\n\t\t\t\tif !yield(each, nil) {\n\t\t\t\t\treturn\n\t\t\t\t}\n\t\t\t}\n` +
        `\t\t\tcount := len(page.${pascal(itemsName)})\n` +
        `\t\t\tif hasMore = count > 0 && ${hasMore}; hasMore {\n\t\t\t\tnext.${pascal(cursor)} = ${position}\n\t\t\t}\n` +
        `\t\t}\n\t}\n}\n`,
    );
  };
  const visit = (node, parts) => {
    const type = parts.length === 0 ? 'Client' : `${pascal(parts.join('_'))}Calls`;
    if (names.has(type)) throw new Error(`The document has an object ${type}.`);
    const own = new Set(node.operations.map(({ verb }) => verb));
    for (const operation of node.operations) methodsOf(type, operation, '');
    const children = [];
    for (const [part, child] of node.children) {
      // A name that is a call too: its calls are ImportBegin beside Import.
      if (own.has(part)) for (const operation of child.operations) methodsOf(type, operation, `${part}_`);
      else children.push([pascal(part), visit(child, [...parts, part])]);
    }
    const fields = children.map(([name, each]) => `\n\t${name} *${each}\n`).join('');
    const making = children
      .map(([name, each]) => `\tcalls.${name} = new${each}(${parts.length === 0 ? 'calls' : 'c'})\n`)
      .join('');
    const [said, name] =
      parts.length === 0
        ? [
            'Client has the calls of one service by resource, such as client.Users.Create.',
            'newClient(options Options)',
          ]
        : [`${type} are the calls of ${parts.join('.')}.`, `new${type}(c *Client)`];
    const [held, made] = parts.length === 0 ? ['options Options', 'options: options'] : ['client *Client', 'client: c'];
    classes.push(
      `// ${said}\ntype ${type} struct {\n\t${held}\n${fields}}\n\nfunc ${name} *${type} {\n\tcalls := &${type}{${made}}\n${making}\treturn calls\n}\n`,
    );
    return type;
  };
  visit(resources(), []);
  const routes = operations
    .map(({ name, method, path, key }) => {
      const pattern = path.replaceAll(/\{\w+\}/g, '%s');
      return `\t"${name}": {"${method.toUpperCase()}", "${pattern}", "${key}"},\n`;
    })
    .join('\n');
  return [
    '// Code generated from openapi.json by `npm run openapi`. DO NOT EDIT.\n\npackage identity\n\nimport (\n\t"context"\n\t"encoding/json"\n\t"fmt"\n\t"net/http"\n\t"net/url"\n)\n',
    `// routes are the method, the path and the key of each call, by its name.\nvar routes = map[string]struct{ method, path, key string }{\n${routes}}\n`,
    authorize(),
    `// ErrorType is the stable name of an error.\ntype ErrorType string\n\nfunc (t ErrorType) Error() string { return string(t) }\n\n// The types of errors, for errors.Is.\nconst (\n${errors.join('\n')})\n`,
    ...classes,
    ...methods,
    ...queries,
    ...schemas.map(({ name, description, fields }) => struct(name, description, fields)),
  ].join('\n');
}
