import type { ServiceLevel } from '../../upstream/resources.ts';
import { builder } from '../builder.ts';

const meanings: Record<ServiceLevel, string> = {
  INACTIVE: '"Inactive" in the REST API.',
  NON_MEMBER: '"Non-Member" in the REST API.',
  WARRANTY_ESSENTIALS: '"Warranty Essentials" in the REST API.',
  CPP_ESSENTIALS_PLUS: '"CPP Essentials Plus" in the REST API.',
  ESSENTIALS_PLUS: '"Essentials Plus" in the REST API.',
  CPP_PRIORITY: '"CPP Priority" in the REST API.',
  PRIORITY: '"Priority" in the REST API.',
  CPP_PROACTIVE: '"CPP Proactive" in the REST API.',
  PROACTIVE: '"Proactive" in the REST API.',
  CPP_SIGNATURE: '"CPP Signature" in the REST API.',
  SIGNATURE: '"Signature" in the REST API.',
  SECURE: '"Secure" in the REST API.',
  INTERNAL: '"… - Internal" in the REST API, after the provider\'s own name.',
  LEGACY: '"Legacy" in the REST API.',
  UNRECOGNIZED: 'A level that this schema does not know yet: `serviceLevelLabel` has its text.',
};

export const serviceLevelRef = builder.enumType('ServiceLevel', {
  description:
    'The level of service that a site has. The REST document specifies neither the rank nor the transitions.',
  values: Object.fromEntries(
    Object.entries(meanings).map(([name, description]) => [name, { description }]),
  ) as Record<ServiceLevel, { description: string }>,
});
