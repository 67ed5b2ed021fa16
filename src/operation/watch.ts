import type { Plugin } from 'graphql-yoga';
import { isInParts, mapParts, type Part } from './parts.ts';
import type { RequestContext } from './pipeline.ts';

/** Who notes what becomes of one request. */
export interface Watch {
  /** Of the answer or of a part of it: the codes of its errors, and whether it holds data all the same. */
  note(codes: readonly string[], hasData: boolean): void;
}

/** Tells who watches a request of the answer that it gets along the whole way. */
export function useWatch(): Plugin<object, RequestContext> {
  return {
    onResultProcess({ result, setResult, serverContext: { watch } }) {
      if (!watch || Array.isArray(result)) return;
      const note = (part: Part): Part => {
        for (const one of [part, ...(part.incremental ?? [])]) watch.note(codesOf(one), one.data != null);
        return part;
      };
      if (isInParts(result as Part)) setResult(mapParts(result as AsyncIterable<Part>, note));
      else note(result as Part);
    },
  };
}

function codesOf({ errors = [] }: Part): string[] {
  return errors.map(({ extensions }) => String(extensions.code));
}
