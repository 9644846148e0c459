// A mail server for both sides of the benchmark: takes every mail and tells whoever started it the token of its link.
import { SMTPServer } from 'smtp-server';

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  onData(stream, { envelope }, done) {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      done();
      // Quoted-printable, if it is: lines broken anywhere, and the equals sign written as its number.
      const text = Buffer.concat(chunks).toString('latin1').replaceAll('=\r\n', '').replaceAll('=3D', '=');
      process.send({ to: envelope.rcptTo[0].address, token: /[?&]token=([\w-]+)/.exec(text)?.[1] });
    });
  },
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.server.address().port }));
process.on('disconnect', () => process.exit());
