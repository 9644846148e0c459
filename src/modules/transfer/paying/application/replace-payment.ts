import { Injectable } from '@nestjs/common';
import type { Chain } from '../../../../kernel/chain/chain.js';
import { BooksBehindChain } from '../../../../kernel/chain/chain.errors.js';
import type { Ask } from '../../../../kernel/chain/node-calls.js';
import type { Cancellation, Signable } from '../../../../kernel/chain/payment.js';
import { assertUnaltered } from '../../../../kernel/row-macs.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { Gate, type KeyUse } from '../../../policy/index.js';
import { WalletsFacade } from '../../../wallet/index.js';
import { type SeenTransfer, TransferStateRepository } from '../../transfer/domain/transfer.repository.js';
import type { Attempt } from '../../transfer/domain/transfer.js';
import { assertOnNetwork } from '../../transfer/application/pending-payment.js';
import { confirmationOf, requestOf } from './sign-payment.js';

/** Signs the same payment with higher fees, or a cancellation, on the nonce of the earlier attempts. */
@Injectable()
export class ReplacePayment {
  constructor(
    private readonly transfers: TransferStateRepository,
    private readonly wallets: WalletsFacade,
    private readonly gate: Gate,
    private readonly transactions: Transactions,
  ) {}

  /**
   * The caller must send the attempt. Null when the quote leaves no room, the chain replaces nothing, or the transfer has changed. `ask`
   * runs the reads, outside the transaction. `byOperator`: a freeze does not prevent the cancellation, nor a replacement of one. After an
   * error nothing has changed: the earlier attempts go on.
   */
  async execute(
    seen: SeenTransfer,
    chain: Chain,
    attempts: readonly Attempt[],
    kind: Attempt['kind'],
    ask: Ask = (reads) => reads(),
    byOperator = false,
  ): Promise<Attempt | null> {
    const { transfer } = seen;
    const signable = await ask(async () => {
      await assertOnNetwork(transfer, chain);
      return kind === 'payment'
        ? chain.prepareReplacement(transfer.payment(), attempts, transfer.feeCap, transfer.dataFees())
        : chain.prepareCancellation(transfer.sourceAddress, attempts, transfer.cancellationCap());
    });
    if (!signable) return null;
    const payment = requestOf(transfer, chain, confirmationOf(transfer));
    const request = isCancellation(signable)
      ? {
          ...payment,
          use: upkeepOf(chain, signable.maxFee),
          isCancellation: byOperator || attempts.at(-1)?.kind === 'cancellation',
        }
      : { ...payment, isReplacement: true };
    return this.transactions.run(
      async (isAgain) => {
        const pass = await this.gate.open(request, isAgain);
        const locked = await this.transfers.lockUnchanged(seen, attempts.length);
        if (!locked || locked.transfer.stage === 'mined') return null;
        assertUnaltered(locked.transfer);
        if (locked.books !== 'current') throw new BooksBehindChain(transfer.id);
        const [counted, { signer }] = await Promise.all([
          this.gate.count([pass]),
          this.wallets.holdPaying(transfer.appId, transfer.source, transfer.userId, pass),
        ]);
        // Signed attempts may be carried out at any time, so a replacement cannot wait for approvers.
        const { decisionId } = await this.gate.decide(pass, counted, false);
        const bytes = signable.sign(signer, attempts[0]!.nonce);
        if (bytes.network !== transfer.network) {
          throw new Error(`The replacement for ${transfer.id} is signed for ${bytes.network}.`);
        }
        if (bytes.maxFee > (kind === 'payment' ? transfer.feeCap : transfer.cancellationCap())) {
          throw new Error(`The replacement for ${transfer.id} exceeds the fee bound.`);
        }
        // Its end must find the decision, which holds budgets.
        const decided = locked.transfer.allow(confirmationOf(transfer), decisionId);
        return this.transfers.storeSigned(decided.sign(bytes.hash, locked.now), bytes, attempts.length, kind);
      },
      { signs: true },
    );
  }
}

function isCancellation(signable: Signable): signable is Cancellation {
  return 'maxFee' in signable;
}

export function upkeepOf({ native }: Chain, maxFee: bigint): KeyUse {
  return { operation: 'upkeep', fee: { asset: native, amount: maxFee } };
}
