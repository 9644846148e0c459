import { countryOf } from '../../../src/services/limits/postgres-send-limits.js';

describe('the country of a number', () => {
  it.each([
    ['+4915112345678', 'DE'],
    ['+12025550123', 'US'],
    ['+18765551234', 'JM'],
    ['+77012345678', 'KZ'],
    ['+79161234567', 'RU'],
  ])('of %s is %s', (number, country) => {
    expect(countryOf(number)).toBe(country);
  });

  it('is the main country of a shared calling code when the number matches no country', () => {
    expect([countryOf('+15555550100'), countryOf('+447700900123')]).toEqual(['US', 'GB']);
  });

  it('is none for satellites and texts that are no number', () => {
    expect([countryOf('+8821234567890'), countryOf('+999'), countryOf('x')]).toEqual(['ZZ', 'ZZ', 'ZZ']);
  });
});
