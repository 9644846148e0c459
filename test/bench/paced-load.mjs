// Sends calls in a process of its own, at a rate that does not depend on the answers, or on each connection one after another.
import { once } from 'node:events';
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 5;
const [{ port, connections, perSecond, seconds, requests }] = await once(process, 'message');

const END_OF_HEADERS = Buffer.from('\r\n\r\n');
const counts = {};
const milliseconds = [];
const idle = [];
let next = 0;
let isOver = false;

function open() {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  let begun = 0;
  let rest = Buffer.alloc(0);
  const send = () => {
    begun = performance.now();
    socket.write(requests[next++ % requests.length]);
  };
  const done = (status) => {
    counts[status] = (counts[status] ?? 0) + 1;
    if (status === '200') milliseconds.push(performance.now() - begun);
    begun = 0;
    if (isOver) socket.destroy();
    else if (perSecond === undefined) send();
    else idle.push(send);
  };
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = rest.indexOf(END_OF_HEADERS);
    if (end < 0) return;
    const head = rest.latin1Slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)[1]);
    if (rest.length < end + 4 + length) return;
    rest = Buffer.alloc(0);
    done(head.slice(9, 12));
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    const at = idle.indexOf(send);
    if (at >= 0) idle.splice(at, 1);
    if (begun > 0) counts.closed = (counts.closed ?? 0) + 1;
    if (!isOver) open();
  });
  socket.on('connect', () => (perSecond === undefined ? send() : idle.push(send)));
}

for (let n = 0; n < connections; n++) open();
const lag = monitorEventLoopDelay({ resolution: 10 });
lag.enable();
const began = performance.now();
const end = began + seconds * 1_000;
for (let sent = 0, due; performance.now() < end; await sleep(TICK_MS)) {
  if (perSecond === undefined) continue;
  // While all clients wait for an answer, a call that is due is never made.
  for (due = ((performance.now() - began) / 1_000) * perSecond; sent < due; sent++) idle.shift()?.();
}
isOver = true;
const lasted = (performance.now() - began) / 1_000;
const ok = counts[200] ?? 0;
milliseconds.sort((a, b) => a - b);
process.send(
  {
    perSecond: ok / lasted,
    counts,
    p50: milliseconds[milliseconds.length >> 1],
    lagMs: lag.percentile(99) / 1e6,
  },
  () => process.exit(),
);
