/** One that lived so long has not died of its start. */
const steadyMs = 10_000;
const firstMs = 250;
const longestMs = 30_000;

/**
 * Says after each death how long to wait until the next start: not at all, unless one after another dies young; then
 * twice as long each time, up to half a minute.
 */
export function createBackoff(): (livedMs: number) => number {
  let youngDeaths = 0;
  return (livedMs) => {
    youngDeaths = livedMs < steadyMs ? youngDeaths + 1 : 0;
    return youngDeaths < 2 ? 0 : Math.min(longestMs, firstMs * 2 ** (youngDeaths - 2));
  };
}
