/** Deliveries of one endpoint that a process attempts at a time, if the endpoint had a success lately; else one. */
export const MOST_OF_ENDPOINT = 64;
/** Deliveries of one app, of all its endpoints. */
export const MOST_OF_APP = 128;
/** Deliveries of one app to one host, of all its endpoints. */
export const MOST_OF_HOST = 64;
