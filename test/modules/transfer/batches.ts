import type { Answer, TestApp } from '../../support/app.js';
import { type Money, newAddress, type Payer } from '../../support/money.js';

export type Item = Readonly<Record<string, unknown>> & { readonly dest: string; readonly source_amount: string };

/** The calls about batches of one payer. */
export class Batches {
  constructor(
    private readonly money: Money,
    readonly payer: Payer,
  ) {}

  items(count: number, amount: (index: number) => string = () => '0.01'): Item[] {
    return Array.from({ length: count }, (_, index) => ({
      dest: newAddress(this.payer.chain),
      source_amount: amount(index),
    }));
  }

  create(items: readonly object[], fields: object = {}, app: TestApp = this.money.app): Promise<Answer> {
    const { walletId: source, chain: source_currency } = this.payer;
    return this.post('create_batch', { source, source_currency, items, ...fields }, app);
  }

  /** The created batch. Throws if it was refused. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
  async created(items: readonly object[], fields: object = {}): Promise<any> {
    const { status, body, text } = await this.create(items, fields);
    if (status !== 200) throw new Error(`The batch was not created: ${text}`);
    return body;
  }

  confirm(batch_id: string, fields: object = {}, app: TestApp = this.money.app): Promise<Answer> {
    return this.post('confirm_batch', { batch_id, ...fields }, app);
  }

  private post(path: string, body: object, app: TestApp): Promise<Answer> {
    return app.call('POST', `/v1/transfers/${path}`, { key: this.payer.app.secretKey, body });
  }
}

/** The status, the code and the item of a refusal. */
export function refusalOf({ status, body }: Answer): unknown {
  return [status, body.error_type, body.item ?? null];
}
