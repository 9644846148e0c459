import type { TypedData, TypedDataIntent } from '../domain/message-signer.js';
import { InvalidTypedData } from '../../wallets/domain/wallet.errors.js';
import { ethereumAddressOf, keccak } from '../../../../services/crypto/keccak.js';
import { hashStruct, type StructTypes } from './eip712-struct-hash.js';
import { isHexBytes, isWellFormed, signedOf, unsignedOf } from './ethereum-fields.js';

const DOMAIN_FIELDS: Readonly<Record<string, string>> = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
};

const PREFIX = Buffer.from('1901', 'hex');
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,99}$/;
/** Names of types in use have namespaces, such as `Exchange:Order`. A parenthesis, comma or bracket would change the hashed text. */
const STRUCT_NAME = /^[A-Za-z_$][A-Za-z0-9_$:.]{0,99}$/;
const TYPE = /^([^[\]]+)((?:\[(?:[1-9]\d{0,4})?\]){0,8})$/;
/** Names that stand for, or look like, types of EIP-712's own. There is no bare `int` and `uint`: signers disagree on them. */
const RESERVED = /^(address|bool|string|bytes\d*|u?int\d*)$/;
const ATOMIC =
  /^(?:address|bool|string|bytes|bytes(?<bytes>[1-9]|[12]\d|3[0-2])|(?<signed>u?)int(?<bits>8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256))$/;

const MAX_STRUCTS = 50;
const MAX_FIELDS = 250;
/** Those who verify the signature may walk every path through the types, as most encoders do. */
const MAX_PATHS = 1_000;
const MAX_VALUES = 1_000;
/** Values, lists and structs: each list and struct is hashed, also if it has only one member. */
const MAX_HASHED = 2_000;

/** Everything is checked before it is hashed. Throws only `InvalidTypedData`. */
export function readTypedData({ domain, types, primaryType, message }: TypedData): TypedDataIntent {
  const declared = readTypes(types);
  const given = readDomain(domain);
  const domainHash = hashDomain(given, declared['EIP712Domain']);
  if (typeof primaryType !== 'string' || primaryType === 'EIP712Domain' || !Object.hasOwn(declared, primaryType)) {
    throw new InvalidTypedData('primaryType', 'must name one of the types.');
  }
  const used = typesUsedBy(primaryType, declared);
  checkValue(primaryType, message, 'message', { types: used, values: 0, hashed: 0 });
  const messageHash = hashStruct(primaryType, message as Record<string, unknown>, used);
  return {
    primaryType,
    types: used,
    message: message as Record<string, unknown>,
    chainId: unsignedOf(given['chainId']),
    verifyingContract: ethereumAddressOf(given['verifyingContract']),
    digest: `0x${keccak(Buffer.concat([PREFIX, domainHash, messageHash])).toString('hex')}`,
  };
}

function readTypes(types: unknown): StructTypes {
  if (!isObject(types)) throw new InvalidTypedData('types', 'must be an object of lists of fields.');
  const read: Record<string, StructTypes[string]> = {};
  for (const [struct, fields] of Object.entries(types)) {
    const at = `types.${shown(struct)}`;
    if (!STRUCT_NAME.test(struct) || struct === '__proto__' || RESERVED.test(struct))
      throw new InvalidTypedData(at, 'is not a name for a type.');
    if (!Array.isArray(fields)) throw new InvalidTypedData(at, 'must be a list of fields.');
    const names = new Set<string>();
    read[struct] = fields.map((field: unknown, index) => {
      const path = `${at}[${index}]`;
      if (!isObject(field)) throw new InvalidTypedData(path, 'must be an object with name and type.');
      const { name, type } = field;
      if (!isIdentifier(name)) throw new InvalidTypedData(`${path}.name`, 'must be an identifier.');
      if (names.has(name)) throw new InvalidTypedData(`${path}.name`, 'is there twice.');
      if (typeof type !== 'string' || !TYPE.test(type)) throw new InvalidTypedData(`${path}.type`, 'is not a type.');
      names.add(name);
      return { name, type };
    });
  }
  return read;
}

/** The types that a struct uses. Unused types are left out: EIP-712 has no place for them. */
function typesUsedBy(primaryType: string, declared: StructTypes): StructTypes {
  const used: Record<string, StructTypes[string]> = {};
  const pathsFrom = new Map<string, number>();
  let structCount = 0;
  let fieldCount = 0;
  const walk = (struct: string, ancestors: readonly string[]): number => {
    if (ancestors.includes(struct)) throw new InvalidTypedData(`types.${struct}`, 'must not contain itself.');
    const known = pathsFrom.get(struct);
    if (known !== undefined) return known;
    const fields = declared[struct]!;
    used[struct] = fields;
    structCount += 1;
    fieldCount += fields.length;
    refuseExcess(structCount > MAX_STRUCTS || fieldCount > MAX_FIELDS);
    let paths = 1;
    for (const base of new Set(fields.map(({ type }) => TYPE.exec(type)![1]!))) {
      if (ATOMIC.test(base)) continue;
      if (base === 'EIP712Domain' || !Object.hasOwn(declared, base)) {
        throw new InvalidTypedData(`types.${struct}`, `has a field of the unknown type ${shown(base)}.`);
      }
      paths += walk(base, [...ancestors, struct]);
    }
    refuseExcess(paths > MAX_PATHS);
    pathsFrom.set(struct, paths);
    return paths;
  };
  walk(primaryType, []);
  return used;
}

