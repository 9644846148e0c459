/** Where to send a request, and user and password as a header: `fetch` refuses to take them from the URL. */
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
