import { ApiProperty } from '@nestjs/swagger';
import { ListOf } from '../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../edge/http/field.js';
import { Text } from '../../../edge/http/fields.js';
import { SettingOfApp } from '../../apps/index.js';
import { SESSION_CLAIMS } from '../application/user-claims.js';

const DESCRIPTION = `The claims about the user in session JWTs: \`external_id\`, \`metadata\`, or members of it as \`metadata.plan\`. They have the values of the time at which the JWT was signed, and a user who has none has no claim. If they have more than 1,000 bytes as JSON, the JWT has none of them.`;
const EXAMPLE = ['external_id', 'metadata.plan'];

SettingOfApp(SESSION_CLAIMS, {
  requested: ListOf(
    Text({
      pattern: /^(external_id|metadata(\..{1,256})?)$/s,
      patternName: 'external_id, metadata or metadata.<member>',
    }),
    {
      max: 20,
      ...RESETTABLE,
      description: `${DESCRIPTION} The request replaces the list; \`null\` empties it.`,
      example: EXAMPLE,
    },
  ),
  shown: ApiProperty({ type: 'array', items: { type: 'string' }, description: DESCRIPTION, example: EXAMPLE }),
});
