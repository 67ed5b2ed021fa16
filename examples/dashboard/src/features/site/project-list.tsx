import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import { Empty } from '../../ui/section.tsx';
import { ProjectTable } from './project-table.tsx';
import { ProjectTimeline } from './project-timeline.tsx';

const projectFragment = graphql(`
  fragment Project on Project {
    id
    name
    isPrimary
    stage
    signingDate
    estimatedDay1
    day1StartDate
    warrantyExpiration
  }
`);

/** The projects of a site: a timeline to look at, and a table to read. */
export function ProjectList({ projects }: { projects: readonly FragmentType<typeof projectFragment>[] }) {
  if (projects.length === 0) return <Empty>There are no projects at this site.</Empty>;
  const rows = projects.map((project) => readFragment(projectFragment, project));
  return (
    <>
      <ProjectTimeline projects={rows} />
      <ProjectTable projects={rows} />
    </>
  );
}
