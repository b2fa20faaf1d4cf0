// oxlint-disable-next-line no-control-regex -- text has none of them
const controlCharacters = /[\0-\x08\x0E-\x1A\x1C-\x1F]/;

/**
 * Decodes text. Tries the byte order mark of UTF-8 or UTF-16, then UTF-8, then the encoding that HTML declares, then
 * Windows-1252, which many programs use for CSV. Undefined for other content.
 */
export function readPlainText(bytes: Buffer): string | undefined {
  const mark = bytes.toString('latin1', 0, 2);
  const named = /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(
    bytes.toString('latin1', 0, 2048),
  );
  const encodings =
    mark === '\xFF\xFE'
      ? ['utf-16le']
      : mark === '\xFE\xFF'
        ? ['utf-16be']
        : ['utf-8', named?.[1] ?? 'windows-1252', 'windows-1252'];
  for (const encoding of encodings) {
    const text = decode(bytes, encoding);
    if (text !== undefined && !controlCharacters.test(text)) return text;
  }
  return undefined;
}

function decode(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
