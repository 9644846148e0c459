/**
 * Contracts in use take a signer's assets or act for the signer by these: EIP-2612 and its relatives, EIP-3009, Permit2, Seaport, Blur,
 * Safe, EIP-2771, ERC-4337, ERC-7710, the hidden Hyperliquid order, and the login that is the seed of a dYdX key.
 */
export const KNOWN_STRUCTS: ReadonlySet<string> = new Set(
  [
    ['Permit', 'PermitForAll', 'PermitSingle', 'PermitBatch', 'PermitTransferFrom', 'PermitBatchTransferFrom'],
    ['PermitWitnessTransferFrom', 'PermitBatchWitnessTransferFrom', 'TokenPermissions', 'PermitDetails'],
    ['TransferWithAuthorization', 'ReceiveWithAuthorization', 'OrderComponents', 'BulkOrder', 'Root'],
    ['SafeTx', 'SafeMessage', 'SafeOp', 'ForwardRequest', 'MetaTransaction', 'UserOperation', 'PackedUserOperation'],
    ['Delegation', 'Agent', 'dYdX'],
  ].flatMap((names) => names.map((name) => name.toLowerCase())),
);

/** The names in lower case, with and without namespace: `Exchange:Order` is an `order` too. */
export function structNamesIn(types: object): readonly string[] {
  return Object.keys(types).flatMap((struct) => {
    const name = struct.toLowerCase();
    return [name, ...name.split(/[:.]/).filter((part) => part !== '' && part !== name)];
  });
}
