import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import { PersonalData } from '../../../kernel/personal-data.js';
import type { Erasure } from '../domain/erasure.js';
import { type ReceiptLine, receiptOf } from '../domain/receipt.js';

export class ErasureLine {
  /** What the rows are: the name of the list in the export of a person, or of what cannot be found by the person. */
  @Example('sessions')
  readonly name!: string;
  /** Whether the rows were removed, lost what they say about the person, or must stay. */
  @EnumValues(['removed', 'anonymised', 'kept'])
  @Example('removed')
  readonly outcome!: ReceiptLine['outcome'];
  /** The number of rows; null where they cannot be found by the person. */
  @Example(2)
  readonly rows!: number | null;
  /** Why the rows, or a part of each, must stay; empty if all is removed. */
  @Example('')
  readonly reason!: string;
}

@ApiSchema({ description: 'The receipt of the erasure of a person.' })
export class ErasureResponse {
  @Example(exampleId('user'))
  readonly user_id!: string;
  /** Whether the erasure still goes on. */
  @EnumValues(['running', 'done'])
  @Example('done')
  readonly status!: 'running' | 'done';
  /** How much of the erasure is done, in percent. */
  @Example(100)
  readonly percent!: number;
  /** Epoch seconds. */
  readonly requested_at!: number;
  /** Epoch seconds; 0 while the erasure goes on. */
  readonly finished_at!: number;
  /** What there was about the person, and what became of it. */
  readonly lines!: ErasureLine[];

  static of(erasure: Erasure): ErasureResponse {
    const { userId, requestedAt, finishedAt, done } = erasure;
    return {
      user_id: userId,
      status: finishedAt ? 'done' : 'running',
      percent: finishedAt ? 100 : Math.floor((99 * done.length) / PersonalData.rows.length),
      requested_at: epochSeconds(requestedAt),
      finished_at: epochSeconds(finishedAt),
      lines: receiptOf(erasure).map((line) => ({ ...line })),
    };
  }
}
