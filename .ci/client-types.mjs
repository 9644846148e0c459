// Writes the types of the client into the file of the first argument: what openapi-typescript makes of the document, with ids of their kinds.
import openapiTS, { astToString, stringToAST } from 'openapi-typescript';
import { writeFileSync } from 'node:fs';
import ts from 'typescript';
import { document, idKindsOf } from './client-model.mjs';

// The same type as in src/ids.ts.
const ID = 'type Id<Kind extends string> = string & { readonly __kind?: Kind };';
const { factory } = ts;
const literal = (value) => factory.createLiteralTypeNode(value);

function idType(schema) {
  const kinds = idKindsOf(schema);
  if (!kinds) return undefined;
  const names = kinds.map((each) => literal(factory.createStringLiteral(each)));
  const id = factory.createTypeReferenceNode('Id', [factory.createUnionTypeNode(names)]);
  const isNullable = [schema.type].flat().includes('null');
  return isNullable ? factory.createUnionTypeNode([id, literal(factory.createNull())]) : id;
}

// A field with a default is optional in a request.
const nodes = await openapiTS(document, { defaultNonNullable: false, transform: idType });
writeFileSync(process.argv[2], astToString([...stringToAST(ID), ...nodes]));
