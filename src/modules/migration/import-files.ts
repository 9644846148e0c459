import { Injectable } from '@nestjs/common';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { Clock, epochSeconds } from '../../kernel/clock.js';
import type { FieldError } from '../../kernel/domain-error.js';
import type { AppId, UserId } from '../../kernel/ids.js';
import { otherCalls } from '../../kernel/other-calls.js';
import type { Requester } from '../../kernel/requester.js';
import { AppsFacade } from '../apps/index.js';
import { lockOf } from './lock-file.js';
import { DiskIndex } from './sources/disk-index.js';
import { recordsOf, SideFile, UnreadableFile } from './sources/records.js';
import { type Source, UnreadableRecord, type VendorRecord } from './sources/source.js';
import type { Candidate, EarlierNames } from './application/batch-of-users.js';
import {
  type ImportOptions,
  type ImportResult,
  ImportUsers,
  type RowCheck,
  type RowOfImport,
} from './application/import-users.js';

/** The maximum of one transaction. Two batches are in memory, where the garbage collector copies larger ones for longer. */
const BATCH = 200;
const BYTES_OF_BATCH = 2 * 1024 * 1024;

/** Rows are read for this long before the responses of the database. */
const READING_MS = 2;

export interface FilesToImport {
  readonly appId: AppId;
  readonly source: Source;
  readonly files: readonly string[];
  readonly report: string;
  readonly isDryRun: boolean;
}

export interface Progress {
  readonly records: number;
  readonly imported: number;
  readonly skipped: number;
  readonly failed: number;
}

/** Called for each batch; `share` is between 0 and 1. */
export type Watch = (progress: Progress & { readonly share: number }) => void;

interface Row {
  readonly file: string;
  readonly line: number;
  readonly bytes: number;
  readonly read: () => RowOfImport;
  readonly notes: FieldError[];
}

type CheckedRow = Pick<Row, 'file' | 'line' | 'notes'> & { readonly candidate: Candidate };

interface State extends Progress {
  readonly of: string;
  readonly reportBytes: number;
  /** A user of the last batch, who shows whether it was stored; null if it added none. */
  readonly added: UserId | null;
}

type ReadRow = (row: object) => RowOfImport;

@Injectable()
export class ImportFiles {
  constructor(
    private readonly apps: AppsFacade,
    private readonly users: ImportUsers,
    private readonly clock: Clock,
  ) {}

  /**
   * Continues an interrupted import of the same files. The state of a batch is written beside the report before its transaction
   * commits, and replaces the earlier state afterwards; after a crash between them the database shows whether the batch was stored.
   */
  async execute(by: Requester, asked: FilesToImport, readRow: ReadRow, watch: Watch): Promise<Progress> {
    const { appId, report, isDryRun } = asked;
    await this.apps.requireLive(appId);
    await requireOwnReport(report, asked.files);
    // Two imports with one report would cut off each other's lines.
    const release = await lockOf(report);
    const names = isDryRun ? new DiskIndex(report) : null;
    try {
      return await this.import(by, asked, readRow, watch, names ? earlierNames(names) : undefined);
    } finally {
      names?.close();
      await release();
    }
  }

