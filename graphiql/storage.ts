/** Outlives a reload, but not the browser tab; where the browser permits no storage, not even a reload. */
export const storage: Storage = readStorage() ?? createMemoryStorage();

/** For GraphiQL, whose history would keep the headers of each operation. */
export const graphiqlStorage = {
  get length() {
    return storage.length;
  },
  getItem: (name: string) => storage.getItem(name),
  setItem: (name: string, text: string) =>
    storage.setItem(name, /^graphiql:(queries|favorites)$/.test(name) ? withoutHeaders(text) : text),
  removeItem: (name: string) => storage.removeItem(name),
  clear: () => storage.clear(),
};

function withoutHeaders(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value) => (name === 'headers' ? undefined : value));
}

function readStorage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

function createMemoryStorage(): Storage {
  const texts = new Map<string, string>();
  return {
    get length() {
      return texts.size;
    },
    key: (index) => [...texts.keys()][index] ?? null,
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
    clear: () => texts.clear(),
  };
}
