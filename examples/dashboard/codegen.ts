import type { CodegenConfig } from '@graphql-codegen/cli';
import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';

/** `npm run codegen` writes the types of all operations, and the manifest that the gateway reads as `TRUSTED_DOCUMENTS`. */
const config: CodegenConfig = {
  // Written by `portico print-schema --live`; the URL of an endpoint will do as well.
  schema: 'schema.graphql',
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
