import { Client, fetchExchange } from 'urql';

const query = `subscription ($id: ID!) {
  live(every: 10) { site(id: $id) { id city serviceLevel } }
}`;

/** Calls `onData` with the site now, and again whenever it changes. Returns what ends that. */
export function watchSite(url: string, apiKey: string, id: string, onData: (data: unknown) => void) {
  const client = new Client({
    url,
    exchanges: [fetchExchange],
    fetchSubscriptions: true,
    preferGetMethod: false,
    fetchOptions: { headers: { 'x-api-key': apiKey } },
  });
  let stop = () => {};
  const connect = () => {
    stop();
    const { unsubscribe } = client.subscription(query, { id }).subscribe(({ data, error }) => {
      if (data) onData(data);
      const status = error?.response?.status ?? 0;
      // After a lost connection, and where waiting can help: urql does not connect again by itself.
      if (status < 400 ? error?.networkError : status === 429 || status >= 500) {
        timer = setTimeout(connect, 1000 + Math.random() * 1000);
      } else if (error) console.error(error);
    });
    stop = unsubscribe;
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  connect();
  return () => {
    clearTimeout(timer);
    stop();
  };
}
