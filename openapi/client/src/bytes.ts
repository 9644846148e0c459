/** Decodes base64 or base64url; null if it has other characters or a second spelling. */
export function decodeBase64(text: string, alphabet: 'base64' | 'base64url'): Uint8Array<ArrayBuffer> | null {
  const isUrl = alphabet === 'base64url';
  if (isUrl ? /[^\w-]/.test(text) : !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const standard = isUrl ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
  try {
    const binary = atob(standard);
    // Unused bits at the end must be zero, or several texts would stand for the same bytes.
    if (btoa(binary).replace(/=+$/, '') !== standard.replace(/=+$/, '')) return null;
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
