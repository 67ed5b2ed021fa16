import type { KeyHolder } from '../caller.ts';
import { KeyPolls, type KeyPollsOptions } from './key-polls.ts';
import { MemoryLimit } from './memory-limit.ts';
import { PollReader, type ReaderOptions } from './poll-reader.ts';

export interface PollsOptions
  extends Pick<KeyPollsOptions, 'send' | 'shared' | 'staleMs' | 'callsPerMinute'> {
  maxPollsPerKey?: number;
  /** How much memory live queries may keep. */
  maxBytes: number;
}

/** The state of the polls at one moment, and what they have done so far. */
export interface PollStats {
  polls: number;
  keptBytes: number;
  /** How many keys poll less often than their readers want, because of their limits. */
  stretchedKeys: number;
  /** How many calls were sent. */
  requests: number;
  /** How many of them brought other data than before. */
  changes: number;
}

/** Regular calls to the REST API, one for each resource of a key, however many read it. */
export interface Polls {
  /** What one execution for this key reads with. The caller releases it. */
  open(key: KeyHolder, options: ReaderOptions): PollReader;
  /** Whatever else live queries keep counts towards the same limit. */
  readonly memory: MemoryLimit;
  stats(): PollStats;
}

/** Sites and conversations that the streams of one key poll. */
const MAX_POLLS_PER_KEY = 100;

export function createPolls(options: PollsOptions): Polls {
  const { maxPollsPerKey = MAX_POLLS_PER_KEY, maxBytes } = options;
  const memory = new MemoryLimit(maxBytes);
  const counters = { requests: 0, changes: 0 };
  /** By the digest of the key. */
  const keys = new Map<string, KeyPolls>();

  function pollsOf(key: KeyHolder): KeyPolls {
    const { keyHash } = key;
    const known = keys.get(keyHash);
    if (known) return known;
    const polls = new KeyPolls({
      ...options,
      key,
      memory: memory.ofKey(keyHash),
      counters,
      maxPolls: maxPollsPerKey,
      onEmpty: () => {
        if (keys.get(keyHash) === polls) keys.delete(keyHash);
      },
    });
    keys.set(keyHash, polls);
    return polls;
  }

  return {
    open: (key, readerOptions) => new PollReader(() => pollsOf(key), readerOptions),
    memory,
    stats: () => ({
      ...counters,
      polls: [...keys.values()].reduce((sum, { size }) => sum + size, 0),
      keptBytes: memory.used,
      stretchedKeys: [...keys.values()].filter(({ isStretched }) => isStretched).length,
    }),
  };
}
