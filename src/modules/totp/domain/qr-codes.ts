/** Texts as QR codes. */
export abstract class QrCodes {
  /** A PNG image of the text, with the blank margin that readers need. The text has at most 1,500 bytes. */
  abstract png(text: string): Buffer;
}
