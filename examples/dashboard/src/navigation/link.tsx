import type { ComponentProps, MouseEvent } from 'react';
import { navigate } from './route.ts';

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { to: string };

/** A link to a page of this app. */
export function Link({ to, ...props }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    const opensElsewhere =
      event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (opensElsewhere) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...props} href={to} onClick={onClick} />;
}
