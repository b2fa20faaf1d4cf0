import { isolate } from '../texts/language.ts';

/** Joins facts in one line, each isolated in its own text direction: `3.1 GB · 4 bits`. Missing facts are left out. */
export function separated(facts: readonly (string | null | undefined)[]): string {
  return facts
    .flatMap((fact) => (fact === undefined || fact === null || fact === '' ? [] : [isolate(fact)]))
    .join(' · ');
}
