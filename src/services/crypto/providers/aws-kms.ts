import { AwsV4Signer } from 'aws4fetch';
import http from 'node:http';
import https from 'node:https';
import { SealBroken } from '../../../kernel/vault.js';
import { type KeyPlace, type KeyProvider, ProviderFailed, type ProviderFault } from '../key-provider.js';
import { AwsCredentialChain, type AwsCredentials, type AwsCredentialSettings } from './aws-credentials.js';
import { callWithSecret, jsonWithSecret, takeSecret } from './secret-http.js';

export interface AwsKmsSettings {
  /** The id, ARN or alias of a symmetric key. */
  readonly keyId: string;
  readonly region: string;
  readonly url: string;
  readonly credentials: AwsCredentialSettings;
}

/** The errors that say that a ciphertext is not of this key and context. */
const ALTERED: ReadonlySet<string> = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);
const THROTTLED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'LimitExceededException',
  'TooManyRequestsException',
]);
const DENIED: ReadonlySet<string> = new Set([
  'AccessDeniedException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'IncompleteSignatureException',
]);
const EXPIRED = 'ExpiredTokenException';

/**
 * The key management service of AWS. Owner and generation are the encryption context, which CloudTrail shows. `KeyId` is named at `Decrypt` too, so that KMS opens
 * no ciphertext of another key.
 */
export class AwsKms implements KeyProvider {
  readonly name = 'aws-kms';
  private readonly agent: http.Agent;
  private readonly credentials: AwsCredentialChain;

  constructor(private readonly settings: AwsKmsSettings) {
    const options = { keepAlive: true, timeout: 5_000, maxSockets: 32 };
    this.agent = settings.url.startsWith('https:') ? new https.Agent(options) : new http.Agent(options);
    this.credentials = new AwsCredentialChain(settings.credentials);
  }

  async wrap(key: Uint8Array, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    const members = { KeyId: this.settings.keyId, EncryptionContext: contextOf(place) };
    const body = (): Buffer => jsonWithSecret(members, 'Plaintext', key);
    return takeSecret(await this.call('Encrypt', body, signal), 'CiphertextBlob');
  }

  async unwrap(wrapped: Buffer, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    const members = { KeyId: this.settings.keyId, EncryptionContext: contextOf(place) };
    const body = (): Buffer => jsonWithSecret(members, 'CiphertextBlob', wrapped);
    return takeSecret(await this.call('Decrypt', body, signal), 'Plaintext');
  }

  /** KMS keeps each version of a key and needs no rewrapping for its rotation. This moves a key after AWS_KMS_KEY_ID has changed. */
  async rewrap(wrapped: Buffer, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    const context = contextOf(place);
    const members = {
      DestinationKeyId: this.settings.keyId,
      SourceEncryptionContext: context,
      DestinationEncryptionContext: context,
    };
    const body = (): Buffer => jsonWithSecret(members, 'CiphertextBlob', wrapped);
    return takeSecret(await this.call('ReEncrypt', body, signal), 'CiphertextBlob');
  }

  async health(signal: AbortSignal): Promise<void> {
    const place = { owner: 'service', generation: 0 } as const;
    (await this.unwrap(await this.wrap(Buffer.alloc(32), place, signal), place, signal)).fill(0);
  }

  close(): void {
    this.agent.destroy();
  }

  /** The body of a successful response. Credentials that have expired early are replaced once. */
  private async call(operation: string, body: () => Buffer, signal: AbortSignal, isRepeated = false): Promise<Buffer> {
    const { url, region } = this.settings;
    const credentials = await this.credentials.current(signal);
    // Made last, because the call overwrites it.
    const sent = body();
    const { headers } = await new AwsV4Signer({
      ...withoutUndefined(credentials),
      method: 'POST',
      url,
      region,
      service: 'kms',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` },
      body: sent,
      allHeaders: true,
    }).sign();
    const answer = await callWithSecret({
      url,
      headers: Object.fromEntries(headers),
      body: sent,
      agent: this.agent,
      signal,
    });
    if (answer.status === 200) return answer.body;
    const error = errorIn(answer.body);
    if (error === EXPIRED && !isRepeated) {
      this.credentials.forget();
      return this.call(operation, body, signal, true);
    }
    if (ALTERED.has(error)) throw new SealBroken('The key provider refuses the wrapped key.');
    const isThrottled = answer.status === 429 || THROTTLED.has(error);
    const isDenied = answer.status === 403 || DENIED.has(error);
    const fault: ProviderFault = isThrottled ? 'throttled' : isDenied ? 'denied' : 'failed';
    throw new ProviderFailed(fault, `AWS KMS answered ${answer.status} ${error}.`);
  }
}

function contextOf({ owner, generation }: KeyPlace): Readonly<Record<string, string>> {
  return { app_id: owner, generation: String(generation) };
}

/** The name of the error, such as `ThrottlingException`. */
function errorIn(body: Buffer): string {
  try {
    const { __type: type } = JSON.parse(body.toString()) as { __type?: unknown };
    return /^[\w.#]*?(\w+)$/.exec(String(type))?.[1] ?? '';
  } catch {
    return '';
  }
}

function withoutUndefined({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials) {
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}
