import { easternCanada, northwest, type Town } from './sites/places.ts';

/** A tenant of the demo. */
export interface Partner {
  id: string;
  name: string;
  emailDomain: string;
  towns: readonly Town[];
  firstClientNumber: number;
}

export const provider = 'Brightwell';

export const acme: Partner = {
  id: 'acme',
  name: 'Acme Property Group',
  emailDomain: 'acme-property.example',
  towns: northwest,
  firstClientNumber: 100_000,
};

export const globex: Partner = {
  id: 'globex',
  name: 'Globex Résidences',
  emailDomain: 'globex-residences.example',
  towns: easternCanada,
  firstClientNumber: 300_000,
};
