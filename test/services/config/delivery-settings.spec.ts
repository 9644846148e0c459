import { randomBytes } from 'node:crypto';
import { Config, ConfigurationRefused } from '../../../src/services/config/config.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    Config.read(env);
    return [];
  } catch (error) {
    return (error as ConfigurationRefused).faults;
  }
}

describe('the settings of delivery', () => {
  it('accept MAIL_FROM with or without a name', () => {
    expect(Config.read({ MAIL_FROM: 'a@b.example' }).mailFrom).toBe('a@b.example');
    expect(Config.read({ MAIL_FROM: 'Acme, Inc. <a@b.example>' }).mailFrom).toBe('a@b.example');
    expect(Config.read({ BASE_URL: 'https://auth.acme.example:8443' }).mailFrom).toBe('no-reply@auth.acme.example');
  });

  it('name every fault and no value', () => {
    const faults = faultsOf({
      SMTP_URL: 'https://secret-host',
      MAIL_FROM: 'a@b.example\r\nBcc: c@d.example',
      SMS_URL: 'secret-host',
      TWILIO_ACCOUNT_SID: 'secret-sid',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'SMTP_URL',
      'MAIL_FROM',
      'SMS_URL',
      'TWILIO_ACCOUNT_SID,',
    ]);
    expect(faults.join()).not.toMatch(/secret|Bcc/);
  });

  it('allow only one SMS gateway', () => {
    const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't', TWILIO_FROM: 'Acme' };
    expect(faultsOf(twilio)).toEqual([]);
    expect(faultsOf({ ...twilio, SMS_URL: 'http://sms.internal/' })).toHaveLength(1);
  });

  it('require MAIL_FROM with SMTP_URL in production', () => {
    const production = {
      NODE_ENV: 'production',
      MASTER_KEYS: `k:${randomBytes(32).toString('base64')}`,
      BASE_URL: 'https://a.example',
      DATABASE_URL: 'postgres://d',
    };
    expect(faultsOf({ ...production, SMTP_URL: 'smtp://mail' })).toEqual([
      'MAIL_FROM is required when NODE_ENV is production.',
    ]);
  });
});
