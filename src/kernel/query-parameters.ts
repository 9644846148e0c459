export function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const result = new URL(url);
  result.search = `${result.search === '' ? '?' : `${result.search}&`}${new URLSearchParams(parameters).toString()}`;
  return result.href;
}
