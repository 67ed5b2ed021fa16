import manifest from '../package.json' with { type: 'json' };

/** The oldest Node.js that package.json permits. */
export const required = manifest.engines.node.replace('>=', '');

/** Exits with 1 and a line on an older Node.js. Programs begin with its text, so it uses globals only. */
export function checkVersion(required: string): void {
  const { node } = process.versions;
  if (node.localeCompare(required, 'en', { numeric: true }) >= 0) return;
  console.error(`Portico needs Node.js ${required} or later. This is Node.js ${node}.`);
  process.exit(1);
}

// For `build/main.ts`, which imports this file first.
checkVersion(required);
