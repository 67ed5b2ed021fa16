/** The connections of a closed loop, each with one request in flight. */
export const CONNECTIONS = 32;