function refuseExcess(isTooMuch: boolean): void {
  if (!isTooMuch) return;
  throw new InvalidTypedData('types', `are too many; up to ${MAX_STRUCTS} types with ${MAX_FIELDS} fields are signed.`);
}

function readDomain(domain: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(domain)) throw new InvalidTypedData('domain', 'must be an object.');
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(domain)) {
    if (value === null) continue;
    if (!Object.hasOwn(DOMAIN_FIELDS, name))
      throw new InvalidTypedData('domain', `has the unknown field ${shown(name)}.`);
    checkValue(DOMAIN_FIELDS[name]!, value, `domain.${name}`, { types: {}, values: 0, hashed: 0 });
    given[name] = value;
  }
  if (Object.keys(given).length === 0)
    throw new InvalidTypedData('domain', 'must have a field, or the signature is good anywhere.');
  return given;
}

function hashDomain(given: Readonly<Record<string, unknown>>, declared: StructTypes[string] | undefined): Buffer {
  // Declared fields decide which bytes a contract hashes, so they must be the given ones; their order is kept as declared.
  const agrees =
    !declared ||
    (declared.length === Object.keys(given).length &&
      declared.every(({ name, type }) => name in given && DOMAIN_FIELDS[name] === type));
  if (!agrees)
    throw new InvalidTypedData('types.EIP712Domain', 'must list the fields of domain with their standard types.');
  const standard = Object.entries(DOMAIN_FIELDS).map(([name, type]) => ({ name, type }));
  const fields = declared ?? standard.filter(({ name }) => name in given);
  return hashStruct('EIP712Domain', given, { EIP712Domain: fields });
}

interface Seen {
  readonly types: StructTypes;
  values: number;
  hashed: number;
}

function checkValue(type: string, value: unknown, path: string, seen: Seen): void {
  refuseTooMany(++seen.hashed > MAX_HASHED);
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array) {
    const [, element, size] = array as unknown as [string, string, string];
    if (!Array.isArray(value)) throw new InvalidTypedData(path, `must be a list (${type}).`);
    if (size !== '' && value.length !== Number(size)) throw new InvalidTypedData(path, `must have ${size} elements.`);
    for (const [index, item] of value.entries()) checkValue(element, item, `${path}[${index}]`, seen);
    return;
  }
  const struct = Object.hasOwn(seen.types, type) ? seen.types[type] : undefined;
  if (struct) {
    if (!isObject(value)) throw new InvalidTypedData(path, `must be an object (${type}).`);
    for (const field of struct) {
      const at = `${path}.${field.name}`;
      if (!Object.hasOwn(value, field.name)) throw new InvalidTypedData(at, 'is missing.');
      checkValue(field.type, value[field.name], at, seen);
    }
    return;
  }
  refuseTooMany(++seen.values > MAX_VALUES);
  if (!isAtomic(type, value)) throw new InvalidTypedData(path, `is not of type ${type}.`);
}

function refuseTooMany(isTooMany: boolean): void {
  if (isTooMany) throw new InvalidTypedData('message', `has too many values; up to ${MAX_VALUES} are signed.`);
}

function isAtomic(type: string, value: unknown): boolean {
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'string') return typeof value === 'string' && isWellFormed(value);
  if (type === 'address') return ethereumAddressOf(value) !== null;
  if (type === 'bytes') return isHexBytes(value);
  const { bytes, bits, signed } = ATOMIC.exec(type)!.groups!;
  if (bytes) return isHexBytes(value, Number(bytes));
  const unsigned = signed === 'u';
  const number = unsigned ? unsignedOf(value) : signedOf(value);
  if (number === null) return false;
  const width = BigInt(bits!);
  return unsigned ? number < 1n << width : number < 1n << (width - 1n) && number >= -(1n << (width - 1n));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `__proto__` would be taken for something else by any code that builds objects from the names. */
function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value !== '__proto__' && IDENTIFIER.test(value);
}

/** A name of the caller's in a message for them: short and harmless. */
function shown(name: string): string {
  return name.replace(/[^\w$:.[\]]/g, '?').slice(0, 40);
}
