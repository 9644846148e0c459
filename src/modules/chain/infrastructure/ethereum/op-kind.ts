import { hexlify } from 'ethers/utils';
import type { DataFees } from '../../../../kernel/chain/payment.js';
import type { Endpoints } from '../endpoints.js';
import { NodeFault } from '../node-faults.js';
import { CallFailed } from './call-failed.js';
import type { EthereumNode } from './ethereum-node.js';
import { callData, selectorOf } from './ethereum-transaction.js';
import { EvmKind } from './evm-kind.js';

/** GasPriceOracle, a predeployed contract. */
const ORACLE = '0x420000000000000000000000000000000000000F';
const L1_FEE = selectorOf('getL1Fee(bytes)');
const OPERATOR_FEE = selectorOf('getOperatorFee(uint256)');

/** The contract itself refused. Another failure, such as missing gas, does not show whether it has the function. */
const REVERTED = /revert|VM execution error/i;

/** Predeployed contracts have the addresses from 0x42…0000 on. */
const PREDEPLOYS = 0x4200000000000000000000000000000000000000n;
const NUMBER_OF_PREDEPLOYS = 2_048n;

/** No field bounds the L1 and operator fees of the OP stack. The oracle is asked before signing, since the formulas change with forks. */
export class OpKind extends EvmKind {
  override readonly hasSequencer = true;
  override readonly takesDataFees = true;

  constructor(private readonly warn: (message: string) => void) {
    super();
  }

  override async dataFees(
    nodes: Endpoints<EthereumNode>,
    bytesOf: () => Uint8Array,
    gasLimit: bigint,
  ): Promise<DataFees> {
    const bytes = bytesOf();
    const [l1, operator] = await Promise.all([
      nodes.read((node) => this.l1Fee(node, bytes)),
      nodes.read((node) => this.operatorFee(node, gasLimit)),
    ]);
    return { l1, operator };
  }

  override isReserved(address: string): boolean {
    const place = BigInt(address) - PREDEPLOYS;
    return super.isReserved(address) || (place >= 0n && place < NUMBER_OF_PREDEPLOYS);
  }

  private async l1Fee(node: EthereumNode, bytes: Uint8Array): Promise<bigint> {
    try {
      return await node.view({ to: ORACLE, data: callData(L1_FEE, ['bytes'], [hexlify(bytes)]) });
    } catch (error) {
      // No payment is at fault: the node is on a network of another kind, or has no state.
      throw error instanceof CallFailed ? new NodeFault('The oracle of fees (getL1Fee) does not answer.') : error;
    }
  }

  private async operatorFee(node: EthereumNode, gasLimit: bigint): Promise<bigint> {
    try {
      return await node.view({ to: ORACLE, data: callData(OPERATOR_FEE, ['uint256'], [gasLimit]) });
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      if (!REVERTED.test(error.message)) throw new NodeFault('The oracle of fees (getOperatorFee) does not answer.');
      // Before the fork Isthmus the oracle lacks it.
      this.warn('the network has no getOperatorFee: its operator fee counts as 0');
      return 0n;
    }
  }
}
