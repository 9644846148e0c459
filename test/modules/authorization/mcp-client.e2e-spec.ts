import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import express from 'express';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { freePort } from '../../../src/dev/free-port.js';
import { Outbound } from '../../../src/services/outbound/outbound.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { signIn } from '../../support/sign-in.js';
import { answer, Browser, CODE, Server } from './servers.js';

const CALLBACK = 'http://localhost:33418/callback';
const SCOPES = ['openid', 'offline_access', 'tools:call'];

let service: TestApp;
let server: Server;
let tools: Tools;
let user: string;

beforeAll(async () => {
  const port = `${await freePort()}`;
  const env = { ROLE: 'api', PORT: port, BASE_URL: `http://127.0.0.1:${port}`, PUBLIC_RATE: '1000' };
  service = await startApp({ env });
});
afterAll(async () => {
  await service?.stop();
});
beforeEach(async () => {
  server = await Server.of(service);
  tools = await Tools.start();
  await server.resource(tools.url, ['tools:call']);
  user = (await service.given.user(server.app)).user_id;
});
afterEach(() => {
  jest.restoreAllMocks();
  tools.stop();
});

/** An MCP server as the guide describes it. It says whose token called the tool. */
class Tools {
  /** Tokens that it takes for expired. */
  readonly expired = new Set<string>();

  private constructor(private readonly host: http.Server) {}

  static async start(): Promise<Tools> {
    const app = express();
    const host = app.listen(0, '127.0.0.1');
    await once(host, 'listening');
    const started = new Tools(host);
    const origin = new URL(started.url).origin;
    app.get('/.well-known/oauth-protected-resource/mcp', (_, response) => {
      const scopes_supported = ['tools:call', 'offline_access'];
      response.json({ resource: started.url, authorization_servers: [server.issuer], scopes_supported });
    });
    const verifyAccessToken = (token: string) => started.infoOf(token);
    const resourceMetadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
    app.post(
      '/mcp',
      requireBearerAuth({
        verifier: { verifyAccessToken },
        resourceMetadataUrl,
        expectedResource: new URL(started.url),
      }),
      async (request, response) => {
        const mcp = new McpServer({ name: 'tools', version: '1' });
        mcp.registerTool('whoami', {}, async ({ authInfo }) => ({
          content: [{ type: 'text', text: `${String(authInfo!.extra!['sub'])} ${authInfo!.scopes.join(' ')}` }],
        }));
        const transport = new StreamableHTTPServerTransport({});
        await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
        await transport.handleRequest(request, response);
      },
    );
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.host.address() as AddressInfo).port}/mcp`;
  }

  stop(): void {
    this.host.closeAllConnections();
    this.host.close();
  }

  private async infoOf(token: string) {
    if (this.expired.has(token)) throw new InvalidTokenError('it has expired');
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks`));
    const options = { issuer: server.issuer, audience: this.url, typ: 'at+jwt' };
    const { payload } = await jwtVerify(token, keys, options).catch(() => {
      throw new InvalidTokenError('it is not for these tools');
    });
    const scopes = String(payload['scope']).split(' ');
    const parties = { clientId: String(payload['client_id']), extra: { sub: payload.sub } };
    return { token, scopes, ...parties, expiresAt: payload.exp!, resource: new URL(String(payload.aud)) };
  }
}

/** A desktop program, as the SDK wants it: it keeps what it is given. */
class Desktop implements OAuthClientProvider {
  begun?: URL;
  saved?: OAuthTokens;
  session?: string;
  private verifier = '';
  private discovered?: OAuthDiscoveryState;

  constructor(
    private registered?: OAuthClientInformationMixed,
    readonly clientMetadataUrl?: string,
  ) {}

  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'Desktop', redirect_uris: [CALLBACK] };
  readonly clientInformation = () => this.registered;
  readonly saveClientInformation = (client: OAuthClientInformationMixed) => void (this.registered = client);
  readonly tokens = () => this.saved;
  readonly saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens);
  readonly redirectToAuthorization = (url: URL) => void (this.begun = url);
  readonly saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  readonly codeVerifier = () => this.verifier;
  readonly saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.discovered = state);
  readonly discoveryState = () => this.discovered;

  connect = async (): Promise<Client> => {
    const client = new Client({ name: 'desktop', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(tools.url), { authProvider: this });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return client;
  };
}

/** The call without a token begins the login, and the user of the session consents. */
async function logIn(program: Desktop): Promise<Client> {
  await expect(program.connect()).rejects.toThrow(UnauthorizedError);
  const browser = new Browser(server);
  const { url: page } = await browser.visit(program.begun!.href);
  program.session = (await signIn(service, server.app, { user_id: user })).session_token!;
  const { redirect_url } = (await answer(server, page, 'accept', { session_token: program.session })).body;
  const { url } = await browser.visit(redirect_url);
  expect(`${url.origin}${url.pathname}`).toBe(CALLBACK);
  const authorizationCode = url.searchParams.get('code')!;
  expect(await auth(program, { serverUrl: tools.url, authorizationCode })).toBe('AUTHORIZED');
  return program.connect();
}

