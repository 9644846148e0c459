import { domainToASCII } from 'node:url';

const LONGEST_DOMAIN = 253;
/** The form before IDNA: nothing is percent-decoded, and no domain literal passes. */
const WRITTEN_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
/** The form after IDNA: at least two labels, and the last one is no number (that would be an IPv4 address). */
const ASCII_DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** ASCII (IDNA) in lower case, so that equal domains are the same text. Null for any other text. */
export function emailDomain(text: string): string | null {
  const ascii = WRITTEN_DOMAIN.test(text) && text === text.normalize('NFKC') ? domainToASCII(text) : '';
  return ascii.length <= LONGEST_DOMAIN && ASCII_DOMAIN.test(ascii) ? ascii : null;
}
