import { Client } from 'pg';
import type { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import type { Measured } from './load.js';

/** Databases of their own for the service and its peers, by name. */
export async function createDatabases(postgres: EmbeddedPostgres, ...names: string[]): Promise<string[]> {
  const server = new Client({ connectionString: postgres.url });
  await server.connect();
  const urls: string[] = [];
  for (const name of names) {
    await server.query(`create database ${name}`);
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    urls.push(url.href);
  }
  await server.end();
  return urls;
}

/** Prints a table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  console.log([line(head), line(head.map((_, n) => (n === 0 ? '---' : '--:'))), ...rows.map(line), ''].join('\n'));
}

/** The cells of a table: calls per second, p50 / p99 in ms and µs of processor time, over all rounds. */
export function cellsOf(rounds: readonly Measured[], digitsOfP99 = 1): [string, string, string] {
  const of = (field: keyof Measured) => rounds.map((round) => round[field]);
  return [
    spread(of('perSecond'), 0),
    `${median(of('p50')).toFixed(1)} / ${median(of('p99')).toFixed(digitsOfP99)}`,
    String(Math.round(median(of('cpu')))),
  ];
}

/** The throughput of one variant divided by that of another, in each round. */
export function ratiosOf(ours: readonly Measured[] = [], theirs: readonly Measured[] = []): number[] {
  return ours.map(({ perSecond }, round) => perSecond / theirs[round]!.perSecond);
}

/** Median, least and most. */
export function spread(values: readonly number[], digits: number): string {
  return `${median(values).toFixed(digits)} [${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}]`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which the given part of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

/** The median of the ratios of all rounds, marked as MISSED if it is on the wrong side of the bar. */
export function verdict(ratios: readonly number[], bar: { readonly least?: number; readonly most?: number }): string {
  const missed = median(ratios) < (bar.least ?? -Infinity) || median(ratios) > (bar.most ?? Infinity);
  if (missed) process.exitCode = 1;
  return `${spread(ratios, 2)}${missed ? ' MISSED' : ''}`;
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
