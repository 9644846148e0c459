/** Texts as QR codes. */
export abstract class QrCodes {
  /** A PNG image of the text, with the blank margin readers need, in a fraction of a millisecond. The text has at most 1,500 bytes. */
  abstract png(text: string): Buffer;
}
