const SECRETS =
  /^((MASTER_KEYS|MANAGEMENT_KEY|NETWORKS|PKCS11_PIN)(_FILE)?|PG[A-Z]+|(AWS|CONSOLE|OTEL|DATABASE|ETHEREUM|SMS|SMTP|SOLANA|TWILIO|VAULT)_.*)$|SECRET|PASSWORD/i;

/** The variables that a PKCS#11 module gets: some may be settings whose names only its manufacturer knows. */
export function moduleEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !SECRETS.test(name)));
}
