import { tasks } from './tasks.ts';

interface Order {
  task: keyof typeof tasks;
  given: never;
}

// One order at a time, and one answer to each.
process.on('message', async ({ task, given }: Order) => {
  try {
    process.send?.({ result: await tasks[task](given) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ result: 'ready' });
