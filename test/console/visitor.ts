import { mkdirSync } from 'node:fs';
import { source as axeSource } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { ManagementRole } from '../../src/kernel/management-role.js';
import { ManagementKeys } from '../../src/modules/apps/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { ensureBuilt } from '../support/built.js';
import { freePort } from '../../src/dev/free-port.js';
import { MOST_MS } from './chromium.js';

/** The service with the built console. */
export async function startConsole(): Promise<TestApp> {
  return startApp({ env: await consoleSettings() });
}

/** Builds the console. With these settings the service listens at its BASE_URL: a browser gets the cookie only there. */
export async function consoleSettings(): Promise<Record<string, string>> {
  await ensureBuilt();
  const port = String(await freePort());
  return { PORT: port, HOST: '127.0.0.1', BASE_URL: `http://127.0.0.1:${port}` };
}

export async function managementKey(app: TestApp, role: ManagementRole): Promise<string> {
  const { key } = await app.nest
    .get(ManagementKeys)
    .create({ actor: 'cli', requestId: null, ip: null }, { name: role, role, expiresAt: null });
  return key;
}

const OUTPUT = 'coverage/console';
/** A busy machine takes seconds to draw a page. */
const SHOWN_MS = 10_000;

const OPTIONS = "resultTypes: ['violations'], preload: false";
/**
 * A fault of a width is there in either scheme, and one of a scheme at either width: two runs find both. The third looks at what a narrow
 * screen hides, such as a menu at the side, for which only the colours of the dark scheme are left.
 */
