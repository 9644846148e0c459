/** How a client proves who it is at the token endpoint. */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

/** Where a provider is reached, and for an OpenID provider how its id_tokens are verified. */
export interface ProviderEndpoints {
  readonly authorization: string;
  readonly token: string;
  /** In the order they are tried. */
  readonly clientAuthentication: readonly ClientAuthentication[];
  /** Says who the access token belongs to; optional where the id_token says it all. */
  readonly profile?: string;
  /** Lists the user's addresses as `[{ email, primary, verified }]`, where the profile does not tell what is verified. */
  readonly emails?: string;
  readonly openid?: {
    /** `{tenantid}` stands for the token's own `tid` claim. */
    readonly issuer: string;
    /** A second spelling of the issuer that the provider documents for its id_tokens. */
    readonly issuerAlias?: string;
    readonly jwks: string;
    /** Whether the provider promises the `iss` parameter of RFC 9207, so that its absence is an attack. */
    readonly sendsIssuer: boolean;
  };
}

/** Names of the fields of a profile or id_token. */
export interface ProfileFields {
  readonly subject: string;
  readonly emailVerified: string;
  /** Values of that field that mean verified. Anything else does not. */
  readonly verifiedValues: readonly unknown[];
  /** Full name, split where first and last name are not told apart. */
  readonly name: string;
}

/** What makes one provider different from the next. */
export interface Provider {
  /** Absent: discovered at the connection's issuer. */
  readonly endpoints?: ProviderEndpoints;
  readonly scopes: readonly string[];
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  /** Apple's client secret is a JWT signed with the team's key instead of a password. */
  readonly signsClientSecret?: true;
  readonly fields: ProfileFields;
}

const OPENID_FIELDS: ProfileFields = {
  subject: 'sub',
  emailVerified: 'email_verified',
  verifiedValues: [true],
  name: 'name',
};

/** Any OpenID provider, and what a built-in one is where nothing else is said. */
export const OPENID: Provider = { scopes: ['openid', 'email', 'profile'], fields: OPENID_FIELDS };

/** The providers known by name. A connection with an issuer of its own uses that issuer's endpoints instead. */
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
    // Without it google gives no refresh token.
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
    // Tenants set the email claim as they like; this optional claim says that the tenant owns the address's domain.
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
    // Demanded by apple as soon as a scope is asked for.
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
    // Without a version in the path the oldest one that still works is meant.
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
  // Every customer has an issuer of its own, which the connection names.
  okta: OPENID,
  linkedin: {
    ...OPENID,
    // Its id_token has no nonce, so who signed in is asked of the userinfo endpoint.
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
    // Left out, twitch gives no address.
    authorizationParameters: {
      claims: JSON.stringify({ userinfo: { email: null, email_verified: null, preferred_username: null } }),
    },
    fields: { ...OPENID_FIELDS, name: 'preferred_username' },
  },
};
