import { assertSignable, movesValue } from '../../../../src/modules/policy/gate/domain/message-policy.js';
import { TypedDataNotAllowed } from '../../../../src/modules/policy/rules/domain/policy.errors.js';
import { readTypedData } from '../../../../src/modules/wallet/signing/infrastructure/eip712-typed-data.js';

const TOKEN = '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC';

type Fields = readonly { readonly name: string; readonly type: string }[];

/** Structs as EIP-712 writes them one behind the other, the primary type first: `A(B b,uint256 c)B(address d)`. */
function typesIn(text: string): Record<string, Fields> {
  return Object.fromEntries(
    [...text.matchAll(/([^()]+)\(([^()]*)\)/g)].map(([, struct, members]) => [
      struct!,
      members!.split(',').map((member) => {
        const [type, name] = member.split(' ') as [string, string];
        return { name, type };
      }),
    ]),
  );
}

/** A value of a type, which decides nothing. */
function anyOf(type: string, types: Record<string, Fields>): unknown {
  const [, element, size] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (element !== undefined) return Array.from({ length: Number(size || 1) }, () => anyOf(element, types));
  const struct = types[type];
  if (struct) return Object.fromEntries(struct.map((field) => [field.name, anyOf(field.type, types)]));
  if (type === 'address') return TOKEN;
  if (type === 'bool') return true;
  if (type === 'string') return 'x';
  if (type.startsWith('bytes')) return `0x${'00'.repeat(Number(type.slice(5)))}`;
  return 1;
}

function read(text: string, domain: object = { name: 'test', chainId: 1, verifyingContract: TOKEN }) {
  const types = typesIn(text);
  const primaryType = Object.keys(types)[0]!;
  return readTypedData({ domain, types, primaryType, message: anyOf(primaryType, types) });
}

const PERMIT = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)';
const TOKENS = 'TokenPermissions(address token,uint256 amount)';
const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)';
const SEAPORT = `OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)`;
const AUTHORIZED = '(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)';

const USER_OPERATION = `UserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData)`;

/** What contracts in use accept. */
const STANDARDS: readonly (readonly [string, string])[] = [
  ['EIP-2612', PERMIT],
  ['DAI', 'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)'],
  ['EIP-4494, of one NFT', 'Permit(address spender,uint256 tokenId,uint256 nonce,uint256 deadline)'],
  ['of all NFTs', 'PermitForAll(address owner,address operator,bool approved,uint256 nonce,uint256 deadline)'],
  ['EIP-3009, sent', `TransferWithAuthorization${AUTHORIZED}`],
  ['EIP-3009, fetched', `ReceiveWithAuthorization${AUTHORIZED}`],
  ['Permit2, one', `PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`],
  ['Permit2, several', `PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`],
  [
    'Permit2, transfer',
    `PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)${TOKENS}`,
  ],
  [
    'Permit2, transfers',
    `PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)${TOKENS}`,
  ],
  [
    'Permit2, with a witness',
    `PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)${TOKENS}Witness(address user)`,
  ],
  [
    'Permit2, several with a witness',
    `PermitBatchWitnessTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)${TOKENS}Witness(bytes32 a)`,
  ],
  ['Seaport', SEAPORT],
  ['Seaport, in a tree', `BulkOrder(OrderComponents[2][2] tree)${SEAPORT}`],
  ['Blur', 'Root(bytes32 root)'],
  [
    'Safe',
    'SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)',
  ],
  ['Safe, a message', 'SafeMessage(bytes message)'],
  [
    'EIP-2771',
    'ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,uint48 deadline,bytes data)',
  ],
  ['meta-transaction', 'MetaTransaction(uint256 nonce,address from,bytes functionSignature)'],
  [
    'CoW',
    'Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance)',
  ],
  [
    '0x',
    'LimitOrder(address makerToken,address takerToken,uint128 makerAmount,uint128 takerAmount,uint128 takerTokenFeeAmount,address maker,address taker,address sender,address feeRecipient,bytes32 pool,uint64 expiry,uint256 salt)',
  ],
  [
    '1inch',
    'Order(uint256 salt,address maker,address receiver,address makerAsset,address takerAsset,uint256 makingAmount,uint256 takingAmount,uint256 makerTraits)',
  ],
  [
    'ERC-4337',
    'PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)',
  ],
  [
    'ERC-7710',
    'Delegation(address delegate,address delegator,bytes32 authority,Caveat[] caveats,uint256 salt)Caveat(address enforcer,bytes terms)',
  ],
  ['Hyperliquid', 'Agent(string source,bytes32 connectionId)'],
  ['Vertex, a withdrawal', 'WithdrawCollateral(bytes32 sender,uint32 productId,uint128 amount,uint64 nonce)'],
  ['Vertex, an order', 'Order(bytes32 sender,int128 priceX18,int128 amount,uint64 expiration,uint64 nonce)'],
  ['Vertex, a signer', 'LinkSigner(bytes32 sender,bytes32 signer,uint64 nonce)'],
  ['Morpho', 'Authorization(address authorizer,address authorized,bool isAuthorized,uint256 nonce,uint256 deadline)'],
  [
    'Orderly, a trading key',
    'AddOrderlyKey(string brokerId,uint256 chainId,string orderlyKey,string scope,uint64 timestamp,uint64 expiration)',
  ],
  [
    'Orderly, a withdrawal',
    'Withdraw(string brokerId,uint256 chainId,address receiver,string token,uint256 amount,uint64 withdrawNonce,uint64 timestamp)',
  ],
  [
    'Hyperliquid, a builder',
    'ApproveBuilderFee(string hyperliquidChain,string maxFeeRate,address builder,uint64 nonce)',
  ],
  ['ERC-4337, by its fields', USER_OPERATION],
];

