import type { Random } from '../random.ts';

export interface Town {
  city: string;
  state: string;
  zips: readonly string[];
  areaCode: string;
  streets: readonly string[];
}

const town = (city: string, state: string, areaCode: string, zips: string, streets: string): Town => ({
  city,
  state,
  areaCode,
  zips: zips.split('|'),
  streets: streets.split('|'),
});

export const northwest: readonly Town[] = [
  town(
    'Portland',
    'OR',
    '503',
    '97202|97209|97214',
    'SE Hawthorne Blvd|NW Lovejoy St|SE Clinton St|N Mississippi Ave',
  ),
  town('Seattle', 'WA', '206', '98103|98112|98122', 'Phinney Ave N|E Madison St|Fremont Ave N|20th Ave E'),
  town('Tacoma', 'WA', '253', '98403|98405', 'N Yakima Ave|S Sprague Ave|N Tacoma Ave'),
  town('Bend', 'OR', '541', '97701|97703', 'NW Galveston Ave|NW Newport Ave|SE Wilson Ave'),
  town('Boise', 'ID', '208', '83702|83706', 'W Hays St|N Harrison Blvd|E Warm Springs Ave'),
  town('Cañon City', 'CO', '719', '81212', 'Greenwood Ave|Macon Ave'),
];

export const easternCanada: readonly Town[] = [
  town(
    'Montréal',
    'QC',
    '514',
    'H2X 3J8|H2J 2L1|H4C 1T5',
    'Rue Saint-Denis|Avenue du Mont-Royal Est|Rue Notre-Dame Ouest',
  ),
  town('Québec', 'QC', '418', 'G1R 2S6|G1K 3A9', 'Rue Saint-Jean|Côte de la Fabrique|Rue Saint-Joseph Est'),
  town('Ottawa', 'ON', '613', 'K1S 3T9|K1N 5W8', 'Bank Street|Sussex Drive|Gladstone Avenue'),
  town('Trois-Rivières', 'QC', '819', 'G9A 4J1', 'Rue des Forges|Rue Laviolette'),
];

/** A phone number from the range reserved for fiction. Different lines get different numbers. */
export function phoneIn({ areaCode }: Town, line: number, random: Random): string {
  return `(${areaCode}) 555-0${100 + 50 * line + random.int(0, 49)}`;
}
