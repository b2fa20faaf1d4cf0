const maxCharacters = 512;
/** Characters and copies that the repetitions of a pattern come to; beyond it the engine is busy for minutes. */
const maxCost = 200;
const repetition = /(\\.|.)\{(\d+)(,(\d*))?\}/gu;

/**
 * Whether the engine's grammar can take a `pattern` of a schema in little time. It reads ASCII only, fails at
 * quotes, and copies what is repeated: a repeated group costs as often as it is repeated.
 */
export function isGrammarPattern(pattern: unknown): pattern is string {
  return (
    typeof pattern === 'string' &&
    pattern.length <= maxCharacters &&
    /^[ !#-~]*$/u.test(pattern) &&
    isRegularExpression(pattern) &&
    repetitionCost(pattern) <= maxCost
  );
}

function isRegularExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function repetitionCost(pattern: string): number {
  let copies = 0;
  let factor = 1;
  for (const [, repeated, least, range, most = ''] of pattern.matchAll(repetition)) {
    const count = Math.max(1, Number(least), Number(most));
    // The engine counts down from the one to the other, and would never arrive.
    if (range !== undefined && most !== '' && Number(most) < Number(least)) return Infinity;
    if (repeated === ')') factor *= count;
    else copies += count;
  }
  return (pattern.length + copies) * factor;
}
