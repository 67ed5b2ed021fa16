import './types/scalars.ts';
import './types/site.ts';
import './types/conversation.ts';
import './types/health.ts';
import { withBoundedFields } from './bounded-fields.ts';
import { builder } from './builder.ts';
import { directives } from './directives.ts';

/** The public contract; `schema.graphql` is printed from it. */
export const schema = withBoundedFields(builder.toSchema({ directives, sortSchema: false }));
