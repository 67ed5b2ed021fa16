interface Mutated {
  /** The tests that concern the file. */
  tests: readonly string[];
  /** The mutants that no test can kill: the changed line, and why the change makes no difference. */
  survivors: Readonly<Record<string, string>>;
}

const everyLoadIsAKey = 'Each load is an object of its own, which a cache would keep and never find.';

const hasItsRequest = 'A call has its request until it ends, and is left by then.';

const noSuchRelation = 'There is no such relation.';

/** The files that `npm run mutants` changes. */
export const mutated: Readonly<Record<string, Mutated>> = {
  'src/loaders.ts': {
    tests: ['test/loaders.test.ts'],
    survivors: {
      'this.#recorder.onLoad({ kind: "", id }, call.include, field);':
        'The path is that of a site for every kind but two.',
      'this.#batch ??= new DataLoader(async (loads) => this.#loadBatch(loads), {});': everyLoadIsAKey,
      'this.#batch ??= new DataLoader(async (loads) => this.#loadBatch(loads), { cache: true });':
        everyLoadIsAKey,
      'unions.set(id, union && true ? [...new Set([...union, ...include])] : include);':
        'The union of a list with itself is that list: the condition spares a copy.',
    },
  },
  'src/schema/selections.ts': {
    tests: ['test/schema/selections.test.ts', 'test/features/federation/federation.test.ts'],
    survivors: {
      'if (!node.directives.length) return undefined;':
        'The parser gives every node a list; only the type allows none.',
    },
  },
  'src/upstream/single-flight.ts': {
    tests: ['test/upstream/single-flight.test.ts'],
    survivors: {
      'if (call && !call.request.signal.aborted) return call;': hasItsRequest,
      'if (true) call.request.noRetry &&= request.noRetry;': hasItsRequest,
      'call.request.signal.abort(() => new UpstreamCancelled());': hasItsRequest,
      'call.waiters = ["Stryker was here"];': 'The waiters of a call that has ended are not called again.',
    },
  },
  'src/upstream/guards/breaker.ts': {
    tests: ['test/upstream/breaker.test.ts'],
    survivors: { 'generation -= 1;': 'Generations are compared for equality only.' },
  },
  'src/upstream/guards/rate-limit.ts': {
    tests: ['test/upstream/rate-limit.test.ts', 'test/features/redis/shared-rate-limit-gate.test.ts'],
    survivors: {},
  },
  'src/features/redis/shared-gate.ts': {
    tests: ['test/features/redis/shared-rate-limit-gate.test.ts'],
    survivors: {},
  },
  'src/features/live/polls/polls.ts': {
    tests: ['test/features/live/key-polls.test.ts', 'test/features/live/rules.test.ts'],
    survivors: {},
  },
  'src/features/live/polls/poll.ts': {
    tests: ['test/features/live/poll.test.ts', 'test/features/live/rules.test.ts'],
    survivors: {
      'const { resource, properties = [] } = targetFor(["Stryker was here"]);':
        'The resource is the same for all relations.',
      'return this.state.staleOf(this.#readings.get(subscriber)?.include ?? ["Stryker was here"]);':
        noSuchRelation,
      'const reading = known ?? { include: ["Stryker was here"], since, hasRead: false, pending: [] };':
        noSuchRelation,
    },
  },
};