/** Standards that only the name of their struct shows. */
const NAMED: readonly (readonly [string, string])[] = [
  ['Lens', 'BurnWithSig(uint256 tokenId,uint256 nonce,uint256 deadline)'],
  ['Vertex, a liquidation', 'LiquidateSubaccount(bytes32 sender,bytes32 liquidatee,uint8 mode,uint32 healthGroup)'],
  ['a redemption', 'RedeemFor(uint256 position,uint256 nonce)'],
  ['a withdrawal of everything', 'WithdrawAll(uint32 market,uint64 nonce)'],
  ['an order by its hash and time', 'CancelAndPlaceOrder(uint64 product,uint64 nonce)'],
  ['a relayer', 'SetRelayerStatus(bool yes,uint256 nonce)'],
  ['dYdX, the key of an account', 'dYdX(string action,string onlySignOn)'],
];

/** No standard's, but of the same kind. */
const LOOKALIKES: readonly (readonly [string, string])[] = [
  ['a permit under another name', PERMIT.replace('Permit', 'Greeting')],
  ['a permit whose name has another case', 'PERMIT(string text)'],
  ['a permit deep in something else', `Letter(string text,Page[] pages)Page(Note[2] notes)Note(Permit p)${PERMIT}`],
  ['permits in a list of lists', `Letter(Permit[][3] permits)${PERMIT}`],
  ['members in another order, other case', 'Note(uint256 Deadline,uint256 NONCE,address _Spender_,uint256 VALUE)'],
  ['an approval without an amount', 'Note(address operator,uint256 nonce,uint256 expiry)'],
  ['a permit with a namespace', PERMIT.replace('Permit', 'Token:Permit')],
  ['a known name with a namespace', 'acme.SafeTx(string text)'],
  ['a transfer with a namespace', 'HyperliquidTransaction:Transfer(uint64 time,string text)'],
  ['a change of keys with namespaces', 'a.b:SetKey(string text)'],
  ['a role with a version behind it', 'GrantRole.v1(string text)'],
  ['an account as a number', 'Transaction(uint256 from,uint256 to,uint256 value)'],
  ['a payment in another chain’s words', 'Msg(Coin[] amount,string to_address)Coin(string denom,string amount)'],
  ['a payee and an amount apart', 'Both(Who who,HowMuch much)Who(address account)HowMuch(uint256 amount)'],
  ['a trade without addresses', 'Quote(string buy,string sell,string price)'],
  ['an encoded call', 'Execute(bytes32 mode,bytes executionData,uint256 nonce)'],
  ['a bare hash', 'Approve(bytes32 hash)'],
  ['a hash in a list', 'Approve(Item[] items)Item(bytes32[2] hashes)'],
  ['an authorised account', 'Note(address authorised,uint256 nonce)'],
  ['an approved account', 'Note(bytes32 approvedAccount,uint256 nonce)'],
  ['a relayer', 'Note(address relayer,uint256 nonce)'],
  ['a sub-account', 'Link(uint64 product,bytes32 sub_account,uint256 nonce)'],
  ['a builder', 'Fee(address builder,string rate)'],
  ['a key that may trade', 'Register(string tradingKey,uint64 nonce)'],
  ['a scope', 'Grant(string to_do,string scope,uint64 nonce)'],
  ['a price and an amount without an account', 'Intent(uint32 product,int128 priceX18,int128 amount)'],
  ['a price of an item without an account', 'Listing(uint256 tokenId,uint256 price,uint256 deadline)'],
  ['an amount of an account in bytes', 'Claim(bytes32 sender,uint128 amount,uint64 nonce)'],
];

