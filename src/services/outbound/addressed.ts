/** The URL without user and password, which become a header: `fetch` refuses a URL with credentials. */
export function addressed(text: string): {
  readonly url: string;
  readonly headers?: { readonly Authorization: string };
} {
  const url = new URL(text);
  const { username, password } = url;
  if (username === '') return { url: text };
  url.username = url.password = '';
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return { url: url.href, headers: { Authorization: `Basic ${credentials}` } };
}
