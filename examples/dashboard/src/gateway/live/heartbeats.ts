/** The state of the data of a live query, from its heartbeat. */
export interface Heartbeat {
  ageSeconds: number;
  /** How many intervals of its polls that is: from 2 on, polls were missed. */
  intervals: number;
}

/** No heartbeat is longer. */
const MAX_LENGTH = 100;

/** Reads the heartbeats of an event stream, chunk by chunk: comments, which graphql-sse ignores. */
export function createHeartbeatReader(): (chunk: Uint8Array) => Heartbeat | undefined {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()?.slice(0, MAX_LENGTH) ?? '';
    return lines.map(heartbeatFrom).findLast((heartbeat) => heartbeat !== undefined);
  };
}

function heartbeatFrom(line: string): Heartbeat | undefined {
  const [, ageSeconds, intervals] = /^:\{"ageSeconds":(\d+),"intervals":(\d+)\}$/.exec(line) ?? [];
  return ageSeconds === undefined
    ? undefined
    : { ageSeconds: Number(ageSeconds), intervals: Number(intervals) };
}
