/** The log and the table of jobs hold no secrets: addresses, codes and tokens become `…`. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  const message = error.message.slice(0, 1000).replace(/\S*@\S*|\+?\d{4,}|[\w.~%/+=-]{20,}/g, '…');
  return `${error.name}${typeof code === 'string' ? ` ${code}` : ''}: ${message}`.slice(0, 300);
}
