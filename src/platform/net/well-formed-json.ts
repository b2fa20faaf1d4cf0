/**
 * Writes JSON that every parser accepts. A lone surrogate, which a string may contain but UTF-8 can't encode, becomes
 * the replacement character.
 */
export function wellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  // `JSON.stringify` writes `\ud` escapes only for lone surrogates.
  if (!json.includes(String.raw`\ud`)) return json;
  return json.replaceAll(/\\(?:ud[\da-f]{3}|.)/gu, (escape) =>
    escape.length > 2 ? '\uFFFD' : escape,
  );
}
