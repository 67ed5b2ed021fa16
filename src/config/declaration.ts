import type { z } from 'zod';

/** Declared settings by name. */
export type Declared = Readonly<Record<string, z.ZodType>>;

/** The values of declared settings. */
export type Values<T extends Declared> = z.output<z.ZodObject<T>>;

/** The environment without its empty variables. */
export type Given = Readonly<Record<string, string | undefined>>;

/** Marks the settings that most operators leave as they are. */
export const { mark: advanced, isMarked: isAdvanced } = createMark();

/** Marks the settings that `portico plan` and `portico mcp` read too: those that limit operations. */
export const { mark: planning, isMarked: isPlanning } = createMark();

/** Marks the settings that `check-config` reads trusted documents by: their file, and what the schema has. */
export const { mark: validating, isMarked: isValidating } = createMark();

function createMark() {
  const marked = new Set<z.ZodType>();
  return {
    mark<T extends Declared>(declared: T): T {
      for (const type of Object.values(declared)) marked.add(type);
      return declared;
    },
    isMarked: (type: z.ZodType): boolean => marked.has(type),
  };
}

/** The faults whose condition holds, of settings that are valid one by one and contradict each other. */
export function faultsWhere(...cases: [isFault: boolean, fault: string][]): string[] {
  return cases.flatMap(([isFault, fault]) => (isFault ? [fault] : []));
}
