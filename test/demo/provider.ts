import { startIdentityProvider } from '../support/identity-provider.js';

// An OpenID provider for trying the service. Every login succeeds, as the user Ann. Not for any other use.

const [issuer, callback] = process.argv.slice(2);
if (!issuer || !callback) {
  console.error(
    'Usage: npm run provider -- <issuer, for instance http://127.0.0.1:4000> <callback_url of the connection>',
  );
  process.exit(64);
}
const provider = await startIdentityProvider({
  port: Number(new URL(issuer).port),
  alwaysSignsIn: {
    sub: 'ann-1',
    email: 'ann@example.com',
    email_verified: true,
    given_name: 'Ann',
    family_name: 'Example',
  },
});
await provider.register({ client_id: 'demo', client_secret: 'demo-client-secret', redirect_uris: [callback] });
console.log(`OpenID provider at ${provider.issuer}, client demo, callback ${callback}. Ctrl-C ends it.`);
