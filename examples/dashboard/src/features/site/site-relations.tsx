import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { problemAt } from '../../gateway/problems.ts';
import type { View } from '../../gateway/use-view.ts';
import { type FragmentType, isFragmentReady, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import type { Incremental, SiteRelationsFragment } from '../../generated/graphql.ts';
import { Part } from '../../states/part.tsx';
import { Section } from '../../ui/section.tsx';
import { ClientList } from './client-list.tsx';
import { ProjectList } from './project-list.tsx';
import { sitePageQuery } from './site-page.query.ts';

const siteRelationsFragment = graphql(`
  fragment SiteRelations on Site {
    id
    clients {
      id
      ...ClientCard
    }
    projects {
      id
      ...Project
    }
  }
`);

interface SiteRelationsProps {
  site: FragmentType<TypedDocumentNode<Incremental<SiteRelationsFragment>, unknown>>;
  view: Pick<View<unknown>, 'problems' | 'isPending'>;
}

/** The clients and projects of a site, which come after its card. */
export function SiteRelations({ site, view: { problems, isPending } }: SiteRelationsProps) {
  const isReady = isFragmentReady(sitePageQuery, siteRelationsFragment, site);
  const relations = isReady ? readFragment(siteRelationsFragment, site) : undefined;
  const part = (name: string, field: string) => ({
    name,
    isPending,
    problem: problemAt(problems, 'site', field),
  });
  return (
    <>
      <Section title="Projects" count={relations?.projects?.length}>
        <Part {...part('Projects', 'projects')} value={relations?.projects}>
          {(projects) => <ProjectList projects={projects} />}
        </Part>
      </Section>
      <Section title="Clients" count={relations?.clients?.length}>
        <Part {...part('Clients', 'clients')} value={relations?.clients}>
          {(clients) => <ClientList clients={clients} />}
        </Part>
      </Section>
    </>
  );
}