  private async import(
    by: Requester,
    asked: FilesToImport,
    readRow: ReadRow,
    watch: Watch,
    earlier: EarlierNames | undefined,
  ): Promise<Progress> {
    const { appId, source, report, isDryRun } = asked;
    const options: ImportOptions = {
      // A restored export is found by its ids.
      onConflict: source.keepsIds ? 'skip' : 'fail',
      isDryRun,
      publishes: false,
      keepsIds: source.keepsIds ?? false,
      revives: false,
      ...(earlier && { earlier }),
    };
    const stats = await Promise.all(asked.files.map((file) => stat(file)));
    const sizes = stats.map(({ size }) => size);
    const times = stats.map(({ mtimeMs }) => mtimeMs);
    const of = JSON.stringify([appId, source.name, asked.files, sizes, times, isDryRun]);
    const none: State = { of, reportBytes: 0, added: null, records: 0, imported: 0, skipped: 0, failed: 0 };
    // A dry run begins anew: what its earlier batches would have stored is nowhere.
    let state = (isDryRun ? null : await this.stateOf(appId, report, of)) ?? none;
    await writeFile(report, '', { flag: 'a', mode: 0o600 });
    // It is shorter if the report of the interrupted import was moved away.
    state = { ...state, reportBytes: Math.min(state.reportBytes, (await stat(report)).size) };
    await truncate(report, state.reportBytes);

    const stored = state.records;
    const store = async (batch: readonly CheckedRow[], share: number): Promise<void> => {
      let next = state;
      const record = (results: readonly ImportResult[]): void => {
        const lines = results.flatMap((result, index) => linesOf(batch[index]!, result)).join('');
        next = stateAfter(state, results, Buffer.byteLength(lines));
        truncateSync(report, state.reportBytes);
        appendFileSync(report, lines);
        writeFileSync(`${report}.state.new`, JSON.stringify(next));
      };
      const candidates = batch.map(({ candidate }) => candidate);
      await this.users.store(by, appId, candidates, options, record);
      await rename(`${report}.state.new`, `${report}.state`);
      state = next;
      watch({ ...state, share });
    };
    const bytesInAll = sizes.slice(0, mainFiles(asked).length).reduce((sum, size) => sum + size, 0);
    let storing = Promise.resolve();
    let [batch, seen, begin, since] = [[] as CheckedRow[], 0, 0, performance.now()];
    let check: RowCheck;
    const storeNext = async (bytes: number): Promise<void> => {
      await storing;
      storing = store(batch, bytes / Math.max(1, bytesInAll));
      // The fault is thrown where the promise is awaited.
      storing.catch(() => {});
      batch = [];
    };
    try {
      for await (const { file, line, bytes, read, notes } of this.rows(asked, readRow)) {
        if ((seen += 1) <= stored) continue;
        if (batch.length === BATCH || (batch.length > 0 && bytes - begin > BYTES_OF_BATCH)) await storeNext(bytes);
        if (batch.length === 0) [begin, check] = [bytes, await this.users.check(appId, options)];
        batch.push({ file, line, notes, candidate: check!(read()) });
        if (performance.now() - since < READING_MS) continue;
        await otherCalls();
        since = performance.now();
      }
    } catch (error) {
      await storing;
      if (error instanceof UnreadableFile) {
        const { file, line, rule, message } = error;
        appendFileSync(report, reportLine({ file, line, field: '', rule, message: `${message}.` }, null, 'failed'));
      }
      throw error;
    }
    if (batch.length > 0) await storeNext(bytesInAll);
    await storing;
    await Promise.all(['', '.new'].map((end) => rm(`${report}.state${end}`, { force: true })));
    const { records, imported, skipped, failed } = state;
    return { records, imported, skipped, failed };
  }

  private async stateOf(appId: AppId, report: string, of: string): Promise<State | null> {
    const next = await stateIn(`${report}.state.new`, of);
    if (next && (next.added === null || (await this.users.hasAdded(appId, next.added)))) return next;
    return stateIn(`${report}.state`, of);
  }

