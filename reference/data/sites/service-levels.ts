import { provider } from '../partners.ts';

interface Level {
  name: string;
  slaHours: number;
  isMonitored: boolean;
}

const level = (name: string, slaHours: number, isMonitored = false): Level => ({
  name,
  slaHours,
  isMonitored,
});

/** Every level of section 2.1.1. The document leaves `sla` open: here it is hours until the first visit. */
export const serviceLevels: readonly Level[] = [
  level('CPP Proactive', 8, true),
  level('Priority', 24),
  level('Essentials Plus', 48),
  level('Signature', 4, true),
  level('CPP Essentials Plus', 48),
  level('Non-Member', 120),
  level('Secure', 0.5, true),
  level('CPP Priority', 24),
  level('Warranty Essentials', 72),
  level('Proactive', 8, true),
  level('CPP Signature', 4, true),
  level('Legacy', 96),
  level(`${provider} - Internal`, 1.5, true),
  level('Inactive', 0),
];
