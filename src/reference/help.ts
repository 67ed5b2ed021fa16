import { referenceSettings } from './config.ts';
import { usage } from './transfer/command.ts';

/** The text of `npm run reference -- --help`: the commands, and each setting with its default. */
export function helpText(): string {
  const settings = Object.entries(referenceSettings.shape).map(([name, type]) => {
    const fallback = type.safeParse(undefined).data;
    const label = fallback === undefined ? name : `${name}=${fallback}`;
    return `  ${label}\n      ${type.description ?? ''}`;
  });
  return [
    usage,
    '',
    'After `npm run reference`, write `--` before the arguments.',
    '',
    'The settings are variables of the environment; an empty one counts as unset. What follows = is the default.',
    '',
    ...settings,
  ].join('\n');
}
