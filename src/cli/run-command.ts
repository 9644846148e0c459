import { evolve } from '../kernel/entity.js';
import { COMMANDS_OF_MODULES } from '../modules/commands.js';
import { Config, ConfigurationRefused } from '../services/config/config.js';
import { APP_COMMANDS } from './apps.js';
import { parseOptions, WrongUsage } from '../services/cli/arguments.js';
import { BACKUP_COMMANDS } from './backup.js';
import { type Commands, FaultsFound } from '../services/cli/command.js';
import { DIAGNOSE_COMMANDS } from './diagnose.js';
import { DEVELOPMENT_COMMANDS } from './development.js';
import { DOCTOR_COMMANDS } from './doctor.js';
import { overview, usage } from './help.js';
import { KEY_ESCROW_COMMANDS } from './key-escrow.js';
import { KEY_PROVIDER_COMMANDS } from './key-provider.js';
import { KEY_COMMANDS } from './keys.js';
import { MAINTENANCE_COMMANDS } from './maintenance.js';
import { MANAGEMENT_KEY_COMMANDS } from './management-keys.js';
import { printError, printResult } from './output.js';
import { PROCESS_TERMINAL, type Terminal } from '../services/cli/terminal.js';
import { TRACE_COMMANDS } from './trace.js';
import { TRANSFER_COMMANDS } from './transfers.js';
import { Workspace } from './workspace.js';

const COMMANDS: Commands<Workspace> = {
  ...APP_COMMANDS,
  ...KEY_COMMANDS,
  ...KEY_PROVIDER_COMMANDS,
  ...KEY_ESCROW_COMMANDS,
  ...MANAGEMENT_KEY_COMMANDS,
  ...MAINTENANCE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...TRACE_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...DIAGNOSE_COMMANDS,
  ...DEVELOPMENT_COMMANDS,
  ...COMMANDS_OF_MODULES,
};

/** sysexits(3). */
const EX_USAGE = 64;
const EX_CONFIG = 78;

interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly terminal?: Terminal;
}

/** The exit status is 0, 1 (refused or failed), 64 (usage) or 78 (configuration). Keys go to `out` only, never to `err`. */
export async function runCommand(
  argv: readonly string[],
  { env, terminal = PROCESS_TERMINAL }: Surroundings = {},
): Promise<number> {
  const [name, ...args] = commandIn(argv);
  const isJson = argv.includes('--json');
  let workspace: Workspace | undefined;
  try {
    if (name === undefined) {
      terminal.err(overview(COMMANDS));
      return EX_USAGE;
    }
    if (name === 'help' || name.startsWith('-')) {
      terminal.out(overview(COMMANDS));
      return 0;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw new WrongUsage(`The command ${name} does not exist.`);
    const values = parseOptions(command, args);
    if (values['help']) {
      terminal.out(usage(name, command));
      return 0;
    }
    // Role `api`: a command must not run the service's background jobs.
    workspace = new Workspace(evolve<Config>(Config.read(env), { role: 'api' }), terminal);
    const result = await command.run(values, workspace);
    if (result) printResult(result, isJson, terminal);
    return 0;
  } catch (error) {
    if (error instanceof FaultsFound) printResult(error.result, isJson, terminal);
    else printError(error, isJson, terminal);
    if (error instanceof WrongUsage) return EX_USAGE;
    return error instanceof ConfigurationRefused ? EX_CONFIG : 1;
  } finally {
    await workspace?.close();
  }
}

/** The name may have up to three words. */
function commandIn(argv: readonly string[]): string[] {
  const names = [3, 2].map((words) => argv.slice(0, words).join(' '));
  const name = names.find((each) => Object.hasOwn(COMMANDS, each));
  return name === undefined ? [...argv] : [name, ...argv.slice(name.split(' ').length)];
}
