import type { Project } from '../../upstream/resources.ts';
import { builder } from '../builder.ts';

export const projectRef = builder.objectRef<Project>('Project').implement({
  description: 'A piece of work at a site, from its planning to the end of its warranty.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'UUID of the project.' }),
    name: t.exposeString('name', { description: 'Name of the project.' }),
    isPrimary: t.exposeBoolean('isPrimary', { description: 'Whether this is the main project of the site.' }),
    stage: t.exposeString('stage', {
      description: 'How far the project is. The REST document does not list the values.',
    }),
    estimatedDay1: t.expose('estimatedDay1', {
      type: 'Date',
      description: 'The day on which work is expected to start.',
    }),
    day1StartDate: t.expose('day1StartDate', { type: 'Date', description: 'The day on which work starts.' }),
    warrantyExpiration: t.expose('warrantyExpiration', {
      type: 'Date',
      description: 'The last day of the warranty.',
    }),
    signingDate: t.expose('signingDate', {
      type: 'Date',
      description: 'The day on which the contract was signed.',
    }),
  }),
});
