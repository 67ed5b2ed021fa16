import { useGraphiQL } from '@graphiql/react';
import type { GraphQLSchema } from 'graphql';
import { Button } from '../button.tsx';
import { schemaText } from './schema-text.ts';

/** Downloads the schema as the page has read it: with `Subscription` if there are live queries. */
export function SchemaButton() {
  const schema = useGraphiQL(({ schema }) => schema);
  return (
    <Button disabled={!schema} title="Download the schema as SDL" onClick={() => schema && download(schema)}>
      Schema
    </Button>
  );
}

function download(schema: GraphQLSchema): void {
  const url = URL.createObjectURL(new Blob([schemaText(schema)], { type: 'application/graphql' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'schema.graphql';
  link.click();
  // The browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
