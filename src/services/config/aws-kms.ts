import { type EnvironmentReader, isLoopback } from './environment-reader.js';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** The first source that is configured is used. */
export interface AwsCredentialSettings {
  readonly fixed: AwsCredentials | undefined;
  readonly webIdentity: { readonly tokenFile: string; readonly roleArn: string; readonly stsUrl: string } | undefined;
  readonly container:
    { readonly url: string; readonly token: string | undefined; readonly tokenFile: string | undefined } | undefined;
  readonly metadataUrl: string;
}

export interface AwsKmsSettings {
  /** The id, ARN or alias of a symmetric key. */
  readonly keyId: string;
  readonly region: string;
  readonly url: string;
  readonly credentials: AwsCredentialSettings;
}

const CONTAINER_CREDENTIALS = 'http://169.254.170.2';
const CONTAINER_AGENTS = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];

export function awsKmsIn(read: EnvironmentReader, isRequired: boolean): AwsKmsSettings | undefined {
  const [keyId, region = read.text('AWS_DEFAULT_REGION')] = read.texts('AWS_KMS_KEY_ID', 'AWS_REGION');
  if (!isRequired && keyId === undefined) return undefined;
  if (keyId === undefined || region === undefined || !/^[a-z0-9-]+$/.test(region)) {
    read.faults.push('KEY_PROVIDER aws-kms needs AWS_KMS_KEY_ID and AWS_REGION.');
    return undefined;
  }
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = read.secretUrl('AWS_ENDPOINT_URL_KMS') ?? `https://kms.${region}.${domain}`;
  return { keyId, region, url: `${url}/`, credentials: awsCredentials(read, region, domain) };
}

function awsCredentials(read: EnvironmentReader, region: string, domain: string): AwsCredentialSettings {
  const [accessKeyId, secretAccessKey, sessionToken] = read.texts(
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  );
  const [tokenFile, roleArn] = read.texts('AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN');
  const path = read.text('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    read.faults.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together.');
  if ((tokenFile === undefined) !== (roleArn === undefined) && accessKeyId === undefined)
    read.faults.push('AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN must be set together.');
  const containerUrl = path === undefined ? agentUrl(read) : `${CONTAINER_CREDENTIALS}${path}`;
  if (path !== undefined && !/^\/[\w./-]*$/.test(path))
    read.faults.push('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path.');
  const stsUrl = `${read.secretUrl('AWS_ENDPOINT_URL_STS') ?? `https://sts.${region}.${domain}`}/`;
  return {
    fixed: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : undefined,
    webIdentity: tokenFile && roleArn ? { tokenFile, roleArn, stsUrl } : undefined,
    container:
      containerUrl === undefined
        ? undefined
        : {
            url: containerUrl,
            token: read.text('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
            tokenFile: read.text('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
          },
    metadataUrl: read.baseUrl('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? 'http://169.254.169.254',
  };
}

/** The SDKs allow plain HTTP to the agents of ECS and EKS and to this machine only. */
function agentUrl(read: EnvironmentReader): string | undefined {
  const name = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
  const text = read.url(name, ['http:', 'https:']);
  if (text === undefined) return undefined;
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'https:' && !isLoopback(hostname) && !CONTAINER_AGENTS.includes(hostname))
    read.faults.push(`${name} must begin with https://, or lead to this machine or to the agent of ECS or EKS.`);
  return text;
}
