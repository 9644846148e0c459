// A receiver in its own process. `/hang` never responds. Reports the age of each event on its arrival.
import { createServer } from 'node:http';

let isDown = false;
let ages = [];
let repeated = 0;
const seen = new Set();
const server = createServer((request, response) => {
  if (request.url === '/hang') return;
  if (isDown) return request.socket.destroy();
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const { id, timestamp } = JSON.parse(body);
    if (seen.has(id)) repeated++;
    seen.add(id);
    ages.push(Date.now() - Date.parse(timestamp));
    response.end();
  });
});
process.on('message', ({ down, report }) => {
  if (down !== undefined) isDown = down;
  if (!report) return;
  process.send({ ages, repeated, seen: seen.size });
  ages = [];
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
