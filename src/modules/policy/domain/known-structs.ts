/**
 * The structs by which contracts in use take a signer's assets or act in the signer's name: EIP-2612 and its relatives, EIP-3009, Permit2,
 * Seaport, Blur, Safe, EIP-2771, ERC-4337, ERC-7710, the struct that hides a Hyperliquid order, and the login whose signature is the seed
 * of a key of dYdX. The names are in lower case.
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

/** The names of the structs in lower case, and those without their namespaces: `Exchange:Order` is an `order` too. */
export function structNamesIn(types: object): readonly string[] {
  return Object.keys(types).flatMap((struct) => {
    const name = struct.toLowerCase();
    return [name, ...name.split(/[:.]/).filter((part) => part !== '' && part !== name)];
  });
}
