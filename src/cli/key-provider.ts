import { MASTER_KEYS } from '../services/config/key-providers.js';
import { WrongUsage } from '../services/cli/arguments.js';
import { type Commands, FaultsFound, type Result } from '../services/cli/command.js';
import { escrowInWords } from './key-escrow.js';
import type { KeyPlace, Wrapped } from '../services/crypto/key-provider.js';
import type { Workspace } from './workspace.js';

export const KEY_PROVIDER_COMMANDS: Commands<Workspace> = {
  'keys status': {
    summary:
      'Show the key provider, whether it works, and how many apps and values each key has. Exits with 1 if it fails.',
    async run(_, workspace) {
      const [{ KeyProviders }, { KeyStatus }, { Rewrapping }] = await Promise.all([
        import('../services/crypto/providers/key-providers.js'),
        import('../services/crypto/key-status.js'),
        import('../services/crypto/rewrapping.js'),
      ]);
      const service = await workspace.service();
      const found: Record<string, string | number> = { provider: currentOf(workspace) };
      let isHealthy = true;
      for (const [name, provider] of service.get(KeyProviders).all) {
        const fault = await provider.health().then(
          () => null,
          (error: Error) => error.message,
        );
        isHealthy &&= fault === null;
        found[name] = fault ?? 'ok';
      }
      // After the calls above, because it begins a call to each provider without a recent one.
      const { holder, apps, escrow } = await service.get(KeyStatus).read();
      for (const [key, count] of Object.entries(apps)) found[`apps of ${key}`] = count;
      for (const { holder: by, masterKey, values } of await service.get(Rewrapping).sealedBy())
        found[`values of ${by === MASTER_KEYS ? `master key ${masterKey}` : by}`] = values;
      if (holder !== MASTER_KEYS) found['escrow'] = escrowInWords(escrow);
      if (!isHealthy) throw new FaultsFound(found);
      return found;
    },
  },
  'keys move': {
    summary:
      'Re-seal all values under the keys of the provider that KEY_PROVIDER names, while the service runs. Repeat it after an interruption. --retire also forgets the keys that seal nothing any more. To leave master keys: restart all replicas, run --retire again, and keep MASTER_KEYS until "keys status" counts no value of them. To move back, name the former provider. Exits with 1 when values do not open.',
    options: { to: { type: 'string' }, retire: { type: 'boolean', default: false } },
    required: ['to'],
    async run({ to, retire }, workspace) {
      if (to !== currentOf(workspace))
        throw new WrongUsage(
          `Values are sealed by ${currentOf(workspace)}. Set KEY_PROVIDER=${String(to)} for all replicas and for this command first.`,
        );
      const { MoveKeys } = await import('../services/crypto/move-keys.js');
      const keys = (await workspace.service()).get(MoveKeys);
      const { rewrapped, broken } = await keys.move((column, done) =>
        workspace.terminal.err(`${column}: ${done.rewrapped} moved, ${done.broken} do not open\n`),
      );
      const retired = retire && broken === 0 && { retired: (await keys.retire()).join(' ') || 'none' };
      return withoutFaults({ moved: rewrapped, broken, ...retired }, broken);
    },
  },
  'keys rewrap': {
    summary:
      "Wrap the keys of all apps by the newest version of the provider's key, while the service runs. Names the keys that do not open or that the provider refuses, and exits with 1 then.",
    async run(_, workspace) {
      const { MoveKeys } = await import('../services/crypto/move-keys.js');
      const keys = (await workspace.service()).get(MoveKeys);
      const { named, ...done } = await keys.rewrap((wrapped) => workspace.terminal.err(`${wrapped} keys wrapped\n`));
      return withoutFaults({ ...done, ...(named.length > 0 && { named: named.join(' ') }) }, named.length);
    },
  },
};

const OF_SERVICE = `
  select app_id as owner, generation, wrapped_key as "wrappedKey", key_ref as "keyRef" from wrapping_keys
   where app_id = 'service' and provider = $1 and retired_at is null order by generation desc limit 1`;

/** Whether the provider works and opens the key of the service, which is not loaded for it. */
export async function checkKeyProvider(workspace: Workspace): Promise<string> {
  const [{ KeyProviders }, { EscrowTable }] = await Promise.all([
    import('../services/crypto/providers/key-providers.js'),
    import('../services/crypto/escrow/escrow-table.js'),
  ]);
  const providers = KeyProviders.configured(workspace.config.keyProviders);
  const { current } = providers;
  try {
    if (!current) return 'ok';
    await current.health();
    return await workspace.withDatabase(async (database) => {
      for (const key of await database.list<KeyPlace & Wrapped>(OF_SERVICE, [current.name]))
        (await current.unwrap(key, key)).fill(0);
      return `ok. ${escrowInWords(await new EscrowTable(database).last(current.name))}`;
    });
  } finally {
    providers.onApplicationShutdown();
  }
}

function currentOf({ config }: Workspace): string {
  return config.keyProviders?.current ?? MASTER_KEYS;
}

function withoutFaults(result: Result, broken: number): Result {
  if (broken > 0) throw new FaultsFound(result);
  return result;
}
