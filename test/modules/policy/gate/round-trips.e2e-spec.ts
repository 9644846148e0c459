import type { TestApp } from '../../../support/app.js';
import { isRemembered, itOfRoundTrips, roundTripsOf } from '../../../support/statements.js';
import { Money, newAddress, type Payer } from '../../../support/money.js';
import { type Fields, PolicyApp } from '../policies.js';

let money: Money;
/** It responds after sending, and does not track. */
let impatient: TestApp;

beforeAll(async () => {
  money = await Money.start();
  impatient = await money.replica({ TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' });
});
afterAll(async () => {
  await impatient?.stop();
  await money?.stop();
});

const match = { operations: ['transfer'], assets: ['ethereum'] };
const AMOUNT = { seconds: 3_600, max_amount: '1000' };
const THREE_WINDOWS = [AMOUNT, { seconds: 60, max_count: 1_000 }, { ...AMOUNT, per: 'destination' }];

const POLICIES: readonly (readonly [name: string, rules: readonly Fields[] | null, trips: readonly number[]])[] = [
  ['without a policy', null, [1, 8, 3]],
  ['with a policy without windows', [{ id: 'pays', effect: 'allow', match }], [1, 8, 4]],
  ['with one window', [{ id: 'pays', effect: 'allow', match, windows: [AMOUNT] }], [1, 10, 5]],
  ['with three windows', [{ id: 'pays', effect: 'allow', match, windows: THREE_WINDOWS }], [1, 10, 5]],
];

/** The statements of each round trip of a confirmation: the fewest of several, because a new connection prepares one by one. */
async function tripsOfConfirmation(payer: Payer): Promise<number[]> {
  let fewest: number[] | undefined;
  await money.withoutTracker(async () => {
    for (let tries = 0; tries < 10 && fewest?.length !== 3; tries++) {
      const { id } = await money.created(payer, { source_amount: '0.001', dest: newAddress('ethereum') });
      const trips = await roundTripsOf(async () => {
        const { status, text } = await money.confirm(payer, id, {}, impatient);
        if (status !== 200) throw new Error(text);
      });
      const own = trips.filter((trip) => !trip.every(isRemembered)).map((trip) => trip.length);
      if (!fewest || own.length < fewest.length) fewest = own;
    }
  });
  return fewest!;
}

for (const [name, rules, trips] of POLICIES) {
  itOfRoundTrips(`a confirmation ${name} takes three round trips`, async () => {
    const payer = await money.payer('ethereum');
    const policies = PolicyApp.at(money.app, payer.app);
    if (rules) await policies.activate(await policies.version({ rules }));
    expect(await tripsOfConfirmation(payer)).toEqual(trips);
  });
}
