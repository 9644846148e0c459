import type { Answer } from './app.js';
import { bodyOf, causeIn } from './answers.js';

const answer = (status: number, body: unknown): Answer => ({
  status,
  body,
  headers: new Headers(),
  text: JSON.stringify(body),
});

describe('a call of a test that must succeed', () => {
  it('has the body as its result', () => {
    expect(bodyOf('GET /v1/x', answer(200, { id: 'x_1' }))).toEqual({ id: 'x_1' });
  });

  it('names the status, the error type and the message when it is refused', () => {
    const refused = answer(409, { error_type: 'user_in_use', error_message: 'The user is needed.' });
    expect(() => bodyOf('DELETE /v1/x', refused)).toThrow('DELETE /v1/x answered 409 user_in_use: The user is needed.');
    expect(() => bodyOf('GET /v1/x', answer(502, ''))).toThrow('GET /v1/x answered 502 ""');
  });
});

describe('the cause of a 500', () => {
  const line = (error_type: string) =>
    JSON.stringify({
      level: 'error',
      method: 'POST',
      route: '/v1/x',
      status: 500,
      error_type,
      err: { stack: 'Error: no\n at y' },
    });

  it('is printed beside it, with its stack', () => {
    expect(causeIn(line('internal_error'))).toBe('The cause of a 500 of POST /v1/x: Error: no\n at y\n');
  });

  it('is not printed for a refusal with a name', () => {
    expect(causeIn(line('seal_broken'))).toBeNull();
  });
});
