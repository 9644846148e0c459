import pg from 'pg';

/** `it` for a test of which statements share a round trip: skipped where statements are delayed, as that depends on the delays. */
export const itOfRoundTrips = 'areStatementsDelayed' in globalThis ? it.skip : it;

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: unknown[];
}

type Sent = string | (Partial<SentStatement> & { readonly statements?: readonly SentStatement[] });

/** The round trips of all connections of this process while `work` runs, with their statements. */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<SentStatement[][]> {
  const trips: SentStatement[][] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, sent: Sent, ...rest: unknown[]) {
    const [values] = rest;
    if (typeof sent === 'string') trips.push([{ text: sent, values: Array.isArray(values) ? values : [] }]);
    else trips.push([...(sent.statements ?? [{ text: sent.text ?? '', values: sent.values ?? [] }])]);
    return (query as (...args: unknown[]) => unknown).call(this, sent, ...rest);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return trips;
}

/**
 * Whether a statement belongs to the job runner or the key uses, or reads anew what a process remembers of an app: its keys
 * and settings for half a second, its signing keys for a minute. A busy machine decides during which call they are sent.
 */
export function isOfBackground({ text }: SentStatement): boolean {
  return /\bjobs\b|\bapi_keys\b|\bmanagement_keys\b|from apps a where a\.id = \$1|from live_apps a left join signing_keys/.test(
    text,
  );
}

/** All statements of `work` in order, except those of the background. */
export async function statementsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  return (await roundTripsOf(work)).flat().filter((statement) => !isOfBackground(statement));
}

/** Their texts. */
export async function textsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(work)).map(({ text }) => text.trim());
}
