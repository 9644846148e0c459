import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/dev/free-port.js';
import { eventually } from '../support/eventually.js';

const RULES = join(import.meta.dirname, '../../docker/alerts/rules.yaml');

export interface ActiveAlert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
}

/** Prometheus with the rules of the repository, which reads the metrics of services once a second. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    private readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const targets = join(folder, 'targets.json');
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [{ job_name: 'drill', file_sd_configs: [{ files: [targets], refresh_interval: '1s' }] }],
    };
    writeFileSync(targets, '[]');
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const kill = (): boolean => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const started = new Prometheus(`http://${address}`, folder, child);
    await eventually(async () => expect((await fetch(`${started.url}/-/ready`)).status).toBe(200));
    return started;
  }

  /** Reads the metrics of these services from now on. Resolves when each has been read twice. */
  async watch(...services: readonly { readonly url: string }[]): Promise<void> {
    const targets = services.map(({ url }) => new URL(url).host);
    const file = join(this.folder, 'targets.json');
    writeFileSync(`${file}.new`, JSON.stringify([{ targets }]));
    renameSync(`${file}.new`, file);
    await eventually(async () => {
      const found = await this.get<{ result: { metric: { instance: string }; value: [number, string] }[] }>(
        '/api/v1/query?query=count_over_time(service_ready[1m])',
      );
      const reads = new Map(found.result.map(({ metric, value }) => [metric.instance, Number(value[1])]));
      for (const target of targets) expect(reads.get(target)).toBeGreaterThan(1);
    });
  }

  async active(): Promise<readonly ActiveAlert[]> {
    return (await this.get<{ alerts: ActiveAlert[] }>('/api/v1/alerts')).alerts;
  }

  /** How many series of the query of a panel have a number. Throws when Prometheus refuses it. */
  async seriesOf(expression: string): Promise<number> {
    const query = expression.replaceAll('$__rate_interval', '1m');
    const path = `/api/v1/query?${new URLSearchParams({ query })}`;
    const { result } = await this.get<{ result: { value: [number, string] }[] }>(path);
    return result.filter(({ value: [, number] }) => number !== 'NaN').length;
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async get<T>(path: string): Promise<T> {
    const response = await fetch(this.url + path);
    if (!response.ok) throw new Error(`Prometheus answered ${response.status} to ${path}: ${await response.text()}`);
    return ((await response.json()) as { data: T }).data;
  }
}
