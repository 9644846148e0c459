import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../../migrations');
/** What a statement of the previous release may name. An index may go: no statement names it. */
const REMOVES =
  /\bdrop\s+(table|column|function|view|type)\b|\brename\s+column\b|\balter\s+(table|function|view)\s+\S+\s+rename\b/i;
const EXEMPT = [
  // From before the first release.
  '1763600001400-keep-blocks-of-transfers.ts',
  // A function of it drops expired partitions, which no statement names.
  '1763600003600-create-event-log.ts',
  // A view of the same name takes the statements of the previous release, in the same transaction.
  '1763600003610-queue-events-for-the-log.ts',
  // A function of it drops expired partitions, which no statement names.
  '1763600004000-create-webhooks.ts',
];

/** In a migration that removes something on purpose. A version that does not know it refuses to start on the database. */
const DECLARES = /\breadonly contracts = true;/;

/** Replicas of the previous release work during an update, so what only they use leaves the schema one release later. */
describe('a migration', () => {
  const removes = (source: string): boolean => REMOVES.test(source.split('async down(')[0]!) && !DECLARES.test(source);

  it.each(readdirSync(FOLDER).filter((file) => file !== 'index.ts' && !EXEMPT.includes(file)))(
    '%s keeps everything that the previous release may use, or declares that it does not',
    (file) => {
      expect(removes(readFileSync(join(FOLDER, file), 'utf8'))).toBe(false);
    },
  );

  it('that removes something is recognised', () => {
    for (const file of EXEMPT) expect(removes(readFileSync(join(FOLDER, file), 'utf8'))).toBe(true);
    expect(removes('async up() { `drop function refuse(text)` } async down() {}')).toBe(true);
    expect(removes('readonly contracts = true; async up() { `drop function refuse(text)` }')).toBe(false);
    expect(removes('async up() { `create table a ()` } async down() { `drop table a` }')).toBe(false);
  });
});
