/**
 * Messages between the service and the process of the PKCS#11 module: bytes, which can be overwritten.
 *
 *     request    length (4) | operation (1) | length of the place (2) | place | bytes
 *     response   length (4) | outcome (1) | bytes
 *
 * The first request has the settings, as JSON. The bytes of a failure are `fault: message`.
 */
export const OPERATIONS = ['settings', 'wrap', 'unwrap', 'rewrap', 'health'] as const;
export const OUTCOMES = ['done', 'altered', 'failed'] as const;

export type TokenOperation = (typeof OPERATIONS)[number];
export type TokenOutcome = (typeof OUTCOMES)[number];

export const SOCKET = 3;
export const LENGTH_BYTES = 4;
