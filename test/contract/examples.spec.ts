import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ID_PREFIXES, ID_SUFFIX, isId, type IdKind } from '../../src/kernel/ids.js';
import { document, operations } from './prefilled.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'openapi' });

/** The schemas of operations refer to components, which are in the document. */
function faultsOf(schema: object, value: unknown): string | null {
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

type Example = { readonly $ref: string } | { readonly value: unknown };

/** An example that several responses have is in the components. */
const valueOf = (example: Example): unknown =>
  '$ref' in example ? document.components.examples[example.$ref.split('/').pop()!]?.value : example.value;

describe('the examples of the document', () => {
  it('are of the schema beside them, in every request, response and error', () => {
    const faults: string[] = [];
    const checked = new Set<string>();
    const check = (where: string, schema: object | undefined, value: unknown) => {
      // Most operations share their error responses.
      const key = JSON.stringify([schema, value]);
      if (checked.has(key)) return;
      checked.add(key);
      const fault = value === undefined ? 'has no example' : faultsOf(schema ?? {}, value);
      if (fault) faults.push(`${where}: ${fault}`);
    };
    for (const { name, operation } of operations) {
      for (const { name: parameter, required, schema, example } of operation.parameters ?? [])
        if (required || example !== undefined) check(`${name} ${parameter}`, schema, example);
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
        check(`${name} ${type}`, media.schema, media.example);
      for (const [status, { content = {} }] of Object.entries(operation.responses))
        for (const media of Object.values(content)) {
          const values = Object.values(media.examples ?? {}).map(valueOf);
          for (const value of values.length > 0 ? values : [media.example])
            check(`${name} ${status}`, media.schema, value);
        }
    }
    expect(faults).toEqual([]);
    expect(checked.size).toBeGreaterThan(300);
  });

  it('show for each type of error its own name and status', () => {
    const faults = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content['application/problem+json']?.examples ?? {})
          .filter(([code, example]) => {
            const error = valueOf(example) as Record<string, unknown>;
            return error['error_type'] !== code || error['status'] !== Number(status);
          })
          .map(([code]) => `${name} ${status} ${code}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('hold only ids that the validator accepts', () => {
    const kinds = Object.entries(ID_PREFIXES) as [IdKind, string][];
    const form = new RegExp(`"(${kinds.map(([, prefix]) => prefix).join('|')})_([0-9a-z]{20,})"`, 'g');
    const texts = [...JSON.stringify([document.paths, document.components]).matchAll(form)].map(([text]) =>
      text.slice(1, -1),
    );
    const refused = texts.filter((text) => !kinds.some(([kind]) => isId(kind, text)));
    expect([...new Set(refused)]).toEqual([]);
    expect(new Set(texts).size).toBeGreaterThan(15);
    const patterns = new Set(JSON.stringify(document).match(/\^\(?[a-z|]+\)?_\[[^"]*/g));
    expect([...patterns].filter((pattern) => !pattern.endsWith(`_${ID_SUFFIX}$`))).toEqual([]);
  });
});