const whoAmI = async (client: Client) => {
  const { content } = await client.callTool({ name: 'whoami' });
  return (content as { text: string }[])[0]!.text;
};

/** Logs in, and goes on with a new token once the server refuses the first one, also after the user has signed out. */
async function usesTools(program: Desktop, clientId: string): Promise<void> {
  const client = await logIn(program);
  expect(await whoAmI(client)).toBe(`${user} tools:call`);
  const { access_token: first, refresh_token: used } = program.saved!;
  expect(decodeJwt(first)).toMatchObject({ aud: tools.url, client_id: clientId });
  const body = { session_token: program.session };
  await service.ok('DELETE', '/v1/auth/sessions/delete', { key: server.app.secretKey, body });
  tools.expired.add(first);
  expect(await whoAmI(client)).toBe(`${user} tools:call`);
  expect(program.saved!.access_token).not.toBe(first);
  expect(program.saved!.refresh_token).not.toBe(used);
  await client.close();
}

describe('the MCP SDK', () => {
  it('logs a registered program in from the address of the tools alone, and keeps its login', async () => {
    const settings = { ...CODE, redirect_uris: ['http://localhost/callback'], scopes: SCOPES, resources: [tools.url] };
    const { id: client_id } = await server.client({ ...settings, type: 'public' });
    await usesTools(new Desktop({ client_id }), client_id);
  });

  it('logs a program in that describes itself', async () => {
    const login_url = 'https://acme.example/login';
    const authorization_server = { login_url, client_metadata_hosts: ['desktop.example'] };
    await server.manage('PATCH', '', { authorization_server });
    const url = 'https://desktop.example/client.json';
    const document = { client_id: url, client_name: 'Desktop', redirect_uris: [CALLBACK] };
    const body = JSON.stringify({ ...document, grant_types: CODE.grant_types, token_endpoint_auth_method: 'none' });
    const outbound = service.nest.get(Outbound, { strict: false });
    const sent = jest.spyOn(outbound, 'send').mockResolvedValue({ status: 200, body } as never);
    await usesTools(new Desktop(undefined, url), url);
    expect(sent.mock.calls.map(([address]) => address)).toEqual([url]);
  });

  it('says what is missing to a program that is neither', async () => {
    await expect(new Desktop().connect()).rejects.toThrow('does not support dynamic client registration');
  });
});

/** For Node 22: `npx -y -p node@22 -p @modelcontextprotocol/conformance@0.2.0-alpha.12 conformance`. */
const CONFORMANCE = process.env['MCP_CONFORMANCE'];

(CONFORMANCE ? describe : describe.skip)('the MCP conformance suite (skipped unless MCP_CONFORMANCE runs it)', () => {
  it.each([[], ['--resource']])('passes its scenarios of authorization servers with %j', async (...named) => {
    const login_url = 'https://acme.example/login';
    const authorization_server = { login_url, client_metadata_hosts: ['desktop.example'] };
    await server.manage('PATCH', '', { authorization_server });
    const port = `${await freePort()}`;
    const redirect_uris = [`http://127.0.0.1:${port}/callback`];
    const { id } = await server.client({
      ...CODE,
      redirect_uris,
      type: 'public',
      scopes: SCOPES,
      resources: [tools.url],
    });
    const { session_token } = await signIn(service, server.app, { user_id: user });
    const [program, ...args] = CONFORMANCE!.split(' ');
    const resource = named.length > 0 ? [...named, tools.url] : [];
    const suite = spawn(program!, [
      ...args,
      'authorization',
      '--url',
      server.issuer,
      '--client-id',
      id,
      '-p',
      port,
      ...resource,
    ]);
    let output = '';
    suite.stdout.on('data', (part: Buffer) => (output += part.toString()));
    suite.stderr.on('data', (part: Buffer) => (output += part.toString()));
    const ended = once(suite, 'exit');
    const asked = () => /^http:\S+\/auth\?\S+$/m.exec(output)?.[0];
    await eventually(async () => expect(asked() ?? suite.exitCode).toBeTruthy());
    const browser = new Browser(server);
    const { url: page } = await browser.visit(asked()!);
    const { redirect_url } = (await answer(server, page, 'accept', { session_token })).body;
    await fetch((await browser.visit(redirect_url)).url);
    expect([...(await ended), output]).toEqual([0, null, expect.stringContaining('3 passed, 0 failed')]);
  });
});