/** What gives an account, or a contract it administers, into other hands. */
const CONTROL: readonly (readonly [string, string])[] = [
  ['a new owner', 'Handover(address newOwner,uint256 nonce)'],
  ['a new owner, named by the struct', 'AddOwner(address account,uint256 nonce)'],
  ['an ownership', 'TransferOwnership(address account)'],
  ['a signer', 'Grant(address signer,uint256 deadline)'],
  ['a signer, named by the struct', 'RemoveSigner(address account)'],
  ['a guardian', 'Care(address guardian,uint256 nonce)'],
  ['an admin', 'Change(address pendingAdmin)'],
  ['a module', 'EnableModule(address target)'],
  ['a plugin', 'Install(address plugin,uint256 nonce)'],
  ['a recovery', 'RecoverAccount(address account,uint256 nonce)'],
  ['a recovery address', 'ChangeRecoveryAddress(uint256 fid,address from,address to,uint256 nonce,uint256 deadline)'],
  ['a threshold', 'Settings(uint8 threshold,uint256 nonce)'],
  ['a quorum', 'Settings(uint32 quorum,string reason)'],
  ['an implementation', 'Deploy(address implementation,uint256 nonce)'],
  ['an upgrade', 'UpgradeTo(address target)'],
  ['an approval for all', 'SetApprovalForAll(address account,bool yes)'],
  ['a dispatcher', 'SetDispatcher(uint256 profileId,address account,uint256 nonce)'],
  ['an executor', 'Trust(address delegatedExecutor,uint256 nonce)'],
  ['an agent', 'ApproveAgent(string hyperliquidChain,address agentAddress,string agentName,uint64 nonce)'],
  ['a role', 'Grant(bytes32 role,address account)'],
  ['a key', 'RotateKey(uint256 account,uint256 key)'],
  ['an identity', 'Transfer(uint256 fid,address to,uint256 nonce,uint256 deadline)'],
  ['an owner deep in something else', 'Letter(Page[] pages)Page(string text,address next_owner)'],
];

/** What apps have users sign besides. */
const HARMLESS: readonly (readonly [string, string])[] = [
  ['EIP-712’s own example', 'Mail(Person from,Person to,string contents)Person(string name,address wallet)'],
  ['a login', 'Login(address wallet,string statement,uint256 nonce,uint256 issuedAt,uint256 expiresAt)'],
  ['a vote', 'Ballot(uint256 proposalId,uint8 support,address voter,uint256 nonce)'],
  [
    'a vote elsewhere',
    'Vote(address from,string space,uint64 timestamp,bytes32 proposal,uint32 choice,string reason,string app,string metadata)',
  ],
  ['words', 'Note(string text)'],
  ['a login by a challenge', 'Challenge(address account,string domain,string challenge,uint64 expiration)'],
  ['a login to an order book', 'ClobAuth(address address,string timestamp,uint256 nonce,string message)'],
  ['a login with terms', 'SignIn(string statement,string termsVersion,string uri,uint64 issuedAt)'],
  [
    'a profile',
    'UpdateProfile(address user,string displayName,string bio,string avatar,string[] links,uint64 timestamp)',
  ],
  ['attributes of a profile', 'Profile(string account,Attribute[] attributes)Attribute(string key,string value)'],
  ['a profile elsewhere', 'Profile(address from,string profile,uint64 timestamp)'],
  ['a subscription', 'Follow(address from,string network,string space,uint64 timestamp)'],
  ['several choices', 'Vote(address from,string space,uint64 timestamp,string proposal,uint32[] choice,string reason)'],
  ['a verified address', 'VerificationClaim(uint256 fid,address address,bytes32 blockHash,uint8 network)'],
  ['an agreement', 'Agreement(string title,string text,bool accepted,uint256 signedAt)'],
  ['a rating', 'Review(string product,uint8 stars,string comment)'],
  ['a new address', 'Change(address newAddress,string reason)'],
];

