import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/services/root.js';

type Part = { readonly $ref?: string };
type Operation = { parameters?: Part[]; responses: Record<string, Part> };

/**
 * The committed API document. Its operations have the parameters and responses that several operations share in place of the references
 * to them.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each caller states the parts that it reads
export function readDocument<Document extends object>(): Document {
  const document = JSON.parse(readFileSync(join(ROOT, 'openapi/openapi.json'), 'utf8')) as {
    readonly paths: Record<string, Record<string, Operation>>;
    readonly components: Record<string, Record<string, Part>>;
  };
  const resolved = (part: Part): Part => {
    const [section, name] = part.$ref?.split('/').slice(-2) ?? [];
    return section === undefined ? part : document.components[section]![name!]!;
  };
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    if (operation.parameters) operation.parameters = operation.parameters.map(resolved);
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)]),
    );
  }
  return document as unknown as Document;
}

/** The paths of the POSTs whose response starts or names a session by its JWT. */
export function postsWithJwt(): string[] {
  interface Read {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  }
  const { paths, components } = readDocument<Read>();
  return Object.keys(paths).filter((path) => {
    const response = JSON.stringify(paths[path]!['post']?.responses['200'] ?? {});
    const schema = /#\/components\/schemas\/(\w+)/.exec(response)?.[1] ?? '';
    return JSON.stringify(components.schemas[schema] ?? {}).includes('"session_jwt"');
  });
}
