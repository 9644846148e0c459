import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MODULE = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
].find((path) => existsSync(path));
const PIN = '84719302';

/** The start of the database server writes this file. Without it, without SoftHSM and without its add-on the tests are skipped. */
const settings = process.env['SOFTHSM2_CONF'];
export const describeWithSoftHsm =
  MODULE && settings && existsSync('node_modules/pkcs11js/build/Release/pkcs11.node') ? describe : describe.skip;

/** Makes an AES key that never leaves the token. */
const GENERATE = `
  const pkcs11 = require('pkcs11js');
  const [module, label, pin, key, form] = process.argv.slice(1);
  const token = new pkcs11.PKCS11();
  token.load(module);
  token.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK });
  const slot = token.C_GetSlotList(true).find((each) => token.C_GetTokenInfo(each).label.trim() === label);
  const session = token.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION);
  token.C_Login(session, pkcs11.CKU_USER, pin);
  const template = [
    { type: pkcs11.CKA_LABEL, value: key },
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_PRIVATE, value: true },
    { type: pkcs11.CKA_SENSITIVE, value: true },
    { type: pkcs11.CKA_EXTRACTABLE, value: form === 'extractable' },
    { type: pkcs11.CKA_ENCRYPT, value: true },
    { type: pkcs11.CKA_DECRYPT, value: form !== 'one-way' },
    { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  ];
  token.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN, parameter: null }, template);
  token.C_Finalize();
`;

const CHANGE_PIN = `
  const pkcs11 = require('pkcs11js');
  const [module, label, pin, changed] = process.argv.slice(1);
  const token = new pkcs11.PKCS11();
  token.load(module);
  token.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK });
  const slot = token.C_GetSlotList(true).find((each) => token.C_GetTokenInfo(each).label.trim() === label);
  const session = token.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION);
  token.C_Login(session, pkcs11.CKU_USER, pin);
  token.C_SetPIN(session, pin, changed);
  token.C_Finalize();
`;

let made = 0;

/** A token of SoftHSM 2, a real PKCS#11 module that keeps its keys in files. */
export class SoftHsm {
  readonly token = `token-${process.pid}-${++made}`;
  private readonly tokens = join(dirname(settings!), 'tokens');
  private directory: string;

  constructor() {
    this.directory = this.initialize();
    this.generate('app-keys');
  }

  get env(): Record<string, string> {
    return {
      KEY_PROVIDER: 'pkcs11',
      PKCS11_MODULE: MODULE!,
      PKCS11_TOKEN: this.token,
      PKCS11_PIN: PIN,
      PKCS11_KEY: 'app-keys',
    };
  }

  /** The path of a module for the same tokens, `own-iv-module.c`. */
  moduleWithOwnIvs(): string {
    const path = join(dirname(settings!), 'own-iv-module.so');
    const source = [`-DSOFTHSM="${MODULE}"`, '-Inode_modules/pkcs11js/includes/pkcs11', 'test/support/own-iv-module.c'];
    execFileSync('cc', ['-shared', '-fPIC', '-o', path, ...source, '-ldl']);
    return path;
  }

  generate(label: string, form = 'sensitive'): void {
    execFileSync(process.execPath, ['-e', GENERATE, MODULE!, this.token, PIN, label, form]);
  }

  changePin(changed: string): void {
    execFileSync(process.execPath, ['-e', CHANGE_PIN, MODULE!, this.token, PIN, changed]);
  }

  remove(): void {
    renameSync(join(this.tokens, this.directory), this.away);
  }

  insert(): void {
    renameSync(this.away, join(this.tokens, this.directory));
  }

  /** A new token with the same labels and PIN stands for the removed one. */
  exchange(): void {
    this.directory = this.initialize();
    this.generate('app-keys');
  }

  private get away(): string {
    return join(dirname(settings!), this.directory);
  }

  private initialize(): string {
    mkdirSync(this.tokens, { recursive: true });
    const before = new Set(readdirSync(this.tokens));
    execFileSync('softhsm2-util', ['--init-token', '--free', '--label', this.token, '--so-pin', PIN, '--pin', PIN]);
    return readdirSync(this.tokens).find((name) => !before.has(name))!;
  }
}

/** The processes that this process runs for PKCS#11 modules. */
export function moduleProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
        return parent === process.pid && command.includes('pkcs11-process');
      } catch {
        return false;
      }
    });
}
