import type { ReactNode } from 'react';
import type { Problem } from '../gateway/problems.ts';
import { Empty } from '../ui/section.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ProblemNotice } from './problem-notice.tsx';

interface PartProps<Value> {
  /** For the reader: Clients. */
  name: string;
  /** It may still come. */
  isPending: boolean;
  problem: Problem | undefined;
  value: Value | null | undefined;
  children(value: Value): ReactNode;
}

/** Every state of a part of a page: loading, failed, absent, or its content. */
export function Part<Value>({ name, isPending, problem, value, children }: PartProps<Value>) {
  if (value !== null && value !== undefined) return children(value);
  if (problem) return <ProblemNotice problem={problem} />;
  if (isPending) return <Skeleton lines={3} label={`Loading: ${name}`} />;
  return <Empty>{name}: nothing was sent.</Empty>;
}
