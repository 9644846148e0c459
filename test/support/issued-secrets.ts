import pg from 'pg';
import { RandomSecretTokens } from '../../src/services/crypto/random-secret-tokens.js';
import { QueuedMailer } from '../../src/services/mail/queued-mailer.js';
import { QueuedTexts } from '../../src/services/sms/queued-texts.js';

// Remembers each token and each code that the service issues in a test file, so that the end of the file can search for them
// everywhere: their hashes and sealed values may be stored, they themselves may not.

const issued = new Set<string>();

/** Tokens of `SecretTokens.mint`, as long as all of them. */
const TOKEN = /[0-9A-Za-z]{48,}/g;
const TOKEN_LENGTH = 48;
/** A code stands alone: fractions of a second, ids and hashes contain any six digits. */
const CODE = /(?<![\w.])[0-9]{6}(?!\w)/g;
const HEX_BYTES = /\\+x([0-9a-f]+)/g;
const MOST_ROWS = 20_000;
/** Columns that hold an issued value, and why they may. */
const NOT_SECRET: Readonly<Record<string, string>> = {
  'oauth_states.nonce': 'The browser takes it to the provider, and it opens nothing.',
};

observe(RandomSecretTokens, 'mint', (token) => issued.add(String(token)));
for (const channel of [QueuedMailer, QueuedTexts])
  observe(channel, 'send', (_, args) => {
    for (const [code] of JSON.stringify(args).matchAll(CODE)) issued.add(code);
  });

/** Calls `see` with the result and the arguments of each call of the method. */
function observe(of: { readonly prototype: object }, name: string, see: (result: unknown, args: unknown[]) => void) {
  const method = Reflect.get(of.prototype, name) as (...args: unknown[]) => unknown;
  Reflect.set(of.prototype, name, function (this: unknown, ...args: unknown[]): unknown {
    const result = method.apply(this, args);
    see(result, args);
    return result;
  });
}

/** Whether a text holds an issued secret. Bytes in hexadecimal digits, as PostgreSQL writes them, are searched as bytes. */
export function holdsSecret(text: string): boolean {
  const plain = text.replaceAll(HEX_BYTES, (_, digits: string) => ` ${Buffer.from(digits, 'hex').toString('latin1')} `);
  for (const [code] of plain.matchAll(CODE)) if (issued.has(code)) return true;
  for (const [run] of plain.matchAll(TOKEN))
    for (let start = 0; start + TOKEN_LENGTH <= run.length; start++)
      if (issued.has(run.slice(start, start + TOKEN_LENGTH))) return true;
  return false;
}

/** The rows of all tables that hold an issued secret, at most ten. Numbers and times cannot hold one. */
export async function storedSecrets(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string; columns: string }>(
      `select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ') as columns
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and a.atttypid = any ('{text,text[],json,jsonb,bytea}'::regtype[]) and c.relname || '.' || a.attname <> all ($1)
        group by 1`,
      [Object.keys(NOT_SECRET)],
    );
    const { rows } = await client.query<{ place: string; row: string }>(
      tables
        .map(
          ({ name, columns }) =>
            `(select '${name}' as place, concat_ws(' ', ${columns}) as row from ${name} limit ${MOST_ROWS})`,
        )
        .join(' union all '),
    );
    return rows
      .filter(({ row }) => holdsSecret(row))
      .map(({ place, row }) => `table ${place}: ${row.slice(0, 500)}`)
      .slice(0, 10);
  } finally {
    await client.end();
  }
}

/** Forgets the codes, because a number of a later test may equal a code. Tokens are too long for that. */
export function forgetCodes(): void {
  for (const secret of issued) if (secret.length < TOKEN_LENGTH) issued.delete(secret);
}
