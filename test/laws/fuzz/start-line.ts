import fc from 'fast-check';

const site = encodeURIComponent('query Q($id: ID! = "SITE-1") { site(id: $id) { id clients { name } } }');
export const targets = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '/graphql?query=%7B__typename%7D',
        `/graphql?query=${site}`,
        `/graphql?query=${site}&variables=%7B%22id%22%3A%22SITE-2%22%7D`,
      ],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '/',
        '/graphql',
        '/graphql/',
        '/GRAPHQL',
        '*',
        '',
        'graphql',
        '//graphql',
        '/graphql#x',
        '/graphql?',
        '/graphql??',
        '/%67raphql',
      ],
      ...[
        '/graphql?x=/livez',
        '/livez',
        '/readyz',
        '/graphql/livez',
        '/graphiql/manifest.json',
        '/graphiql/logo.svg',
        '/graphiql/../graphql',
      ],
      ...[
        'http://other.example/graphql',
        'http://[::1/graphql',
        'other.example:80',
        'https:',
        '\\graphql',
        '/graphql\\',
        '/graphql;a',
      ],
      ...[
        '/graphql?query=%',
        '/graphql?query=%ff',
        '/graphql?query=%00',
        '/graphql?query',
        '/graphql?variables=%7B',
        '/graphql?&&=&',
      ],
      ...[
        `/graphql?query=${site}&query=x`,
        `/graphql?query=${site}&variables=7`,
        `/graphql?query=${site}&variables=null`,
      ],
      ...[
        `/graphql?query=${site}&operationName=toString`,
        `/graphql?query=${site}&extensions=%5B%5D`,
        `/graphql?QUERY=${site}`,
      ],
      ...[
        '/graphql?query=mutation%7Bx%7D',
        '/graphql?query=subscription%7Bx%7D',
        '/graphql?documentId=x',
        '/graphql?__proto__=x',
      ],
      ...[
        `/graphql?${'a'.repeat(9000)}`,
        `/${'a'.repeat(20_000)}`,
        `/graphql?query=%7B${'__typename%20'.repeat(400)}%7D`,
        '/\x00',
        '/\xe9',
      ],
      ...[
        '/v1/health',
        '/v1/site/SITE-1',
        '/.env',
        '/../../etc/passwd',
        '/__proto__',
        '/favicon.ico',
        '/graphql?query=%7B__schema%7Btypes%7Bname%7D%7D%7D',
      ],
    ),
  },
  { weight: 1, arbitrary: fc.webPath().map((path) => `/graphql${path}`) },
  { weight: 1, arbitrary: fc.webQueryParameters().map((query) => `/graphql?query=${query}`) },
);

export const methods = fc.constantFrom(
  ...[
    'GET',
    'HEAD',
    'OPTIONS',
    'PUT',
    'DELETE',
    'PATCH',
    'TRACE',
    'CONNECT',
    'QUERY',
    'PROPFIND',
    'M-SEARCH',
    'PRI',
    'SOURCE',
  ],
  ...['get', 'Post', '', ' ', 'POST ', 'POST\t', 'P', 'FOO', '\0', '\xe9', 'POST POST', 'HTTP/1.1'],
);
export const versions = fc.constantFrom(
  ...[
    'HTTP/1.0',
    'HTTP/0.9',
    'HTTP/2.0',
    'HTTP/1.2',
    'HTTP/1.11',
    'http/1.1',
    'HTTP/1.1 ',
    '',
    'HTTP/1',
    'ICE/1.0',
    'HTTP/1.1\r',
    'RTSP/1.0',
  ],
);
