import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

const PACKAGE = 'node_modules/@sparticuz/chromium';
const CACHE = 'node_modules/.cache';
/** How long the browser may take for one step: half of a test's time, so that a failure names the step. */
export const MOST_MS = 120_000;

/**
 * A real Chromium: the one that CHROMIUM_PATH names, else the one of the npm package, which brings the libraries that a server
 * without a desktop lacks. There is no way around a missing browser: the tests fail.
 */
export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--no-zygote', '--disable-gpu'];
  const named = process.env['CHROMIUM_PATH'];
  if (named) return chromium.launch({ executablePath: named, args, timeout: MOST_MS });
  const home = unpackedPackage();
  const env = { ...process.env, LD_LIBRARY_PATH: join(home, 'lib'), FONTCONFIG_PATH: join(home, 'fonts') };
  const options = { args, env: env as Record<string, string>, timeout: MOST_MS };
  return chromium.launch({ executablePath: join(home, 'chromium'), ...options });
}

/** Where the package is unpacked. Unpacking takes 13 s, so it is done once per version. */
function unpackedPackage(): string {
  const { version } = JSON.parse(readFileSync(`${PACKAGE}/package.json`, 'utf8')) as { version: string };
  const home = join(process.cwd(), CACHE, `chromium-${version}`);
  if (existsSync(home)) return home;
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(`${home}-`);
  const unpacked = (name: string): Buffer => brotliDecompressSync(readFileSync(`${PACKAGE}/bin/${name}.br`));
  writeFileSync(join(draft, 'chromium'), unpacked('chromium'));
  chmodSync(join(draft, 'chromium'), 0o755);
  execFileSync('tar', ['-x', '-C', draft], { input: unpacked('al2023.tar') });
  execFileSync('tar', ['-x', '-C', draft], { input: unpacked('fonts.tar') });
  writeFileSync(
    join(draft, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${home}/fonts</dir><cachedir>${home}/fonts</cachedir></fontconfig>`,
  );
  try {
    renameSync(draft, home);
  } catch (error) {
    // Another test run was first.
    rmSync(draft, { recursive: true });
    if (!existsSync(home)) throw error;
  }
  return home;
}
