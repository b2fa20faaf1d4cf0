import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const preload = `
const { setTimeout } = globalThis;
const fast = (callback, ms, ...values) =>
  setTimeout(callback, ms >= 300_000 ? ms / 150 : ms, ...values);
// util.promisify needs the properties.
globalThis.setTimeout = Object.defineProperties(fast, Object.getOwnPropertyDescriptors(setTimeout));
`;

/**
 * The variable for a server whose timers of 5 minutes and longer end 150 times as early: 10 minutes take 4 seconds.
 *
 * @param folder Folder for the file that the server loads.
 */
export async function fastTimers(folder: string): Promise<{ readonly NODE_OPTIONS: string }> {
  const file = join(folder, 'fast-timers.cjs');
  await writeFile(file, preload);
  return { NODE_OPTIONS: `--require ${JSON.stringify(file)}` };
}
