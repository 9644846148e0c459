import { startIdentityProvider } from '../support/identity-provider.js';

// An OpenID provider for trying the service by hand. Whoever comes is Ann. Not for anything but trying.

const callback = process.argv[2];
if (!callback) {
  console.error('Usage: npm run provider -- <callback_url of the connection>');
  process.exit(64);
}
const provider = await startIdentityProvider({
  port: 4000,
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
