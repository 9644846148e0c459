/** Deliveries of one endpoint that a process attempts at a time. */
export const MOST_OF_ENDPOINT = 64;
/** Deliveries of one app, of all its endpoints. */
export const MOST_OF_APP = 128;
