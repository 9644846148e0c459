import { ApiProperty } from '@nestjs/swagger';
import { RESETTABLE } from '../../../edge/http/field.js';
import { MinutesWithin } from '../../../edge/http/fields.js';
import { SettingOfApp } from '../../apps/index.js';
import { SESSION_IDLE_MINUTES, SESSION_LIFETIME, SESSION_MAX_MINUTES } from '../domain/session.js';

const EXAMPLE = 720;
const BOUNDS = {
  [SESSION_IDLE_MINUTES]: 'The minutes without a verify call after which a session has expired, at most a minute later',
  [SESSION_MAX_MINUTES]: 'The minutes from its start after which a session has expired, however often it is extended',
};

for (const [field, description] of Object.entries(BOUNDS))
  SettingOfApp(field, {
    requested: MinutesWithin(
      { ...SESSION_LIFETIME, min: 1 },
      {
        ...RESETTABLE,
        description: `${description}; \`null\` removes the bound. It holds for sessions that have begun too.`,
        example: EXAMPLE,
      },
    ),
    shown: ApiProperty({
      type: 'integer',
      nullable: true,
      description: `${description}; \`null\`: no bound.`,
      example: EXAMPLE,
    }),
  });
