import { advanced, planning, type Values } from '../../config/declaration.ts';
import { wholeNumber } from '../../config/kinds.ts';

export const compiledSettings = planning({
  ...advanced({
    COMPILED_BYTES: wholeNumber(0, 17_179_869_184, 33_554_432).describe(
      'Maximum memory of compiled operations, per process; 0: no operation is compiled',
    ),
  }),
});

export function compiledConfig(values: Values<typeof compiledSettings>) {
  return { compiledBytes: values.COMPILED_BYTES };
}
