import { homedir } from 'node:os';

/** The home folder of the user; undefined if there is none: no `HOME`, and no entry in the list of users. */
export function readUserHome(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
