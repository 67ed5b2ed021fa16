import { tasks } from './tasks.ts';

interface Message {
  task: keyof typeof tasks;
  input: never;
}

// One task at a time, with one reply each.
process.on('message', async ({ task, input }: Message) => {
  try {
    process.send?.({ result: await tasks[task](input) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ result: 'ready' });
