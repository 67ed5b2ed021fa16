import { fail } from '../command-line.ts';
import { readReferenceConfig } from '../config.ts';
import { runKeyCommand } from './command.ts';

/** The process of `npm run keys`. Exits with 2 for wrong arguments, with 1 for a command that failed. */
const result = await runKeyCommand(process.argv.slice(2), readReferenceConfig());
if ('output' in result) console.log(result.output);
else fail(result.code, ...result.errors);
