// better-auth as its documentation sets it up: PostgreSQL, sessions in the database, a plain node:http handler. Only its
// limit of 100 calls in ten seconds is switched off. Sends the cookies of its sessions to the parent process.
import { betterAuth } from 'better-auth';
import { makeSignature } from 'better-auth/crypto';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { createServer } from 'node:http';
import { Pool } from 'pg';

const { DATABASE_URL, PORT, SESSIONS } = process.env;
const secret = 'a secret for this benchmark alone, 2f6b1c9d8e7a';
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 });
const options = {
  database: pool,
  secret,
  baseURL: `http://127.0.0.1:${PORT}`,
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};

await (await getMigrations(options)).runMigrations();
await pool.query(
  `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
   select 'user' || n, 'User ' || n, 'user' || n || '@example.com', true, now(), now() from generate_series(1, $1::int) n
   on conflict do nothing`,
  [SESSIONS],
);
await pool.query(
  `insert into session (id, token, "userId", "ipAddress", "userAgent", "expiresAt", "createdAt", "updatedAt")
   select 'session' || n, md5(random()::text), 'user' || n, '192.0.2.1', 'bench', now() + interval '7 days', now(), now()
     from generate_series(1, $1::int) n
   on conflict do nothing`,
  [SESSIONS],
);
const { rows } = await pool.query('select token from session');
const cookies = await Promise.all(
  rows.map(async ({ token }) => encodeURIComponent(`${token}.${await makeSignature(token, secret)}`)),
);

process.send(cookies, () => createServer(toNodeHandler(betterAuth(options))).listen(Number(PORT), '127.0.0.1'));
