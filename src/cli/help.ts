import type { Command, Commands } from '../services/cli/command.js';

export function overview(commands: Commands<never>): string {
  const width = Math.max(...Object.keys(commands).map(({ length }) => length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: npm run cli -- <command> [--json] [--help]\n\n${lines.join('\n')}\n`;
}

export function usage(
  name: string,
  { summary, options = {}, required = [], operands = [] }: Omit<Command, 'run'>,
): string {
  const lines = Object.entries(options).map(([option, { type, default: standard }]) => {
    const isRequired = required.includes(option);
    const note = isRequired ? 'required' : standard === undefined ? 'optional' : `default: ${String(standard)}`;
    return `  --${option}${type === 'string' ? ' <value>' : ''}  (${note})\n`;
  });
  const words = [
    name,
    ...operands.map((operand) => `<${operand}>`),
    ...(lines.length > 0 ? ['[options]'] : []),
    '[--json]',
  ];
  return `${summary}\n\nUsage: npm run cli -- ${words.join(' ')}\n${lines.join('')}`;
}
