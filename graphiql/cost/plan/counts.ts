/** "1 call", "3 calls". */
export function countOf(calls: number): string {
  return `${calls} ${calls === 1 ? 'call' : 'calls'}`;
}
