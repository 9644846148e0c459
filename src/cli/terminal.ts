/** Where a command writes: results to `out`, progress and errors to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export const PROCESS_TERMINAL: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};
