import { ApiSchema } from '@nestjs/swagger';
import { registerDecorator, type ValidationArguments } from 'class-validator';

export interface GroupContext {
  readonly reportedField: string;
}

export const AT_LEAST_ONE_OF = 'at_least_one_of';

const SCHEMAS = Symbol('what AtLeastOneOf adds to the schema of a class');

export function AtLeastOneOf(...names: [string, string, ...string[]]): ClassDecorator {
  return (model) => {
    registerDecorator({
      name: AT_LEAST_ONE_OF,
      target: model,
      // This is no name of a field: constraints of an absent optional field are skipped.
      propertyName: names.join(),
      options: {
        message: `is one of ${names.join(', ')}, of which at least one must be given`,
        context: { reportedField: names[0] } satisfies GroupContext,
      },
      validator: {
        validate: (_, { object } = {} as ValidationArguments) =>
          names.some((name) => (object as Record<string, unknown>)[name] !== undefined),
      },
    });
    const inherited = (Reflect.getMetadata(SCHEMAS, model) ?? []) as object[];
    const allOf = [...inherited, { anyOf: names.map((name) => ({ title: `With ${name}`, required: [name] })) }];
    Reflect.defineMetadata(SCHEMAS, allOf, model);
    // The type of ApiSchema allows only name and description, but it copies every key into the schema.
    ApiSchema({ allOf } as Parameters<typeof ApiSchema>[0])(model);
  };
}
