/** The longest URL that a request may contain. Its canonical form may be longer than its text. */
const LONGEST = 2_048;

/** A URL in canonical form, or its fault, as the fault follows the name of the field in an error. */
export type CheckedUrl = { readonly url: string } | { readonly fault: string };

/** Checks the rules that need no name server. `text` is an http or https URL. */
export function webhookUrl(text: string): CheckedUrl {
  // The URL parser drops an empty fragment and empty credentials.
  if (text.includes('#')) return { fault: 'must not contain a fragment' };
  if (/^[^/]*\/\/[^/?]*@/.test(text)) return { fault: 'must not contain credentials' };
  const { port, href } = new URL(text);
  if (port === '0') return { fault: 'must have a port from 1 to 65535' };
  if (href.length > LONGEST) return { fault: `must have at most ${LONGEST} characters in percent-encoding` };
  return { url: href };
}
