import { existsSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';

/** The schema of the gateway: a file or the URL of its endpoint. The line to change in a copy of this folder. */
const schema: string = '../../schema.graphql';

if (!schema.includes('://') && !existsSync(schema)) {
  throw new Error(
    `There is no ${schema}. Copy schema.graphql of your version of Portico into this folder, and set in codegen.ts: const schema: string = 'schema.graphql';`,
  );
}

/** `npm run codegen` writes the types of all operations, and the manifest that the gateway reads as `TRUSTED_DOCUMENTS`. */
const config: CodegenConfig = {
  // The second file has what a gateway with LIVE=on adds.
  schema: [schema, 'live.graphql'],
  documents: ['src/**/*.{ts,tsx}', '!src/generated/**'],
  importExtension: '.ts',
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: {
        persistedDocuments: true,
        // Components read their own fragments only. Not called `useFragment`, because it is no hook.
        fragmentMasking: { unmaskFunctionName: 'readFragment' },
      },
      // The cache needs the type names, so that they must be in the documents of the manifest too.
      documentTransforms: [addTypenameSelectionDocumentTransform],
      config: { useTypeImports: true, scalars: { DateTime: 'string', Date: 'string', JSON: 'unknown' } },
    },
  },
};

export default config;
