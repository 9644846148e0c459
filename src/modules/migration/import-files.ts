import { Injectable } from '@nestjs/common';
import { appendFile, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { Clock, epochSeconds } from '../../kernel/clock.js';
import type { FieldError } from '../../kernel/domain-error.js';
import type { AppId } from '../../kernel/ids.js';
import type { Requester } from '../../kernel/requester.js';
import { AppsFacade } from '../apps/index.js';
import { recordsOf, SideFile } from './sources/records.js';
import { type Source, UnreadableRecord, type VendorRecord } from './sources/source.js';
import { type ImportOptions, type ImportResult, ImportUsers, type RowOfImport } from './application/import-users.js';

/** Rows of one transaction. */
const BATCH = 500;

export interface FilesToImport {
  readonly appId: AppId;
  readonly source: Source;
  readonly files: readonly string[];
  readonly report: string;
  readonly isDryRun: boolean;
}

export interface Progress {
  /** Records that were read, of all files. */
  readonly records: number;
  readonly imported: number;
  readonly skipped: number;
  readonly failed: number;
}

/** How much is done, for each batch; `share` is between 0 and 1. */
export type Watch = (progress: Progress & { readonly share: number }) => void;

interface Row {
  readonly file: string;
  readonly line: number;
  readonly row: RowOfImport;
  readonly notes: FieldError[];
}

/** Where an import stands after a batch, beside its report. */
interface State extends Progress {
  /** The import that it belongs to. */
  readonly of: string;
  readonly reportBytes: number;
}

/** Reads a row as `POST …/users/import` does. */
type ReadRow = (row: unknown) => RowOfImport;

/** Imports the users of a vendor's files, a batch in a transaction. */
@Injectable()
export class ImportFiles {
  constructor(
    private readonly apps: AppsFacade,
    private readonly users: ImportUsers,
    private readonly clock: Clock,
  ) {}

  /**
   * Continues after the last batch of an import of the same files that was ended, by the state beside the report; the rows of a batch whose state is
   * missing are found by their `external_id` and skipped. Throws `AppNotFound`, and errors of the files.
   */
  async execute(by: Requester, asked: FilesToImport, readRow: ReadRow, watch: Watch): Promise<Progress> {
    const { appId, source, report, isDryRun } = asked;
    await this.apps.requireLive(appId);
    const options: ImportOptions = {
      // A restored export is found by its ids.
      onConflict: source.keepsIds ? 'skip' : 'fail',
      isDryRun,
      publishes: false,
      keepsIds: source.keepsIds ?? false,
      revives: false,
    };
    await requireOwnReport(report, asked.files);
    const stats = await Promise.all(asked.files.map((file) => stat(file)));
    const sizes = stats.map(({ size }) => size);
    const times = stats.map(({ mtimeMs }) => mtimeMs);
    const of = JSON.stringify([appId, source.name, asked.files, sizes, times, isDryRun]);
    let state = (await stateOf(report, of)) ?? { of, reportBytes: 0, records: 0, imported: 0, skipped: 0, failed: 0 };
    await writeFile(report, '', { flag: 'a', mode: 0o600 });
    await truncate(report, state.reportBytes);

    const stored = state.records;
    const store = async (batch: readonly Row[], share: number): Promise<void> => {
      const rows = batch.map(({ row }) => row);
      const results = await this.users.execute(by, appId, rows, options);
      const lines = results.flatMap((result, index) => linesOf(batch[index]!, result)).join('');
      await appendFile(report, lines);
      const count = (outcome: ImportResult['outcome']) => results.filter((each) => each.outcome === outcome).length;
      state = {
        of,
        reportBytes: state.reportBytes + Buffer.byteLength(lines),
        records: state.records + batch.length,
        imported: state.imported + count('imported'),
        skipped: state.skipped + count('skipped'),
        failed: state.failed + count('failed'),
      };
      await writeFile(`${report}.state.new`, JSON.stringify(state));
      await rename(`${report}.state.new`, `${report}.state`);
      watch({ ...state, share });
    };
    const bytesInAll = sizes.slice(0, mainFiles(asked).length).reduce((sum, size) => sum + size, 0);
    let [batch, seen, share] = [[] as Row[], 0, 0];
    // While one batch is stored, the next one is read.
    let storing = Promise.resolve();
    const storeNext = async (): Promise<void> => {
      await storing;
      storing = store(batch, share);
      // A fault is thrown where it is awaited.
      storing.catch(() => {});
      batch = [];
    };
    for await (const { bytes, ...row } of this.rows(asked, readRow, () => seen >= stored)) {
      seen += 1;
      if (seen <= stored) continue;
      share = bytes / Math.max(1, bytesInAll);
      batch.push(row);
      if (batch.length === BATCH) await storeNext();
    }
    if (batch.length > 0) await storeNext();
    await storing;
    await rm(`${report}.state`, { force: true });
    const { of: _, reportBytes: __, ...progress } = state;
    return progress;
  }

  private async *rows(
    asked: FilesToImport,
    readRow: ReadRow,
    isWanted: () => boolean,
  ): AsyncGenerator<Row & { readonly bytes: number }> {
    const { appId, source, files } = asked;
    const further = files.slice(mainFiles(asked).length);
    const parameters = source.parameters && further[0] ? source.parameters(await readFile(further[0], 'utf8')) : {};
    const settings = await this.apps.moduleSettings<{ readonly rpId: string }>(appId, 'webauthn');
    const [rpId, now] = [settings?.rpId ?? null, epochSeconds(this.clock.now())];
    const sides: SideFile[] = [];
    let bytesBefore = 0;
    try {
      for (const [index, side] of (source.sides ?? []).entries())
        if (further[index] !== undefined) sides.push(await SideFile.of(further[index], side));
      for (const file of mainFiles(asked)) {
        let count = 0;
        for await (const { line, offset, record } of recordsOf(file, source.format)) {
          count += 1;
          if (count === 1) requireFileOf(source, file, record);
          const notes: FieldError[] = [];
          const read = async (): Promise<RowOfImport> => {
            if (record instanceof UnreadableRecord) throw record;
            if (!hasId(record, source)) throw new UnreadableRecord(source.id, 'is missing');
            const keys = sides.length > 0 ? [...new Set(source.keysOf!(record))] : [];
            const found = await Promise.all(sides.map((side) => allOf(side, keys)));
            const leaveOut = (field: string, message: string) => void notes.push({ field, rule: 'left_out', message });
            return readRow(source.row(record, { sides: found, parameters, rpId, now, leaveOut }));
          };
          const row = isWanted() ? await read().catch((error: unknown) => unreadable(error, record, source)) : NOT_READ;
          yield { file, line, row, notes, bytes: bytesBefore + offset };
        }
        if (count === 0)
          throw new Error(`${file} has no records${source.format === 'json' ? ', or no list of users' : ''}.`);
        bytesBefore += (await stat(file)).size;
      }
    } finally {
      await Promise.all(sides.map((side) => side.close()));
    }
  }
}

const hasId = (record: VendorRecord, { id }: Source): boolean =>
  record[id] !== undefined && record[id] !== null && record[id] !== '';

/** A file of another vendor or form must not be taken for one of which each record is rejected. */
function requireFileOf(source: Source, file: string, record: VendorRecord | UnreadableRecord): void {
  const isUnreadable = record instanceof UnreadableRecord;
  if (!isUnreadable && hasId(record, source)) return;
  const fault = isUnreadable ? `${record.field} ${record.message}`.trim() : `has no ${source.id}`;
  throw new Error(`${file} is no file of users of ${source.name}: its first record ${fault}.`);
}

async function allOf(side: SideFile, keys: readonly string[]): Promise<readonly VendorRecord[]> {
  return (await Promise.all(keys.map((key) => side.find(key)))).flat();
}

async function requireOwnReport(report: string, files: readonly string[]): Promise<void> {
  const there = await stat(report).catch(() => null);
  for (const file of there ? files : []) {
    const { dev, ino } = await stat(file);
    if (there?.dev === dev && there.ino === ino)
      throw new Error(`${report} is to be the report, and is one of the files of users.`);
  }
}

const NOT_READ: RowOfImport = { externalId: null, faults: [] };

const mainFiles = ({ source, files }: FilesToImport): readonly string[] =>
  source.sides || source.parameters ? files.slice(0, 1) : files;

function unreadable(error: unknown, record: VendorRecord | UnreadableRecord, source: Source): RowOfImport {
  const message = error instanceof UnreadableRecord ? error.message : 'is not as the vendor documents it';
  if (!(error instanceof UnreadableRecord) && !(error instanceof TypeError)) throw error;
  const field = error instanceof UnreadableRecord ? error.field : '';
  const id: unknown = record instanceof UnreadableRecord ? undefined : record[source.id];
  return { externalId: typeof id === 'string' ? id : null, faults: [{ field, rule: 'format', message }] };
}

/** The lines of the report about a row: what is wrong with it, and what of it was left out. */
function linesOf({ file, line, notes }: Row, { externalId, outcome, errors }: ImportResult): readonly string[] {
  return [...errors, ...notes].map(({ field, rule, message }) => {
    const sentence = `${field || 'The record'} ${message}.`;
    return `${JSON.stringify({ file, line, external_id: externalId ?? '', outcome, field, rule, message: sentence })}\n`;
  });
}

async function stateOf(report: string, of: string): Promise<State | null> {
  try {
    const state = JSON.parse(await readFile(`${report}.state`, 'utf8')) as State;
    return state.of === of ? state : null;
  } catch {
    return null;
  }
}
