import { AwsV4Signer } from 'aws4fetch';
import type { Agent } from 'node:http';
import { SealBroken } from '../../../kernel/vault.js';
import type { AwsCredentials, AwsKmsSettings } from '../../config/aws-kms.js';
import {
  isRefusal,
  type KeyPlace,
  type KeyProvider,
  KeyRefused,
  ProviderFailed,
  type ProviderFault,
  type Wrapped,
} from '../key-provider.js';
import { AwsCredentialChain } from './aws-credentials.js';
import { callWithSecret, jsonWithSecret, secretAgent, takeSecret } from './secret-http.js';

const ALTERED = 'InvalidCiphertextException';
const KEY_ARN = /^arn:[\w-]+:kms:[\w-]+:(\d{12}):key\/([\w-]+)$/;
/** A wrapped key of 32 bytes has at least the nonce, key and tag. */
const FEWEST_BYTES = 12 + 32 + 16;
const MOST_BYTES = 6_144;
const INCORRECT = 'IncorrectKeyException';
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
 * Owner and generation are the encryption context, which CloudTrail shows. `Decrypt` names the ARN that `Encrypt` returned, so a key
 * opens after AWS_KMS_KEY_ID has changed. The ARN comes from the database, so it must be of the configured account: the owner of
 * another account could wrap any key.
 */
export class AwsKms implements KeyProvider {
  readonly name = 'aws-kms';
  private readonly agent: Agent;
  private readonly credentials: AwsCredentialChain;
  private account: string | undefined;

  constructor(private readonly settings: AwsKmsSettings) {
    this.agent = secretAgent(settings.url);
    this.credentials = new AwsCredentialChain(settings.credentials);
    this.account = /^arn:[^:]*:kms:[^:]*:(\d{12}):/.exec(settings.keyId)?.[1];
  }

  async wrap(key: Uint8Array, place: KeyPlace, signal: AbortSignal): Promise<Wrapped> {
    const members = { KeyId: this.settings.keyId, EncryptionContext: contextOf(place) };
    const wrapped = wrappedIn(await this.call('Encrypt', () => jsonWithSecret(members, 'Plaintext', key), signal));
    this.account = KEY_ARN.exec(wrapped.keyRef)?.[1];
    return wrapped;
  }

  async unwrap(wrapped: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Buffer> {
    await this.requireOwn(wrapped, signal);
    const members = { KeyId: wrapped.keyRef, EncryptionContext: contextOf(place) };
    const body = (): Buffer => jsonWithSecret(members, 'CiphertextBlob', wrapped.wrappedKey);
    return takeSecret(await this.call('Decrypt', body, signal), 'Plaintext');
  }

  /** KMS needs no rewrapping for its own rotation. This moves a key after AWS_KMS_KEY_ID has changed. */
  async rewrap(wrapped: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Wrapped> {
    await this.requireOwn(wrapped, signal);
    const context = contextOf(place);
    const members = {
      SourceKeyId: wrapped.keyRef,
      DestinationKeyId: this.settings.keyId,
      SourceEncryptionContext: context,
      DestinationEncryptionContext: context,
    };
    const body = (): Buffer => jsonWithSecret(members, 'CiphertextBlob', wrapped.wrappedKey);
    return wrappedIn(await this.call('ReEncrypt', body, signal));
  }

  async health(signal: AbortSignal): Promise<void> {
    (await this.unwrap(await this.wrap(Buffer.alloc(32), PROBE, signal), PROBE, signal)).fill(0);
  }

  close(): void {
    this.agent.destroy();
  }

  /** Refuses what no key of the operator can have wrapped, so that an altered row costs no call. */
  private async requireOwn({ wrappedKey, keyRef }: Wrapped, signal: AbortSignal): Promise<void> {
    const [, account, id] = KEY_ARN.exec(keyRef) ?? [];
    const { length } = wrappedKey;
    if (account === undefined || length < FEWEST_BYTES || length > MOST_BYTES)
      throw new SealBroken('The wrapped key has not the form in which AWS KMS made it.');
    if (id === this.settings.keyId) return;
    if (this.account === undefined) await this.wrap(Buffer.alloc(32), PROBE, signal);
    if (account !== this.account)
      throw new KeyRefused(
        'denied',
        `The wrapped key was made in the AWS account ${account}, but AWS_KMS_KEY_ID is a key of ${this.account}.`,
      );
  }

  /** Credentials that have expired early are replaced once. */
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
    if (error === ALTERED) throw new SealBroken('The key provider refuses the wrapped key.');
    if (error === INCORRECT)
      throw new KeyRefused('denied', `AWS KMS says that the wrapped key was made by another key (${INCORRECT}).`);
    const isThrottled = answer.status === 429 || THROTTLED.has(error);
    const isDenied = answer.status === 403 || DENIED.has(error);
    const fault: ProviderFault = isThrottled ? 'throttled' : isDenied ? 'denied' : 'failed';
    const isRefused = !isThrottled && isRefusal(answer.status);
    throw new (isRefused ? KeyRefused : ProviderFailed)(fault, `AWS KMS answered ${answer.status} ${error}.`);
  }
}

const PROBE: KeyPlace = { owner: 'service', generation: 0 };

function wrappedIn(body: Buffer): Wrapped {
  const { CiphertextBlob: text, KeyId: keyRef } = JSON.parse(body.toString()) as Record<string, unknown>;
  if (typeof text !== 'string' || typeof keyRef !== 'string' || !KEY_ARN.test(keyRef))
    throw new ProviderFailed('failed', 'The response of AWS KMS has no ciphertext or no ARN of the key.');
  return { wrappedKey: Buffer.from(text, 'base64'), keyRef };
}

function contextOf({ owner, generation }: KeyPlace): Readonly<Record<string, string>> {
  return { app_id: owner, generation: String(generation) };
}

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
