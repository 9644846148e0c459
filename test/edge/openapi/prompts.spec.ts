import { addCodeSamples, type SampledDocument } from '../../../src/edge/openapi/code-samples.js';
import { addPrompts } from '../../../src/edge/openapi/prompts.js';
import { document as openapi } from '../../contract/prefilled.js';

const URL = 'https://id.example';

function prompts(): Record<string, string> {
  const document = structuredClone(openapi) as unknown as SampledDocument;
  addCodeSamples(document, URL);
  addPrompts(document, URL);
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  return Object.fromEntries(
    (operations as unknown as Record<string, string>[]).map((each) => [each['operationId'], each['x-prompt']]),
  );
}

describe('the prompt of an operation', () => {
  it('has the route, the key, the fields, the response, the errors and a sample', () => {
    const prompt = prompts()['otp_verify']!;
    for (const text of [
      '# Verify a passcode\n\nPOST https://id.example/v1/auth/otps/verify',
      'the environment variable SECRET',
      '- otp (string, required) The six digits of the passcode',
      '## Response 200\n\n{\n  "user_id": "user_',
      '- 400: invalid_json, invalid_otp,',
      '-H "Authorization: Bearer $SECRET"',
      'https://id.example/guide/api.md',
    ])
      expect(prompt).toContain(text);
  });

  it('exists for every operation, without gaps', () => {
    const faulty = Object.entries(prompts()).filter(
      ([, text]) => !text || /undefined|\[object|NaN|\bnull\b \(/.test(text),
    );
    expect(faulty).toEqual([]);
    expect(Object.keys(prompts()).length).toBeGreaterThan(200);
  });
});
