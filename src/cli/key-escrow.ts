import { readFile } from 'node:fs/promises';
import type { LastEscrow } from '../services/crypto/escrow/escrow-table.js';
import type { KeyEscrow, Proof } from '../services/crypto/escrow/key-escrow.js';
import { WrongUsage } from '../services/cli/arguments.js';
import { type Commands, FaultsFound, type Result } from '../services/cli/command.js';
import type { Workspace } from './workspace.js';

export const KEY_ESCROW_COMMANDS: Commands<Workspace> = {
  'keys escrow': {
    summary:
      'Write the wrapping keys of all apps to a file, sealed to the public keys in --recipients, of which a threshold together open it. Replaces no file. Exits with 1 when a key does not open; the file has all other keys. Runs beside the service.',
    options: { recipients: { type: 'string' }, out: { type: 'string' } },
    required: ['recipients', 'out'],
    async run({ recipients, out }, workspace) {
      const provider = currentOf(workspace);
      const { recipientsIn } = await import('../services/crypto/escrow/key-escrow.js');
      const known = await recipientsIn(await readFile(String(recipients), 'utf8'));
      const progress = (keys: number): void => workspace.terminal.err(`${keys} keys\n`);
      return withEscrow(workspace, async (escrow) => {
        const { named, ...written } = await escrow.write(String(out), provider, known, progress);
        const recipients = { threshold: known.threshold, recipients: known.recipients.length };
        const result = { file: String(out), ...written, ...recipients, ...namesOf(named) };
        if (written.unopened > 0) throw new FaultsFound(result);
        return result;
      });
    },
  },
  'keys escrow restore': {
    summary:
      'Prove what an escrow opens with the private keys: compares each key with the database, and writes nothing. --write wraps the keys that the present provider does not open, after its key was lost, and stores keys again whose rows are gone. Exits with 1 below the threshold, and when the file or the database lacks keys.',
    options: {
      file: { type: 'string' },
      key: { type: 'string', multiple: true },
      write: { type: 'boolean', default: false },
    },
    required: ['file', 'key'],
    async run({ file, key, write }, workspace) {
      currentOf(workspace);
      const keys = await Promise.all((key as readonly string[]).map(readPrivateKey));
      return withEscrow(workspace, async (escrow) =>
        resultOf(await escrow.prove(String(file), keys, Boolean(write)), Boolean(write)),
      );
    },
  },
};

export function escrowInWords(last: LastEscrow | null): string {
  const lost = 'without the key of the provider, all values sealed by it are lost, and so are the wallets';
  if (!last) return `No escrow of the app keys exists: ${lost}. Run: keys escrow`;
  const { createdAt, keys, threshold, recipients, newer } = last;
  const state = `The escrow of ${createdAt.toISOString()} has ${keys} keys and opens with ${threshold} of ${recipients} private keys.`;
  if (newer === 0) return state;
  return `${state} ${newer} keys were made or restored since, and it may lack them: ${lost}. Run: keys escrow`;
}

function currentOf({ config }: Workspace): string {
  const current = config.keyProviders?.current;
  if (!current)
    throw new WrongUsage(
      'An escrow is for the keys of a key provider, and KEY_PROVIDER names none. Back up MASTER_KEYS instead.',
    );
  return current;
}

async function readPrivateKey(path: string) {
  const { privateKeyIn } = await import('../services/crypto/escrow/shares.js');
  const pem = await readFile(path);
  try {
    return privateKeyIn(pem);
  } finally {
    pem.fill(0);
  }
}

function resultOf({ createdAt, named, wrapped, restored, failed, ...proof }: Proof, isWritten: boolean): Result {
  const result = {
    created_at: createdAt.toISOString(),
    ...proof,
    ...(isWritten && { wrapped, restored, failed }),
    ...namesOf(named),
  };
  const faults = proof.missing + (isWritten ? failed : proof.gone);
  if (faults > 0) throw new FaultsFound(result);
  return result;
}

function namesOf(named: ReadonlySet<string>): Result {
  return named.size > 0 ? { named: [...named].join(' ') } : {};
}

/** Works without the service, which does not start when the key of the provider is lost. */
async function withEscrow(workspace: Workspace, work: (escrow: KeyEscrow) => Promise<Result>): Promise<Result> {
  const [{ KeyProviders }, { KeyEscrow }, { EscrowTable }] = await Promise.all([
    import('../services/crypto/providers/key-providers.js'),
    import('../services/crypto/escrow/key-escrow.js'),
    import('../services/crypto/escrow/escrow-table.js'),
  ]);
  const providers = KeyProviders.configured(workspace.config.keyProviders);
  try {
    return await workspace.withDatabase((database) => work(new KeyEscrow(providers, new EscrowTable(database))));
  } finally {
    providers.onApplicationShutdown();
  }
}
