import { homedir } from 'node:os';

/** The user's home folder; undefined if there is neither `HOME` nor an entry in the user database. */
export function readUserHome(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
