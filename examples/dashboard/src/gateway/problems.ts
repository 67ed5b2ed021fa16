interface Text {
  title: string;
  /** The next step for the reader. */
  advice: string;
  /** `automatic`: the page retries by itself; `manual`: a button; `never`: it would not help. */
  retry: 'automatic' | 'manual' | 'never';
}

/** For every other code. */
const rejected: Text = {
  title: 'Request rejected',
  advice: 'Reload the page. If that does not help, report the code to the operator of this dashboard.',
  retry: 'never',
};

/** The words for each code: those of the gateway, in `docs/errors.md`, those of the backend, and the one for no response. */
const problemTexts = {
  FORBIDDEN: {
    title: 'Not permitted',
    advice: 'The API key of this dashboard may not read this: it lacks the scope, is unknown or is revoked.',
    retry: 'never',
  },
  BAD_USER_INPUT: { title: 'Not a valid id', advice: 'Check the id that you opened.', retry: 'never' },
  RATE_LIMITED: {
    title: 'Too many requests',
    advice: 'The REST API limits how often this key may read.',
    retry: 'automatic',
  },
  OPERATION_TOO_EXPENSIVE: {
    title: 'Too much at once',
    advice: 'This view needs more than one operation may cost. The rest is shown as far as it goes.',
    retry: 'never',
  },
  UPSTREAM_TIMEOUT: {
    title: 'No response in time',
    advice: 'The REST API is slow at the moment.',
    retry: 'manual',
  },
  UPSTREAM_UNAVAILABLE: {
    title: 'Not available',
    advice: 'The REST API cannot be reached at the moment.',
    retry: 'manual',
  },
  UPSTREAM_INVALID_RESPONSE: {
    title: 'Unreadable response',
    advice: 'The REST API sent something that is not a valid response. Report it to the provider.',
    retry: 'manual',
  },
  OVERLOADED: {
    title: 'The gateway is busy',
    advice: 'It accepts no further requests for a moment.',
    retry: 'automatic',
  },
  INTERNAL_SERVER_ERROR: {
    title: 'A fault of the gateway',
    advice: 'Report it, with the request id.',
    retry: 'manual',
  },
  UNAUTHENTICATED: {
    title: 'Signed out',
    advice: 'The session has ended. Reload the page to sign in again.',
    retry: 'never',
  },
  GATEWAY_UNREACHABLE: {
    title: 'The gateway does not respond',
    advice: 'Try again in a moment.',
    retry: 'manual',
  },
  OFFLINE: {
    title: 'No connection',
    advice: 'This page cannot reach its server. Check your connection.',
    retry: 'manual',
  },
} as const satisfies Record<string, Text>;

/** The words for a code. */
export const textOf = (code: string): Text =>
  Object.hasOwn(problemTexts, code) ? problemTexts[code as keyof typeof problemTexts] : rejected;

/** An error, in the words of the reader. */
export interface Problem extends Text {
  code: string;
  /** The message of the gateway. */
  message: string;
  /** The field that failed; empty if the whole operation did. */
  path: readonly (string | number)[];
  /** Seconds to wait, if the gateway knows. */
  retryAfter?: number;
}

/** The parts of an error of urql that are read here. */
export interface RequestError {
  networkError?: Error | undefined;
  graphQLErrors: readonly {
    message: string;
    path?: readonly (string | number)[] | undefined;
    extensions?: Record<string, unknown> | undefined;
  }[];
  response?: { headers: Headers } | undefined;
}

/** All problems of a response, in its order. */
export function problemsFrom({ networkError, graphQLErrors, response }: RequestError): Problem[] {
  if (networkError)
    return [{ ...problemTexts.OFFLINE, code: 'OFFLINE', message: networkError.message, path: [] }];
  const header = response?.headers.get('retry-after') ?? undefined;
  return graphQLErrors.map(({ message, path = [], extensions = {} }) => {
    const code = String(extensions.code ?? 'INTERNAL_SERVER_ERROR');
    const seconds = Number(extensions.retryAfter ?? header ?? Number.NaN);
    return {
      ...textOf(code),
      code,
      message,
      path,
      ...(Number.isFinite(seconds) && { retryAfter: seconds }),
    };
  });
}

/** The problem of a field, or of one that it lies in. */
export function problemAt(problems: readonly Problem[], ...field: (string | number)[]): Problem | undefined {
  return problems.find(({ path }) => path.every((name, index) => name === field[index]));
}
