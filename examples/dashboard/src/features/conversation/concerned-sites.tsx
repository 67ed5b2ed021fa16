import { problemAt } from '../../gateway/problems.ts';
import type { View } from '../../gateway/use-view.ts';
import { keyed } from '../../ui/keyed.ts';
import { Empty } from '../../ui/section.tsx';
import { ConcernedSite, type SiteRef } from './concerned-site.tsx';

interface ConcernedSitesProps {
  sites: readonly (SiteRef & { id: string | null })[];
  view: Pick<View<unknown>, 'problems' | 'isPending' | 'report'>;
}

/** The sites of a conversation. Each has its own state: one may be there, and the next have failed. */
export function ConcernedSites({ sites, view: { problems, isPending, report } }: ConcernedSitesProps) {
  if (sites.length === 0) return <Empty>The conversation concerns no site.</Empty>;
  return (
    <ul>
      {keyed(sites, ({ id }) => id).map(({ key, item, index }) => (
        <li key={key}>
          <ConcernedSite
            site={item}
            isPending={isPending}
            mayHaveFailed={report.omittedErrors > 0}
            problem={problemAt(problems, 'conversationContext', 'sites', index, 'site')}
          />
        </li>
      ))}
    </ul>
  );
}
