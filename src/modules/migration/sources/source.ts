// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each adapter names the fields of its vendor
export type VendorRecord = Readonly<Record<string, any>>;

export interface RowContext {
  readonly sides: readonly (readonly VendorRecord[])[];
  readonly parameters: VendorRecord;
  /** The domain of the app's passkeys, for a vendor who does not state it. */
  readonly rpId: string | null;
  readonly leaveOut: (field: string, message: string) => void;
  /** Epoch seconds. */
  readonly now: number;
}

/** The message is a predicate. */
export class UnreadableRecord extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/** A file whose records belong to users of the first file. */
export interface FurtherFile {
  readonly format: 'ndjson' | 'csv';
  /** The first record has it, or the file is another one. */
  readonly member: string;
  readonly keyOf: (record: VendorRecord) => string | undefined;
}

export interface Source {
  readonly name: string;
  readonly id: string;
  /** Sentences that are printed before the import. */
  readonly leavesOut: readonly string[];
  /** `json` is an object with a list `users`, or the list itself. */
  readonly format: 'ndjson' | 'csv' | 'json';
  /** The first file has the users. Without `sides` and `parameters` all files have users. */
  readonly sides?: readonly FurtherFile[];
  readonly parameters?: (text: string) => VendorRecord;
  readonly keysOf?: (record: VendorRecord) => readonly string[];
  readonly keepsIds?: true;
  readonly row: (record: VendorRecord, context: RowContext) => object;
}

type Value = string | number | boolean | null | undefined;

/** ISO 8601, or milliseconds. */
export function secondsOf(field: string, time: Value): number | undefined {
  if (time === undefined || time === null || time === '') return undefined;
  const number = Number(time);
  const milliseconds = Number.isNaN(number) ? Date.parse(String(time).replace(/([+-]\d\d)$/, '$1:00')) : number;
  if (Number.isNaN(milliseconds)) throw new UnreadableRecord(field, `is no time that can be read: ${String(time)}`);
  return Math.floor(milliseconds / 1000);
}

export function flagOf(field: string, flag: Value): boolean | undefined {
  if (flag === undefined || flag === null || flag === '') return undefined;
  const found = { true: true, t: true, false: false, f: false }[String(flag)];
  if (found === undefined) throw new UnreadableRecord(field, `is neither true nor false: ${String(flag)}`);
  return found;
}

export function jsonIn(field: string, text: Value): VendorRecord | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  try {
    return JSON.parse(String(text)) as VendorRecord;
  } catch {
    throw new UnreadableRecord(field, 'is no JSON');
  }
}

const PREFIXES = [
  [/^\$2[aby]\$/, 'bcrypt'],
  [/^\$argon2id\$/, 'argon2id'],
  [/^\$argon2i\$/, 'argon2i'],
  [/^\$scrypt\$/, 'scrypt'],
  [/^\$pbkdf2(-sha1)?\$/, 'pbkdf2-sha1'],
  [/^\$pbkdf2-sha256\$/, 'pbkdf2-sha256'],
  [/^\$pbkdf2-sha512\$/, 'pbkdf2-sha512'],
  [/^\$[PH]\$/, 'phpass'],
  [/^\{SSHA\}/, 'ssha1'],
  [/^\{SSHA256\}/, 'ssha256'],
  [/^\{SSHA512\}/, 'ssha512'],
] as const;

const FIREBASE = /^\$fbscrypt\$v=1,n=(\d+),r=(\d+),p=1(?:,ss=([^,$]*))?,sk=([^$]+)\$([^$]*)\$(.+)$/;

export function withoutPassword({ leaveOut }: RowContext, hasher: string): undefined {
  leaveOut('password', `is hashed by ${hasher}, which is not supported, so the user was imported without it`);
}

export function passwordOf(hash: Value, context: RowContext, hasher = 'an unknown algorithm') {
  if (hash === undefined || hash === null || hash === '') return undefined;
  const [, mem_cost, rounds, salt_separator = '', signer_key, salt, digest] = FIREBASE.exec(String(hash)) ?? [];
  if (digest) return { algorithm: 'scrypt-firebase', hash: digest, salt, salt_separator, signer_key, rounds, mem_cost };
  const found = PREFIXES.find(([prefix]) => prefix.test(String(hash)));
  if (found) return { algorithm: found[1], hash: String(hash) };
  return withoutPassword(context, hasher);
}
