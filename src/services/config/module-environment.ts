/** The names of secrets of the service, of its database and of its providers. */
const SECRETS =
  /^((MASTER_KEYS|MANAGEMENT_KEY|NETWORKS|PKCS11_PIN)(_FILE)?|PG[A-Z]+|(AWS|CONSOLE|DATABASE|ETHEREUM|SMS|SMTP|SOLANA|TWILIO|VAULT)_.*)$|SECRET|PASSWORD/i;

/**
 * The environment of a process that runs a PKCS#11 module, without the secrets of the service. Each remaining variable may be a setting
 * of the module, whose name only its manufacturer knows.
 */
export function moduleEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !SECRETS.test(name)));
}
