import { type FragmentType, readFragment } from '../../generated/fragment-masking.ts';
import { graphql } from '../../generated/gql.ts';
import { Link } from '../../navigation/link.tsx';
import { sitePath } from '../../navigation/route.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { compact, formatDay } from '../../ui/format.ts';
import { PlanMeter } from './plan-meter.tsx';
import { ServiceLevelBadge } from './service-level-badge.tsx';

const siteCardFragment = graphql(`
  fragment SiteCard on Site {
    id
    address1
    address2
    city
    state
    zip
    businessName
    clientSegment
    serviceLevel
    serviceLevelLabel
    sla
    isMonitored
    membershipRegistered
    createdAt
    cppExpDate
    accountManager {
      id
      firstName
      lastName
    }
  }
`);

interface SiteCardProps {
  site: FragmentType<typeof siteCardFragment>;
  /** The page of the site has it as its title; elsewhere it links to that page. */
  heading: 'h1' | 'h3';
}

/** The site itself: its address, service level and account manager. */
export function SiteCard({ site, heading: Heading }: SiteCardProps) {
  const card = readFragment(siteCardFragment, site);
  const street = compact([card.address1, card.address2]).join(', ');
  const town = compact([card.city, compact([card.state, card.zip]).join(' ')]).join(', ');
  const title = card.businessName || street || card.id;
  const manager = compact([card.accountManager?.firstName, card.accountManager?.lastName]).join(' ');
  return (
    <article className="site-card stack">
      <header className="row spread">
        <div>
          <Heading dir="auto">
            {Heading === 'h1' ? title : <Link to={sitePath(card.id)}>{title}</Link>}
          </Heading>
          <p className="site-address">
            {compact([card.businessName && street, town]).join(' · ') || (
              <span className="absent">{street ? 'City' : 'Address'} not stated</span>
            )}
          </p>
        </div>
        <ServiceLevelBadge level={card.serviceLevel} label={card.serviceLevelLabel} />
      </header>
      <Facts>
        <Fact term="Account manager">
          {manager && (
            <span className="person">
              <Avatar name={manager} />
              {manager}
            </span>
          )}
        </Fact>
        <Fact term="SLA">{card.sla !== null && <span className="figure">{card.sla}</span>}</Fact>
        <Fact term="Monitoring">{card.isMonitored !== null && <Monitoring isOn={card.isMonitored} />}</Fact>
        <Fact term="Membership">
          {card.membershipRegistered !== null &&
            (card.membershipRegistered ? 'Registered' : 'Not registered')}
        </Fact>
        <Fact term="Segment">{card.clientSegment}</Fact>
        <Fact term="Site">
          <code>{card.id}</code>
        </Fact>
      </Facts>
      {card.cppExpDate && <PlanMeter from={card.createdAt} until={card.cppExpDate} />}
      {!card.cppExpDate && card.createdAt && <p className="role">A site since {formatDay(card.createdAt)}</p>}
    </article>
  );
}

function Monitoring({ isOn }: { isOn: boolean }) {
  return <span className={`monitoring ${isOn ? 'is-on' : ''}`}>{isOn ? 'Monitored' : 'Not monitored'}</span>;
}
