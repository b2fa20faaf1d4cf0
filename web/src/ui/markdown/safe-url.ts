/** The address of a link that is safe to open: http, https or mailto; undefined for all others. */
export function safeUrl(href: string): string | undefined {
  try {
    const { protocol, href: normalized } = new URL(href.trim());
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? normalized : undefined;
  } catch {
    // A path of this server, or nothing that is an address.
    return undefined;
  }
}
