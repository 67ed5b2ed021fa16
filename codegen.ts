import type { CodegenConfig } from '@graphql-codegen/cli';
import { printSchema } from 'graphql';
import { schema, sdlOf } from './src/schema/index.ts';

/** `npm run codegen` writes the public contract. */
const config: CodegenConfig = {
  schema: printSchema(schema),
  generates: {
    'schema.graphql': {
      preset: {
        buildGeneratesSection: ({ baseOutputDir, ...options }) => [
          {
            ...options,
            filename: baseOutputDir,
            plugins: [{ sdl: {} }],
            pluginMap: { sdl: { plugin: () => sdlOf(schema) } },
          },
        ],
      },
    },
  },
};

export default config;
