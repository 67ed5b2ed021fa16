import * as z from 'zod';

/**
 * Adds made-up values for the optional fields of `schema`, at any depth, that no object has: fields that were
 * added to the contract and that no plan of the demo knows. Every second object gets them, so that each is
 * both present and absent. Lists and objects are left to the plans. Writes to the objects.
 */
export function addUnplannedFields(schema: z.ZodObject, objects: readonly object[]): void {
  for (const [name, field] of Object.entries(schema.shape)) {
    const type = field instanceof z.ZodExactOptional ? field.unwrap() : field;
    const values = objects.flatMap((object) => new Map(Object.entries(object)).get(name) ?? []);
    if (type instanceof z.ZodObject) addUnplannedFields(type, values);
    else if (type instanceof z.ZodArray) {
      if (type.element instanceof z.ZodObject) addUnplannedFields(type.element, values);
    } else if (values.length === 0 && field instanceof z.ZodExactOptional) {
      const value = madeUpValue(name, type);
      for (const [n, object] of objects.entries()) if (n % 2 === 0) Object.assign(object, { [name]: value });
    }
  }
}

const formats = {
  datetime: '2024-01-15T09:00:00Z',
  date: '2024-01-15',
  guid: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00',
};

/** The first of the candidates that the type accepts. */
function madeUpValue(name: string, type: z.core.$ZodType): unknown {
  const candidates = [`made-up ${name}`, 1, true, ...Object.values(formats)];
  return candidates.find((value) => z.safeParse(type, value).success);
}
