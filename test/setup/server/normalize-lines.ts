interface Line {
  readonly message?: Readonly<Record<string, unknown>>;
}

/** Times and ids, which differ from run to run. */
const changing = /^(?:created_at|id|\w+_duration)$/;

/**
 * Converts JSON lines to a form that is equal in every run. Times and ids become placeholders. Lines between two kinds
 * of content are joined, since their number depends on the speed of the engine.
 */
export function normalizeLines(lines: readonly Line[]): string {
  const merged: Line[] = [];
  for (const line of lines) {
    const last = merged.at(-1);
    const text = textKind(line);
    if (last === undefined || text === undefined || textKind(last) !== text) {
      merged.push(line);
    } else {
      const joined = String(last.message?.[text]) + String(line.message?.[text]);
      merged[merged.length - 1] = { ...last, message: { ...last.message, [text]: joined } };
    }
  }
  const replacer = (name: string, value: unknown): unknown =>
    changing.test(name) ? `<${name}>` : value;
  return merged.map((line) => `${JSON.stringify(line, replacer)}\n`).join('');
}

/** The kind of text in a line; undefined if the line has other fields. */
function textKind({ message = {}, ...line }: Line): 'content' | 'thinking' | undefined {
  if ('done' in line && line.done === true) return undefined;
  if ('tool_calls' in message) return undefined;
  return 'thinking' in message ? 'thinking' : 'content';
}
