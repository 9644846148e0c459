import { readFile } from 'node:fs/promises';
import type { AwsCredentials, AwsCredentialSettings } from '../../config/aws-kms.js';
import { ProviderFailed } from '../key-provider.js';

interface Expiring {
  readonly credentials: AwsCredentials;
  readonly expiresAtMs: number;
}

const MARGIN_MS = 5 * 60_000;
/** The calls that share it end at different times, so it has its own bound. */
const LONGEST_MS = 2_000;
/** The longest response, decoded. Credentials have less than 4 kB. */
const MOST_BYTES = 64 * 1024;
const SESSION_NAME = 'wallet-service';
const METADATA_TOKEN_SECONDS = '21600';

/** Simultaneous calls fetch the credentials once. On EC2 only version 2 of the metadata service is used. */
export class AwsCredentialChain {
  private known: Expiring | undefined;
  private taking: Promise<Expiring> | undefined;

  constructor(private readonly settings: AwsCredentialSettings) {}

  async current(signal: AbortSignal): Promise<AwsCredentials> {
    if (this.settings.fixed) return this.settings.fixed;
    if (this.known && this.known.expiresAtMs - MARGIN_MS > Date.now()) return this.known.credentials;
    this.taking ??= this.taken(AbortSignal.timeout(LONGEST_MS)).finally(() => (this.taking = undefined));
    try {
      this.known = await this.taking;
    } catch (error) {
      // The previous ones may still be valid.
      if (this.known && this.known.expiresAtMs > Date.now()) return this.known.credentials;
      if (signal.aborted) throw signal.reason;
      if (error instanceof ProviderFailed) throw error;
      throw new ProviderFailed('unreachable', 'The source of AWS credentials cannot be reached.', { cause: error });
    }
    return this.known.credentials;
  }

  private taken(signal: AbortSignal): Promise<Expiring> {
    const { webIdentity, container } = this.settings;
    if (webIdentity) return byWebIdentity(webIdentity, signal);
    return container ? ofContainer(container, signal) : this.ofInstance(signal);
  }

  forget(): void {
    this.known = undefined;
  }

  private async ofInstance(signal: AbortSignal): Promise<Expiring> {
    const url = `${this.settings.metadataUrl}/latest`;
    const token = await textOf(`${url}/api/token`, {
      method: 'PUT',
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': METADATA_TOKEN_SECONDS },
      signal,
    });
    const headers = { 'x-aws-ec2-metadata-token': token };
    const place = `${url}/meta-data/iam/security-credentials/`;
    const [role] = (await textOf(place, { headers, signal })).split('\n');
    return inJson(await textOf(place + role!.trim(), { headers, signal }));
  }
}

async function ofContainer(
  { url, token, tokenFile }: NonNullable<AwsCredentialSettings['container']>,
  signal: AbortSignal,
): Promise<Expiring> {
  // Read each time: EKS replaces the token.
  const authorization = tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
  return inJson(await textOf(url, { headers: { ...(authorization && { authorization }) }, signal }));
}

function inJson(text: string): Expiring {
  const found = JSON.parse(text) as Record<string, string>;
  return expiring(found['AccessKeyId'], found['SecretAccessKey'], found['Token'], found['Expiration']);
}

async function byWebIdentity(
  { tokenFile, roleArn, stsUrl }: NonNullable<AwsCredentialSettings['webIdentity']>,
  signal: AbortSignal,
): Promise<Expiring> {
  // Read each time: Kubernetes replaces the token.
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const query = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: SESSION_NAME,
    WebIdentityToken: token,
  });
  const xml = await textOf(stsUrl, { method: 'POST', body: query, signal });
  const value = (name: string): string | undefined => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1];
  return expiring(value('AccessKeyId'), value('SecretAccessKey'), value('SessionToken'), value('Expiration'));
}

async function textOf(url: string, request: RequestInit): Promise<string> {
  const response = await fetch(url, { ...request, redirect: 'error' });
  if (!response.ok) {
    await response.body?.cancel();
    throw new ProviderFailed(
      response.status === 403 || response.status === 400 ? 'denied' : 'failed',
      `The source of AWS credentials answered ${response.status}.`,
    );
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part as Uint8Array);
    size += (part as Uint8Array).length;
    if (size > MOST_BYTES) throw new ProviderFailed('failed', 'The source of AWS credentials answered too much.');
  }
  return Buffer.concat(parts).toString('utf8');
}

function expiring(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken: string | undefined,
  expiration: string | undefined,
): Expiring {
  const expiresAtMs = Date.parse(expiration ?? '');
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiresAtMs))
    throw new ProviderFailed('failed', 'The source of AWS credentials answered without credentials.');
  return { credentials: { accessKeyId, secretAccessKey, sessionToken }, expiresAtMs };
}
