import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** An operator who follows "After a restore or a failover" of the runbook, with the command line alone. */
export class Operator {
  /** Every line that `transfers reconcile` has printed. */
  readonly listed = new Set<string>();
  releases = 0;

  constructor(private readonly env: () => Readonly<Record<string, string>>) {}

  /** One round. Returns the number of queues that are not settled yet. */
  async reconcile(): Promise<number> {
    const lines = await this.run('transfers', 'reconcile', '--apply');
    lines.forEach((line) => this.listed.add(line));
    // Adopting needs no decision. A queue is released only when everything that is listed makes no open transfer.
    const left = await this.run('transfers', 'reconcile');
    left.forEach((line) => this.listed.add(line));
    const isDecided = left.some((line) => /makes no open transfer|paid, no transfer/.test(line));
    const isOpen = left.some((line) => /makes one of|makes transfer_/.test(line));
    if (isDecided && !isOpen) {
      this.releases += 1;
      const reason = ['--reason', 'The apps know of the lost transfers.'];
      // It compares again, and lists what has entered a block since.
      const released = await this.run('transfers', 'reconcile', '--release', ...reason);
      released.forEach((line) => this.listed.add(line));
    }
    return Number(/^queues\s+(\d+)/m.exec(left.join('\n'))?.[1] ?? NaN);
  }

  /** Lists what the chain shows of these wallets, as after a copy of the data directory, which keeps its history. */
  async list(wallets: readonly string[]): Promise<void> {
    for (const wallet of wallets)
      (await this.run('transfers', 'reconcile', '--wallet', wallet)).forEach((line) => this.listed.add(line));
  }

  async doctor(): Promise<string> {
    const lines = await this.run('doctor', '--chains').catch((error: Error) => [error.message]);
    return lines.find((line) => /books/.test(line)) ?? '';
  }

  private async run(...args: string[]): Promise<string[]> {
    const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
      env: { PATH: process.env['PATH'], ...this.env() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${out}${err}`);
    return out.split('\n').filter((line) => line !== '');
  }
}
