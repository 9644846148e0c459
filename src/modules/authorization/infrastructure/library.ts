import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { ExternalSigningKey } from 'oidc-provider';
import type { TokenKeys } from '../../session/index.js';

export type Library = typeof import('oidc-provider') & {
  readonly grantHelpers: typeof import('oidc-provider/lib/helpers/grants.js');
};

let loading: Promise<Library> | undefined;

/** Loaded on first use: most services have no app that is an authorization server. */
export function library(): Promise<Library> {
  return (loading ??= load());
}

/** On Node 20 it warns that it needs a newer version, although it works: tests cover all endpoints. */
async function load(): Promise<Library> {
  const { console: output } = globalThis;
  const warn = output.warn.bind(output);
  output.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes('Unsupported runtime')) warn(...words);
  };
  try {
    return { ...(await import('oidc-provider')), grantHelpers: await import('oidc-provider/lib/helpers/grants.js') };
  } finally {
    output.warn = warn;
  }
}

/** The first key signs; the others check older tokens. */
export function signingKeysOf(
  { ExternalSigningKey: Base }: Library,
  { current, publicKeys }: TokenKeys,
): ExternalSigningKey[] {
  class SigningKey extends Base {
    constructor(
      kid: string,
      private readonly publicKey: KeyObject,
      private readonly privateKey: KeyObject | null,
    ) {
      super();
      this.kid = kid;
      this.alg = 'RS256';
    }

    override keyObject(): KeyObject {
      return this.publicKey;
    }

    /** On libuv's thread pool, like the JWTs of sessions. */
    override sign(data: Uint8Array): Promise<Uint8Array> {
      return new Promise((resolve, reject) => {
        if (!this.privateKey) return reject(new Error('Only the current key signs.'));
        sign('sha256', data, this.privateKey, (error, signature) => (error ? reject(error) : resolve(signature)));
      });
    }
  }
  const others = [...publicKeys].filter(([kid]) => kid !== current.kid);
  return [
    new SigningKey(current.kid, createPublicKey(current.privateKey), current.privateKey),
    ...others.map(([kid, key]) => new SigningKey(kid, key, null)),
  ];
}
