import type { Browser, Page } from 'playwright-core';

/** Operations of several sizes, by their tag. */
const OPENED = [
  ['passcodes', 'otp_verify'],
  ['users', 'user_get'],
  ['transfers', 'transfer_create'],
  ['wallets', 'wallet_signTypedData'],
  ['management: apps', 'apps_update'],
] as const;

export interface PageTimes {
  /** Milliseconds until Swagger UI shows operations, in a new browser profile. It draws those further down when they are scrolled to. */
  readonly list: readonly number[];
  /** Milliseconds from a click on an operation until its parameters and responses are shown. */
  readonly opening: readonly number[];
  /** Milliseconds until the console shows its sign-in, in a new browser profile. */
  readonly console: readonly number[];
}

/** Measures pages of the service as a reader waits for them, `rounds` times. */
export async function measurePages(browser: Browser, url: string, rounds: number): Promise<PageTimes> {
  const times = { list: [] as number[], opening: [] as number[], console: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' });
    const page = await context.newPage();
    times.console.push(
      await millisecondsOf(async () => {
        await page.goto(`${url}/console`);
        await page.getByLabel('Management key').waitFor();
      }),
    );
    times.list.push(
      await millisecondsOf(async () => {
        await page.goto(`${url}/docs`);
        await page.locator('.opblock-summary').first().waitFor();
      }),
    );
    times.opening.push(await opening(page, round));
    await context.close();
  }
  return times;
}

async function opening(page: Page, round: number): Promise<number> {
  const [tag, id] = OPENED[round % OPENED.length]!;
  await page.locator('.operation-filter-input').fill(tag);
  const operation = page.locator(`.opblock[id$="-${id}"]`);
  await operation.waitFor();
  return millisecondsOf(async () => {
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-table').waitFor();
  });
}

async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
