/** Returns a URL if it is safe to open: http, https or mailto; otherwise undefined. */
export function safeUrl(href: string): string | undefined {
  try {
    const { protocol, href: normalized } = new URL(href.trim());
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? normalized : undefined;
  } catch {
    // A relative path, or not a URL.
    return undefined;
  }
}
