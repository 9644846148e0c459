import { ID_PREFIXES, type IdKind } from '../../kernel/ids.js';
import { kindOfId, type Schema } from './examples.js';

/** A comment on the field of a class replaces these texts. */
const GLOSSARY: Readonly<Record<string, string>> = {
  created_at: 'The time of creation, in epoch seconds.',
  updated_at: 'The time of the last change, in epoch seconds.',
  has_more: 'Whether more items follow the last one of the page.',
  message: 'The result as a sentence for people. Its wording may change.',
  email: 'An email address of at most 254 characters. White space around it is removed.',
  phone_number: 'A phone number in E.164 form, such as `+4915112345678`.',
  first_name: 'The first name; may be empty.',
  middle_name: 'The middle name; may be empty.',
  last_name: 'The last name; may be empty.',
  provider_subject: "The user's identifier at the identity provider.",
  idp_user_id: "The id of the user's identity at the provider, which begins with `idpuser_`.",
  wallet_type: 'The chain: `ethereum` or `solana`.',
  wallet_public_address: 'The address on the chain: EIP-55 for ethereum, base58 for solana.',
  webauthn_credential_id: 'The id of the passkey, which begins with `webauthn_`.',
  totps: 'The authenticator apps of the user, the oldest first.',
  wallets: 'The wallets of the user, the oldest first.',
  webauthn_credentials: 'The passkeys of the user, the oldest first.',
  sessions: 'The live sessions of the user, the newest first.',
  authorization_server: 'The authorization server of the app; null while it is switched off.',
  webauthn: 'The settings of passkeys; null if the app does not use passkeys.',
  policy_change:
    'The approvers of changes that may let wallets sign more, and of later changes of this setting; null if an operator makes them alone.',
};

const NOUNS: Partial<Record<IdKind, string>> = {
  oauthClient: 'OAuth client',
  oauthConnection: 'OAuth connection',
  oauthResource: 'resource',
  providerIdentity: "user's identity at the provider",
  redirectUrl: 'redirect URL',
  totp: 'authenticator app',
};

/** An id without a text gets one with its kind and prefix. */
export function describeProperties(schema: unknown): void {
  if (Array.isArray(schema)) return schema.forEach(describeProperties);
  if (schema === null || typeof schema !== 'object') return;
  const { properties = {} } = schema as Schema;
  for (const [name, property] of Object.entries(properties))
    if (property['description'] === undefined) {
      const text = GLOSSARY[name] ?? textOfId(kindOfId(name, property));
      if (text !== undefined) Object.assign(property, { description: text });
    }
  for (const part of ['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf'] as const) {
    const inner = (schema as Schema)[part];
    if (part === 'properties' && inner) Object.values(inner).forEach(describeProperties);
    else if (inner) describeProperties(inner);
  }
}

function textOfId(kind: IdKind | undefined): string | undefined {
  if (kind === undefined) return undefined;
  const noun = NOUNS[kind] ?? kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `The id of the ${noun}, which begins with \`${ID_PREFIXES[kind]}_\`.`;
}

type Responses = Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;

/** The text that a route gives itself stays. */
export function describeSuccesses(responses: Responses, schemas: Readonly<Record<string, Schema>>): void {
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) >= 400 || response.description) continue;
    const [media] = Object.values(response.content ?? {});
    const text = schemas[media?.schema?.$ref?.split('/').pop() ?? '']?.['description'];
    if (typeof text === 'string') response.description = text;
  }
}
