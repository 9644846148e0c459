/** A browser of an authorization server: it keeps cookies by their paths, and stops at addresses of others. */
export class Browser {
  private readonly cookies = new Map<string, { readonly path: string; readonly value: string }>();

  readonly responses: Pick<Response, 'status' | 'headers'>[] = [];

  constructor(private readonly server: { readonly issuer: string }) {}

  /** Follows the URL within the service, and returns where it ends: a URL of another host, or a page. */
  async visit(
    address: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ url: URL; status: number; text: string }> {
    let url = new URL(address);
    for (let step = 0; step < 10; step++) {
      const cookie = [...this.cookies]
        .filter(([, { path }]) => url.pathname.startsWith(path))
        .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
        .join('; ');
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie, accept: 'text/html' },
        ...(form && step === 0 && { method: 'POST', body: new URLSearchParams(form) }),
      });
      this.responses.push(response);
      for (const text of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(text)!;
        const path = /path=([^;]+)/i.exec(text)![1]!;
        if (value === '') this.cookies.delete(`${name} ${path}`);
        else this.cookies.set(`${name} ${path}`, { path, value: value! });
      }
      const location = response.headers.get('location');
      if (location === null) return { url, status: response.status, text: await response.text() };
      url = new URL(location, url);
      if (!url.href.startsWith(this.server.issuer)) return { url, status: response.status, text: '' };
    }
    throw new Error('The server keeps redirecting.');
  }

  /** Sends the cookies of one path at another one from now on, as a thief can. */
  misplace(from: string, to: string): void {
    for (const [key, cookie] of this.cookies) if (cookie.path === from) this.cookies.set(key, { ...cookie, path: to });
  }

  get paths(): string[] {
    return [...this.cookies.values()].map(({ path }) => path);
  }
}
