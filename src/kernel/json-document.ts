import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parseTree,
  printParseErrorCode,
  type JSONPath,
  type ParseError,
} from 'jsonc-parser';

/** A place in a text; both numbers start at 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The text is not JSON (RFC 8259). The message is the reason, such as `comma expected`. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly position: TextPosition;

  constructor(reason: string, position: TextPosition) {
    super(reason);
    this.position = position;
  }
}

interface JsonDocument {
  readonly value: unknown;
  /** Position of the value at a path; undefined if there is none. */
  locate(path: JSONPath): TextPosition | undefined;
}

const byteOrderMark = '\uFEFF';

/**
 * Parses a JSON file that people edit, so that errors can name the line and column. Ignores a byte order mark.
 *
 * @throws JsonSyntaxError
 */
export function parseJsonDocument(
  content: string,
  { allowsComments = false }: { readonly allowsComments?: boolean } = {},
): JsonDocument {
  const text = withoutMark(content);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    disallowComments: !allowsComments,
    allowTrailingComma: false,
  });
  const [error] = errors;
  if (error !== undefined || root === undefined) {
    const reason = error === undefined ? 'ValueExpected' : printParseErrorCode(error.error);
    throw new JsonSyntaxError(toWords(reason), positionAt(text, error?.offset ?? text.length));
  }
  return {
    value: getNodeValue(root),
    locate: (path) => {
      const node = findNodeAtLocation(root, [...path]);
      return node === undefined ? undefined : positionAt(text, node.offset);
    },
  };
}

/** Sets the value at a path, or removes it if undefined. Other lines and a byte order mark stay unchanged. */
export function editJsonDocument(content: string, path: readonly string[], value: unknown): string {
  const text = withoutMark(content);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol };
  const edited = applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  return text.length === content.length ? edited : `${byteOrderMark}${edited}`;
}

function withoutMark(content: string): string {
  return content.startsWith(byteOrderMark) ? content.slice(1) : content;
}

/** `CommaExpected` → `comma expected`. */
function toWords(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
