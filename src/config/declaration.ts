import type * as z from 'zod';

export type Declared = Readonly<Record<string, z.ZodType>>;

export type Values<T extends Declared> = z.output<z.ZodObject<T>>;

/** The environment without its empty variables. */
export type Given = Readonly<Record<string, string | undefined>>;
