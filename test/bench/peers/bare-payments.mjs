// The peer of the payments: express and pg only. Locks the payment and its sender,
// allocates the nonce, signs natively, stores the signed bytes and commits. It calls no node, checks no balance, publishes no
// event, and keeps the keys as plaintext.
import { keccak256, Transaction } from 'ethers';
import express from 'express';
import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import secp256k1 from 'secp256k1';

const { DATABASE_URL, PORT, SENDERS } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, max: 10 });
await pool.query(`
  create table senders (id int primary key, private_key bytea not null, next_nonce bigint not null default 0);
  create table payments (id text primary key, sender int not null, dest text not null, amount numeric(78,0) not null, status text not null, hash text);
  create table attempts (hash text primary key, payment_id text not null unique, nonce bigint not null, raw bytea not null,
    created_at timestamptz not null default now())`);
for (let sender = 0; sender < Number(SENDERS); sender++) {
  await pool.query('insert into senders (id, private_key) values ($1, $2)', [sender, randomBytes(32)]);
}

const LOCK = 'select sender, dest, amount, status from payments where id = $1 for update';
const NONCE =
  'update senders set next_nonce = next_nonce + 1 where id = $1 returning next_nonce - 1 as nonce, private_key';
const STORE = 'insert into attempts (hash, payment_id, nonce, raw) values ($1, $2, $3, $4)';
const DONE = `update payments set status = 'pending', hash = $2 where id = $1`;

function sign(payment, { nonce, private_key: privateKey }) {
  const transaction = Transaction.from({
    type: 2,
    chainId: 31337,
    to: payment.dest,
    value: BigInt(payment.amount),
    nonce: Number(nonce),
    gasLimit: 21000n,
    maxFeePerGas: 3000000000n,
    maxPriorityFeePerGas: 1000000000n,
  });
  const digest = Buffer.from(transaction.unsignedHash.slice(2), 'hex');
  const { signature, recid } = secp256k1.ecdsaSign(digest, privateKey);
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(
    (part) => `0x${Buffer.from(part).toString('hex')}`,
  );
  transaction.signature = { r, s, yParity: recid };
  const raw = transaction.serialized;
  return { hash: keccak256(raw), raw: Buffer.from(raw.slice(2), 'hex') };
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.post('/payments', express.json(), async ({ body: { id, sender, dest, amount } }, response) => {
  await pool.query(`insert into payments (id, sender, dest, amount, status) values ($1, $2, $3, $4, 'unconfirmed')`, [
    id,
    sender,
    dest,
    amount,
  ]);
  response.json({ id });
});

app.post('/payments/:id/confirm', async ({ params: { id } }, response) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const one = async (name, text, values) => (await client.query({ name, text, values })).rows[0];
    const payment = await one('lock', LOCK, [id]);
    if (payment?.status !== 'unconfirmed') throw new Error('Not to be confirmed.');
    const sender = await one('nonce', NONCE, [payment.sender]);
    const { hash, raw } = sign(payment, sender);
    await one('store', STORE, [hash, id, sender.nonce, raw]);
    await one('done', DONE, [id, hash]);
    await client.query('commit');
    response.json({ id, status: 'pending', hash });
  } catch (error) {
    await client.query('rollback');
    response.status(500).json({ error: error.message });
  } finally {
    client.release();
  }
});

app.listen(Number(PORT), '127.0.0.1');
