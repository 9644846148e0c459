// The peer of the reads: express and pg only, with the same reads on the same rows and the same JSON. It checks the key
// as the service does, cached for half a second.
import express from 'express';
import {
  createHash,
  createHmac,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { promisify } from 'node:util';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const one = async (name, text, values) => (await pool.query({ name, text, values })).rows[0];
const sha256 = (text) => createHash('sha256').update(text).digest();
const hashKey = createSecretKey(Buffer.from(process.env.TOKEN_HASH_KEY, 'base64'));
/** As `SecretTokens.hash` of the service. */
const keyed = (digest) => Buffer.concat([Buffer.of(1), createHmac('sha256', hashKey).update(digest).digest()]);

const remembered = new Map();
async function checkKey(request, response, next) {
  const key = request.headers.authorization?.slice('Bearer '.length);
  if (!key) return response.status(401).end();
  const hash = sha256(`secret_key\0${key}`);
  const name = hash.toString('base64');
  let known = remembered.get(name);
  if (!known || known.until < performance.now()) {
    const row = await one('key', KEY, [keyed(hash)]);
    if (!row) return response.status(401).end();
    known = { appId: row.app_id, until: performance.now() + 500 };
    remembered.set(name, known);
  }
  request.appId = known.appId;
  next();
}

const KEY = `select app_id from api_keys where key_hash = $1 and kind = 'secret' and revoked_at is null`;

const epoch = (column) => `floor(extract(epoch from ${column}))::float8`;
const objects = (table, fields) => `(select coalesce(json_agg(json_build_object(${fields}) order by t.id), '[]')
  from ${table} t where t.app_id = u.app_id and t.user_id = u.id`;
const list = (table, fields) =>
  objects(table, `${fields}, 'updated_at', ${epoch('t.updated_at')}, 'created_at', ${epoch('t.created_at')}`);
const USER = `select id as user_id, app_id, first_name, middle_name, last_name, coalesce(external_id, '') as external_id, metadata,
    status = 'active' and deactivated_at is null as active, status,
    ${epoch('updated_at')} as updated_at, ${epoch('created_at')} as created_at,
    ${list('emails', `'id', t.id, 'verified', t.verified_at is not null, 'email', t.text`)}) as emails,
    ${list('phone_numbers', `'id', t.id, 'verified', t.verified_at is not null, 'phone_number', t.text`)}) as phone_numbers,
    ${list('wallets', `'id', t.id, 'app_id', t.app_id, 'user_id', t.user_id, 'public_address', t.public_address, 'wallet_type', t.wallet_type, 'verified', t.verified, 'is_default', t.is_default, 'is_read_only', t.is_read_only, 'is_imported', t.is_imported`)} and t.deleted_at is null) as wallets,
    ${list('totps', `'id', t.id, 'user_id', t.user_id, 'verified', t.verified_at is not null`)} and (t.verified_at is not null or t.expires_at > now())) as totps,
    ${objects('webauthn_credentials', `'id', t.id, 'name', t.name, 'transports', t.transports, 'backed_up', t.is_backed_up, 'created_at', ${epoch('t.created_at')}, 'last_used_at', coalesce(${epoch('t.last_used_at')}, 0)`)}) as webauthn_credentials,
    ${list('provider_identities', `'id', t.id, 'provider', t.provider, 'provider_subject', t.subject, 'connection_id', t.connection_id`)}) as idp_providers
  from users u where app_id = $1 and id = $2 and deleted_at is null`;

const SESSION = `select id, user_id, ${epoch('started_at')} as started_at, ${epoch('expires_at')} as expires_at,
    ${epoch('last_active_at')} as last_active_at, (select json_agg(value) from jsonb_each(factors)) as factors,
    json_build_object('user_agent', user_agent, 'ip', ip) as device_fingerprint,
    ${epoch('updated_at')} as updated_at, ${epoch('created_at')} as created_at
  from sessions where revoked_at is null and expires_at > now() and app_id = $1`;

const publicKeys = new Map();
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const signAsync = promisify(sign);

/** The user and session that a JWT of the service is about, if one of the app's keys signed it. */
async function claimsOf(jwt, appId) {
  const [header, payload, signature] = jwt.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url'));
  if (!publicKeys.has(kid)) {
    const row = await one('jwk', 'select public_jwk from signing_keys where app_id = $1 and id = $2', [appId, kid]);
    publicKeys.set(kid, createPublicKey({ key: row.public_jwk, format: 'jwk' }));
  }
  const isSigned = verify('sha256', `${header}.${payload}`, publicKeys.get(kid), Buffer.from(signature, 'base64url'));
  const claims = JSON.parse(Buffer.from(payload, 'base64url'));
  return isSigned && claims.exp > Date.now() / 1000 ? claims : null;
}

const jwts = new Map();
/** A JWT of the session, signed once and remembered for half of its life, as the service does. */
async function jwtOf(session, appId) {
  const now = Math.floor(Date.now() / 1000);
  const known = jwts.get(session.id);
  if (known && known.until > now) return known.text;
  const claims = { iss: appId, sub: session.user_id, jti: session.id, iat: now, nbf: now, exp: now + 300, session };
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const text = `${input}.${(await signAsync('sha256', Buffer.from(input), privateKey)).toString('base64url')}`;
  jwts.set(session.id, { text, until: now + 150 });
  return text;
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.get('/v1/auth/users/:user_id', checkKey, async (request, response) => {
  const user = await one('user', USER, [request.appId, request.params.user_id]);
  if (!user) return response.status(404).end();
  response.json({ ...user, email_id: user.emails[0]?.id ?? '', phone_number_id: user.phone_numbers[0]?.id ?? '' });
});

app.post('/v1/auth/sessions/verify', express.json(), checkKey, async ({ body, appId }, response) => {
  let session;
  if (body.session_token) {
    const hash = keyed(sha256(`session_token\0${body.session_token}`));
    session = await one('by token', `${SESSION} and token_hash = $2`, [appId, hash]);
  } else {
    const claims = await claimsOf(body.session_jwt, appId);
    if (claims)
      session = await one('by jwt', `${SESSION} and id = $2 and user_id = $3`, [appId, claims.jti, claims.sub]);
  }
  if (!session) return response.status(401).end();
  const proofs = { session_token: body.session_token ?? '', session_jwt: await jwtOf(session, appId) };
  response.json({ session: { ...session, ...proofs }, ...proofs });
});

app.listen(Number(process.env.PORT), '127.0.0.1');
