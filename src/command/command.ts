import type { Composition } from '../composition.ts';
import type { CoreConfig } from '../config/core.ts';

/** A command of the program: `portico NAME`. It is imported with the program, and imports its code to run. */
export interface Command {
  name: string;
  /** Its line in the list of commands. */
  summary: string;
  /** The name, and what may follow it: `plan FILE... [OPTION...]`. The list has it without options. */
  usage: string;
  /** The paragraphs of its help before the options. */
  about: string;
  options: Readonly<Record<string, Option>>;
  /** The kind of its operands: `a file`. Absent: it takes none. */
  operands?: string;
  /** The faults of options that are valid one by one. */
  faultsOf?(options: Options): string[];
  run<Config extends CoreConfig>(given: Given, composition: Composition<Config>): Promise<Found>;
}

/** An option: a flag, or one with a value. */
export interface Option {
  help: string;
  /** The value: its name in the help, what it must be, and whether a text is that. Absent: a flag. */
  value?: { name: string; requires: string; accepts(text: string): boolean };
}

/** The options that are given by their names, each with its value; undefined for a flag. */
type Options = ReadonlyMap<string, string | undefined>;

export interface Given {
  operands: readonly string[];
  options: Options;
}

/** The output of a command, and the faults that make it fail. */
export interface Found {
  lines: string[];
  faults: string[];
}

export const json = (shape: string): Option => ({ help: `print one JSON object: ${shape}` });
