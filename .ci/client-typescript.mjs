// The TypeScript client: the route of each operation, and the methods with their texts.
import { operations, replacementOf, resources } from './client-model.mjs';

const NOTE = '// Made from openapi.json by `npm run openapi`.\n';
const pascal = (parts) => parts.map((part) => part[0].toUpperCase() + part.slice(1)).join('');
const text = (words) => words.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim();

export const typescriptOperations = () => `${NOTE}
/** The method and the path of each call, by the name that the client gives it. */
export const OPERATIONS = {
${operations.map(({ name, method, path }) => `  '${name}': ['${method}', '${path}'],`).join('\n')}
} as const;
`;

const doc = (lines, indent) =>
  `${indent}/**\n${lines.map((each) => `${indent} * ${each}`.trimEnd()).join('\n')}\n${indent} */\n`;

const idType = (kinds) => (kinds ? `Id<${kinds.map((each) => `'${each}'`).join(' | ')}>` : 'string');

/** The parameters and the result of a call: the ids of its path by their names, then its fields. */
function signature({ name, ids, idKinds, fields }) {
  const isOptional = !fields.some(({ isRequired }) => isRequired);
  const sent = fields.length === 0 ? 'fields?: undefined' : `fields${isOptional ? '?' : ''}: Fields<'${name}'>`;
  return `(${[...ids.map((id, index) => `${id}: ${idType(idKinds[index])}`), sent, 'options?: CallOptions'].join(', ')})`;
}

function methodsOf(operation, child) {
  const { name, method, path, summary, isDeprecated, items, verb, iterates } = operation;
  const route = `\`${method.toUpperCase()} ${path}\``;
  const notes = [
    text(summary),
    '',
    route,
    ...(isDeprecated ? ['', `@deprecated Use \`${replacementOf(operation)}\`.`] : []),
  ];
  const made = `${signature(operation)}${child ? ' =>' : ':'} Promise<Data<'${name}'>>`;
  const own = doc(notes, '  ') + (child ? `  readonly ${verb}: (${made}) & ${child};\n` : `  ${verb}${made};\n`);
  if (!items) return [own];
  const all = `  ${iterates}${signature(operation)}: AsyncGenerator<Item<'${name}'>, void, undefined>;\n`;
  return [own, doc(['All elements, page by page.', '', route], '  ') + all];
}

export function typescriptMethods() {
  const interfaces = [];
  const visit = (node, parts) => {
    const children = [...node.children].map(([part, child]) => [part, visit(child, [...parts, part])]);
    const byVerb = new Map(children);
    const name = parts.length === 0 ? 'Resources' : `${pascal(parts)}Calls`;
    const verbs = node.operations.map(({ verb }) => verb);
    const methods = node.operations.flatMap((operation) => methodsOf(operation, byVerb.get(operation.verb)));
    const nested = children.flatMap(([part, type]) => (verbs.includes(part) ? [] : [`  readonly ${part}: ${type};\n`]));
    const words = parts.length === 0 ? 'All calls by resource.' : `Calls of \`${parts.join('.')}\`.`;
    interfaces.push(`/** ${words} */\nexport interface ${name} {\n${[...methods, ...nested].join('')}}\n`);
    return name;
  };
  visit(resources(), []);
  return `${NOTE}import type { CallOptions, Data, Fields, Item } from './calls.js';\nimport type { Id } from './ids.js';\n\n${interfaces.join('\n')}`;
}
