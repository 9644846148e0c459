import { parseArgs } from 'node:util';
import { type AppId, isId, type KeyId } from '../../kernel/ids.js';
import type { Command, Options, Values } from './command.js';

/** Exit status 64 (EX_USAGE of sysexits(3)). */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

const COMMON_OPTIONS: Options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };

export function parseOptions(
  { options = {}, required = [], operands = [] }: Omit<Command, 'run'>,
  args: string[],
): Values {
  let values: Values;
  try {
    const allowPositionals = operands.length > 0;
    const parsed = parseArgs({ args, options: { ...options, ...COMMON_OPTIONS }, strict: true, allowPositionals });
    values = parsed.values as Values;
    if (!values['help']) {
      if (parsed.positionals.length !== operands.length)
        throw new Error(`The command must be followed by ${operands.map((name) => `<${name}>`).join(' ')}.`);
      values = { ...values, ...Object.fromEntries(operands.map((name, n) => [name, parsed.positionals[n]!])) };
    }
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
  const missing = required.filter((option) => !values[option]);
  if (missing.length > 0 && !values['help']) {
    throw new WrongUsage(`Missing: ${missing.map((option) => `--${option}`).join(', ')}.`);
  }
  return values;
}

export function parseAppId(text: Values[string]): AppId {
  if (!isId('app', text)) throw new WrongUsage('--app must be the id of an app (app_…).');
  return text;
}

export function parseKeyId(text: Values[string]): KeyId {
  if (!isId('key', text)) throw new WrongUsage('--key must be the id of a key (key_…).');
  return text;
}

export function parseChoice<T extends string>(option: string, text: Values[string], allowed: readonly T[]): T {
  const choice = allowed.find((each) => each === text);
  if (choice === undefined) throw new WrongUsage(`--${option} must be ${allowed.join(' or ')}.`);
  return choice;
}

/** A time in epoch seconds or ISO 8601; null when the option is absent. */
export function parseTime(option: string, text: Values[string]): Date | null {
  if (typeof text !== 'string') return null;
  const time = new Date(/^\d+$/.test(text) ? Number(text) * 1000 : text);
  if (Number.isNaN(time.getTime())) throw new WrongUsage(`--${option} must be epoch seconds or an ISO 8601 time.`);
  return time;
}
