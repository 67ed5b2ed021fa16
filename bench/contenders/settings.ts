const { PORT, UPSTREAM_URL = '', UPSTREAM_CONNECTIONS } = process.env;

/** The settings of every contender in this package. */
export const settings = {
  port: Number(PORT),
  host: '127.0.0.1',
  upstreamUrl: UPSTREAM_URL,
  connections: Number(UPSTREAM_CONNECTIONS),
};
