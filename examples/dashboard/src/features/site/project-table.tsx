import type { ProjectFragment } from '../../generated/graphql.ts';
import { NotStated } from '../../ui/facts.tsx';
import { formatDay } from '../../ui/format.ts';

/** The projects for those who do not see the timeline. */
export function ProjectTable({ projects }: { projects: readonly ProjectFragment[] }) {
  return (
    <div className="project-table visually-hidden">
      <table>
        <caption>Projects, with their stages and dates</caption>
        <thead>
          <tr>
            <th scope="col">Project</th>
            <th scope="col">Stage</th>
            <th scope="col">Signed</th>
            <th scope="col">Estimated start</th>
            <th scope="col">Start</th>
            <th scope="col">End of warranty</th>
          </tr>
        </thead>
        <tbody>
          {projects.map((project, index) => (
            <tr key={index}>
              <th scope="row">{project.name || 'Project'}</th>
              <td>{project.stage || <NotStated />}</td>
              <td>{formatDay(project.signingDate) ?? <NotStated />}</td>
              <td>{formatDay(project.estimatedDay1) ?? <NotStated />}</td>
              <td>{formatDay(project.day1StartDate) ?? <NotStated />}</td>
              <td>{formatDay(project.warrantyExpiration) ?? <NotStated />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
