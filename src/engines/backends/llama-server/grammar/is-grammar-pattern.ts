const maxCharacters = 512;
/** Maximum characters of a pattern after expanding its repetitions. The engine takes minutes for longer ones. */
const maxCost = 200;
const repetition = /(\\.|.)\{(\d+)(,(\d*))?\}/gu;

/**
 * True if the engine can compile a schema's `pattern` quickly. The engine supports only ASCII, fails at quotes, and
 * copies a repeated group once per repetition.
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
    // With a minimum above the maximum, the engine counts down without end.
    if (range !== undefined && most !== '' && Number(most) < Number(least)) return Infinity;
    if (repeated === ')') factor *= count;
    else copies += count;
  }
  return (pattern.length + copies) * factor;
}
