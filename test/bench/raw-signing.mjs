// Signatures per second of every backend, without HTTP and database: EIP-191 as in the wallet module, which recovers the
// signer from each signature before it returns it.
import { randomBytes } from 'node:crypto';
import { EthersSigner } from '../../dist/src/modules/wallet/signing/infrastructure/ethers-signer.js';
import { SECP256K1_BACKENDS } from '../../dist/src/modules/wallet/signing/infrastructure/secp256k1-signature.js';

const SECONDS = Number(process.env.SECONDS);
const privateKey = randomBytes(32);
const perSecond = {};
for (const { name, load } of SECP256K1_BACKENDS) {
  try {
    const signer = new EthersSigner({ name, ...(await load()) });
    const address = signer.address(privateKey);
    const signFor = (seconds) => {
      const started = performance.now();
      let count = 0;
      while (performance.now() - started < seconds * 1000)
        signer.signMessage(privateKey, address, `message ${count++}`);
      return count / ((performance.now() - started) / 1000);
    };
    signFor(SECONDS / 4);
    perSecond[name] = signFor(SECONDS);
  } catch (error) {
    perSecond[name] = null;
    console.error(`${name} does not load here: ${error.message}`);
  }
}
process.send(perSecond);
