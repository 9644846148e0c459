import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { Injectable } from '@nestjs/common';
import { AppKeys } from '../../kernel/app-keys.js';
import type { AppId } from '../../kernel/ids.js';
import { type CountedSend, type Recipient, SendLimits } from '../../kernel/limits.js';
import { SeparateConnections } from '../../postgres/separate-connections.js';
import { TooManyRequests } from '../../kernel/errors.js';
import { SmsCountryNotAllowed } from '../sms/queued-texts.js';
import { countedNetworks, recipientKey } from './client-network.js';
import { type CountedLimits, LimitsInForce } from './limits-in-force.js';

/** Numbers without a country: satellites, international freephone. Only an app that allows all countries sends there. */
const NOWHERE = 'ZZ';

/** ISO 3166-1 alpha-2. For a shared calling code that no country's pattern matches, the main country of the code. */
export function countryOf(phoneNumber: string): string {
  const number = parsePhoneNumberFromString(phoneNumber);
  return number?.country ?? number?.getPossibleCountries()[0] ?? NOWHERE;
}

const TEN_MINUTES = 600;
const HOUR = 3600;
const ALL_COUNTRIES = '*';

interface Count {
  readonly name: 'recipient' | 'network' | 'app' | 'country';
  readonly key: string;
  readonly windowSeconds: number;
  readonly maximum: number;
}

/** Sliding windows in steps of a sixtieth: see the function `take_sends`. */
@Injectable()
export class PostgresSendLimits extends SendLimits {
  constructor(
    private readonly connections: SeparateConnections,
    private readonly limits: LimitsInForce,
    private readonly keys: AppKeys,
  ) {
    super();
  }

  async exempt(appId: AppId, recipient: Recipient): Promise<CountedSend | null> {
    return isAllowed(countryIn(recipient), await this.limits.of(appId)) ? ({ appId } as CountedSend) : null;
  }

  async take(appId: AppId, recipient: Recipient, ip?: string): Promise<CountedSend> {
    const limits = await this.limits.of(appId);
    const country = countryIn(recipient);
    if (!isAllowed(country, limits)) throw new SmsCountryNotAllowed();
    // The message is stored sealed, and an unavailable key must not cost a send.
    await this.keys.ready(appId);
    // Counts that one client can exhaust come first: its refused sends must not count against the whole app.
    const counts = [
      countOf('recipient', recipientKey(recipient), TEN_MINUTES, limits.recipientSendsPerTenMinutes),
      countedNetworks(ip).map(({ network, factor }) =>
        countOf('network', `network:${network}`, TEN_MINUTES, factor * limits.networkSendsPerTenMinutes),
      ),
      country && countOf('country', `country:${country}`, HOUR, limits.smsPerCountryPerHour),
      countOf('app', 'app', HOUR, limits.sendsPerHour),
    ].flatMap((count) => count || []);
    const [refusal] = await this.connections.query<{ refused: number; seconds: number }>(
      `select refused, seconds from take_sends($1, $2, $3, $4)`,
      [
        appId,
        counts.map(({ key }) => key),
        counts.map(({ windowSeconds }) => windowSeconds),
        counts.map(({ maximum }) => maximum),
      ],
    );
    if (!refusal) return { appId } as CountedSend;
    const { name, maximum, windowSeconds } = counts[refusal.refused - 1]!;
    throw new TooManyRequests(
      Math.max(1, Math.ceil(refusal.seconds)),
      { name, quota: maximum, windowSeconds },
      MESSAGES[name],
    );
  }
}

const countryIn = ({ kind, canonical }: Recipient): string | undefined =>
  kind === 'phone_number' ? countryOf(canonical) : undefined;

const isAllowed = (country: string | undefined, { smsCountries }: CountedLimits): boolean =>
  country === undefined || [country, ALL_COUNTRIES].some((code) => smsCountries.includes(code));

function countOf(name: Count['name'], key: string, windowSeconds: number, maximum: number): Count {
  return { name, key, windowSeconds, maximum };
}

const MESSAGES: Readonly<Record<Count['name'], string>> = {
  recipient: 'Too many messages were sent to this recipient. Try again later.',
  network: 'Too many messages were requested from this client network. Try again later.',
  country: 'The app has sent too many SMS to this country. Try again later.',
  app: 'The app has sent too many messages. Try again later.',
};
