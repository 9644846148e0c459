import { WrongUsage } from '../services/cli/arguments.js';
import type { Commands } from '../services/cli/command.js';
import { requireMigrations, type Workspace } from './workspace.js';

const LONGEST_TEXT = 300;
/** A client may send one id with all its requests. */
const MOST_OF_A_KIND = 1_000;
const ID = /\b[a-z]+_[0-9a-hjkmnp-tv-z]{26}\b/g;

interface Row {
  readonly at: Date;
  readonly app_id: string | null;
  readonly id: string;
  readonly text: string;
}

interface Found extends Row {
  readonly kind: string;
}

/** Rows of one transaction have one time; ids of one kind sort by their creation. */
const orderOf = ({ at, kind, id }: Found): string => `${at.toISOString()} ${kind} ${id}`;

export const TRACE_COMMANDS: Commands<Workspace> = {
  trace: {
    summary:
      'Print what the request with this id has done, in order: audited and refused calls, messages, jobs, events, deliveries, sessions and transfers. It reads all events of the last days (--days), and prints the first 1,000 of each kind.',
    operands: ['request'],
    options: { days: { type: 'string', default: '1' } },
    async run({ request, days }, workspace) {
      const count = Number(days);
      if (!Number.isInteger(count) || count < 1 || count > 400)
        throw new WrongUsage('--days must be a whole number from 1 to 400.');
      const [{ SERVICES_TRAIL }, { TRAILS_OF_MODULES }] = await Promise.all([
        import('../services/request-trail.js'),
        import('../modules/request-trails.js'),
      ]);
      const trails = [...SERVICES_TRAIL, ...TRAILS_OF_MODULES];
      const rows = await workspace.withDataSource(async (dataSource) => {
        await requireMigrations(dataSource);
        return dataSource.transaction('REPEATABLE READ', async (transaction) => {
          // No index finds the events of a request: it would cost every call more than it is worth.
          await transaction.query(`set local statement_timeout = '10min'`);
          const read = <R>(sql: string, parameters: unknown[]): Promise<R[]> => transaction.query(sql, parameters);
          const trailOf = (sql: string, parameters: unknown[]): Promise<Row[]> =>
            read(`select * from (${sql}) as trail order by at limit ${MOST_OF_A_KIND}`, parameters);
          const begin = 'select now() - make_interval(days => $1) as since';
          const [{ since }] = (await read<{ since: Date }>(begin, [count])) as [{ since: Date }];
          const entries: Found[] = [];
          for (const { kind, ofRequest } of trails)
            if (ofRequest) for (const row of await trailOf(ofRequest, [request, since])) entries.push({ ...row, kind });
          const apps = [...new Set(entries.map(({ app_id: app }) => app))];
          const ids = [...new Set(entries.flatMap(({ id, text }) => [id, ...(text.match(ID) ?? [])]))];
          for (const { kind, ofIds } of trails)
            if (ofIds) for (const row of await trailOf(ofIds, [apps, ids])) entries.push({ ...row, kind });
          return entries.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
        });
      });
      if (rows.length === 0) throw new Error(`The last ${count} days have nothing of this request.`);
      return Object.fromEntries(
        rows.map(({ at, kind, id, text, app_id: app }, index) => [
          `${index + 1}. ${at.toISOString()} ${kind}`,
          // Callers choose the ids of requests, and two apps may have chosen the same one.
          [id, text.slice(0, LONGEST_TEXT).replaceAll(/\p{C}/gu, ' '), ...(app ? [app] : [])].join(' '),
        ]),
      );
    },
  },
};
