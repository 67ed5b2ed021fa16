import type { ReactNode } from 'react';
import type { Problem } from '../gateway/problems.ts';
import { Empty } from '../ui/section.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ProblemNotice } from './problem-notice.tsx';

interface MissingPartProps {
  /** For the reader: Clients. */
  name: string;
  /** Whether it may still come. */
  isPending: boolean;
  problem: Problem | undefined;
}

interface PartProps<Value> extends MissingPartProps {
  value: Value | null | undefined;
  children(value: Value): ReactNode;
}

/** Every state of a part of a page: loading, failed, absent, or its content. */
export function Part<Value>({ value, children, ...missing }: PartProps<Value>) {
  return value === null || value === undefined ? <MissingPart {...missing} /> : children(value);
}

/** Stands in the place of a part that is not there. */
export function MissingPart({ name, isPending, problem }: MissingPartProps) {
  if (problem) return <ProblemNotice problem={problem} />;
  if (isPending) return <Skeleton lines={3} label={`Loading: ${name}`} />;
  return <Empty>{name}: nothing was sent.</Empty>;
}
