/** The lowest first: one factor, two kinds of factor, and a passkey that has verified its user. */
export const LEVELS = ['aal1', 'aal2', 'phr'] as const;
export type Level = (typeof LEVELS)[number];

export interface ProvenFactor {
  readonly type: string;
  readonly delivery_channel: string;
  readonly method: { readonly last_verified_at: number };
}

export interface Authentication {
  readonly acr: Level;
  readonly amr: readonly string[];
  /** The time of the last proof, in epoch seconds. */
  readonly time: number;
}

/** A person who reads one mailbox often reads the other, so both are one kind. Embedded links and recovery codes prove nothing new. */
function kindOf({ type, delivery_channel: channel }: ProvenFactor): string | null {
  if (channel === 'embedded' || channel === 'totp_recovery_code') return null;
  return channel === 'email' || channel === 'sms' ? channel : type;
}

/** RFC 8176; a factor without a value there gets its type. */
function methodsOf({ type, delivery_channel: channel }: ProvenFactor): readonly string[] {
  if (type === 'webauthn') return ['pop', 'user', 'mfa'];
  if (type === 'password') return ['pwd'];
  if (channel === 'sms') return ['otp', 'sms'];
  return type === 'otp' || channel === 'totp_authenticator' ? ['otp'] : [type];
}

export function authenticationOf(factors: readonly ProvenFactor[]): Authentication {
  const hasPasskey = factors.some(({ type }) => type === 'webauthn');
  const kinds = new Set(factors.flatMap((factor) => kindOf(factor) ?? []));
  const isMultiple = kinds.size > 1;
  const amr = new Set([...factors.flatMap(methodsOf), ...(isMultiple ? ['mfa'] : [])]);
  return {
    acr: hasPasskey ? 'phr' : isMultiple ? 'aal2' : 'aal1',
    amr: [...amr],
    time: Math.max(0, ...factors.map(({ method }) => method.last_verified_at)),
  };
}

/** One of the values suffices; `acr_values` that are no levels require nothing. */
export function meets(acr: Level, acrValues: string | undefined): boolean {
  const asked = acrValues?.split(' ').flatMap((value) => LEVELS.filter((level) => level === value)) ?? [];
  return asked.length === 0 || asked.some((level) => LEVELS.indexOf(level) <= LEVELS.indexOf(acr));
}
