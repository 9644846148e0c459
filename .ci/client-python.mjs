// The Python client: the types of the document, and a method for each operation.
import { errorTypes, operations, replacementOf, resources, schemas } from './client-model.mjs';

const NOTE = '# Made from openapi.json by `npm run openapi`.\n';
const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False'.split(
    ' ',
  ),
);
const snake = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const safe = (name) => (KEYWORDS.has(name) ? `${name}_` : name);
const pascal = (parts) => parts.map((part) => part[0].toUpperCase() + part.slice(1)).join('');
const text = (words) => words.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll(/\s+/g, ' ').trim();

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').pop();
  const { type, enum: values, items, anyOf, allOf, additionalProperties } = schema;
  if (allOf?.length === 1) return typeOf(allOf[0]);
  if (anyOf)
    return anyOf.some((each) => each.properties)
      ? 'Any'
      : [...new Set(anyOf.map(typeOf))].toSorted(nullLast).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ');
  if (type === 'null') return 'None';
  if (values && type === 'string') return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (type === 'array') return `list[${typeOf(items)}]`;
  if (type === 'object')
    return `dict[str, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'Any'}]`;
  return { string: 'str', integer: 'int', number: 'float', boolean: 'bool' }[type] ?? 'Any';
}
const nullLast = (a, b) => (a === 'None') - (b === 'None');

function model({ name, description, fields }) {
  const members = fields.map((field) => {
    const type = field.isRequired ? typeOf(field.schema) : `NotRequired[${typeOf(field.schema)}]`;
    return [field.name, type, text(field.description)];
  });
  if (members.some(([field]) => KEYWORDS.has(field)))
    return `${name} = TypedDict(\n    "${name}",\n    {\n${members.map(([field, type]) => `        "${field}": "${type}",\n`).join('')}    },\n)\n`;
  const lines = members.flatMap(([field, type, words]) => [
    `    ${field}: ${type}`,
    ...(words ? [`    """${words} """`] : []),
  ]);
  return `class ${name}(TypedDict):\n    """${text(description) || name} """\n\n${lines.join('\n') || '    pass'}\n`;
}

export const pythonModels = () =>
  `${NOTE}"""The objects of the API."""\n\nfrom __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict\n\nErrorType = Literal[\n${errorTypes.map((type) => `    "${type}",\n`).join('')}]\n"""The stable names of errors."""\n\n\n${schemas.map(model).join('\n\n')}`;

export const pythonOperations = () =>
  `${NOTE}"""The method, the path and the key of each call, by its name."""\n\nOPERATIONS: dict[str, tuple[str, str, str]] = {\n${operations
    .map(({ name, method, path, key }) => {
      const pattern = path.replaceAll(/\{\w+\}/g, '%s');
      return `    "${name}": ("${method.toUpperCase()}", "${pattern}", "${key}"),\n`;
    })
    .join('')}}\n`;

/** A call, and the iteration over all pages of a list. */
function methodsOf(operation, prefix) {
  const { name, method, path, summary, isDeprecated, ids, fields, returns, items, verb, iterates } = operation;
  const idArguments = ids.map((id) => `${safe(id)}: str`);
  const sorted = fields.toSorted((a, b) => b.isRequired - a.isRequired);
  const named = sorted.map(
    ({ name: field, schema, isRequired }) => `${safe(field)}: ${typeOf(schema)}${isRequired ? '' : ' = OMIT'}`,
  );
  const listed = ['self', ...idArguments, '*', ...named, 'options: Optional[CallOptions] = None'];
  const idList = ids.length > 0 ? `[${ids.map(safe).join(', ')}]` : '[]';
  const body = `{${fields.map(({ name: field }) => `"${field}": ${safe(field)}`).join(', ')}}`;
  const notes = [
    `${text(summary)}.`,
    '',
    `        ${method.toUpperCase()} ${path}`,
    ...(isDeprecated ? [`        Deprecated: use ${snake(replacementOf(operation))}.`] : []),
    ...sorted.flatMap(({ name: field, description }) =>
      description ? [`        :param ${safe(field)}: ${text(description)}`] : [],
    ),
  ];
  const define = (called, type, words, lines) =>
    `    def ${safe(snake(prefix + called))}(\n${listed.map((each) => `        ${each},\n`).join('')}    ) -> ${type}:\n` +
    `        """${words.join('\n')}\n        """\n${lines.map((each) => `        ${each}\n`).join('')}`;
  const own = define(verb, returns ?? 'dict[str, Any]', notes, [
    `return self._transport.call("${name}", ${idList}, ${body}, options)`,
  ]);
  if (!items) return [own];
  const { itemsName, itemId, cursor } = operation;
  const passed = [
    ...ids.map(safe),
    ...sorted.map(({ name: field }) => `${safe(field)}=${safe(field)}`),
    'options=options',
  ];
  const [hasMore, position] =
    cursor === 'offset'
      ? ['len(items) == page["limit"]', 'page["offset"] + len(items)']
      : ['page["has_more"]', `items[-1]["${itemId}"]`];
  const all = ['All elements, page by page.', '', `        ${method.toUpperCase()} ${path}`];
  return [
    own,
    define(iterates, `Iterator[${typeOf(items)}]`, all, [
      'while True:',
      `    page = self.${safe(snake(prefix + verb))}(${passed.join(', ')})`,
      `    items = page["${itemsName}"]`,
      '    yield from items',
      `    if not items or not ${hasMore}:`,
      '        return',
      `    ${cursor} = ${position}`,
    ]),
  ];
}

export function pythonResources() {
  const classes = [];
  const visit = (node, parts) => {
    const children = [];
    const methods = node.operations.flatMap((operation) => methodsOf(operation, ''));
    const own = new Set(node.operations.map(({ verb }) => verb));
    for (const [part, child] of node.children) {
      // A name that is a call too: its calls are `import_begin` beside `import_`.
      if (own.has(part)) methods.push(...child.operations.flatMap((operation) => methodsOf(operation, `${part}_`)));
      else children.push([part, visit(child, [...parts, part])]);
    }
    const name = pascal(parts) + (parts.length > 0 ? 'Calls' : 'Client');
    const making = children.map(([part, type]) => `        self.${safe(snake(part))} = ${type}(transport)\n`).join('');
    if (parts.length === 0) {
      classes.push(
        `class Client(Transport):\n    """The calls of one service by resource, such as \`client.users.create(email=…)\`."""\n\n` +
          `    def __init__(self, base_url: str, **settings: Any):\n        super().__init__(base_url, **settings)\n        transport = self\n${making}`,
      );
      return 'Client';
    }
    const init = `    def __init__(self, transport: Transport):\n        self._transport = transport\n${making}`;
    classes.push(
      `class ${name}:\n    """Calls of \`${parts.map(snake).join('.')}\`."""\n\n${[init, ...methods].join('\n')}`,
    );
    return name;
  };
  visit(resources(), []);
  // A method named `list` stands for the type inside of its class.
  const body = classes.join('\n\n').replaceAll(/\blist\[/g, 'List[');
  const used = [...new Set(classes.join('').match(/\b[A-Z]\w+\b/g))]
    .filter((name) => schemas.some((each) => each.name === name))
    .toSorted();
  return (
    `${NOTE}"""The calls by resource."""\n\nfrom __future__ import annotations\n\nfrom typing import Any, Iterator, List, Literal, Optional\n\n` +
    `from .client import OMIT, CallOptions, Transport\nfrom .models import (\n${used.map((name) => `    ${name},\n`).join('')})\n\n\n${body}`
  );
}
