// Installs SoftHSM 2, a PKCS#11 module in software, for the tests of key providers, where that takes no password: as root on Debian or
// Ubuntu. Elsewhere, and without a network, it says what is missing.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const succeeds = (command, ...args) => spawnSync(command, args, { stdio: 'ignore', timeout: 60_000 }).status === 0;
const isInstalled = () => succeeds('softhsm2-util', '--version');

if (!isInstalled() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  const install = ['install', '-y', '--no-install-recommends', 'softhsm2'];
  if (!succeeds('apt-get', ...install) && succeeds('apt-get', 'update')) succeeds('apt-get', ...install);
}
const addOn = fileURLToPath(new URL('../node_modules/pkcs11js/build/Release/pkcs11.node', import.meta.url));
if (!isInstalled()) console.error('SoftHSM 2 is not installed, so the tests of PKCS#11 are skipped.');
else if (!existsSync(addOn))
  console.error(
    'pkcs11js was not built (Python, make and a C++ compiler are needed), so the tests of PKCS#11 are skipped.',
  );
