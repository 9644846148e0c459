import { Injectable } from '@nestjs/common';
import { restore } from '../../../../kernel/entity.js';
import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../../kernel/paging.js';
import { MacTables, RowMacs } from '../../../../kernel/row-macs.js';
import { Database } from '../../../../postgres/database.js';
import { columnsOf, named } from '../../../../postgres/statement.js';
import {
  type HeldOwner,
  type OwnedWallet,
  type ReceivingWallet,
  type WalletFilter,
  WalletRepository,
} from '../domain/wallet.repository.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { Wallet, type WalletView } from '../domain/wallet.js';

const FIXED = [
  'appId',
  'id',
  'userId',
  'walletType',
  'publicAddress',
  'verified',
  'isDefault',
  'isReadOnly',
  'isImported',
] as const;
const WALLET_MAC = MacTables.declare({
  table: 'wallets',
  since: 2,
  fields: [...FIXED, 'contractNetwork'],
  ended: 'deleted_at is not null',
});

type WithMac<T> = T & { readonly mac: Buffer | null };

const VIEW = columnsOf<WithMac<Wallet>>([...FIXED, 'contractNetwork', 'createdAt', 'updatedAt', 'mac']).of('w');
const WHOLE = columnsOf<WithMac<Wallet>>([
  ...FIXED,
  'contractNetwork',
  'sealedKey',
  'keyLeftAt',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'mac',
]).of('w');

const NEW = columnsOf<WithMac<Wallet>>([...FIXED, 'contractNetwork', 'sealedKey', 'mac']);
const INSERT = `insert into wallets as w (${NEW.names}) values (${NEW.values})`;
// The clock of a process may be ahead. A wallet that was created after the start of the database server must have been added since.
const ADD_DEFAULT = named<WithMac<Wallet>>(`
  ${INSERT.replace('$createdAt', 'least($createdAt, now())')} on conflict (app_id, user_id, wallet_type) where is_default and deleted_at is null do nothing returning ${WHOLE}`);
const ADD = named<WithMac<Wallet>>(`
  ${INSERT} on conflict (app_id, public_address, is_read_only) where deleted_at is null do nothing returning id`);

const FIND = `select ${WHOLE} from wallets w where app_id = $1 and id = $2 and deleted_at is null`;
const FIND_OWNED = `
  select ${WHOLE}, u.state, u.is_open as "isOpen"
    from wallets w join live_users u on u.app_id = w.app_id and u.user_id = w.user_id
   where w.app_id = $1 and w.id = $2 and w.deleted_at is null`;
// The user is held before the row of the wallet is locked, in the order of a deletion of the user. Payments of the user's other
// wallets need not wait for these locks.
const HOLD_OWNER = 'select hold_user($1, $2) as state, hold_signing($1, $3) as "hasApp"';
const HOLD = `
  select ${WHOLE} from wallets w
   where w.app_id = $1 and w.id = $2 and w.user_id = $3 and w.deleted_at is null for share`;
const LOCK_ALL_OF = `select from wallets where app_id = $1 and user_id = $2 order by id for no key update`;

// An address without a wallet has no other row to lock. The update makes a second transaction wait for the first, also when
// the row is removed in between.
const LOCK_ADDRESS = `
  insert into wallet_addresses (app_id, public_address, locked_at) values ($1, $2, now())
  on conflict (app_id, public_address) do update set locked_at = excluded.locked_at`;

// A key of two apps has no row that both could lock: the unique indexes of wallets are those of one app each.
const LOCK_KEY = `
  insert into imported_keys (public_address, wallet_type, imported_at) values ($1, $2, now())
  on conflict (public_address, wallet_type) do update set imported_at = excluded.imported_at`;
// Steps from app to app, because no index begins with the address: imports are rare, and such an index would cost each new user.
const FIND_KEY_ELSEWHERE = `
  select a.app_id
    from live_apps a
    join wallets w on w.app_id = a.app_id
   where a.app_id <> $1 and w.public_address = $2 and w.wallet_type = $3 and not w.is_read_only and w.deleted_at is null
   limit 1`;
