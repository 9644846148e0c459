/**
 * The maximum number of deliveries of one endpoint that a process attempts at a time, if the endpoint had a success recently; otherwise it
 * is one.
 */
export const MOST_OF_ENDPOINT = 64;
/** The maximum for one app, over all its endpoints. */
export const MOST_OF_APP = 128;
/** The maximum for one app and one host, over all endpoints. */
export const MOST_OF_HOST = 64;