  private async *rows(asked: FilesToImport, readRow: ReadRow): AsyncGenerator<Row> {
    const { appId, source, files, report } = asked;
    const further = files.slice(mainFiles(asked).length);
    const parameters = source.parameters && further[0] ? source.parameters(await readFile(further[0], 'utf8')) : {};
    const settings = await this.apps.moduleSettings<{ readonly rpId: string }>(appId, 'webauthn');
    const [rpId, now] = [settings?.rpId ?? null, epochSeconds(this.clock.now())];
    const sides: SideFile[] = [];
    let bytesBefore = 0;
    try {
      for (const [index, side] of (source.sides ?? []).entries())
        if (further[index] !== undefined) sides.push(await SideFile.of(further[index], side, report));
      for (const file of mainFiles(asked)) {
        let count = 0;
        for await (const { line, offset, record } of recordsOf(file, source.format)) {
          count += 1;
          if (count === 1) requireFileOf(source, file, record);
          const notes: FieldError[] = [];
          const made = (): RowOfImport => {
            if (record instanceof UnreadableRecord) throw record;
            if (!hasId(record, source)) throw new UnreadableRecord(source.id, 'is missing');
            const keys = sides.length > 0 ? [...new Set(source.keysOf!(record))] : [];
            const found = sides.map((side) => keys.flatMap((key) => side.find(key)));
            const leaveOut = (field: string, message: string) => void notes.push({ field, rule: 'left_out', message });
            return readRow(source.row(record, { sides: found, parameters, rpId, now, leaveOut }));
          };
          const read = (): RowOfImport => {
            try {
              return made();
            } catch (error) {
              return unreadable(error, record, source);
            }
          };
          yield { file, line, bytes: bytesBefore + offset, read, notes };
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

function stateAfter(before: State, results: readonly ImportResult[], bytes: number): State {
  const count = (outcome: ImportResult['outcome']) => results.filter((each) => each.outcome === outcome).length;
  return {
    of: before.of,
    reportBytes: before.reportBytes + bytes,
    added: results.find(({ outcome }) => outcome === 'imported')?.userId ?? null,
    records: before.records + results.length,
    imported: before.imported + count('imported'),
    skipped: before.skipped + count('skipped'),
    failed: before.failed + count('failed'),
  };
}

const hasId = (record: VendorRecord, { id }: Source): boolean =>
  record[id] !== undefined && record[id] !== null && record[id] !== '';

/** A file of another vendor or form would otherwise have each record rejected. */
function requireFileOf(source: Source, file: string, record: VendorRecord | UnreadableRecord): void {
  const isUnreadable = record instanceof UnreadableRecord;
  if (!isUnreadable && hasId(record, source)) return;
  const fault = isUnreadable ? `${record.field} ${record.message}`.trim() : `has no ${source.id}`;
  throw new Error(`${file} is no file of users of ${source.name}: its first record ${fault}.`);
}

async function requireOwnReport(report: string, files: readonly string[]): Promise<void> {
  const there = await stat(report).catch(() => null);
  for (const file of there ? files : []) {
    const { dev, ino } = await stat(file);
    if (there?.dev === dev && there.ino === ino)
      throw new Error(`${report} is to be the report, and is one of the files of users.`);
  }
}

const mainFiles = ({ source, files }: FilesToImport): readonly string[] =>
  source.sides || source.parameters ? files.slice(0, 1) : files;

function unreadable(error: unknown, record: VendorRecord | UnreadableRecord, source: Source): RowOfImport {
  const message = error instanceof UnreadableRecord ? error.message : 'is not as the vendor documents it';
  if (![UnreadableRecord, TypeError, RangeError].some((kind) => error instanceof kind)) throw error;
  const field = error instanceof UnreadableRecord ? error.field : '';
  const id: unknown = record instanceof UnreadableRecord ? undefined : record[source.id];
  return { externalId: typeof id === 'string' ? id : null, faults: [{ field, rule: 'format', message }] };
}

function linesOf({ file, line, notes }: CheckedRow, { externalId, outcome, errors }: ImportResult): readonly string[] {
  return [...errors, ...notes].map(({ field, rule, message }) =>
    reportLine({ file, line, field, rule, message: `${field || 'The record'} ${message}.` }, externalId, outcome),
  );
}

function reportLine(
  { file, line, field, rule, message }: FieldError & { readonly file: string; readonly line: number },
  externalId: string | null,
  outcome: ImportResult['outcome'],
): string {
  // Both may have a whole cell of the file.
  const texts = { external_id: (externalId ?? '').slice(0, 255), message: message.slice(0, 500) };
  return `${JSON.stringify({ file, line, ...texts, outcome, field, rule })}\n`;
}

const [PROVED, LABEL] = [1, 2];

/** A label may be proved later, so a name may have two entries. */
const earlierNames = (names: DiskIndex): EarlierNames => ({
  add: (name, isLabel) => names.add(name, { size: isLabel ? LABEL : PROVED, place: 0 }),
  isLabel: (name) => {
    const entries = names.find(name);
    return entries.length === 0 ? undefined : entries.every(({ size }) => size === LABEL);
  },
});

async function stateIn(path: string, of: string): Promise<State | null> {
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as State;
    return state.of === of ? state : null;
  } catch {
    return null;
  }
}
