import { headers } from './headers.ts';
import { createOperations } from './operations.ts';
import { createResponses } from './responses.ts';
import { createSchemas, schemaRef } from './schemas.ts';

interface OpenapiOptions {
  siteIdPrefix: string;
  isDeprecated: boolean;
}

/** The OpenAPI 3.1 description of the API. */
export function createOpenapi({ siteIdPrefix, isDeprecated }: OpenapiOptions) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Partner Public API',
      version: '1',
      description:
        'A tenant-scoped, read-only API for partners: site details and conversation context. ' +
        'A key reads the data of its own partner only.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths: createOperations(isDeprecated),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The only way to send the key: `Authorization: Bearer` is not supported.',
        },
      },
      headers,
      parameters: createParameters(),
      responses: createResponses(),
      schemas: createSchemas(siteIdPrefix),
    },
  };
}

function createParameters() {
  return {
    siteId: { name: 'id', in: 'path', required: true, schema: schemaRef('SiteId') },
    include: {
      name: 'include',
      in: 'query',
      required: false,
      description:
        'Relations to expand, with commas between them: `clients`, `projects`. Blanks, empty parts, repetitions ' +
        'and other words are ignored.',
      schema: { type: 'string', examples: ['clients', 'projects', 'clients,projects'] },
    },
    conversationId: {
      name: 'id',
      in: 'path',
      required: true,
      description: 'In upper or lower case',
      schema: { type: 'string', format: 'uuid' },
    },
  };
}
