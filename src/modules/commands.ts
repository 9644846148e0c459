// The commands of modules. A file of commands loads its module only when one of them runs: a list of all commands must not start slowly.
export { IMPORT_COMMANDS } from './migration/import-command.js';
export { NETWORK_COMMANDS } from './transfer/network-commands.js';
