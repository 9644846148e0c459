import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/services/root.js';

interface Form {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  readonly required: readonly string[];
}

const text = readFileSync(join(ROOT, 'openapi/openapi.json'), 'utf8');
const { schemas } = (JSON.parse(text) as { components: { schemas: Record<string, unknown> } }).components;

describe('the schemas of the document', () => {
  it('have fields, because those of a class outside of a file of DTOs would be left out', () => {
    const forms = Object.entries(
      schemas as Record<string, { properties?: object; type?: string; additionalProperties?: unknown }>,
    );
    const objects = forms.filter(([, { type, additionalProperties }]) => type === 'object' && !additionalProperties);
    expect(objects.length).toBeGreaterThan(100);
    expect(objects.filter(([, { properties }]) => Object.keys(properties ?? {}).length === 0)).toEqual([]);
  });

  it('list null beside the values of a field, because a generated client has no type for it among them', () => {
    const lists: unknown[][] = [];
    JSON.parse(text, (name, value: unknown) => {
      if (name === 'enum' && Array.isArray(value)) lists.push(value);
      return value;
    });
    expect(lists.length).toBeGreaterThan(50);
    expect(lists.filter((values) => values.includes(null))).toEqual([]);
  });

  it('describe the method of a session factor as one of the forms that method_type distinguishes', () => {
    const { oneOf, discriminator } = schemas['FactorMethodResponse'] as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    expect(discriminator.propertyName).toBe('method_type');
    expect(Object.values(discriminator.mapping)).toEqual(oneOf.map(({ $ref }) => $ref));
    const fields = Object.entries(discriminator.mapping).map(([value, reference]) => {
      const { properties, required } = schemas[reference.split('/').pop()!] as Form;
      expect(properties['method_type']!.enum).toEqual([value]);
      expect(required).toEqual(Object.keys(properties));
      return [value, required.filter((name) => !['method_id', 'method_type', 'last_verified_at'].includes(name))];
    });
    expect(Object.fromEntries(fields)).toEqual({
      email: ['email_id', 'email'],
      phone_number: ['phone_number_id', 'phone_number'],
      user: ['user_id'],
      oauth: ['idp_user_id', 'provider_subject'],
      totp: ['totp_id'],
      wallet: ['wallet_id', 'wallet_type', 'wallet_public_address'],
      webauthn: ['webauthn_credential_id'],
    });
  });
});

describe('the shared responses of the document', () => {
  it('for errors have the name of their status, because each operation refers to about eight of them', () => {
    const references = [...text.matchAll(/"(\d{3})": \{\s*"\$ref": "#\/components\/responses\/(.*?)"/g)];
    const errors = references.filter(([, status, name]) => Number(status) >= 400 && name !== 'webhook_gone');
    expect(errors.filter(([, status, name]) => !/^\d{3}(-\d+)?$/.test(name!) || !name!.startsWith(status!))).toEqual(
      [],
    );
    expect(errors.length).toBeGreaterThan(1_000);
  });
});
