export interface OperationResponse {
  data?: unknown;
  errors?: readonly { extensions?: { code?: unknown } }[] | undefined;
  extensions?: unknown;
}

/** Whether a response rejects the whole operation because of its key. */
export function isRejection({ data, errors = [] }: OperationResponse): boolean {
  return !data && errors.length > 0 && errors.every(({ extensions }) => extensions?.code === 'FORBIDDEN');
}
