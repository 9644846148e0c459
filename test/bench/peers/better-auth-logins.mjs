// better-auth with its plugins for magic links and authenticator apps, as its documentation sets them up; only its call
// limits are switched off. CLEANUP=false disables its default search for expired verifications at each verification. Mails
// use open connections, and no request waits for them. Sends the authenticators' secrets and the cookies of logins that
// wait for a code to the parent process.
import { betterAuth } from 'better-auth';
import { makeSignature, symmetricEncrypt } from 'better-auth/crypto';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { magicLink, twoFactor } from 'better-auth/plugins';
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';
import { Pool } from 'pg';

const { DATABASE_URL, POOL_SIZE, PORT, SMTP_URL, USERS, SIGN_INS, CLEANUP } = process.env;
const secret = 'a secret for this benchmark alone, 2f6b1c9d8e7a';
const pool = new Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });
const mailer = createTransport({ url: SMTP_URL, pool: true, maxConnections: 8 });
const options = {
  database: pool,
  secret,
  baseURL: `http://127.0.0.1:${PORT}`,
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  verification: { disableCleanup: CLEANUP === 'false' },
  plugins: [
    magicLink({
      sendMagicLink: async ({ email, url }) => {
        const text = `Sign in to Bench: ${url}`;
        const html = `<p>Sign in to Bench:</p><p><a href="${url.replaceAll('&', '&amp;')}">Sign in</a></p>`;
        void mailer.sendMail({ from: 'bench@example.com', to: email, subject: 'Sign in to Bench', text, html });
      },
    }),
    twoFactor(),
  ],
};

await (await getMigrations(options)).runMigrations();
const numbers = Array.from({ length: Number(USERS) }, (_, n) => n);
const totpSecrets = numbers.map((n) => `secret of the user number ${n}`.padEnd(32, '.'));
const sealed = await Promise.all(totpSecrets.map((data) => symmetricEncrypt({ key: secret, data })));
await pool.query(
  `insert into "user" (id, name, email, "emailVerified", "twoFactorEnabled", "createdAt", "updatedAt")
   select 'user' || n, 'User ' || n, 'user' || n || '@example.com', true, true, now(), now()
     from generate_series(0, $1::int - 1) n`,
  [USERS],
);
await pool.query(
  `insert into "twoFactor" (id, secret, "backupCodes", "userId", verified)
   select 'totp' || n - 1, s.secret, '', 'user' || n - 1, true from unnest($1::text[]) with ordinality s (secret, n)`,
  [sealed],
);
const cookies = await Promise.all(
  Array.from({ length: Number(SIGN_INS) }, async (_, n) =>
    encodeURIComponent(`sign-in-${n}.${await makeSignature(`sign-in-${n}`, secret)}`),
  ),
);

const server = createServer(toNodeHandler(betterAuth(options)));
process.send({ totpSecrets, cookies }, () => server.listen(Number(PORT), '127.0.0.1'));
