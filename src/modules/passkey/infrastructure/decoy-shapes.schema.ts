import { EntitySchema } from 'typeorm';
import type { AppId } from '../../../kernel/ids.js';
import type { ListShape } from '../domain/decoy.js';

interface DecoyShapesRow {
  readonly appId: AppId;
  readonly rpId: string;
  readonly shapes: readonly ListShape[];
  readonly sampled: number;
}

export const DecoyShapesSchema = new EntitySchema<DecoyShapesRow>({
  name: 'WebauthnDecoyShapes',
  tableName: 'webauthn_decoy_shapes',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'webauthn_decoy_shapes_pkey' },
    rpId: { type: 'text', name: 'rp_id', primary: true, primaryKeyConstraintName: 'webauthn_decoy_shapes_pkey' },
    shapes: { type: 'jsonb' },
    sampled: { type: 'integer' },
  },
});
