import type { Connections } from './closed-loop.js';
import type { MailSink } from './mail-sink.js';

/** So that no limit ends a measurement. Also registers the redirect URLs that logins by link need. */
export async function raiseLimits(service: Connections, appId: string, managementKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const limits = {
    secret_key_calls_per_second: 1_000_000,
    recipient_sends_per_ten_minutes: 1_000,
    sends_per_hour: 10_000_000,
  };
  await service.call({ method: 'PATCH', path: `/management/v1/apps/${appId}`, headers, body: { limits } });
  for (const kind of ['login', 'registration']) {
    const body = { url: `https://app.example.com/${kind}`, kind, is_default: true };
    await service.call({ method: 'POST', path: `/management/v1/apps/${appId}/redirect_urls`, headers, body });
  }
}

/** Asks for a link, gets the mail, follows the link, and has a session. */
export async function loginByLink(service: Connections, key: string, mails: MailSink, email: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const mail = mails.next(email);
  await service.call({ method: 'POST', path: '/v1/auth/magic_links/email/login_or_create', headers, body: { email } });
  const { session_token } = await service.call<{ session_token: string }>({
    method: 'POST',
    path: '/v1/auth/magic_links/verify',
    headers,
    body: { token: await mail, session_expires_in: 60 },
  });
  if (!session_token) throw new Error('A login by link ended without a session.');
}
