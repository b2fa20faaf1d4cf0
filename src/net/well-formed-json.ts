/**
 * JSON that every parser takes: half of a surrogate pair, which is no text in UTF-8 though a string may hold
 * one, becomes the replacement character.
 */
export function wellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  // Whole pairs are written as they are, so that only halves are left as escapes.
  if (!json.includes(String.raw`\ud`)) return json;
  return json.replaceAll(/\\(?:ud[\da-f]{3}|.)/gu, (escape) =>
    escape.length > 2 ? '\uFFFD' : escape,
  );
}
