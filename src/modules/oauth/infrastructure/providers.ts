export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

export interface ProviderEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly clientAuthentication: readonly ClientAuthentication[];
  /** Optional where the id_token describes the user. */
  readonly profile?: string;
  /** A list of `[{ email, primary, verified }]`, where the profile does not say which addresses are verified. */
  readonly emails?: string;
  readonly pkceMethods?: readonly unknown[];
  readonly openid?: {
    /** `{tenantid}` is replaced by the `tid` claim of the token. */
    readonly issuer: string;
    /** A second spelling of the issuer, which the provider documents. */
    readonly issuerAlias?: string;
    readonly jwks: string;
    /** True if the provider always sends `iss` (RFC 9207), so that its absence is an attack. */
    readonly sendsIssuer: boolean;
  };
}

export interface ProfileFields {
  readonly subject: string;
  readonly emailVerified: string;
  /** No other value means verified. */
  readonly verifiedValues: readonly unknown[];
  /** Split where the provider has no first and last name. */
  readonly name: string;
}

export interface Provider {
  /** If absent, they are discovered at the connection's issuer. */
  readonly endpoints?: ProviderEndpoints;
  readonly scopes: readonly string[];
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  readonly signsClientSecret?: true;
  readonly fields: ProfileFields;
}

const OPENID_FIELDS: ProfileFields = {
  subject: 'sub',
  emailVerified: 'email_verified',
  verifiedValues: [true],
  name: 'name',
};

/** Any OpenID provider, and the defaults of the built-in ones. */
export const OPENID: Provider = { scopes: ['openid', 'email', 'profile'], fields: OPENID_FIELDS };

/** A connection with an issuer of its own uses that issuer's endpoints instead. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  google: {
    ...OPENID,
    endpoints: {
      authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
      token: 'https://oauth2.googleapis.com/token',
      clientAuthentication: ['client_secret_post'],
      openid: {
        issuer: 'https://accounts.google.com',
        issuerAlias: 'accounts.google.com',
        jwks: 'https://www.googleapis.com/oauth2/v3/certs',
        sendsIssuer: false,
      },
    },
    // Google issues no refresh token without this parameter.
    authorizationParameters: { access_type: 'offline' },
  },
  microsoft: {
    ...OPENID,
    endpoints: {
      authorization: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
      clientAuthentication: ['client_secret_post'],
      openid: {
        issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
        jwks: 'https://login.microsoftonline.com/common/discovery/v2.0/keys',
        sendsIssuer: false,
      },
    },
    // A tenant can set any email claim; this optional claim means that the tenant owns the domain of the address.
    fields: { ...OPENID_FIELDS, emailVerified: 'xms_edov' },
  },
  apple: {
    endpoints: {
      authorization: 'https://appleid.apple.com/auth/authorize',
      token: 'https://appleid.apple.com/auth/token',
      clientAuthentication: ['client_secret_post'],
      openid: { issuer: 'https://appleid.apple.com', jwks: 'https://appleid.apple.com/auth/keys', sendsIssuer: false },
    },
    scopes: ['openid', 'email', 'name'],
    // Apple requires this when a scope is requested.
    authorizationParameters: { response_mode: 'form_post' },
    signsClientSecret: true,
    // Apple documents the claim as "a string or Boolean value".
    fields: { ...OPENID_FIELDS, verifiedValues: [true, 'true'] },
  },
  github: {
    endpoints: {
      authorization: 'https://github.com/login/oauth/authorize',
      token: 'https://github.com/login/oauth/access_token',
      clientAuthentication: ['client_secret_post'],
      profile: 'https://api.github.com/user',
      emails: 'https://api.github.com/user/emails',
    },
    scopes: ['read:user', 'user:email'],
    fields: { subject: 'id', emailVerified: 'verified', verifiedValues: [true], name: 'name' },
  },
  discord: {
    endpoints: {
      authorization: 'https://discord.com/oauth2/authorize',
      token: 'https://discord.com/api/oauth2/token',
      clientAuthentication: ['client_secret_post'],
      profile: 'https://discord.com/api/users/@me',
    },
    scopes: ['identify', 'email'],
    fields: { subject: 'id', emailVerified: 'verified', verifiedValues: [true], name: 'global_name' },
  },
  slack: {
    ...OPENID,
    endpoints: {
      authorization: 'https://slack.com/openid/connect/authorize',
      token: 'https://slack.com/api/openid.connect.token',
      clientAuthentication: ['client_secret_post'],
      profile: 'https://slack.com/api/openid.connect.userInfo',
      openid: { issuer: 'https://slack.com', jwks: 'https://slack.com/openid/connect/keys', sendsIssuer: false },
    },
  },
  facebook: {
    // If the path contains no version, Facebook uses the oldest version that it still supports.
    endpoints: {
      authorization: 'https://www.facebook.com/dialog/oauth',
      token: 'https://graph.facebook.com/oauth/access_token',
      clientAuthentication: ['client_secret_post'],
      profile: 'https://graph.facebook.com/me?fields=id,name,email',
    },
    scopes: ['email', 'public_profile'],
    // Facebook does not say whether an address is verified.
    fields: { subject: 'id', emailVerified: 'verified', verifiedValues: [], name: 'name' },
  },
  // Every customer has its own issuer, which the connection contains.
  okta: OPENID,
  linkedin: {
    ...OPENID,
    // Its id_token has no nonce, so the subject is read from the userinfo endpoint instead.
    endpoints: {
      authorization: 'https://www.linkedin.com/oauth/v2/authorization',
      token: 'https://www.linkedin.com/oauth/v2/accessToken',
      clientAuthentication: ['client_secret_post'],
      profile: 'https://api.linkedin.com/v2/userinfo',
    },
  },
  gitlab: {
    ...OPENID,
    endpoints: {
      authorization: 'https://gitlab.com/oauth/authorize',
      token: 'https://gitlab.com/oauth/token',
      clientAuthentication: ['client_secret_post'],
      profile: 'https://gitlab.com/oauth/userinfo',
      openid: { issuer: 'https://gitlab.com', jwks: 'https://gitlab.com/oauth/discovery/keys', sendsIssuer: false },
    },
  },
  twitch: {
    endpoints: {
      authorization: 'https://id.twitch.tv/oauth2/authorize',
      token: 'https://id.twitch.tv/oauth2/token',
      clientAuthentication: ['client_secret_post'],
      profile: 'https://id.twitch.tv/oauth2/userinfo',
      openid: {
        issuer: 'https://id.twitch.tv/oauth2',
        jwks: 'https://id.twitch.tv/oauth2/keys',
        sendsIssuer: false,
      },
    },
    scopes: ['openid', 'user:read:email'],
    // Twitch sends no address without this parameter.
    authorizationParameters: {
      claims: JSON.stringify({ userinfo: { email: null, email_verified: null, preferred_username: null } }),
    },
    fields: { ...OPENID_FIELDS, name: 'preferred_username' },
  },
};
