import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

// Loaded into a contender before its own code: takes a CPU profile from one SIGUSR2 to the next, into the file PROFILE.

const MICROSECONDS = 250;

const file = process.env.PROFILE ?? '';
const session = new Session();
session.connect();

process.once('SIGUSR2', async () => {
  process.once('SIGUSR2', async () => {
    const { profile } = await session.post('Profiler.stop');
    // Whoever waits for the file is to find it whole.
    writeFileSync(`${file}.part`, JSON.stringify(profile));
    renameSync(`${file}.part`, file);
  });
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: MICROSECONDS });
  await session.post('Profiler.start');
});
