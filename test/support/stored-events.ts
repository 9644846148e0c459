import { Ajv2020 } from 'ajv/dist/2020.js';
import pg from 'pg';
import { type EventType, eventTypes } from '../../src/kernel/event-types.js';

type Schema = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({ strict: false, allErrors: true });

/** The schema of the data of a type, without the members that a later version may add. */
function exact(schema: Schema): Schema {
  if (schema['type'] !== 'object') return schema;
  const properties = Object.entries(schema['properties'] as Record<string, Schema>);
  return {
    ...schema,
    properties: Object.fromEntries(properties.map(([name, inner]) => [name, exact(inner)])),
    additionalProperties: false,
  };
}

const validatorOf = ({ schema }: EventType) => ajv.compile(exact(schema));
const validators = new Map<string, ReturnType<typeof validatorOf>>();

/** What is wrong with the events of a database, compared with the schemas of their types; at most ten faults. */
export async function faultsOfStoredEvents(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ type: string; data: object }>(
      `select distinct on (type, data - 'user_id') type, data from stored_events where data is not null limit 20000`,
    );
    return rows.flatMap(({ type, data }) => faultsOf(type, data)).slice(0, 10);
  } finally {
    await client.end();
  }
}

function faultsOf(name: string, data: object): string[] {
  const type = eventTypes().find((known) => known.name === name);
  if (!type) return [`${name} is not declared.`];
  let validate = validators.get(name);
  if (!validate) validators.set(name, (validate = validatorOf(type)));
  return validate(data) ? [] : [`${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(data)}`];
}
