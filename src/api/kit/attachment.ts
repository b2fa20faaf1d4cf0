/**
 * The `Content-Disposition` of a file to save; see RFC 6266, section 4.3. RFC 8187 allows fewer characters than
 * `encodeURIComponent`.
 */
export function attachment(fileName: string): string {
  const encoded = encodeURIComponent(fileName.replaceAll(/[/\\]/g, '_').toWellFormed());
  const reserved = encoded.replaceAll(
    /['()*]/g,
    (character) => `%${character.codePointAt(0)?.toString(16).toUpperCase() ?? ''}`,
  );
  return `attachment; filename*=UTF-8''${reserved}`;
}