const sights = (known: readonly string[]) =>
  [
    {
      colorScheme: 'light',
      width: 1280,
      run: `${axeSource};axe.run({ exclude: ${JSON.stringify(known)} }, { ${OPTIONS} })`,
    },
    {
      colorScheme: 'dark',
      width: 375,
      run: `hidden = [...document.querySelectorAll('body *')].filter((each) => !each.checkVisibility() && each.parentElement.checkVisibility());
        axe.run({ exclude: ${JSON.stringify(known)} }, { ${OPTIONS} })`,
    },
    {
      colorScheme: 'dark',
      width: 1280,
      run: `hidden = hidden.filter((each) => each.checkVisibility() && !each.matches(${JSON.stringify(known.join() || '*:not(*)')}));
        (hidden.length === 0
          ? Promise.resolve({ violations: [] })
          : axe.run(hidden, { ${OPTIONS}, runOnly: ['color-contrast', 'link-in-text-block'] }))`,
    },
  ] as const;

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** A browser profile with one tab or more. It notes everything that a page must not do. */
export class Visitor {
  readonly faults: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly app: Pick<TestApp, 'url'>,
  ) {}

  static async arrive(
    browser: Browser,
    app: Pick<TestApp, 'url'>,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      // Without a locale of the machine Chromium has one that is none.
      locale: 'en-US',
      ...options,
    });
    const visitor = new Visitor(context, await context.newPage(), app);
    visitor.watch(visitor.page);
    return visitor;
  }

  /** Ends the visit, and returns its faults. */
  async leave(): Promise<readonly string[]> {
    await this.context.close();
    return this.faults;
  }

  async newTab(): Promise<Page> {
    const page = await this.context.newPage();
    this.watch(page);
    return page;
  }

  private watch(page: Page): void {
    page.setDefaultTimeout(MOST_MS);
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // Chromium reports violations of the policy here, and also each refused call, which tests provoke.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        this.faults.push(message.text());
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== this.app.url) this.faults.push(`another host: ${request.url()}`);
    });
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.app.url}${path}`);
  }

  async signIn(key: string, path = '/console'): Promise<void> {
    await this.open(path);
    await this.page.getByLabel('Management key').fill(key);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  /** The findings of axe on the page as it stands, on wide and narrow screens and in both schemes. `known` selects what is known to have none. */
  async axe(known: readonly string[] = []): Promise<string[]> {
    const found: string[] = [];
    for (const { colorScheme, width, run } of sights(known)) {
      await this.page.setViewportSize({ width, height: 900 });
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await this.drawn();
      const violations = (await this.evaluate(`${run}.then(({ violations }) => violations)`)) as Finding[];
      for (const { id, nodes } of violations)
        found.push(
          `${new URL(this.page.url()).pathname} ${colorScheme} ${width} ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
        );
    }
    await this.page.setViewportSize({ width: 1280, height: 900 });
    return found;
  }

  /** Until the page has followed a change of its scheme and shows what it loads. */
  async drawn(): Promise<void> {
    await this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const waits = this.page.locator('main[aria-busy=true], [role=status]:has-text("Loading")');
    await waits.first().waitFor({ state: 'detached' });
  }

  /** Screenshots, and what is wrong with the page: findings of axe, and a page that is wider than a screen of 320 pixels. */
  async findings(name: string, known?: readonly string[]): Promise<string[]> {
    await this.screenshot(name);
    const found = await this.axe(known);
    return [...found, ...(await this.overflow()).map((element) => `${name} is wider than 320 pixels: ${element}`)];
  }

  /** Fails the test for each finding. */
  async inspect(name: string): Promise<void> {
    const findings = await this.findings(name);
    if (findings.length > 0) throw new Error(findings.join('\n'));
  }

  /** Loads the page again until it shows a text. Some changes are on it only a moment later. */
  async untilShown(text: string): Promise<void> {
    await eventually(async () => {
      await this.page.reload();
      // Before its code has come, a page does not say that it loads.
      const shown = this.page.getByText(text, { exact: true }).first();
      await shown.waitFor({ state: 'attached', timeout: SHOWN_MS }).catch(() => undefined);
      expect(await shown.count()).toBe(1);
    });
  }

  /** With SCREENSHOTS=1: the whole page as a wide light and a narrow dark screen show it. */
  async screenshot(name: string): Promise<void> {
    if (!process.env['SCREENSHOTS']) return;
    mkdirSync(OUTPUT, { recursive: true });
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [375, 'dark'],
    ] as const) {
      await this.page.setViewportSize({ width, height: 900 });
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await this.page.screenshot({ path: `${OUTPUT}/${name}-${width}.png`, fullPage: true });
    }
    await this.page.setViewportSize({ width: 1280, height: 900 });
  }

  /** The texts and controls that do not fit a screen of 320 pixels, if the page can be scrolled sideways there. */
  async overflow(): Promise<string[]> {
    await this.page.setViewportSize({ width: 320, height: 700 });
    const found = await this.evaluate(`(() => {
      const pixels = document.documentElement.scrollWidth - innerWidth;
      if (pixels <= 0) return [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const wide = [];
      for (const range = document.createRange(); texts.nextNode();) {
        range.selectNodeContents(texts.currentNode);
        const { right } = range.getBoundingClientRect();
        if (right > innerWidth && !texts.currentNode.parentElement.closest('thead')) wide.push(texts.currentNode.parentElement);
      }
      const controls = [...document.querySelectorAll('input, select, textarea, button, iframe, svg')];
      wide.push(...controls.filter((control) => control.getBoundingClientRect().right > innerWidth));
      return [pixels + ' pixels', ...wide.map(({ outerHTML }) => outerHTML.slice(0, 200))];
    })()`);
    await this.page.setViewportSize({ width: 1280, height: 900 });
    return found as string[];
  }

  /** The label or the text of what has the focus. */
  async focusedName(): Promise<string> {
    return (await this.evaluate(
      '(({ labels, innerText, firstChild } = document.activeElement) => (labels?.[0] ?? { firstChild }).firstChild?.textContent?.trim() || innerText)()',
    )) as string;
  }

  /** Runs a script by the debugger protocol, to which the policy of the page does not apply. */
  async evaluate(expression: string): Promise<unknown> {
    const protocol = await this.context.newCDPSession(this.page);
    const { result, exceptionDetails } = await protocol.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    await protocol.detach();
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as unknown;
  }
}
