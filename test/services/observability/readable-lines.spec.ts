import { Config, ConfigurationRefused } from '../../../src/services/config/config.js';
import { createLogger, ReadableLines } from '../../../src/services/observability/logger.js';

describe('the log in a terminal', () => {
  const written: string[] = [];
  const logger = createLogger('info', new ReadableLines({ write: (text) => written.push(text) }));
  beforeEach(() => (written.length = 0));

  it('is one line per entry with the time, the level, the message and the fields', () => {
    logger.info({ url: 'http://127.0.0.1:3000', ms: 12, failed: null }, 'ready');
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info {2}ready {2}url=http:\/\/127.0.0.1:3000 {2}ms=12 {2}failed=null\n$/,
    );
  });

  it('shows the stack of an error below its line', () => {
    logger.error({ err: new TypeError('no route') }, 'request');
    expect(written[0]).toMatch(/ error request\n {4}TypeError: no route\n {4}at .*\n/);
  });

  it('lets no text of a caller move the cursor or begin a line', () => {
    logger.warn({ name: '\u001b[2J\nfake' }, 'a\rb\u009bc');
    expect(written[0]).toMatch(/ warn {2}a\\u000db\\u009bc {2}name=\\u001b\[2J\\u000afake\n$/);
  });
});

describe('LOG_FORMAT', () => {
  it.each([
    [{}, true, 'pretty'],
    [{}, false, 'json'],
    [{ LOG_FORMAT: 'json' }, true, 'json'],
    [{ LOG_FORMAT: 'pretty' }, false, 'pretty'],
    [{ NODE_ENV: 'test' }, true, 'json'],
  ])('of the environment %j in a terminal: %s, is %s', (env, isTerminal, format) => {
    expect(Config.read(env, isTerminal).logFormat).toBe(format);
  });

  it('is json in production, also in a terminal', () => {
    const env = {
      NODE_ENV: 'production',
      MASTER_KEYS: `k1:${Buffer.from('0b7c1d5e9f2a4c6e8d1f3b5a7c9e0d2f4b6a8c1e3d5f7092a4c6e8d0f1b3a597', 'hex').toString('base64')}`,
      BASE_URL: 'https://id.example',
      DATABASE_URL: 'postgres://localhost/id',
    };
    expect(Config.read(env, true).logFormat).toBe('json');
  });

  it('is refused by name when it is another word', () => {
    expect(() => Config.read({ LOG_FORMAT: 'colourful' })).toThrow(
      new ConfigurationRefused(['LOG_FORMAT must be one of json, pretty.']),
    );
  });
});
