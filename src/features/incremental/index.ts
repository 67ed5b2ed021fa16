import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { ValidationRule } from 'graphql';
import type { ErrorMask } from '../../schema/error-mask.ts';
import { incrementalExecution } from './execution.ts';
import { incrementalFormat, maskedIncremental } from './phases.ts';

export { partsFormatOf } from './deferral.ts';

/** Responses in parts. Without this feature both directives (`schema/directives.ts`) are ignored. */
export function incrementalDelivery({ mask }: { mask: ErrorMask }) {
  return {
    rules: directiveRules(),
    execution: incrementalExecution,
    masked: maskedIncremental(mask),
    format: incrementalFormat,
  };
}

/** The rules of the server's plugin for both directives, without the first: an older one against conflicting fields. */
function directiveRules(): ValidationRule[] {
  const rules: ValidationRule[] = [];
  const { onValidate } = useDeferStream() as { onValidate?(hook: object): void };
  onValidate?.({ params: {}, addValidationRule: (rule: ValidationRule) => void rules.push(rule) });
  return rules.slice(1);
}