describe('typed data that moves value', () => {
  it.each([...STANDARDS, ...NAMED, ...LOOKALIKES, ...CONTROL])('is recognised: %s', (_, types) => {
    expect(movesValue(read(types))).toBe(true);
  });

  it.each(STANDARDS.filter(([name]) => name !== 'Hyperliquid'))(
    'is recognised by its members alone: %s',
    (_, types) => {
      const renamed = Object.keys(typesIn(types)).reduce(
        (text, struct, index) => text.replaceAll(new RegExp(`\\b${struct}\\b`, 'g'), `Struct${index}`),
        types,
      );
      expect(movesValue(read(renamed))).toBe(true);
    },
  );

  it.each(
    ['spender', 'operator', 'delegate', 'owner', 'guardian'].flatMap((name) =>
      ['address', 'bytes20', 'bytes32', 'uint160', 'uint256', 'string', 'address[]', 'uint256[2]'].map(
        (type) => [type, name] as const,
      ),
    ),
  )('is recognised by an account in every form: %s %s', (type, name) => {
    expect(movesValue(read(`Note(string text,bool yes,${type} ${name})`))).toBe(true);
  });

  it.each(['bool', 'uint8', 'int256'])('is not recognised by a grantee that is no account: %s spender', (type) => {
    expect(movesValue(read(`Note(string text,${type} spender)`))).toBe(false);
  });

  it.each(HARMLESS)('is not taken for it: %s', (_, types) => {
    expect(movesValue(read(types))).toBe(false);
  });

  it('is neither made nor hidden by types that nothing refers to', () => {
    expect(movesValue(read(`Note(string text)${PERMIT}`))).toBe(false);
    expect(movesValue(read(`${PERMIT}Note(string text)`))).toBe(true);
    expect(read(`Note(string text)${PERMIT}`).digest).toBe(read('Note(string text)').digest);
  });
});

describe('the policy of an app on typed data', () => {
  const listed = { primaryType: 'Permit', verifyingContract: TOKEN, chainId: 1 };
  const permit = read(PERMIT);
  const words = read('Note(string text)');

  it('is by default that nothing which moves value is signed', () => {
    expect(() => assertSignable({}, permit)).toThrow(TypedDataNotAllowed);
    expect(() => assertSignable({}, words)).not.toThrow();
  });

  it('may be that all is signed', () => {
    expect(() => assertSignable({ typedData: 'any' }, permit)).not.toThrow();
  });

  it('may be that only what is listed is signed', () => {
    expect(() => assertSignable({ typedData: 'listed' }, words)).toThrow(TypedDataNotAllowed);
    expect(() => assertSignable({ typedData: 'listed', listedTypedData: [listed] }, words)).toThrow(
      TypedDataNotAllowed,
    );
    expect(() => assertSignable({ typedData: 'listed', listedTypedData: [listed] }, permit)).not.toThrow();
  });

  it.each([
    [{ name: 'test', chainId: '0x1', verifyingContract: TOKEN.toLowerCase() }, true],
    [{ name: 'other', chainId: '1', verifyingContract: TOKEN }, true],
    [{ name: 'test', chainId: 2, verifyingContract: TOKEN }, false],
    [{ name: 'test', verifyingContract: TOKEN }, false],
    [{ name: 'test', chainId: 1, verifyingContract: `0x${'11'.repeat(20)}` }, false],
    [{ name: 'test', chainId: 1 }, false],
  ])('lists one contract on one chain: in the domain %j it is %s', (domain, isSigned) => {
    let refusal: unknown;
    try {
      assertSignable({ listedTypedData: [listed] }, read(PERMIT, domain));
    } catch (error) {
      refusal = error;
    }
    expect(refusal instanceof TypedDataNotAllowed).toBe(!isSigned);
  });

  it('lists one type: neither another of the contract nor one that only holds it', () => {
    for (const types of [`TransferWithAuthorization${AUTHORIZED}`, `Letter(Permit p)${PERMIT}`]) {
      expect(() => assertSignable({ listedTypedData: [listed] }, read(types))).toThrow(TypedDataNotAllowed);
    }
  });

  it('lists a domain without contract and chain by their absence', () => {
    const bare = { primaryType: 'Permit', verifyingContract: null, chainId: null };
    expect(() => assertSignable({ listedTypedData: [bare] }, read(PERMIT, { name: 'test' }))).not.toThrow();
    expect(() => assertSignable({ listedTypedData: [bare] }, permit)).toThrow(TypedDataNotAllowed);
    // Each absence by itself: a domain with a chain is not one without, nor is one with a contract.
    const anyChain = { ...listed, chainId: null };
    expect(() => assertSignable({ listedTypedData: [anyChain] }, permit)).toThrow(TypedDataNotAllowed);
    const onNoChain = read(PERMIT, { name: 'test', verifyingContract: TOKEN });
    expect(() => assertSignable({ listedTypedData: [anyChain] }, onNoChain)).not.toThrow();
    const onChainZero = read(PERMIT, { name: 'test', chainId: 0, verifyingContract: TOKEN });
    expect(() => assertSignable({ listedTypedData: [anyChain] }, onChainZero)).toThrow(TypedDataNotAllowed);
    const anyContract = { ...listed, verifyingContract: null };
    expect(() => assertSignable({ listedTypedData: [anyContract] }, permit)).toThrow(TypedDataNotAllowed);
  });
});
