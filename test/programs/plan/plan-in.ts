import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { composition } from '../../../src/features.ts';
import { planFiles } from '../../../src/programs/plan/plan.ts';
import { makeFolder } from '../../support/manifest.ts';

export type PlanGiven = Parameters<typeof planFiles>[0];

/** The arguments of `portico plan` without any. */
export const noArguments = {
  ...{ variables: {}, operationName: undefined, maxCalls: undefined, isJson: false },
  ...{ against: undefined, maxIncrease: undefined },
};

/** A folder with these files, by their paths in it. */
export async function writeFiles(files: Record<string, string>): Promise<string> {
  const folder = await makeFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, dirname(name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** Plans paths in the folder, which is left out of the faults. */
export async function planIn(folder: string, files: string[], more: Partial<PlanGiven> = {}) {
  const paths = files.map((file) => file.replace(/^!?/, `$&${folder}/`));
  const { lines, faults } = await planFiles({ ...noArguments, files: paths, ...more }, composition);
  return { lines, faults: faults.map((fault) => fault.replaceAll(`${folder}/`, '')) };
}

/** The names of the operations in a table. */
export const namesIn = (lines: string[]) => lines.slice(1).map((line) => line.split(' ')[0]);
