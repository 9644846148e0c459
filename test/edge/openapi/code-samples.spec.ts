import { addCodeSamples, postmanCollection, type SampledDocument } from '../../../src/edge/openapi/code-samples.js';
import { document as openapi } from '../../contract/prefilled.js';

const URL = 'https://id.example';

/** The samples of an operation by their labels. */
function samplesOf(path: string, method: string, operation: object): Record<string, string> {
  const document = { paths: { [path]: { [method]: operation } }, components: { parameters: {} } };
  addCodeSamples(document as unknown as SampledDocument, URL);
  const [sampled] = Object.values(Object.values(document.paths)[0]!) as {
    'x-codeSamples'?: { label: string; source: string }[];
  }[];
  return Object.fromEntries(sampled!['x-codeSamples']!.map(({ label, source }) => [label, source]));
}

describe('a code sample', () => {
  it('sends the example of the body with the key', () => {
    const samples = samplesOf('/v1/auth/otps/verify', 'post', {
      security: [{ secret_key: [] }],
      requestBody: { content: { 'application/json': { example: { otp: "12'34", is_new: true, none: null } } } },
      responses: { '200': { content: { 'application/json': {} } } },
    });
    expect(samples).toEqual({
      curl: `curl -sS -X POST "https://id.example/v1/auth/otps/verify" \\
  -H "Authorization: Bearer $SECRET" \\
  -H 'Content-Type: application/json' \\
  -d '{
  "otp": "12'\\''34",
  "is_new": true,
  "none": null
}'`,
      TypeScript: `// Save it as call.mts, beside the client. Then: npx tsx call.mts
import { createClient } from 'identity-and-wallets-client';

const client = createClient({ baseUrl: 'https://id.example', secretKey: process.env.SECRET! });
const result = await client.otps.verify({
  otp: "12'34",
  is_new: true,
  none: null
});
console.log(result);`,
      Python: `# It needs: pip install requests
import os

import requests

response = requests.post(
    "https://id.example/v1/auth/otps/verify",
    headers={"Authorization": f"Bearer {os.environ['SECRET']}"},
    json={
        "otp": "12'34",
        "is_new": True,
        "none": None,
    },
    timeout=30,
)
response.raise_for_status()
print(response.json())`,
      Go: `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := strings.NewReader(\`{
  "otp": "12'34",
  "is_new": true,
  "none": null
}\`)
	request, err := http.NewRequest("POST", "https://id.example/v1/auth/otps/verify", body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SECRET"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(answer))
}`,
    });
  });

  it('has the ids of the path and the query in their places', () => {
    const samples = samplesOf('/v1/auth/oauth/{provider}/begin', 'get', {
      security: [{ public_token: [] }],
      parameters: [
        { name: 'provider', in: 'path', example: 'google' },
        { name: 'code_challenge', in: 'query', example: 'a b' },
        { name: 'redirect', in: 'query' },
      ],
      responses: { '200': { content: { 'application/json': {} } } },
    });
    expect(samples['curl']).toBe(
      'curl -sS "https://id.example/v1/auth/oauth/google/begin?code_challenge=a%20b&public_token=$PUBLIC"',
    );
    expect(samples['TypeScript']).toContain(`client.oauth.begin('google', {\n  code_challenge: "a b"\n})`);
    expect(samples['Go']).toContain(
      'http.NewRequest("GET", "https://id.example/v1/auth/oauth/google/begin?code_challenge=a%20b&public_token=" + os.Getenv("PUBLIC"), nil)',
    );
    expect(samples['Python']).toContain('params={"code_challenge": "a b", "public_token": os.environ["PUBLIC"]},');
  });

  it('exists for every operation, in TypeScript for those of the client', () => {
    const document = structuredClone(openapi) as unknown as SampledDocument;
    addCodeSamples(document, URL);
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).map((operation) => [path, operation['x-codeSamples']!.map(({ label }) => label)] as const),
    );
    expect(operations.filter(([, labels]) => !labels.includes('curl') || !labels.includes('Python'))).toEqual([]);
    const withoutClient = operations.filter(([, labels]) => !labels.includes('TypeScript')).map(([path]) => path);
    // A browser calls the one, and the client holds no stream of all users in memory.
    const isNoCall = (path: string) => path.includes('/callback/') || path.endsWith('/users/export');
    expect(withoutClient.filter((path) => /^\/(v1|management)\//.test(path) && !isNoCall(path))).toEqual([]);
    const sources = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation['x-codeSamples']!.map(({ source }) => source)),
    );
    expect(sources.filter((source) => /undefined|\{\w+_id\}|\[object/.test(source))).toEqual([]);
  });
});

it('the collection for Postman has a request for each call, without a key', () => {
  const collection = postmanCollection(openapi as unknown as SampledDocument, URL) as {
    item: {
      name: string;
      item: { name: string; request: { method: string; url: { raw: string }; auth?: object } }[];
    }[];
    variable: { key: string; value: string; type?: string }[];
  };
  const requests = collection.item.flatMap(({ item }) => item);
  expect(requests).toHaveLength(Object.values(openapi.paths).flatMap(Object.keys).length);
  expect(requests.find(({ request }) => request.url.raw.endsWith('/otps/verify'))).toMatchObject({
    name: 'Verify a passcode',
    request: {
      method: 'POST',
      auth: { bearer: [{ value: '{{SECRET}}' }] },
      body: { mode: 'raw', raw: expect.stringContaining('"otp"') },
    },
  });
  // The schema of the format knows these types only.
  const types = ['string', 'boolean', 'any', 'number', undefined];
  expect(collection.variable.filter(({ type }) => !types.includes(type))).toEqual([]);
  expect(collection.variable.filter(({ value }) => value !== '')).toEqual([{ key: 'S', value: URL }]);
});
