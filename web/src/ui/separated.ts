import { isolate } from '../texts/language.ts';

/** Facts in a line, each in the direction of its own script: `3.1 GB · 4 bits`. Those that are missing are left out. */
export function separated(facts: readonly (string | null | undefined)[]): string {
  return facts
    .flatMap((fact) => (fact === undefined || fact === null || fact === '' ? [] : [isolate(fact)]))
    .join(' · ');
}
