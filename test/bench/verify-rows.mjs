// Verifies all rows of a table by SQL, such as emails, and gives their rows the MACs that the service would have written.
import { MacTables } from '../../dist/src/kernel/row-macs.js';
import { openDatabase } from '../../dist/src/open-database.js';
import { Database } from '../../dist/src/postgres/database.js';
import { startService } from '../../dist/src/service.js';
import { Config } from '../../dist/src/services/config/config.js';
import { SealRows } from '../../dist/src/services/crypto/service-row-macs.js';
import { createLogger } from '../../dist/src/services/observability/logger.js';

const config = Config.read();
const service = await startService(config, await openDatabase(config, console.error), createLogger('error'));
await service.nest.get(Database).write(`update ${process.env.TABLE} set verified_at = now()`);
const declared = MacTables.declared.find(({ table }) => table === process.env.TABLE);
await service.nest.get(SealRows).compare(declared, true);
process.send('done', () => service.stop().then(() => process.exit()));
