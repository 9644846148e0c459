import { createPublicKey, type KeyObject } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import type { Database } from '../../postgres/database.js';
import type { Transactions } from '../../kernel/transactions.js';
import { parseAppId, WrongUsage } from '../../services/cli/arguments.js';
import { type Commands, FaultsFound, type Result, type Values } from '../../services/cli/command.js';
import { BY_CLI } from '../../services/cli/requester.js';
import type { Findings } from './application/verify-chains.js';
import type { headInLine, ServiceHead } from './domain/service-head.js';

const APP = { app: { type: 'string' } } as const;
const NO_APP = 'none';

export const AUDIT_COMMANDS: Commands = {
  'audit verify': {
    summary:
      'Verify the chains of the audit log, also against a head from the log (--head <line>), or an export (--file) with the public keys (--public-key). Exits with 1 and names the first broken link of each chain.',
    options: { ...APP, head: { type: 'string' }, file: { type: 'string' }, 'public-key': { type: 'string' } },
    async run({ app, head, file, 'public-key': publicKey }, workspace) {
      const [{ VerifyChains, verifyExport }, { headInLine }] = await Promise.all([
        import('./application/verify-chains.js'),
        import('./domain/service-head.js'),
      ]);
      const progress = (line: string): void => workspace.terminal.err(`${line}\n`);
      if (file === undefined) {
        const [chain, logged] = [parseChain(app), parseHead(head, headInLine)];
        const verify = (await workspace.service()).get(VerifyChains);
        return resultOf(await verify.execute(chain, progress, logged));
      }
      if (publicKey === undefined) throw new WrongUsage('--file needs --public-key.');
      const keys = keysIn(await readFile(String(publicKey), 'utf8'));
      const lines = (await open(String(file))).readLines();
      return resultOf(await verifyExport(lines, keys, progress));
    },
  },
  'audit export': {
    summary:
      'Print the audit log as JSON Lines. --app none stands for the entries that name no app; --after <number> goes on after an entry.',
    options: { ...APP, after: { type: 'string' } },
    async run({ app, after }, workspace) {
      const { out, drained } = workspace.terminal;
      if (after !== undefined && app === undefined) throw new WrongUsage('--after needs --app.');
      const [chain, number] = [parseChain(app), parseNumber(after)];
      const { ExportChains } = await import('./application/export-chains.js');
      const lines = (await workspace.service()).get(ExportChains).execute(chain, number);
      for await (const line of lines) {
        out(`${line}\n`);
        await drained?.();
      }
    },
  },
  'audit public-key': {
    summary: 'Print the public keys that verify the checkpoints of the audit log, as PEM.',
    async run(_, workspace) {
      const { AuditKeys } = await import('./application/audit-keys.js');
      const keys = await (await workspace.service()).get(AuditKeys).publicKeys();
      for (const key of keys.values()) workspace.terminal.out(key.export({ format: 'pem', type: 'spki' }).toString());
    },
  },
  'audit rotate-key': {
    summary: 'Create the key that signs checkpoints of the audit log from now on. Earlier checkpoints stay valid.',
    async run(_, workspace) {
      const { AuditKeys } = await import('./application/audit-keys.js');
      return { key_id: await (await workspace.service()).get(AuditKeys).rotate() };
    },
  },
};

/** Enters acts on the whole service that a command carries out without it, in this order. */
export async function enter(database: Database, transactions: Transactions, actions: readonly string[]): Promise<void> {
  const [{ PostgresAuditEntries }, { newId }, { SystemClock }] = await Promise.all([
    import('./infrastructure/postgres-audit-entries.js'),
    import('../../kernel/ids.js'),
    import('../../services/system-clock.js'),
  ]);
  const createdAt = new SystemClock().now();
  const act = { ...BY_CLI, appId: '', targetId: 'service', fields: [], errorType: null, calls: 1, createdAt };
  await new PostgresAuditEntries(database, transactions).add(
    actions.map((action) => ({ ...act, id: newId('auditEntry'), action, outcome: 'ok' as const })),
  );
}

/** Null for all chains, empty text for that of no app. */
function parseChain(app: Values[string]): string | null {
  if (app === undefined) return null;
  return app === NO_APP ? '' : parseAppId(app);
}

function parseHead(line: Values[string], read: typeof headInLine): ServiceHead | null {
  if (line === undefined) return null;
  try {
    return read(String(line));
  } catch {
    throw new WrongUsage('--head must be a line of the log with "audit_head".');
  }
}

function parseNumber(text: Values[string]): number {
  if (text === undefined) return 0;
  if (!/^\d{1,15}$/.test(String(text))) throw new WrongUsage('--after must be the number of an entry.');
  return Number(text);
}

function keysIn(pem: string): KeyObject[] {
  const keys = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  if (keys.length === 0) throw new WrongUsage('--public-key must name a file with public keys in PEM.');
  return keys.map((key) => createPublicKey(key));
}

function resultOf({ faults, ...counts }: Findings): Result {
  if (counts.broken === 0) return { ...counts };
  const named = faults.map(({ appId, number, difference }) => [`${appId || 'no app'} #${number}`, difference] as const);
  throw new FaultsFound({ ...counts, ...Object.fromEntries(named) });
}