const HAS_ANY = `select from wallets where wallet_type = $1 and deleted_at is null limit 1`;
const RECEIVING = `
  select w.app_id as "appId", w.id, w.user_id as "userId", w.public_address as "publicAddress",
         case when w.is_imported or w.is_read_only then w.created_at end as since
    from wallets w
   where w.wallet_type = $1 and w.public_address = any($2::text[]) and w.deleted_at is null
   order by w.is_read_only`;

interface OwnerRow {
  readonly state: 'active' | 'inactive';
}

@Injectable()
export class PostgresWalletRepository extends WalletRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async find(appId: AppId, id: WalletId): Promise<Wallet | null> {
    return this.walletOf(await this.database.read<Wallet>(FIND, [appId, id]));
  }

  async findOwned(appId: AppId, id: WalletId): Promise<OwnedWallet | null> {
    const [row] = await this.database.read<Wallet & OwnerRow & { isOpen: boolean }>(FIND_OWNED, [appId, id]);
    if (!row) return null;
    const { state, isOpen, ...wallet } = row;
    return { wallet: this.walletOf([wallet as Wallet])!, owner: { isInactive: state === 'inactive', isOpen } };
  }

  async holdOwner(appId: AppId, userId: UserId, signingRevision: string): Promise<HeldOwner> {
    return (await this.database.write<HeldOwner>(HOLD_OWNER, [appId, userId, signingRevision]))[0]!;
  }

  async hold(
    appId: AppId,
    id: WalletId,
    userId: UserId,
    signingRevision: string,
  ): Promise<{ wallet: Wallet; owner: HeldOwner } | null> {
    const [owner, held] = await Promise.all([
      this.holdOwner(appId, userId, signingRevision),
      this.database.write<Wallet>(HOLD, [appId, id, userId]),
    ]);
    const wallet = this.walletOf(held);
    return wallet && { wallet, owner };
  }

  async findDefault(appId: AppId, userId: UserId, walletType: WalletType): Promise<Wallet | null> {
    const found = await this.database.read<Wallet>(
      `select ${WHOLE} from wallets w
        where app_id = $1 and user_id = $2 and wallet_type = $3 and is_default and deleted_at is null`,
      [appId, userId, walletType],
    );
    return this.walletOf(found);
  }

  async addDefault(appId: AppId, wallet: Wallet): Promise<Wallet> {
    const added = await this.database.write<Wallet>(...ADD_DEFAULT(this.stored(appId, wallet)));
    // The first caller has committed: the insert waited for it.
    return this.walletOf(added) ?? ((await this.findDefault(appId, wallet.userId, wallet.walletType)) as Wallet);
  }

  async add(appId: AppId, wallet: Wallet): Promise<boolean> {
    return (await this.database.write(...ADD(this.stored(appId, wallet)))).length > 0;
  }

  async isKeyOfAnotherApp(
    appId: AppId,
    { walletType, publicAddress }: Pick<WalletView, 'walletType' | 'publicAddress'>,
  ): Promise<boolean> {
    await this.database.write(LOCK_KEY, [publicAddress, walletType]);
    return (await this.database.read(FIND_KEY_ELSEWHERE, [appId, publicAddress, walletType])).length > 0;
  }

  async findLogin(appId: AppId, publicAddress: string): Promise<WalletView | null> {
    const found = await this.database.read<WalletView>(
      `select ${VIEW} from wallets w
        where app_id = $1 and public_address = $2 and is_read_only and verified and deleted_at is null`,
      [appId, publicAddress],
    );
    return this.macs.one(WALLET_MAC, found);
  }

  async countLogins(appId: AppId, userId: UserId): Promise<number> {
    const [row] = await this.database.read<{ count: number }>(
      `select count(*)::int as count from wallets
        where app_id = $1 and user_id = $2 and is_read_only and verified and deleted_at is null`,
      [appId, userId],
    );
    return row!.count;
  }

  async lockAddress(appId: AppId, publicAddress: string): Promise<void> {
    await this.database.write(LOCK_ADDRESS, [appId, publicAddress]);
  }

  async lockAllOf(appId: AppId, userId: UserId): Promise<void> {
    await this.database.write(LOCK_ALL_OF, [appId, userId]);
  }

  async tombstone(appId: AppId, id: WalletId): Promise<boolean> {
    const [gone] = await this.database.write(
      `update wallets set deleted_at = now(), updated_at = now(), mac = null where app_id = $1 and id = $2 and deleted_at is null
       returning id`,
      [appId, id],
    );
    return gone !== undefined;
  }

  async recordKeyLeft(appId: AppId, id: WalletId): Promise<void> {
    await this.database.write(
      `update wallets set key_left_at = now() where app_id = $1 and id = $2 and key_left_at is null`,
      [appId, id],
    );
  }

  async recordContractNetwork(appId: AppId, id: WalletId, network: string): Promise<void> {
    const wallet = await this.find(appId, id);
    if (wallet?.contractNetwork !== null) return;
    await this.database.write(
      `update wallets set contract_network = $3, mac = $4 where app_id = $1 and id = $2 and contract_network is null and deleted_at is null`,
      [appId, id, network, this.macs.of(WALLET_MAC, { ...wallet, contractNetwork: network })],
    );
  }

  list(appId: AppId, page: PageRequest<WalletId>, { userId, ids }: WalletFilter = {}): Promise<Page<WalletView>> {
    return this.macs.page(WALLET_MAC, page, async ({ limit, startingAfter }) => {
      const conditions = [
        ...(userId === undefined ? [] : [{ sql: 'user_id = $', value: userId }]),
        ...(ids === undefined ? [] : [{ sql: 'id = any($)', value: ids }]),
        ...(startingAfter === undefined ? [] : [{ sql: 'id < $', value: startingAfter }]),
      ];
      const values = [appId, limit + 1, ...conditions.map(({ value }) => value)];
      return pageFrom(await this.database.read<WalletView>(list(conditions.map(({ sql }) => sql)), values), limit);
    });
  }

  async hasAny(walletType: WalletType): Promise<boolean> {
    return (await this.database.list(HAS_ANY, [walletType])).length > 0;
  }

  receiving(walletType: WalletType, addresses: readonly string[]): Promise<ReceivingWallet[]> {
    return this.database.list<ReceivingWallet>(RECEIVING, [walletType, addresses]);
  }

  async idsOf(appId: AppId, userId: UserId): Promise<readonly WalletId[]> {
    const sql = 'select id from wallets where app_id = $1 and user_id = $2 and deleted_at is null';
    return (await this.database.read<{ id: WalletId }>(sql, [appId, userId])).map(({ id }) => id);
  }

  async tombstoneAllOf(appId: AppId, userId: UserId): Promise<void> {
    await this.database.write(
      `update wallets set deleted_at = now(), updated_at = now(), mac = null where app_id = $1 and user_id = $2 and deleted_at is null`,
      [appId, userId],
    );
  }

  private walletOf(rows: readonly Wallet[]): Wallet | null {
    const row = this.macs.one(WALLET_MAC, rows);
    return row && restore<Wallet>(Wallet, row);
  }

  private stored(appId: AppId, wallet: Wallet): WithMac<Wallet> {
    return { ...wallet, mac: this.macs.of(WALLET_MAC, { ...wallet, appId }) } as WithMac<Wallet>;
  }
}

/** A text for each set of conditions: an index cannot serve `$3 is null or id < $3`. */
const list = (conditions: readonly string[]): string =>
  `select ${VIEW} from wallets w
    where app_id = $1 and deleted_at is null ${conditions.map((sql, i) => `and ${sql.replace('$', `$$${i + 3}`)}`).join(' ')}
    order by id desc limit $2`;
